"""Large plain tables straight to numbers, in record batches: a million rows without a Python object for every cell.

The ordinary way (``read.py``) looks at every cell as a text, which takes about 4 kB a row.  A large file whose head is
nothing but a header and plain numbers is read here instead; wherever anything else turns up (a missing or unreadable
cell, a row out of step, a date, a finding), ``None`` sends it the ordinary way.  Both give the same table.
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from plm_engine.datasets.columns import sentinels
from plm_engine.datasets.content import MAX_BYTES
from plm_engine.datasets.date_parts import parts_among
from plm_engine.datasets.rooms import MEMORY, Room
from plm_engine.datasets.table import Column, FileFormat, ReadOptions, Table

#: smaller files are read the ordinary way
LARGE_BYTES = 8 * 1024**2
HEAD_BYTES = 256 * 1024
HEAD_ROWS = 200
BATCH_ROWS = 65_536
#: columns of a Parquet file that are read side by side: each holds pages of about a megabyte
COLUMNS_AT_ONCE = 8
_SIGNS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


class LinesInOrder(Mapping[int, int]):
    """File line of each data row where rows follow each other: row r stands in line ``first`` + r - 1."""

    def __init__(self, first: int, count: int) -> None:
        self.first, self.count = first, count

    def __getitem__(self, row: int) -> int:
        if not 1 <= row <= self.count:
            raise KeyError(row)
        return self.first + row - 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self.count + 1))

    def __len__(self) -> int:
        return self.count


def size_of(path: Path) -> tuple[int, int] | None:
    """Return rows and columns of a large file, from a look that is cheap; None of a smaller one or of another kind."""
    try:
        if path.stat().st_size < LARGE_BYTES:
            return None
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
            if head[:4] == b"PAR1":
                about = pq.read_metadata(path)
                return about.num_rows, about.num_columns
            line = head.split(b"\n", 1)[0]
            columns = 1 + max(line.count(sign.encode()) for sign in _SIGNS.values())
            return (lines - 1, columns) if (lines := _lines(path)) > 1 and b"\0" not in head else None
    except (pa.ArrowException, OSError, ValueError):
        return None


def _lines(path: Path) -> int:
    """Return the number of lines of a text file."""
    count, last = 0, b"\n"
    with open(path, "rb") as file:
        while block := file.read(4 * 1024**2):
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (last != b"\n")


def read_large(
    path: Path, options: ReadOptions, ordinary: Callable[[bytes], Table], room: Room = MEMORY
) -> Table | None:
    """Return the table of a large plain file, or None where it is to be read the ordinary way.

    Parameters
    ----------
    path : Path
        CSV, TSV or Parquet.
    options : ReadOptions
    ordinary : callable
        The ordinary way, from bytes; used for the head of a text file.
    room : Room
        Where the numbers lie; in memory they are at most :data:`MAX_BYTES`.
    """
    if options.missing_codes or path.stat().st_size < LARGE_BYTES:
        return None
    if path.stat().st_size > MAX_BYTES and not room.on_disk:
        return None
    with open(path, "rb") as file:
        head = file.read(HEAD_BYTES)
    try:
        if head[:4] == b"PAR1":
            found = _parquet(path, room)
        else:
            found = _text(path, head, ordinary, room)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        return None
    except MemoryError:
        raise  # Arrow's own, too: the ordinary way would take more
    except (pa.ArrowException, ValueError):
        return None  # the ordinary way says what is wrong
    if found is None:
        return None
    columns, values, file_format, first_line = found
    if parts_among(column.original for column in columns):
        return None
    if not all(np.isfinite(column).all() for column in values):
        return None
    index = pd.RangeIndex(1, values.shape[1] + 1, name="row")
    names = [column.name for column in columns]
    frame = pd.DataFrame(values.T, index=index, columns=names, copy=False)
    questions = [sentinels(name, frame[name]) for name in names]
    findings = [question for question in questions if question is not None]
    table = Table(frame, columns, [], findings, file_format, LinesInOrder(first_line, len(frame)), len(frame))
    with open(path, "rb") as file:
        table.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    table.source = path.name
    return table


_Found = tuple[list[Column], np.ndarray, FileFormat, int]


def _parquet(path: Path, room: Room) -> _Found | None:
    file = pq.ParquetFile(path, memory_map=True)
    schema, names = file.schema_arrow, file.schema_arrow.names
    numbers = all(pa.types.is_floating(f.type) or pa.types.is_integer(f.type) for f in schema)
    if not numbers or (file.metadata.num_rows * len(names) * 8 > MAX_BYTES and not room.on_disk):
        return None
    groups = [names[first : first + COLUMNS_AT_ONCE] for first in range(0, len(names), COLUMNS_AT_ONCE)]
    head = [column.to_pylist() for some in groups for column in _head(path, some)]
    columns = _columns_of(names, head) if len(head) == len(names) else None
    if columns is None:
        return None
    values = room.empty((len(names), file.metadata.num_rows))
    for k, some in enumerate(groups):
        done = 0
        for batch in pq.ParquetFile(path, memory_map=True).iter_batches(BATCH_ROWS, columns=some, use_threads=False):
            for j, column in enumerate(batch.columns, k * COLUMNS_AT_ONCE):
                if column.null_count:
                    return None
                values[j, done : done + len(batch)] = column.to_numpy(zero_copy_only=False)
            done += len(batch)
    return columns, values, FileFormat("parquet", header_row=None), 1


def _head(path: Path, names: list[str]) -> list[pa.Array]:
    """Return the first values of these columns; none where a name is the beginning of another."""
    batch = next(pq.ParquetFile(path, memory_map=True).iter_batches(HEAD_ROWS, columns=names, use_threads=False), None)
    return [] if batch is None or batch.schema.names != names else batch.columns


def _columns_of(names: list[str], cells: list[list[float]]) -> list[Column] | None:
    """Return the columns as the ordinary way names and types them, or None if that is no simple matter."""
    from plm_engine.datasets.grid import body_of
    from plm_engine.datasets.table import Grid

    rows = [list(names), *[list(row) for row in zip(*cells, strict=True)]]
    body = body_of(Grid(rows, list(range(len(rows)))))
    if body is None or body.header_row != 0 or body.findings or body.rejected or len(body.columns) != len(names):
        return None
    from plm_engine.datasets.columns import type_column

    typed = [type_column(c, v, body.lines, ".", ReadOptions()) for c, v in zip(body.columns, body.cells, strict=True)]
    plain = all(one.column.type == "number" and not one.rejected and not one.findings for one in typed)
    return [one.column for one in typed] if plain else None


def _text(path: Path, head: bytes, ordinary: Callable[[bytes], Table], room: Room) -> _Found | None:
    if len(head) < HEAD_BYTES or b"\n" not in head:
        return None
    table = ordinary(head[: head.rindex(b"\n") + 1])
    how = table.format
    plain = all(column.type == "number" and not column.notes for column in table.columns)
    separator = _SIGNS.get(how.separator)
    simple = how.header_row == 1 and how.decimal == "." and how.encoding in ("ascii", "utf-8") and not how.bom
    if not plain or not simple or separator is None or table.findings or table.rejected or not len(table.frame):
        return None
    names = [str(j) for j in range(len(table.columns))]
    reader = pyarrow.csv.open_csv(
        path,
        pyarrow.csv.ReadOptions(use_threads=False, block_size=4 * 1024**2, skip_rows=1, column_names=names),
        pyarrow.csv.ParseOptions(delimiter=separator, ignore_empty_lines=False),
        pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.float64()), null_values=[]),
    )
    values = room.empty((len(names), _lines(path) - 1))
    done = 0
    for batch in reader:
        for j, column in enumerate(batch.columns):
            values[j, done : done + len(batch)] = column.to_numpy(zero_copy_only=False)
        done += len(batch)
    if done < values.shape[1]:
        return None
    return [replace(column, n_missing=0) for column in table.columns], values, how, 2
