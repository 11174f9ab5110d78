"""A file to a table: the one door through which data comes in.

Told apart by content, never by name; every problem of a library underneath comes out as one sentence.
"""

from __future__ import annotations

import errno
import hashlib
from dataclasses import replace
from pathlib import Path

import pandas as pd

from plm_engine.datasets.columns import sentinels, type_column
from plm_engine.datasets.content import MAX_BYTES, kind_of
from plm_engine.datasets.date_parts import join_parts
from plm_engine.datasets.export import formula_finding
from plm_engine.datasets.grid import Body, body_of
from plm_engine.datasets.large import read_large
from plm_engine.datasets.parquet import read_parquet
from plm_engine.datasets.rooms import MEMORY, Room
from plm_engine.datasets.table import (
    Column,
    FileFormat,
    Finding,
    Grid,
    ReadOptions,
    Rejected,
    SheetInfo,
    Table,
)
from plm_engine.datasets.textfile import find_decimal, read_text, separator_word
from plm_engine.datasets.units import unit_columns
from plm_engine.datasets.workbook import read_workbook
from plm_engine.errors import DataError

__all__ = [
    "Column",
    "FileFormat",
    "Finding",
    "ReadOptions",
    "Rejected",
    "SheetInfo",
    "Table",
    "read_bytes",
    "read_table",
]


def read_table(path: str | Path, options: ReadOptions | None = None, room: Room = MEMORY) -> Table:
    """Read a CSV, TSV, XLSX or Parquet file; the numbers of a large plain one lie in ``room``.

    Raises
    ------
    DataError
        If the file is missing, is no table, or does not fit the options; one sentence.
    """
    path = Path(path)
    try:
        large = read_large(path, options or ReadOptions(), lambda head: read_bytes(head, path.name, options), room)
        if large is not None:
            return large
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"The file {path.name!r} is larger than {MAX_BYTES // 1024**2} MiB: leave out some rows.")
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"There is no file {str(path)!r}: check the path.") from error
    except IsADirectoryError as error:
        raise DataError(f"{str(path)!r} is a folder: give a file.") from error
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise  # it is the rows that found no room on the disk
        raise DataError(f"The file {str(path)!r} cannot be read ({error}).") from error
    return read_bytes(data, path.name, options)


def read_bytes(data: bytes, source: str = "", options: ReadOptions | None = None) -> Table:
    """Read a table from a file's bytes, such as an upload; ``source`` is only shown.

    Raises
    ------
    DataError
        If the bytes are no table or do not fit the options.
    """
    options = options or ReadOptions()
    kind = kind_of(data)
    if kind == "text":
        grid, file_format, decimal = _text(data, options)
    elif kind == "xlsx":
        grid, file_format, decimal = _workbook(data, options)
    else:
        grid, decimal = read_parquet(data), "."
        file_format = FileFormat("parquet", header_row=None)
    body = body_of(grid)
    if body is None:
        raise DataError("The file holds no table: no row with column names and values was found.")
    if kind != "parquet":
        file_format = replace(file_format, header_row=body.header_row)
    table = _typed(body, grid, decimal, options, file_format)
    table.sha256 = hashlib.sha256(data).hexdigest()
    table.source = source
    return table


def _text(data: bytes, options: ReadOptions) -> tuple[Grid, FileFormat, str]:
    text = read_text(data, options)
    decimal, question = find_decimal(text.grid.rows, text.separator, options.decimal)
    if question:
        text.grid.findings.append(question)
    kind = "tsv" if text.separator == "\t" else "csv"
    word = separator_word(text.separator)
    return text.grid, FileFormat(kind, text.decoded.encoding, text.decoded.bom, word, decimal), decimal


def _workbook(data: bytes, options: ReadOptions) -> tuple[Grid, FileFormat, str]:
    grid, sheet, sheets = read_workbook(data, options.sheet)
    decimal, question = find_decimal([[c for c in row if isinstance(c, str)] for row in grid.rows], "", options.decimal)
    if question:
        grid.findings.append(question)
    return grid, FileFormat("xlsx", decimal=decimal, sheet=sheet, sheets=sheets), decimal


def _typed(body: Body, grid: Grid, decimal: str, options: ReadOptions, file_format: FileFormat) -> Table:
    """Give every column its type and put the table together."""
    n_rows = len(body.lines)
    index = pd.RangeIndex(1, n_rows + 1, name="row")
    columns, series, rejected, findings = [], {}, list(body.rejected), [*grid.findings, *body.findings]
    empty = []
    for column, cells in zip(body.columns, body.cells, strict=True):
        uncomputed = grid.uncomputed.get(column.position - 1)
        typed = type_column(column, cells, body.lines, decimal, options)
        values = typed.values.set_axis(index)
        if uncomputed and typed.column.type in ("empty", "number"):
            typed.column = replace(typed.column, notes=(*typed.column.notes, "formulas without a stored result"))
        elif typed.column.type == "empty" and n_rows:
            empty.append(typed.column.name)
        columns.append(typed.column)
        series[typed.column.name] = values
        rejected += typed.rejected
        findings += typed.findings
        question = sentinels(column.name, values) if typed.column.type == "number" else None
        if question:
            findings.append(question)
    findings += _summary_findings(columns, empty, n_rows)
    frame = pd.DataFrame(series, index=index, columns=[c.name for c in columns])
    findings += join_parts(frame, columns)
    findings += unit_columns(frame, columns)
    dangerous = formula_finding(frame)
    if dangerous:
        findings.append(dangerous)
    rejected.sort(key=lambda r: (r.row, r.column))
    lines = dict(enumerate(body.lines, start=1))
    return Table(frame, columns, rejected, findings, file_format, lines, n_rows)


def _summary_findings(columns: list[Column], empty: list[str], n_rows: int) -> list[Finding]:
    findings = []
    if n_rows == 0:
        n = len(columns)
        findings.append(
            Finding("no_rows", "error", f"{n} column{'s' * (n != 1)}, 0 rows: the file holds a header and no data.")
        )
    if empty:
        which = f"'{empty[0]}' is" if len(empty) == 1 else f"{len(empty):,} columns are"
        findings.append(Finding("empty_columns", "info", f"{which} entirely blank and put aside.", tuple(empty)))
    hidden = [c.name for c in columns if c.hidden]
    if hidden:
        sentence = f"Hidden in the workbook, but read: {', '.join(hidden)}."
        findings.append(Finding("hidden_columns", "info", sentence, tuple(hidden)))
    return findings
