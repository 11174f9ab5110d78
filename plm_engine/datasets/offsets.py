"""Times with offsets from UTC: which clock a column is put on where its offsets differ, as they do over a year."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Sequence
from typing import Any

from plm_engine.datasets.table import Finding

_OFFSET = re.compile(r":\d{2}(?:[.,]\d+)?\s*(?:(Z)|([+-])(\d{2}):?(\d{2}))$", re.ASCII)


def offset_of(cell: Any) -> dt.timedelta | None:
    """Return the offset from UTC that stands behind a time of day; None where there is none."""
    if isinstance(cell, dt.datetime):
        return cell.utcoffset()
    found = _OFFSET.search(cell.strip()) if isinstance(cell, str) else None
    if found is None:
        return None
    if found[1]:
        return dt.timedelta()
    size = dt.timedelta(hours=int(found[3]), minutes=int(found[4]))
    return -size if found[2] == "-" else size


def on_one_clock(
    name: str, cells: Sequence[Any], values: Sequence[dt.datetime | None]
) -> tuple[list[dt.datetime | None], Finding | None]:
    """Return a column's times on one clock, and what was done where their offsets from UTC differ.

    The clock on the wall is kept, so that days stay days where summer time begins, unless it would change the order of
    the rows: where clocks are put back, 02:30 comes twice.  Then all times are put to UTC.

    Parameters
    ----------
    name : str
        Of the column, for the sentence.
    cells : sequence
        As they stand in the file.
    values : sequence of datetime or None
        Their clock on the wall, None where a cell is missing or unreadable.
    """
    offsets = [None if value is None else offset_of(cell) for cell, value in zip(cells, values, strict=True)]
    known = {offset for offset in offsets if offset is not None}
    if len(known) < 2:
        return list(values), None
    wall = [value for value in values if value is not None]
    utc = [
        value - (offset or dt.timedelta()) for value, offset in zip(values, offsets, strict=True) if value is not None
    ]
    order = sorted(range(len(utc)), key=utc.__getitem__)
    low, high = _words(min(known)), _words(max(known))
    if all(_sign(wall[a], wall[b]) == _sign(utc[a], utc[b]) for a, b in itertools.pairwise(order)):
        sentence = (
            f"Times in column '{name}' have different offsets from UTC, such as {low} and {high}: they are read as the "
            "clock on the wall showed them."
        )
        return list(values), Finding("offsets", "info", sentence, (name,))
    there = iter(utc)
    sentence = (
        f"Times in column '{name}' have different offsets from UTC, such as {low} and {high}: they were all put to "
        "UTC, because the clock on the wall would show another order."
    )
    return [None if value is None else next(there) for value in values], Finding("offsets", "info", sentence, (name,))


def _sign(a: dt.datetime, b: dt.datetime) -> int:
    return (b > a) - (b < a)


def _words(offset: dt.timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
