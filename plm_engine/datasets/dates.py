"""Cells to dates: one format for a whole column, never one guess per cell."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field

_TIME = r"(?:[T ]\s*\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2}|[AaPp][Mm])?)?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_TIME}", re.ASCII)
_CHINESE = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*日)?")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_TIME}", re.ASCII)
_YEAR_MONTH = re.compile(r"(\d{4})[-/](\d{1,2})", re.ASCII)
_WEEK = re.compile(r"(\d{4})-?W(\d{2})(?:-?([1-7]))?", re.ASCII)
_COMPACT = re.compile(r"(19|20)\d{6}", re.ASCII)
_DAY_NAME = re.compile(r"(\d{1,2})[ -.]+([A-Za-z]{3,9})\.?,?[ -]+(\d{4}|\d{2})", re.ASCII)
_NAME_DAY = re.compile(r"([A-Za-z]{3,9})\.? +(\d{1,2}),? +(\d{4})", re.ASCII)
_NAME_YEAR = re.compile(r"([A-Za-z]{3,9})\.?[ -]+(\d{4})", re.ASCII)
_MONTHS = {
    m: i for i, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
}
#: names under which a column of 20210104 is dates and not numbers
DATE_NAMES = re.compile(r"date|day|week|month|time|datum|fecha|fech|jour|日|時|时|周|週|月", re.IGNORECASE)

Parser = Callable[[str], "dt.date | None"]


def _date(year: int, month: int, day: int) -> dt.date | None:
    try:
        # outside these years a nanosecond clock overflows, and no price was recorded anyway
        return dt.date(year, month, day) if 1700 <= year <= 2200 else None
    except ValueError:
        return None


def _full_year(text: str) -> int:
    year = int(text)
    return year if len(text) == 4 else year + (2000 if year < 70 else 1900)


def _month(name: str) -> int:
    return _MONTHS.get(name[:3].lower(), 0)


def _year_first(text: str) -> dt.date | None:
    m = _YEAR_FIRST.fullmatch(text)
    return _date(int(m[1]), int(m[3]), int(m[4])) if m else None


def _chinese(text: str) -> dt.date | None:
    m = _CHINESE.fullmatch(text)
    return _date(int(m[1]), int(m[2]), int(m[3] or 1)) if m else None


def day_first(text: str) -> dt.date | None:
    """Read ``31/12/2021``."""
    m = _YEAR_LAST.fullmatch(text)
    return _date(_full_year(m[4]), int(m[3]), int(m[1])) if m else None


def month_first(text: str) -> dt.date | None:
    """Read ``12/31/2021``."""
    m = _YEAR_LAST.fullmatch(text)
    return _date(_full_year(m[4]), int(m[1]), int(m[3])) if m else None


def _year_month(text: str) -> dt.date | None:
    m = _YEAR_MONTH.fullmatch(text)
    return _date(int(m[1]), int(m[2]), 1) if m else None


def _week(text: str) -> dt.date | None:
    m = _WEEK.fullmatch(text)
    try:
        return dt.date.fromisocalendar(int(m[1]), int(m[2]), int(m[3] or 1)) if m and int(m[1]) >= 1700 else None
    except ValueError:
        return None


def _compact(text: str) -> dt.date | None:
    return _date(int(text[:4]), int(text[4:6]), int(text[6:])) if _COMPACT.fullmatch(text) else None


def _named(text: str) -> dt.date | None:
    if m := _DAY_NAME.fullmatch(text):
        return _date(_full_year(m[3]), _month(m[2]), int(m[1]))
    if m := _NAME_DAY.fullmatch(text):
        return _date(int(m[3]), _month(m[1]), int(m[2]))
    if m := _NAME_YEAR.fullmatch(text):
        return _date(int(m[2]), _month(m[1]), 1)
    return None


_FORMATS: dict[str, Parser] = {
    "year-month-day": _year_first,
    "year month day": _chinese,
    "month in words": _named,
    "year-month": _year_month,
    "ISO week": _week,
}


@dataclass
class DateReading:
    """How a column of dates was read.

    Attributes
    ----------
    format : str
        The format in words.
    parse : callable
        From a stripped cell to a date, or None if it is not one in this format.
    ambiguous : str
        Sentence if day and month may be the other way round; empty otherwise.
    """

    format: str
    parse: Parser
    ambiguous: str = ""
    choices: tuple[str, ...] = field(default=())


def looks_like_date(text: str) -> bool:
    """Return whether a text is a date in some format (without telling day from month)."""
    text = text.strip()
    return len(text) <= 40 and any(parse(text) is not None for parse in (*_FORMATS.values(), day_first, month_first))


def read_dates(name: str, texts: list[str], order: str | None) -> DateReading | None:
    """Find the one format of a column.

    Parameters
    ----------
    name : str
        Name of the column, for sentences, and because 20210104 is a date only under a name such as "date".
    texts : list of str
        Its cells, stripped, without missing ones.
    order : {"day-first", "month-first"} or None
        What the person said.

    Returns
    -------
    DateReading or None
        None if fewer than half of the cells are dates.
    """
    if not texts:
        return None
    head = [t for t in texts[:200] if len(t) <= 40]
    candidates = dict(_FORMATS)
    if DATE_NAMES.search(name):
        candidates["yearmonthday"] = _compact
    for words, parse in candidates.items():
        if 2 * sum(parse(t) is not None for t in head) > len(head) > 0:
            return DateReading(words, parse)
    last = [t for t in texts if len(t) <= 40 and _YEAR_LAST.fullmatch(t)]
    if 2 * len(last) <= len(texts):
        return None
    return _ordered(name, last, order)


def _ordered(name: str, texts: list[str], order: str | None) -> DateReading:
    """Decide between day first and month first, for the whole column at once."""
    readings = {"day-first": day_first, "month-first": month_first}
    if order:
        return DateReading(order, readings[order])
    parts = [_YEAR_LAST.fullmatch(t) for t in texts]
    first_over_12 = sum(int(m[1]) > 12 for m in parts if m)
    second_over_12 = sum(int(m[3]) > 12 for m in parts if m)
    if first_over_12 != second_over_12:
        # a stray cell of the other kind is then an unreadable cell, not a second format
        chosen = "day-first" if first_over_12 > second_over_12 else "month-first"
        return DateReading(chosen, readings[chosen])
    if not first_over_12 and all(m and m[2] == "." for m in parts):
        return DateReading("day-first", day_first)
    chosen = _more_regular(texts)
    ends = {key: (read(texts[0]), read(texts[-1])) for key, read in readings.items()}
    said = "; ".join(f"{key}: {a} to {b}" for key, (a, b) in ends.items())
    sentence = (
        f"Dates in column '{name}' such as {texts[0]!r} can be read day first or month first ({said}): "
        "say which with --date-format."
    )
    return DateReading(chosen, readings[chosen], sentence, tuple(readings))


def _more_regular(texts: list[str]) -> str:
    """Return the reading with the steadier gaps, to show something sensible until the question is answered."""

    def roughness(read: Parser) -> float:
        days = [d.toordinal() for d in map(read, texts) if d]
        gaps = [b - a for a, b in itertools.pairwise(days)]
        return max(gaps) - min(gaps) if gaps else 0.0

    return "day-first" if roughness(day_first) <= roughness(month_first) else "month-first"
