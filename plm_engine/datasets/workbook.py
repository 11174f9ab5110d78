"""A workbook's bytes to the grid of one sheet: title rows, merged and hidden cells, formulas without a result."""

from __future__ import annotations

import io
import warnings
from typing import Any

import openpyxl
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from plm_engine.datasets.headers import blank, find_header
from plm_engine.datasets.shown_units import note_units
from plm_engine.datasets.table import Finding, Grid, SheetInfo, counted, some
from plm_engine.errors import DataError

_MAX_CELLS = 20_000_000


def read_workbook(data: bytes, sheet: str | None) -> tuple[Grid, str, tuple[SheetInfo, ...]]:
    """Read one sheet of an XLSX workbook.

    Returns
    -------
    tuple
        Its grid, its name, and what the other sheets hold.

    Raises
    ------
    DataError
        If the workbook is damaged, has no such sheet, or no sheet with a table.
    """
    results, formulas = _load(data, True), _load(data, False)
    pages = [s for s in results.worksheets if isinstance(s, Worksheet)]
    grids = {page.title: _cells(page) for page in pages}
    sheets = tuple(_describe(page, grids[page.title]) for page in pages)
    names = [s.name for s in sheets]
    if sheet is None:
        sheet = next((s.name for s in sheets if s.header_row is not None and not s.hidden), None)
        sheet = sheet or next((s.name for s in sheets if s.header_row is not None), None)
    if sheet is None:
        raise DataError(f"No sheet of this workbook holds a table (sheets: {', '.join(names) or 'none'}).")
    if sheet not in names:
        raise DataError(f"The workbook has no sheet {sheet!r}: choose one of {', '.join(names)}.")
    page = results[sheet]
    rows = grids[sheet]
    at = find_header(rows)
    if at is None or not _is_table(rows):
        raise DataError(f"Sheet {sheet!r} holds no table: choose another of {', '.join(names)}.")
    _fill_down(page, rows, at)
    grid = Grid(rows, list(range(1, len(rows) + 1)), hidden=_hidden(page))
    _note_formulas(grid, formulas[sheet], at)
    _note_hidden_rows(grid, page, at)
    grid.findings += note_units(page, rows, at)
    if len(names) > 1:
        others = ", ".join(f"'{s.name}'{'' if s.header_row is not None else ' (no table)'}" for s in sheets)
        grid.findings.append(Finding("sheets", "info", f"Sheet '{sheet}' was read; the workbook has {others}."))
    return grid, sheet, sheets


def _load(data: bytes, results: bool) -> openpyxl.Workbook:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return openpyxl.load_workbook(io.BytesIO(data), data_only=results)
    except MemoryError:
        raise
    # openpyxl lets errors of a dozen libraries through, from KeyError to XML's own
    except Exception as error:
        raise DataError("This workbook is damaged or protected by a password: save it again as .xlsx.") from error


def _cells(page: Worksheet) -> list[list[Any]]:
    n_rows, n_columns = page.max_row or 0, page.max_column or 0
    if n_rows * n_columns > _MAX_CELLS:
        raise DataError(
            f"Sheet {page.title!r} claims {n_rows:,} x {n_columns:,} cells: delete its empty rows and columns, or save "
            "it as CSV."
        )
    rows = [list(row) for row in page.iter_rows(values_only=True)]
    width = max((j + 1 for row in rows for j, c in enumerate(row) if not blank(c)), default=0)
    return [row[:width] for row in rows]


def _is_table(rows: list[list[Any]]) -> bool:
    """A table has a header of two names or more, or a name above at least one value."""
    at = find_header(rows)
    if at is None:
        return False
    below = [c for row in rows[at + 1 :] for c in row if not blank(c)]
    filled = sum(not blank(c) for c in rows[max(at, 0)])
    return filled >= 2 or any(not isinstance(c, str) for c in below)


def _describe(page: Worksheet, rows: list[list[Any]]) -> SheetInfo:
    at = find_header(rows) if _is_table(rows) else None
    header_row = None if at is None else max(at, 0) + 1
    width = len(rows[0]) if rows else 0
    return SheetInfo(page.title, page.sheet_state != "visible", len(rows), width, header_row)


def _hidden(page: Worksheet) -> frozenset[int]:
    """Return 0-based positions of hidden columns; one entry may stand for a span of columns."""
    hidden: set[int] = set()
    for dimension in page.column_dimensions.values():
        if dimension.hidden and dimension.min is not None and dimension.max is not None:
            hidden.update(range(dimension.min - 1, min(dimension.max, 16_384)))
    return frozenset(hidden)


def _note_hidden_rows(grid: Grid, page: Worksheet, header: int) -> None:
    """Say that rows which a filter hides were read: the person may not know that they are there."""
    hidden = [n for n, row in page.row_dimensions.items() if row.hidden and header + 1 < n <= len(grid.rows)]
    hidden = [n for n in sorted(hidden) if any(not blank(c) for c in grid.rows[n - 1])]
    if hidden:
        sentence = (
            f"{counted(len(hidden), 'row')} hidden in the workbook, by a filter maybe, but read ({some(hidden)} of the "
            "sheet): delete them there if they are not meant."
        )
        grid.findings.append(Finding("hidden_rows", "warning", sentence))


def _fill_down(page: Worksheet, rows: list[list[Any]], header: int) -> None:
    """Give every cell of a block merged downwards, below the header, the block's value."""
    for block in page.merged_cells.ranges:
        if block.min_col != block.max_col or block.min_row <= header + 1:
            continue
        j = block.min_col - 1
        for i in range(block.min_row, min(block.max_row, len(rows))):
            if j < len(rows[i]):
                rows[i][j] = rows[block.min_row - 1][j]


def _note_formulas(grid: Grid, page: Worksheet, header: int) -> None:
    """Name the cells whose formula was never computed: they are not 0 and not silently blank."""
    for j in range(len(grid.rows[0]) if grid.rows else 0):
        bare = [
            i + 1
            for i in range(header + 1, len(grid.rows))
            if grid.rows[i][j] is None and str(page.cell(i + 1, j + 1).value or "").startswith("=")
        ]
        if not bare:
            continue
        grid.uncomputed[j] = bare
        letter, name = get_column_letter(j + 1), grid.rows[header][j] if header >= 0 else None
        where = f"{letter}{bare[0]}:{letter}{bare[-1]}" if len(bare) > 1 else f"{letter}{bare[0]}"
        sentence = (
            f"Column '{name or letter}' has {len(bare)} formula{'s' * (len(bare) != 1)} without a stored result "
            f"({where}): open the workbook in a spreadsheet, compute and save it to use them."
        )
        grid.findings.append(Finding("formula_without_result", "warning", sentence, (str(name or letter),)))
