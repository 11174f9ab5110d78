"""Cells of one column to one typed column: numbers, dates or text, with every unreadable cell named."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from plm_engine.datasets.dates import ORDERS, DateReading, may_be_dates, numbers_as_dates, read_dates
from plm_engine.datasets.numbers import NumberStyle, is_missing, without_unit
from plm_engine.datasets.offsets import on_one_clock
from plm_engine.datasets.table import PADDED, Column, Finding, ReadOptions, Rejected, counted, data_rows
from plm_engine.datasets.units import different_units

#: a number with a sign or a word too many
_NUMBER_AND_MORE = re.compile(r"[^\w\s]{0,3}\s?\d+(?:[.,]\d+)*(?:\s?[^\w\s:/]{1,3}|\s[^\W\d_]{1,12})?")
#: from one number to another, as quotations are given; 2021-12 is none, but rather a month
_RANGE = re.compile(r"\d+(?:[.,]\d+)*\s?[-–~/]\s?\d{3,}(?:[.,]\d+)*")

#: texts that are 1 and 0 in a column of nothing else, as programs write what is true
_YES_OR_NO = (("true", "false"), ("yes", "no"), ("是", "否"))


@dataclass
class TypedColumn:
    """A column with its values and what came to light while reading it."""

    column: Column
    values: pd.Series
    rejected: list[Rejected] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def type_column(column: Column, cells: list[Any], lines: list[int], decimal: str, options: ReadOptions) -> TypedColumn:
    """Give a column its type and read its cells.

    Parameters
    ----------
    column : Column
        Names and position; type and counts are filled in here.
    cells : list
        Text, numbers, dates or None; one per data row.
    lines : list of int
        File line of each cell.
    decimal : {".", ","}
        Decimal mark of the file's texts.
    options : ReadOptions
        Date order and missing codes.
    """
    if _is_padded(column, cells):
        column = replace(column, notes=(*column.notes, PADDED))
    plain = _all_plain(column, cells, decimal)
    if plain is not None and not options.missing_codes:
        return TypedColumn(replace(column, type="number"), pd.Series(plain))
    known = [i for i, c in enumerate(cells) if not _no_value(c)]
    texts = [cells[i].strip() for i in known if isinstance(cells[i], str)]
    n_numbers = sum(isinstance(cells[i], (int, float, Decimal, np.number)) for i in known)
    n_dates = sum(isinstance(cells[i], dt.date) for i in known)
    if not known:
        return _empty(column, cells)
    style = NumberStyle.of(texts, decimal)
    counted_time = _counted_dates(column, [cells[i] for i in known])
    if counted_time is not None:
        words, days = counted_time
        cells = list(cells)
        for i, day in zip(known, days, strict=True):
            cells[i] = day
        return _as_dates(replace(column, notes=(*column.notes, f"read {words}")), cells, lines, None, options)
    reading = read_dates(column.original, texts, options.date_format) if n_dates or not n_numbers else None
    if n_dates * 2 > len(known) or reading is not None:
        return _as_dates(column, cells, lines, reading, options)
    n_readable = n_numbers + sum(isinstance(style.parse(t), float) for t in texts)
    # a lone unreadable cell in a column of few is still a bad cell, not a reason to call the column text
    if 2 * n_readable > len(known):
        return _as_numbers(column, cells, lines, style, options)
    if (said := {t.lower() for t in texts}) and any(said <= set(pair) for pair in _YES_OR_NO):
        yes = next(pair for pair in _YES_OR_NO if said <= set(pair))[0]
        cells = [c if _no_value(c) else float(c.strip().lower() == yes) for c in cells]
        return _as_numbers(replace(column, notes=(*column.notes, f"{yes} is 1")), cells, lines, style, options)
    return _as_text(column, cells)


def _is_padded(column: Column, cells: list[Any]) -> bool:
    """Return whether cells such as 007 say that a column holds codes, not amounts; 07 may be a month or an hour."""
    texts = [c.strip() for c in cells if isinstance(c, str)]
    padded = any(len(t) > 2 and t[0] == "0" and t.isdigit() for t in texts)
    return padded and not may_be_dates(column.original) and all(t.isdigit() or is_missing(t) for t in texts)


def _counted_dates(column: Column, known: list[Any]) -> tuple[str, list[dt.datetime]] | None:
    """Return dates that stand as plain numbers below a name that means a date, and their format in words."""
    if any(isinstance(c, (bool, dt.date)) for c in known):
        return None
    try:
        return numbers_as_dates(column.original, [float(c) for c in known])
    except (TypeError, ValueError, OverflowError):
        return None


def _all_plain(column: Column, cells: list[Any], decimal: str) -> np.ndarray | None:
    """Return a column of nothing but plain numbers, the usual case, in a tenth of the time; None for any other."""
    if decimal != "." or not cells or may_be_dates(column.original):
        return None
    try:
        values = np.array([float(c) for c in cells])
        # float() also takes "inf", "nan" and 1_000, which are not plain
        odd = any("_" in c for c in cells)
    except (TypeError, ValueError, OverflowError):
        return None
    return values if np.isfinite(values).all() and not odd else None


def _no_value(cell: Any) -> bool:
    if cell is None:
        return True
    if isinstance(cell, str):
        return is_missing(cell)
    return isinstance(cell, float) and math.isnan(cell)


def _empty(column: Column, cells: list[Any]) -> TypedColumn:
    values = pd.Series(np.full(len(cells), np.nan))
    return TypedColumn(replace(column, type="empty", n_missing=len(cells)), values)


def _as_text(column: Column, cells: list[Any]) -> TypedColumn:
    values = [None if _no_value(c) else str(c) for c in cells]
    missing = sum(v is None for v in values)
    typed = TypedColumn(replace(column, type="text", n_missing=missing), pd.Series(values, dtype=object))
    known = [v for v in values if v is not None]
    units = Counter(unit for v in known if (unit := without_unit(v)[1]))
    if len(units) > 1 and 2 * units.total() > len(known):
        typed.findings.append(different_units(column.name, units, read=False))
        return typed
    numeric = [v for v in known if _NUMBER_AND_MORE.fullmatch(v.strip()) or _RANGE.fullmatch(v.strip())]
    if 2 * len(numeric) > len(known):
        sentence = (
            f"Column '{column.name}' is taken as text, for its cells, such as {shown(numeric[0])!r}, are not read as "
            "numbers: it cannot be used as it is."
        )
        typed.findings.append(Finding("numbers_as_text", "warning", sentence, (column.name,)))
    return typed


def _as_numbers(
    column: Column, cells: list[Any], lines: list[int], style: NumberStyle, options: ReadOptions
) -> TypedColumn:
    values = np.full(len(cells), np.nan)
    rejected, missing = [], 0
    for i, cell in enumerate(cells):
        if _no_value(cell):
            missing += 1
            continue
        value = style.parse(cell) if isinstance(cell, str) else _number(cell)
        if isinstance(value, str):
            rejected.append(Rejected(i + 1, lines[i], column.name, shown(cell), f"{shown(cell)!r} {value}"))
        else:
            values[i] = value
    codes = _codes(options.missing_codes)
    hits = np.isin(values, codes) if codes else np.zeros(len(values), dtype=bool)
    values[hits] = np.nan
    notes = column.notes + (("in percent",) if style.percent else (f"in {style.unit}",) if style.unit else ())
    typed = replace(column, type="number", n_missing=missing + int(hits.sum()), notes=notes)
    return TypedColumn(typed, pd.Series(values), rejected)


def _codes(texts: tuple[str, ...]) -> list[float]:
    codes = []
    for text in texts:
        value = NumberStyle().parse(text)
        if isinstance(value, float):
            codes.append(value)
    return codes


def _number(cell: Any) -> float | str:
    """Return a workbook's or Parquet file's number as a float."""
    if isinstance(cell, (dt.date, dt.time, dt.timedelta)):
        return "is a date or time, not a number"
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        return "is not a number"
    return value if math.isfinite(value) else "is not a finite number"


def _as_dates(
    column: Column, cells: list[Any], lines: list[int], reading: DateReading | None, options: ReadOptions
) -> TypedColumn:
    values: list[dt.datetime | None] = []
    rejected, missing = [], 0
    swapped = _swapped(column.name, cells, reading)
    if swapped and options.date_format == (reading and reading.format):
        cells = [_swap(c) if isinstance(c, dt.date) else c for c in cells]
    for i, cell in enumerate(cells):
        value = None
        if _no_value(cell):
            missing += 1
        else:
            value = _one_date(cell, reading)
            if value is None:
                words = f" in the column's format ({reading.format})" if reading else ""
                reason = f"{shown(cell)!r} is not a date{words}"
                rejected.append(Rejected(i + 1, lines[i], column.name, shown(cell), reason))
        values.append(value)
    notes = column.notes + ((f"read {reading.format}",) if reading else ())
    values, offsets = on_one_clock(column.name, cells, values)
    findings = [] if offsets is None else [offsets]
    if swapped and options.date_format is None:
        findings.append(swapped)
    elif reading and reading.ambiguous:
        findings.append(
            Finding(
                "ambiguous_dates",
                "question",
                reading.ambiguous,
                (column.name,),
                choices=reading.choices,
                option="date_format",
            )
        )
    typed = replace(column, type="date", n_missing=missing, notes=notes)
    series = pd.Series(pd.to_datetime(pd.Series(values, dtype=object)).to_numpy(dtype="datetime64[us]"))
    return TypedColumn(typed, series, rejected, findings)


def _one_date(cell: Any, reading: DateReading | None) -> dt.datetime | None:
    if isinstance(cell, dt.datetime):
        return cell.replace(tzinfo=None)
    if isinstance(cell, dt.date):
        return dt.datetime(cell.year, cell.month, cell.day)
    return reading.parse(cell.strip()) if reading and isinstance(cell, str) else None


def _swapped(name: str, cells: list[Any], reading: DateReading | None) -> Finding | None:
    """Ask about a workbook's column of true dates with days up to 12 only, and texts with days above 12 only.

    That is what a spreadsheet leaves behind that took 04/01 (4 January) for 1 April and could make nothing of 18/01.
    """
    if reading is None or reading.format not in ORDERS:
        return None
    true_days = [c.day for c in cells if isinstance(c, dt.date)]
    texts = [d for d in (reading.parse(c.strip()) for c in cells if isinstance(c, str)) if d is not None]
    if len(true_days) < 3 or len(texts) < 3 or max(true_days) > 12 or min(d.day for d in texts) <= 12:
        return None
    sentence = (
        f"Column '{name}' holds {len(true_days)} dates, none after the 12th of a month, and {len(texts)} texts, none "
        "before the 13th: a spreadsheet has probably swapped day and month of the dates. Say with --date-format which "
        f"comes first in the texts ({reading.format}) to swap them back, or correct the workbook."
    )
    return Finding("ambiguous_dates", "question", sentence, (name,), choices=tuple(ORDERS)[:2], option="date_format")


def _swap(day: dt.date) -> dt.date:
    return day.replace(month=day.day, day=day.month)


def shown(cell: Any) -> str:
    """Return a cell's text, short enough for a sentence and without control characters."""
    text = str(cell)
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[:60])
    return text if len(str(cell)) <= 60 else text + "..."


