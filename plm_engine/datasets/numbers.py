"""Cells to numbers: thousands groups, decimal comma, K and M, per cent, currency signs, spellings of "missing".

A cell either is a number, or is missing, or is unreadable.  An unreadable cell is never 0 and never drags its column
down to text: it is named and its row is rejected.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

#: spellings of "no value here", compared in lower case without surrounding blanks
MISSING = frozenset(
    [
        "",
        "-",
        "--",
        "---",
        ".",
        "..",
        "...",
        "–",
        "—",
        "?",
        "n/a",
        "na",
        "n.a.",
        "n.a",
        "nan",
        "null",
        "none",
        "nil",
        "#n/a",
        "#na",
        "n/d",
        "n.d.",
        "k.a.",
        "missing",
        "(null)",
        "<na>",
        "nat",
        "#value!",
        "#div/0!",
        "#ref!",
        "#name?",
        "#null!",
        "#num!",
        "无",
        "無",
        "缺",
        "缺失",
        "空",
        "暂无",
        "暫無",
        "無資料",
        "无数据",
        "未公布",
        "-nan",
        "_",
    ]
)
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,5})?", re.ASCII)
_SUFFIX = re.compile(r"[\d.,]\s?([KMBkmb])", re.ASCII)
_POWERS = {"k": 3, "m": 6, "b": 9}
_CURRENCY = "$€£¥₩₹"
#: blanks and apostrophes that some countries put between groups of three digits
_SPACES = "\u00a0\u2009\u202f'\u2019 "
_NO_SPACES = str.maketrans("", "", _SPACES)


#: units before a number, and behind one; others are taken where a blank stands between
_BEFORE = (
    r"(?:US|NT|HK|AU?|CA?|SG?|R|CN)?[$€£¥₩₹]|RMB|NTD?|USD?|TWD|CNY|EUR|GBP|JPY|HKD|KRW|INR|CHF|AUD|CAD|SGD|CLP|PEN"
)
_PER = r"(?:\s?/\s?[^\W\d_]{1,8})?"
_BEHIND = (
    rf"(?:(?:USD|TWD|NTD|CNY|RMB|EUR|GBP|JPY|HKD|KRW|INR|CHF|AUD|CAD|SGD|CLP|PEN|[$€£¥₩₹]|kg|kt|mt|t|lbs?|oz|bbl|bn|mn|mio"
    rf"|°[CF]|℃|(?=[^年月日季號号時时])[\u4e00-\u9fff]{{1,4}}){_PER}|(?<=\s)(?!(?:[KMB]|AM|PM|[年月日季號号時时])$)[^\W\d_]{{1,12}}\.?{_PER})"
)
_WITH_UNIT = re.compile(
    rf"(?P<before>{_BEFORE})?\s?(?P<number>[-+(]?[{_CURRENCY}]?[\d.,][\d.,{_SPACES}]*[)-]?)(?P<blank>\s*)(?P<behind>{_BEHIND})?",
    re.IGNORECASE,
)


#: a cell that holds a unit, or how often a series is published
UNIT = re.compile(
    rf"(?:{_BEFORE}|kg|kt|mt|t|tonnes?|tons?|lbs?|oz|bbl|bn|mn|mio|%|°[CF]|℃|index|points?|pts?|bps?|mm|pct|percent"
    rf"|daily|weekly|monthly|quarterly|日|週|周|月|季|年|[元美人民幣币新台港歐欧日圓万萬千百亿億公噸吨磅桶盎司點点指數数手口股%]{{1,6}})"
    rf"(?:\s?/\s?\S{{1,10}})?",
    re.IGNORECASE,
)


def without_unit(text: str) -> tuple[str, str]:
    """Return a number's text without its unit, and the unit (empty if there is none)."""
    text = text.strip()
    m = _WITH_UNIT.fullmatch(text)
    if m is None or not (m["before"] or m["behind"]) or ((m["before"] or "") in _CURRENCY and not m["behind"]):
        return text, ""
    before = m["before"] or ""
    return m["number"].strip(), f"{before} {m['behind'] or ''}".strip()


def is_missing(text: str) -> bool:
    """Return whether a text spells "no value"."""
    return text.strip().lower() in MISSING


def decimal_votes(texts: Iterable[str]) -> Counter[str]:
    """Count what cells say about the decimal mark: ``"."``, ``","``, and ``"?."`` / ``"?,"`` where either may be meant.

    ``57.418`` alone may be 57 418 or 57.418; ``0.574``, ``57.4``, ``5741.850`` and ``57,418.5`` can only mean a
    decimal point.
    """
    votes: Counter[str] = Counter()
    for text in texts:
        body = without_unit(text)[0].strip("+-()%" + _CURRENCY).rstrip("KMBkmb").strip()
        body = body.translate(_NO_SPACES)
        dots, commas = body.count("."), body.count(",")
        if not (dots or commas) or not body.replace(".", "").replace(",", "").isdigit():
            continue
        if dots and commas:
            if min(dots, commas) == 1:
                votes["." if body.rfind(".") > body.rfind(",") else ","] += 1
            continue
        mark, other = (".", ",") if dots else (",", ".")
        groups = body.split(mark)
        if len(groups) > 2:
            if len(groups[-1]) == 3 and all(len(g) in (2, 3) for g in groups[1:]) and len(groups[0]) <= 3:
                votes[other] += 1
        elif len(groups[1]) == 3 and 1 <= len(groups[0]) <= 3 and groups[0] != "0":
            votes["?" + mark] += 1
        else:
            votes[mark] += 1
    return votes


