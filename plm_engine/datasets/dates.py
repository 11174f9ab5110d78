"""Cells to dates: one format for a whole column, never one guess per cell."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from plm_engine.datasets import date_formats
from plm_engine.datasets.date_formats import Parser, day_first, month_first, two_digit_year_first

#: names under which a column of 20210104 is dates and not numbers
DATE_NAMES = re.compile(r"date|day|week|month|time|datum|fecha|fech|jour|日|時|时|周|週|月", re.IGNORECASE)
#: names that mean a date and nothing else: below them 44200 is a day as spreadsheets count
ONLY_DATE_NAMES = re.compile(
    r"(?:(?:trade|trading|obs|observation|report|price|settlement|ref|reference)[ _.-]?)?"
    r"(?:date|datetime|date[ _]time|timestamp|time|day|week|month|quarter|year|datum|fecha|jour"
    r"|monat|woche|quartal|jahr|tag|periode?|mois|semaine|trimestre|ann[ée]e|mes|semana|año|mese|날짜|일자|дата|日付"
    r"|日期|日期時間|日期时间|時間|时间|年月|年月日|交易日|交易日期|資料日期|年份|年度|年|月份|季度?)",
    re.IGNORECASE,
)

_FORMATS: dict[str, Parser] = {
    "year-month-day": date_formats.year_first,
    "year month day": date_formats.chinese,
    "month in words": date_formats.named,
    "year-month": date_formats.year_month,
    "ISO week": date_formats.week,
}
#: too short to be told from a name in a header, and so only looked for in whole columns
_SHORT_FORMATS: dict[str, Parser] = {
    "quarter": date_formats.quarter,
    "quarter, year in two digits": date_formats.short_quarter,
    "calendar week": date_formats.week_in_words,
    "year. month. day.": date_formats.korean,
    "month in words of another language": date_formats.named_abroad,
    "month in words, year in two digits": date_formats.named_short_year,
}
ORDERS: dict[str, Parser] = {
    "day-first": day_first,
    "month-first": month_first,
    "year-first": two_digit_year_first,
}


@dataclass
class DateReading:
    """How a column of dates was read.

    Attributes
    ----------
    format : str
        The format in words.
    parse : callable
        From a stripped cell to a date and time, or None if it is not one in this format.
    ambiguous : str
        Sentence if day and month may be the other way round; empty otherwise.
    """

    format: str
    parse: Parser
    ambiguous: str = ""
    choices: tuple[str, ...] = field(default=())


def may_be_dates(name: str) -> bool:
    """Return whether numbers below this name may be dates."""
    return bool(DATE_NAMES.search(name) or ONLY_DATE_NAMES.fullmatch(name.strip()))


def looks_like_date(text: str) -> bool:
    """Return whether a text is a date in some format (without telling day from month)."""
    text = text.strip()
    if len(text) > 40:
        return False
    known = any(parse(text) is not None for parse in (*_FORMATS.values(), day_first, month_first))
    return known or date_formats.surely_roc(text)


def read_dates(name: str, texts: list[str], order: str | None) -> DateReading | None:
    """Find the one format of a column.

    Parameters
    ----------
    name : str
        Name of the column, for sentences, and because 20210104 is a date only under a name such as "date".
    texts : list of str
        Its cells, stripped, without missing ones.
    order : {"day-first", "month-first", "year-first"} or None
        What the person said.

    Returns
    -------
    DateReading or None
        None if fewer than half of the cells are dates.
    """
    if not texts:
        return None
    head = [t for t in texts[:200] if len(t) <= 40]
    candidates = _FORMATS | _SHORT_FORMATS
    if any(date_formats.surely_roc(t) for t in (*texts[:200], *texts[-200:]) if len(t) <= 40):
        candidates["year-month-day, years of the Republic of China"] = date_formats.roc
    if DATE_NAMES.search(name):
        candidates["yearmonthday"] = date_formats.compact
    if ONLY_DATE_NAMES.fullmatch(name.strip()) and name.strip().lower() != "week":  # 202112 may be a week, too
        candidates["yearmonth"] = date_formats.compact_month
    for words, parse in candidates.items():
        if 2 * sum(parse(t) is not None for t in head) > len(head) > 0:
            return DateReading(words, parse)
    return _ordered(name, texts, order)


def _ordered(name: str, texts: list[str], order: str | None) -> DateReading | None:
    """Decide for the whole column at once whether day, month or a year of two digits comes first."""
    short = [t if len(t) <= 40 else "" for t in texts]
    orders = {key: parse for key, parse in ORDERS.items() if any(parse(t) for t in short[:200])}
    every = {key: [parse(t) for t in short] for key, parse in orders.items()}
    which = [i for i, days in enumerate(zip(*every.values(), strict=True)) if any(days)]
    if 2 * len(which) <= len(texts):
        return None
    if order:
        return DateReading(order, ORDERS[order])
    dates = [texts[i] for i in which]
    read = {key: [days[i] for i in which] for key, days in every.items()}
    counts = {key: sum(d is not None for d in days) for key, days in read.items()}
    # a stray cell of the other kind is then an unreadable cell, not a second format
    possible = [key for key in orders if counts[key] == max(counts.values())]
    if "year-first" in possible and len(possible) > 1:
        tidy = [key for key in possible if _tidy(read[key])]
        if tidy and "year-first" not in tidy:
            possible.remove("year-first")
        elif tidy == ["year-first"]:
            possible = tidy
    if possible == ["day-first", "month-first"] and all(re.match(r"\d+\.\d+\.", t) for t in dates):
        possible = ["day-first"]
    chosen = min(possible, key=lambda key: _roughness(read[key]))
    if len(possible) == 1:
        return DateReading(chosen, ORDERS[chosen])
    said = "; ".join(f"{key}: {read[key][0]:%Y-%m-%d} to {read[key][-1]:%Y-%m-%d}" for key in possible)
    ways = " or ".join(key.replace("-", " ") for key in possible)
    sentence = (
        f"Dates in column '{name}' such as {dates[0]!r} can be read {ways} ({said}): say which with --date-format."
    )
    return DateReading(chosen, ORDERS[chosen], sentence, tuple(possible))


def _tidy(days: Sequence[dt.datetime | None]) -> bool:
    """Return whether dates follow each other in time, oldest or newest first."""
    known = [d for d in days if d is not None]
    pairs = list(itertools.pairwise(known))
    return len(known) > 1 and (all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs))


def _roughness(days: Sequence[dt.datetime | None]) -> float:
    """Return how uneven the gaps are, to show something sensible until a question is answered."""
    gaps = [(b - a).total_seconds() for a, b in itertools.pairwise(d for d in days if d is not None)]
    return max(gaps) - min(gaps) if gaps else 0.0


_EXCEL_ZERO, _UNIX_ZERO = dt.datetime(1899, 12, 30), dt.datetime(1970, 1, 1)


def numbers_as_dates(name: str, numbers: Sequence[float]) -> tuple[str, list[dt.datetime]] | None:
    """Read numbers below a name that means a date: 20210104, 202101, a year, a spreadsheet's or Unix' count of time.

    Returns the format in words and the dates; None if the numbers, or any of them, are no dates in that sense or most
    of them occur more than once.
    """
    if not numbers or not ONLY_DATE_NAMES.fullmatch(name.strip()) or 10 * len(set(numbers)) < 9 * len(numbers):
        return None
    low, high = min(numbers), max(numbers)
    whole = all(float(v).is_integer() for v in numbers)
    if whole:
        texts = [str(int(v)) for v in numbers]
        compact = {"yearmonthday": date_formats.compact, "yearmonth": date_formats.compact_month}
        if name.strip().lower() == "week":
            del compact["yearmonth"]
        for words, parse in compact.items():
            days = [parse(t) for t in texts]
            if all(days):
                return words, [d for d in days if d is not None]
        if low >= 1700 and high <= 2200:
            return "year", [dt.datetime(int(v), 1, 1) for v in numbers]
    if low >= 20_000 and high <= 80_000:  # 1954 to 2119
        return "days as spreadsheets count them", [
            _EXCEL_ZERO + dt.timedelta(seconds=round(v * 86_400)) for v in numbers
        ]
    for words, unit in (("Unix seconds", 1.0), ("Unix milliseconds", 1e3)):
        if low >= 3e8 * unit and high <= 4.2e9 * unit:  # 1979 to 2103
            return words, [_UNIX_ZERO + dt.timedelta(seconds=v / unit) for v in numbers]
    return None
