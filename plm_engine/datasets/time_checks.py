"""What can be wrong with rows in time: uneven steps, dates to come, columns that hold the target of another time."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plm_engine.datasets.roles import Roles
from plm_engine.datasets.table import Finding, counted, data_rows

Floats = NDArray[np.float64]
#: a gap this many times the usual one is named if it is longer than the longest holidays, or than nights and weekends
LONG_GAP, HOLIDAYS, NIGHTS = 3.0, pd.Timedelta(days=11), pd.Timedelta(days=4)
#: how far apart in rows a column and the target are compared
FARTHEST = 12


def check_time(frame: pd.DataFrame, roles: Roles, today: dt.date | None = None) -> list[Finding]:
    """Look at usable rows in time order; ``today`` is the clock's unless given."""
    findings = []
    if roles.date is not None and len(frame) > 3:
        dates = frame[roles.date]
        findings += _uneven(dates)
        findings += _to_come(dates, today or dt.date.today())
    y = frame[roles.target].to_numpy(dtype=np.float64)
    for name in roles.drivers:
        findings += _other_time(name, frame[name].to_numpy(dtype=np.float64), y, roles)
    return findings


def _uneven(dates: pd.Series) -> list[Finding]:
    """Name gaps in a series, and a series that is denser in one half than in the other."""
    gaps = dates.diff().iloc[1:]
    gaps = gaps[gaps > pd.Timedelta(0)]
    if len(gaps) < 3:
        return []
    halves = gaps.iloc[: len(gaps) // 2].median(), gaps.iloc[len(gaps) // 2 :].median()
    if max(halves) >= LONG_GAP * min(halves) and max(halves) > NIGHTS:
        sentence = (
            f"The rows are {_span(halves[0])} apart in the first half and {_span(halves[1])} in the second: one row "
            "earlier does not mean the same time everywhere, neither to the network nor to persistence."
        )
        return [Finding("mixed_steps", "warning", sentence, (str(dates.name),))]
    usual = gaps.median()
    long = gaps[gaps > max(LONG_GAP * usual, HOLIDAYS if usual > pd.Timedelta(hours=20) else NIGHTS)]
    if long.empty:
        return []
    rows = tuple(int(row) for row in long.index)
    sentence = (
        f"{counted(len(long), 'gap')} in time: rows are usually {_span(usual)} apart, and up to {_span(long.max())} "
        f"before {data_rows(rows)}. Across a gap, one row earlier is longer ago than elsewhere."
    )
    return [Finding("gaps", "warning", sentence, (str(dates.name),), rows)]


def _span(gap: pd.Timedelta) -> str:
    days = gap / pd.Timedelta(days=1)
    count, unit = (days, "day") if days >= 1 else (24 * days, "hour")
    return f"{count:.3g} {unit}{'s' * (count != 1)}"


def _to_come(dates: pd.Series, today: dt.date) -> list[Finding]:
    later = dates[dates >= pd.Timestamp(today) + pd.Timedelta(days=1)]
    if later.empty:
        return []
    rows = tuple(int(row) for row in later.index)
    sentence = (
        f"{counted(len(rows), 'row')} dated after today ({today:%Y-%m-%d}): {data_rows(rows)}. What has not happened "
        "yet cannot be learned from: are the dates read correctly?"
    )
    return [Finding("dates_to_come", "warning", sentence, (str(dates.name),), rows)]


def _other_time(name: str, x: Floats, y: Floats, roles: Roles) -> list[Finding]:
    """Name a driver that holds the target of later rows, or of rows too recent to be known at the forecast."""
    for shift in range(1, min(FARTHEST, len(y) // 4) + 1):
        if _is_copy(x[:-shift], y[shift:], y[:-shift]):
            sentence = (
                f"{name} is '{roles.target}' of {counted(shift, 'row')} later: a leak, for nobody knows it when "
                "the forecast is made."
            )
            return [Finding("leak", "warning", sentence, (name,))]
        if shift < roles.horizon and _is_copy(x[shift:], y[:-shift], y[shift:]):
            sentence = (
                f"{name} is '{roles.target}' of {counted(shift, 'row')} earlier: a leak, for it is not known yet "
                f"when the forecast is made {roles.horizon} rows ahead. Leave it out, or set the horizon to {shift}."
            )
            return [Finding("leak", "warning", sentence, (name,))]
    return []


def _is_copy(x: Floats, of: Floats, beside: Floats) -> bool:
    """Return whether ``x`` equals ``of`` apart from a few rows, among those where ``of`` and ``beside`` differ."""
    head = slice(0, 200)  # most columns are told apart by a few rows
    if not (x[head] == of[head]).mean() >= 0.5:
        return False
    telling = of != beside
    return int(telling.sum()) >= 6 and bool((x[telling] == of[telling]).mean() >= 0.95)
