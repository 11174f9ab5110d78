"""Dates whose parts stand in columns of their own: year and month, or a day and its hour."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from plm_engine.datasets.table import PART_OF_DATE, Column, Finding

_NAMES = {
    "year": re.compile(r"year|yr|jahr|ann[ée]e|año|anno|ano|年|年份|年度|西元年", re.IGNORECASE),
    "month": re.compile(r"month|mon|monat|mois|mes|mese|mês|月|月份", re.IGNORECASE),
    "quarter": re.compile(r"quarter|qtr|q|quartal|trimestre|季|季度", re.IGNORECASE),
    "week": re.compile(r"week|wk|iso[ _]?week|woche|kw|semaine|semana|週|周|週次", re.IGNORECASE),
    "day": re.compile(r"day|tag|jour|d[ií]a|giorno|日", re.IGNORECASE),
}
_TIME_NAMES = re.compile(r"time|hour|uhrzeit|zeit|heure|hora|ora|時間|时间|時|时", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?", re.ASCII)


def parts_among(names: Iterable[str]) -> dict[str, int]:
    """Return where the parts of a date stand among names; empty unless a year and what divides it are there."""
    found: dict[str, int] = {}
    for j, name in enumerate(names):
        for part, pattern in _NAMES.items():
            if pattern.fullmatch(name.strip()):
                found.setdefault(part, j)
    return found if "year" in found and found.keys() & {"month", "quarter", "week"} else {}


def join_parts(frame: pd.DataFrame, columns: list[Column]) -> list[Finding]:
    """Put a date together from its parts, in place; a column of its own, or the hours into their days."""
    dates = [c for c in columns if c.type == "date"]
    if dates:
        return _with_hours(frame, columns, dates[0])
    found = parts_among(c.original if c.type == "number" else "" for c in columns)
    if not found or frame.empty:
        return []
    used = [part for part in ("year", "month", "quarter", "week", "day") if part in found]
    if "month" in found:
        used = [part for part in used if part not in ("quarter", "week")]
    elif "quarter" in found:
        used = ["year", "quarter"]
    else:
        used = ["year", "week"]
    cells = zip(*(frame[columns[found[part]].name] for part in used), strict=True)
    days = [_day(dict(zip(used, row, strict=True))) for row in cells]
    if sum(day is None for day in days) * 10 > len(days):
        return []
    name = "date"
    while name in frame.columns:
        name += "'"
    names = [columns[found[part]].name for part in used]
    for part in used:
        column = columns[found[part]]
        columns[found[part]] = replace(column, notes=(*column.notes, PART_OF_DATE))
    frame[name] = pd.to_datetime(pd.Series(days, dtype=object)).to_numpy(dtype="datetime64[us]")
    columns.append(Column(name, name, len(columns) + 1, "date", n_missing=sum(day is None for day in days)))
    sentence = f"The dates were put together from the columns {', '.join(names)}."
    return [Finding("date_parts", "info", sentence, (name, *names))]


def _day(parts: dict[str, float]) -> dt.datetime | None:
    """Return the first day that the parts leave open; None where they are no date."""
    if not all(float(value).is_integer() for value in parts.values()):
        return None
    year, day = int(parts["year"]), int(parts.get("day", 1))
    if not 1700 <= year <= 2200:
        return None
    try:
        if "week" in parts:
            return dt.datetime.fromisocalendar(year, int(parts["week"]), 1)
        return dt.datetime(year, int(parts["month"]) if "month" in parts else 3 * int(parts["quarter"]) - 2, day)
    except ValueError:
        return None


def _with_hours(frame: pd.DataFrame, columns: list[Column], date: Column) -> list[Finding]:
    """Add a column of hours to a column of days that occur more than once."""
    days = frame[date.name]
    clock = next((c for c in columns if c.type == "text" and _TIME_NAMES.fullmatch(c.original.strip())), None)
    if clock is None or not days.dropna().duplicated().any() or (days != days.dt.normalize())[days.notna()].any():
        return []
    found = [_CLOCK.fullmatch(str(text).strip()) for text in frame[clock.name]]
    if not all(m and int(m[1]) < 24 and int(m[2]) < 60 and int(m[3] or 0) < 60 for m in found):
        return []
    seconds = [3600 * int(m[1]) + 60 * int(m[2]) + int(m[3] or 0) for m in found if m]
    frame[date.name] = days + pd.to_timedelta(pd.Series(seconds, index=frame.index), unit="s")
    sentence = f"The dates were put together from the columns {date.name}, {clock.name}."
    return [Finding("date_parts", "info", sentence, (date.name, clock.name))]
