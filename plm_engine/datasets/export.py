"""Tables to files that people open in a spreadsheet, without giving it anything to run.

A text cell that starts like a formula (``=``, ``+``, ``-``, ``@``, tab, carriage return) is written behind an
apostrophe.  Numbers are never touched: -0.52 stays a number.
"""

from __future__ import annotations

import io

import pandas as pd

from plm_engine.datasets.table import Finding, counted, data_rows

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def is_formula(cell: object) -> bool:
    """Return whether a spreadsheet might run a cell: text that starts like a formula, behind blanks too."""
    if not isinstance(cell, str) or not cell:
        return False
    return cell.startswith(_STARTS) or cell.lstrip().startswith(_STARTS)


def safe_cell(cell: object) -> object:
    """Return the cell with an apostrophe before anything that a spreadsheet might run; numbers as they are."""
    if isinstance(cell, str):
        cell = cell.replace("\0", "")
        return "'" + cell if is_formula(cell) else cell
    return cell


def safe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a copy whose text cells, names and index cannot be run by a spreadsheet."""
    safe = frame.copy()
    # by position: names may occur twice
    for j in range(safe.shape[1]):
        if not pd.api.types.is_numeric_dtype(safe.dtypes.iloc[j]):
            safe.isetitem(j, safe.iloc[:, j].map(safe_cell))
    safe.columns = pd.Index([safe_cell(c) for c in safe.columns], dtype=object)
    if safe.index.dtype == object:
        safe.index = safe.index.map(safe_cell)
    return safe


def csv_bytes(frame: pd.DataFrame, index: bool = False) -> bytes:
    """Return a frame as CSV for download: UTF-8 with BOM (so that Excel shows every name), formulas neutralised."""
    return safe_frame(frame).to_csv(index=index, lineterminator="\r\n").encode("utf-8-sig")


def xlsx_bytes(frame: pd.DataFrame, index: bool = False) -> bytes:
    """Return a frame as a workbook for download, formulas neutralised."""
    out = io.BytesIO()
    safe_frame(frame).map(_without_control).to_excel(out, index=index, engine="openpyxl")
    return out.getvalue()


def _without_control(cell: object) -> object:
    """Drop the control characters that no workbook may hold."""
    if isinstance(cell, str):
        return "".join(c for c in cell if c >= " " or c in "\t\n\r")
    return cell


def formula_finding(frame: pd.DataFrame) -> Finding | None:
    """Tell how many cells and names look like formulas; they are kept as plain text."""
    texts = [name for name in frame.columns if frame[name].dtype == object]
    rows: set[int] = set()
    cells = 0
    for name in texts:
        hit = frame.index[frame[name].map(is_formula).to_numpy(dtype=bool)]
        cells += len(hit)
        rows.update(int(r) for r in hit)
    names = [name for name in frame.columns if is_formula(name)]
    if not cells and not names:
        return None
    parts = []
    if cells:
        parts.append(f"{counted(cells, 'text cell')} ({data_rows(rows)})")
    if names:
        parts.append(f"{counted(len(names), 'column name')}")
    sentence = f"{' and '.join(parts)} would be run by a spreadsheet: kept as plain text, made harmless in downloads."
    columns = tuple(n for n in texts if frame[n].map(is_formula).any()) + tuple(names)
    return Finding("formula_cells", "info", sentence, columns, tuple(sorted(rows)))
