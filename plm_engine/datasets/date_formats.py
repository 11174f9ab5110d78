"""The formats of dates that are read: each takes a cell's text and gives a date with its time of day, or None."""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Callable

Parser = Callable[[str], "dt.datetime | None"]
_DayParser = Callable[[str], "dt.date | None"]

_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_KOREAN = re.compile(r"(\d{4})\. ?(\d{1,2})\. ?(\d{1,2})\.?", re.ASCII)
_CHINESE = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日일])?")
#: years of the Republic of China count from 1912: 110/01/04 is 2021-01-04
_ROC = re.compile(r"(中華民國|民國|民国)?\s*(\d{2,3})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})", re.ASCII)
_TWO_DIGIT_YEAR_FIRST = re.compile(r"(\d{2})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_YEAR_MONTH = re.compile(r"(\d{4})(?:[-/]|\s?[Mm])(\d{1,2})", re.ASCII)
_QUARTER = re.compile(r"(?:(\d{4})[ -]?[Qq]([1-4])|[Qq]([1-4])[ -]?(\d{4})|(\d{4})\s*年?\s*第?\s*([1-4])\s*季度?)")
_SHORT_QUARTER = re.compile(r"([1-4])[Qq][ '-]?(\d{4}|\d{2})|[Qq]([1-4])[ '/-]{1,2}(\d{4}|\d{2})", re.ASCII)
_YEAR_WEEK = re.compile(r"(\d{4})[ /-]?(?:KW|CW|WK) ?(\d{1,2})", re.ASCII | re.IGNORECASE)
_WEEK_YEAR = re.compile(r"(?:KW|CW|WK|W|Week|Woche)\.? ?(\d{1,2})[ /-]{1,3}(\d{4})", re.ASCII | re.IGNORECASE)
_WEEK = re.compile(r"(\d{4})-?W(\d{2})(?:-?([1-7]))?", re.ASCII)
_COMPACT = re.compile(r"(19|20)\d{6}", re.ASCII)
_COMPACT_MONTH = re.compile(r"(19|20)\d{2}(0[1-9]|1[0-2])", re.ASCII)
_WORD = r"[^\W\d_]{3,9}"
_DAY_NAME = re.compile(rf"(\d{{1,2}})[ -.]+({_WORD})\.?,?[ -]+(\d{{4}}|\d{{2}})")
_NAME_DAY = re.compile(rf"({_WORD})\.? +(\d{{1,2}}),? +(\d{{4}})")
_NAME_YEAR = re.compile(rf"({_WORD})\.?[ -]+(\d{{4}})")
_NAME_SHORT_YEAR = re.compile(rf"({_WORD})[-']+(\d{{2}})")
_MONTHS = {
    m: i for i, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
} | {"mär": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12}
#: months in French, Spanish, Italian and Portuguese, by the letters that tell them from each other
_MONTHS_ABROAD = {
    name: month
    for month, names in enumerate(
        (
            *("jan ene gen", "fév fev feb", "mar", "avr abr apr", "mai may mag", "juin jun giu", "juil jul lug"),
            *("aoû aou ago", "sep set", "oct ott out", "nov", "déc dec dic dez"),
        ),
        1,
    )
    for name in names.split()
}
_ABROAD = re.compile(rf"(?:(\d{{1,2}})(?:er|º|°)?\.?[ -]+(?:de )?)?({_WORD})\.?[ -]+(?:de )?(\d{{4}})", re.IGNORECASE)
_WEEKDAY = re.compile(
    r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+|\s*[(（]?(?:星期|週|周|禮拜)[一二三四五六日天][)）]?$",
    re.IGNORECASE,
)
_HALVES = "上午|下午|AM|PM|am|pm"
_TIME = re.compile(
    rf"(.+?)(?:T\s*|\s+)({_HALVES})?\s*(\d{{1,2}}):(\d{{2}})(?::(\d{{2}})(?:[.,](\d{{1,9}}))?)?\s*"
    rf"(?:({_HALVES})|Z|[+-]\d{{2}}:?\d{{2}})?"
)


def _timed(day_of: _DayParser) -> Parser:
    """Return a parser that also takes a weekday's name and the time of day; an offset from UTC is not applied."""

    @functools.wraps(day_of)
    def parse(text: str) -> dt.datetime | None:
        clock = dt.time()
        if ":" in text:
            m = _TIME.fullmatch(text)
            found = _clock(m) if m else None
            if m is None or found is None:
                return None
            text, clock = m[1], found
        day = day_of(_WEEKDAY.sub("", text, count=1))
        return dt.datetime.combine(day, clock) if day else None

    return parse


def _clock(m: re.Match[str]) -> dt.time | None:
    hour, half = int(m[3]), m[2] or m[7]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half in ("下午", "PM", "pm"))
    try:
        return dt.time(hour, int(m[4]), int(m[5] or 0), int((m[6] or "0")[:6].ljust(6, "0")))
    except ValueError:
        return None


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


@_timed
def year_first(text: str) -> dt.date | None:
    """Read ``2021-12-31``."""
    m = _YEAR_FIRST.fullmatch(text)
    return _date(int(m[1]), int(m[3]), int(m[4])) if m else None


