"""What a workbook's number formats say: a cell shown as 12 % holds 0.12, and a column may mix currencies."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from plm_engine.datasets.table import Finding
from plm_engine.datasets.units import different_units

PERCENT = "percent"
NONE = "no unit"
#: a currency's sign or code, as it stands in a number format: bare, quoted, or as [$EUR-407]
_CURRENCY = re.compile(r"\[\$([^\]-]+)|\"\s*([A-Za-z]{1,2}\$|[A-Z]{3}|[$€£¥₩₹])\s*\"|([$€£¥₩₹])")


@lru_cache(maxsize=512)
def unit_of(number_format: str) -> str:
    """Return ``"percent"``, a currency, or ``"no unit"``: what a number format shows beside a number."""
    first = number_format.split(";", 1)[0]
    if "%" in re.sub(r'"[^"]*"|\\.', "", first):
        return PERCENT
    found = _CURRENCY.search(first)
    return next(group for group in found.groups() if group).strip() if found else NONE


def note_units(page: Worksheet, rows: list[list[Any]], header: int) -> list[Finding]:
    """Name the columns that are shown in percent, and those whose numbers are shown in different units."""
    units: dict[int, Counter[str]] = {}
    for cells in page.iter_rows(min_row=header + 2):
        for j, cell in enumerate(cells):
            if isinstance(cell.value, (int, float)) and not isinstance(cell.value, bool) and not cell.is_date:
                units.setdefault(j, Counter())[unit_of(cell.number_format)] += 1
    findings = []
    for j, counts in sorted(units.items()):
        name = str((rows[header][j] if header >= 0 and j < len(rows[header]) else None) or get_column_letter(j + 1))
        named = [unit for unit in counts if unit != NONE]
        if len(named) > 1 or (PERCENT in counts and len(counts) > 1):
            findings.append(different_units(name, counts))
        elif named == [PERCENT]:
            sentence = (
                f"Column '{name}' is shown in percent in the workbook and read as it is stored: 12 % is 0.12. "
                "Write it the same way in rows to forecast."
            )
            findings.append(Finding("shown_in_percent", "info", sentence, (name,)))
    return findings
