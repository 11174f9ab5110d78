"""Where the names of a table's columns stand: the row of texts above the values, with units and groups."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from plm_engine.datasets.dates import looks_like_date
from plm_engine.datasets.numbers import UNIT, NumberStyle, is_missing

_STYLES = (NumberStyle(".", suffixes=True), NumberStyle(",", suffixes=True))
_SEARCHED = 60
#: first cells of rows that say something about the columns and do not name them
_ABOUT = re.compile(
    r"(units?|frequency|freq\.?|source|單位|单位|頻率|频率|來源|来源|更新時間|更新时间|指標ID|指标ID)\s*[:：]?",
    re.IGNORECASE,
)


def blank(cell: Any) -> bool:
    """Return whether nothing stands in a cell (a spelling of "missing" is something)."""
    return cell is None or (isinstance(cell, str) and not cell.strip(" \t\r\n\u3000\u00a0"))


def is_value(cell: Any) -> bool:
    """Return whether a cell is a number or a date, however written: what headers are not made of."""
    if isinstance(cell, bool):
        return False
    if not isinstance(cell, str):
        return cell is not None
    text = cell.strip().removesuffix("%")
    if not text or not any(c.isdigit() for c in text):
        return False
    return any(isinstance(s.parse(text), float) for s in _STYLES) or looks_like_date(text)


def find_header(rows: list[list[Any]]) -> int | None:
    """Return the index of the header row, ``-1`` for a table without one, None if there is no table.

    The header is the fullest row of texts above the first row of values that is about as wide as the table (the
    lowest of equally full ones); the row above it if it holds units only, or the row below it that completes its names.
    """
    head = rows[:_SEARCHED]
    filled = [sum(not blank(c) for c in row) for row in head]
    widest = max(filled, default=0)
    if widest == 0:
        return None
    wide = [n * 2 >= widest for n in filled]
    values = [sum(is_value(c) for c in row) for row in head]
    first = next((i for i in range(len(head)) if values[i] and (wide[i] or values[i] * 4 >= widest)), None)
    if first is None:
        return next(i for i, n in enumerate(filled) if n == widest)
    names = [i for i in range(first) if wide[i] and not values[i]]
    if names:
        above = max(names, key=lambda i: (filled[i], i))
        while above - 1 in names and _about_columns(head[above]):
            above -= 1
        while above + 1 in names and _completes(head[above + 1], head[above]):
            above += 1
        return above
    # a header may hold a number among its names; a row of nothing but values is data
    named = filled[first] - values[first]
    return first if named * 2 > filled[first] or (named and _are_years(head[first])) else -1


def rows_of_units(rows: list[list[Any]]) -> int:
    """Return how many rows right below the header hold units, frequencies or sources and no data."""
    return next((i for i, row in enumerate(rows[:_SEARCHED]) if not _about_columns(row)), 0)


def _completes(row: list[Any], above: list[Any]) -> bool:
    """Return whether a row goes on with the names in the row above it, which holds titles of groups.

    It fills gaps there, or leaves the first column to it.
    """
    gaps = any(not blank(c) and (j >= len(above) or blank(above[j])) for j, c in enumerate(row))
    return (gaps or blank(row[0])) and not _about_columns(row)


def _about_columns(row: list[Any]) -> bool:
    """Return whether a row says in which units the columns are, or how often or whence they come."""
    texts = [str(c).strip() for c in row if not blank(c)]
    if not texts or any(is_value(c) for c in row):
        return False
    if _ABOUT.fullmatch(texts[0]):
        return True
    units = sum(bool(UNIT.fullmatch(t.strip("()[]（）"))) for t in texts)
    others = sum(is_missing(t) for t in texts)
    return units > 0 and units + others == len(texts)


def with_groups(names: list[Any], above: list[Any]) -> tuple[list[Any], bool]:
    """Return names completed by the row above them, and whether that changed any.

    A name that is missing is taken from there, and one that is only a unit stands behind it.  Names that occur twice
    get the group's title in front, which reaches to the right as far as the next one, as merged cells do.
    """
    if sum(not blank(c) for c in above) < 2 or any(is_value(c) for c in above) or _about_columns(above):
        return names, False
    above = above + [None] * (len(names) - len(above))
    times = Counter(str(c).strip() for c in names if not blank(c))
    out, group = [], ""
    for name, over in zip(names, above, strict=False):
        group = group if blank(over) else str(over).strip()
        if blank(name):
            out.append(over)
        elif not blank(over) and UNIT.fullmatch(str(name).strip()):
            out.append(f"{str(over).strip()} ({str(name).strip()})")
        else:
            out.append(f"{group} {str(name).strip()}" if group and times[str(name).strip()] > 1 else name)
    return out, out != names


def _are_years(row: list[Any]) -> bool:
    """Return whether the values of a row are years in order, as in the header ``country, 2019, 2020``."""
    values = [str(c).strip() for c in row if is_value(c)]
    years = [int(v) for v in values if len(v) == 4 and v.isdigit() and 1800 <= int(v) <= 2200]
    return len(years) == len(values) > 1 and years == sorted(set(years))