class NumberStyle:
    """How the numbers of one column are written.

    Parameters
    ----------
    decimal : {".", ","}
        Decimal mark.
    percent, suffixes : bool
        Whether the column's cells carry ``%`` or ``K``, ``M``, ``B``.  Elsewhere such a cell is unreadable: ``5741B``
        between plain prices is a typing error, not 5 741 thousand million.
    unit : str
        The unit that all of the column's cells carry, such as ``CNY``; one without it is unreadable, for it may be in
        another.
    """

    def __init__(self, decimal: str = ".", percent: bool = False, suffixes: bool = False, unit: str = "") -> None:
        self.decimal = decimal
        self.unit = unit
        self.percent = percent
        self.suffixes = suffixes
        thousands = re.escape({".": ",", ",": "."}[decimal] + _SPACES)
        mark = re.escape(decimal)
        self._grouped = re.compile(rf"\d{{1,3}}(?:([{thousands}])\d{{3}})(?:\1\d{{3}})*(?:{mark}\d*)?", re.ASCII)
        # lakhs and crores: 5,74,100
        self._indian = re.compile(rf"\d{{1,2}}(?:[{thousands}]\d{{2}})+[{thousands}]\d{{3}}(?:{mark}\d*)?", re.ASCII)
        self._bare = re.compile(rf"(?:\d+(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d{{1,5}})?", re.ASCII)

    @classmethod
    def of(cls, texts: list[str], decimal: str) -> NumberStyle:
        """Find the style of a column from its texts (without the missing ones)."""
        half = max(1, len(texts)) / 2
        percent = sum(t.rstrip().endswith(("%", "％")) for t in texts) >= half
        suffixes = sum(bool(_SUFFIX.fullmatch(t.strip()[-2:]) or _SUFFIX.fullmatch(t.strip()[-3:])) for t in texts)
        unit = "" if percent or suffixes >= half else _unit_of(texts)
        return cls(decimal, percent, suffixes >= half, unit)

    def parse(self, text: str) -> float | str:
        """Return the number in a cell, or the reason why there is none."""
        if "\0" in text:
            return "contains a NUL byte, so the file is damaged here"
        if "\ufffd" in text:
            return "contains bytes that are not text in this encoding"
        body = text.strip()
        if self.unit:
            body, unit = without_unit(body)
            if unit != self.unit:
                return f"is not in {self.unit}, unlike the rest of its column"
        if self.decimal == "." and _PLAIN.fullmatch(body) and not self.percent:
            return _finite(body)
        body = unicodedata.normalize("NFKC", body).replace("\u2212", "-").strip()
        body, negative = _sign(body)
        if self.percent and not body.endswith("%") and body.strip("0.,"):
            return "has no % sign, unlike the rest of its column"
        body, power = self._unit(body)
        if self._grouped.fullmatch(body) or self._indian.fullmatch(body):
            body = "".join(c for c in body if c.isdigit() or c == self.decimal)
        elif not self._bare.fullmatch(body):
            return "is not a number"
        body = body.replace(self.decimal, ".")
        if power:
            if "e" in body.lower():
                return "is not a number"
            body = f"{body}e{power}"
        return _finite(("-" if negative else "") + body)

    def _unit(self, body: str) -> tuple[str, int]:
        """Take a per cent sign or a factor off the end; an unexpected one stays and makes the cell unreadable."""
        if self.percent and body.endswith("%"):
            return body[:-1].rstrip(), 0
        if self.suffixes and body and body[-1].lower() in _POWERS:
            return body[:-1].rstrip(), _POWERS[body[-1].lower()]
        return body, 0


def _sign(body: str) -> tuple[str, bool]:
    """Take sign, accountants' brackets and currency sign off a number."""
    negative = False
    if len(body) > 2 and body[0] == "(" and body[-1] == ")":
        body, negative = body[1:-1].strip(), True
    elif body[:1] in ("-", "+"):
        negative, body = body[0] == "-", body[1:].lstrip()
    body = body.strip(_CURRENCY).strip() if body.strip(_CURRENCY) != body else body
    if not negative and body[:1] == "-":
        negative, body = True, body[1:]
    elif not negative and len(body) > 1 and body[-1] == "-":  # as accounting programs print it
        negative, body = True, body[:-1].rstrip()
    return body, negative


def _unit_of(texts: list[str]) -> str:
    """Return the unit that more than half of a column's texts carry; empty if there is none."""
    units = Counter(without_unit(t)[1] for t in texts)
    unit, count = max(units.items(), key=lambda item: item[1], default=("", 0))
    return unit if 2 * count > len(texts) else ""


def _finite(body: str) -> float | str:
    value = float(body)
    return value if math.isfinite(value) else "is larger than any number this program can hold (1.8e308)"
