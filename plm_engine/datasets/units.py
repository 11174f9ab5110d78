"""Numbers in different units that one column must not mix: said, since nobody but the person can convert them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from plm_engine.datasets.table import Column, Finding

#: names of a column that says in which unit the other cells of its row are
_UNIT_NAMES = re.compile(
    r"currency|curr\.?|ccy|units?|uom|unit of measure|währung|einheit|devise|unité|moneda|divisa|unidad|valuta|moeda"
    r"|幣別|币别|幣種|币种|貨幣|货币|單位|单位",
    re.IGNORECASE,
)
#: more different values than this are no units
_MOST_UNITS = 10


def different_units(name: str, units: Counter[str], *, read: bool = True) -> Finding:
    """Return what to say of a column whose cells stand in different units.

    Parameters
    ----------
    name : str
    units : Counter
        Cells in each unit.
    read : bool
        Whether the cells are read as numbers all the same, or kept as text.
    """
    said = ", ".join(f"{unit}: {n:,}" for unit, n in units.most_common(5))
    if read:
        sentence = (
            f"Column '{name}' holds numbers shown in different units ({said}), and they are read as they are stored: "
            "bring them to one unit in the workbook first."
        )
    else:
        sentence = (
            f"Column '{name}' is taken as text, for its numbers are in different units ({said}): bring them to one "
            "unit first."
        )
    return Finding("mixed_units", "warning", sentence, (name,))


def unit_columns(frame: pd.DataFrame, columns: Sequence[Column]) -> list[Finding]:
    """Warn of a column of units, such as ``currency``, that differ from row to row: the numbers beside it are mixed."""
    findings = []
    for column in columns:
        if column.type != "text" or not _UNIT_NAMES.fullmatch(column.original.strip()):
            continue
        units = Counter(str(value).strip() for value in frame[column.name].dropna())
        if 1 < len(units) <= _MOST_UNITS:
            said = ", ".join(f"{unit}: {n:,}" for unit, n in units.most_common(5))
            sentence = (
                f"Column '{column.name}' says that rows are in different units ({said}), and their numbers are read as "
                "they stand: keep the rows of one unit, or convert them first."
            )
            findings.append(Finding("mixed_units", "warning", sentence, (column.name,)))
    return findings
