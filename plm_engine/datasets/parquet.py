"""Parquet bytes to a grid of cells."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from plm_engine.datasets.content import MAX_BYTES
from plm_engine.datasets.table import Grid
from plm_engine.errors import DataError


def read_parquet(data: bytes) -> Grid:
    """Read a Parquet file; nested columns come as text.

    Raises
    ------
    DataError
        If the file is damaged or would unpack to more than the limit.
    """
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        unpacked = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
        if unpacked > MAX_BYTES:
            raise DataError(f"The Parquet file unpacks to {unpacked / 1024**2:,.0f} MiB: leave out rows or columns.")
        table = file.read()
        columns = [_cells(table.column(j)) for j in range(table.num_columns)]
    except (pa.ArrowException, OSError, ValueError, OverflowError, UnicodeDecodeError) as error:
        words = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise DataError(f"This Parquet file is damaged or of an unknown kind ({words}): save it again.") from error
    header: list[Any] = list(table.column_names)
    rows = [header, *[list(row) for row in zip(*columns, strict=True)]]
    return Grid(rows, list(range(len(rows))), header=0)


def _text_of(cell: bytes) -> str:
    """Return a cell that old programs wrote without saying that it is a text."""
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return str(cell)


def _cells(column: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        return [None if v is None else _text_of(v) for v in column.to_pylist()]
    if pa.types.is_nested(column.type):
        return [None if v is None else str(v) for v in column.to_pylist()]
    if pa.types.is_timestamp(column.type):
        if column.type.tz:  # as the clock there showed it, like texts with an offset
            column = pc.local_timestamp(column)
        # a nanosecond clock does not fit Python's own dates
        column = column.cast(pa.timestamp("us"), safe=False)
    return column.to_pylist()