@_timed
def chinese(text: str) -> dt.date | None:
    """Read ``2021年12月31日``."""
    m = _CHINESE.fullmatch(text)
    return _date(int(m[1]), int(m[2]), int(m[3] or 1)) if m else None


@_timed
def roc(text: str) -> dt.date | None:
    """Read ``110/12/31`` or ``民國110年12月31日``."""
    m = _ROC.fullmatch(text)
    return _date(int(m[2]) + 1911, int(m[3]), int(m[4])) if m else None


def surely_roc(text: str) -> bool:
    """Return whether a date can only be one of the Republic of China's: named so, or with a year of three digits."""
    m = _ROC.fullmatch(text.split()[0]) if text.split() else None
    return bool(m and (m[1] or len(m[2]) == 3)) and roc(text) is not None


@_timed
def day_first(text: str) -> dt.date | None:
    """Read ``31/12/2021``."""
    m = _YEAR_LAST.fullmatch(text)
    return _date(_full_year(m[4]), int(m[3]), int(m[1])) if m else None


@_timed
def month_first(text: str) -> dt.date | None:
    """Read ``12/31/2021``."""
    m = _YEAR_LAST.fullmatch(text)
    return _date(_full_year(m[4]), int(m[1]), int(m[3])) if m else None


@_timed
def two_digit_year_first(text: str) -> dt.date | None:
    """Read ``21-12-31``."""
    m = _TWO_DIGIT_YEAR_FIRST.fullmatch(text)
    return _date(_full_year(m[1]), int(m[3]), int(m[4])) if m else None


@_timed
def year_month(text: str) -> dt.date | None:
    """Read ``2021-12``."""
    m = _YEAR_MONTH.fullmatch(text)
    return _date(int(m[1]), int(m[2]), 1) if m else None


@_timed
def quarter(text: str) -> dt.date | None:
    """Read ``2021Q4``, ``Q4 2021`` or ``2021年第4季`` as the quarter's first day."""
    m = _QUARTER.fullmatch(text)
    if m is None:
        return None
    return _date(int(m[1] or m[4] or m[5]), 3 * int(m[2] or m[3] or m[6]) - 2, 1)


@_timed
def short_quarter(text: str) -> dt.date | None:
    """Read ``4Q21`` or ``Q4'21`` as the quarter's first day."""
    m = _SHORT_QUARTER.fullmatch(text)
    return _date(_full_year(m[2] or m[4]), 3 * int(m[1] or m[3]) - 2, 1) if m else None


@_timed
def week(text: str) -> dt.date | None:
    """Read ``2021-W52`` as the week's first day."""
    m = _WEEK.fullmatch(text)
    return _week(int(m[1]), int(m[2]), int(m[3] or 1)) if m else None


@_timed
def week_in_words(text: str) -> dt.date | None:
    """Read ``KW 52/2021`` or ``2021KW52`` as the week's first day."""
    if m := _WEEK_YEAR.fullmatch(text):
        return _week(int(m[2]), int(m[1]), 1)
    m = _YEAR_WEEK.fullmatch(text)
    return _week(int(m[1]), int(m[2]), 1) if m else None


def _week(year: int, number: int, day: int) -> dt.date | None:
    try:
        return dt.date.fromisocalendar(year, number, day) if year >= 1700 else None
    except ValueError:
        return None


@_timed
def compact(text: str) -> dt.date | None:
    """Read ``20211231``."""
    return _date(int(text[:4]), int(text[4:6]), int(text[6:])) if _COMPACT.fullmatch(text) else None


@_timed
def compact_month(text: str) -> dt.date | None:
    """Read ``202112``."""
    return _date(int(text[:4]), int(text[4:]), 1) if _COMPACT_MONTH.fullmatch(text) else None


@_timed
def named(text: str) -> dt.date | None:
    """Read ``31 Dec 2021``, ``Dec 31, 2021`` or ``Dec 2021``."""
    if m := _DAY_NAME.fullmatch(text):
        return _date(_full_year(m[3]), _month(m[2]), int(m[1]))
    if m := _NAME_DAY.fullmatch(text):
        return _date(int(m[3]), _month(m[1]), int(m[2]))
    if m := _NAME_YEAR.fullmatch(text):
        return _date(int(m[2]), _month(m[1]), 1)
    return None


@_timed
def named_short_year(text: str) -> dt.date | None:
    """Read ``Dec-21``, as spreadsheets write December 2021."""
    m = _NAME_SHORT_YEAR.fullmatch(text)
    return _date(_full_year(m[2]), _month(m[1]), 1) if m else None


@_timed
def named_abroad(text: str) -> dt.date | None:
    """Read ``31 déc. 2021`` or ``diciembre de 2021``."""
    m = _ABROAD.fullmatch(text)
    if m is None:
        return None
    word = m[2].lower()
    return _date(int(m[3]), _MONTHS_ABROAD.get(word[:4], _MONTHS_ABROAD.get(word[:3], 0)), int(m[1] or 1))


@_timed
def korean(text: str) -> dt.date | None:
    """Read ``2021. 12. 31.``."""
    m = _KOREAN.fullmatch(text)
    return _date(int(m[1]), int(m[2]), int(m[3])) if m else None