def sentinels(name: str, values: pd.Series) -> Finding | None:
    """Ask about values such as -999 that may stand for "missing": they lie far away from all others.

    Nothing is dropped unasked: the values stay numbers until ``missing_codes`` says otherwise.
    """
    numbers = values.to_numpy(dtype=float)
    known = numbers[np.isfinite(numbers)]
    candidates = [v for v in (-9999.0, -999.0, -99.0, 999.0, 9999.0, 99999.0, -99999.0, 999999.0) if v in known]
    for code in candidates:
        rest = known[known != code]
        if len(rest) < 3:
            continue
        spread = float(rest.max() - rest.min())
        outside = rest.min() - code if code < rest.min() else code - rest.max()
        if outside > 3 * max(spread, 1e-12) and len(rest) >= len(known) / 2:
            rows = [int(r) for r in values.index[numbers == code]]
            sentence = (
                f"Column '{name}' holds {code:g} in {counted(len(rows), 'row')} ({data_rows(rows)}), "
                f"far from its other values ({rest.min():g} to {rest.max():g}): if it stands for a missing value, "
                f"say so with --missing-codes={code:g}; until then it counts as a number."
            )
            return Finding(
                "sentinel", "question", sentence, (name,), tuple(rows), (f"{code:g}", "keep"), "missing_codes"
            )
    return None
