"""What a table is once it has been read: its cells as numbers and dates, and everything worth saying about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from plm_engine.config import Config

#: remark on a column whose numbers are codes: no driver unless it is chosen
PADDED = "leading zeros"
#: remark on a column from which, with others, the dates were put together
PART_OF_DATE = "part of the date"


@dataclass(frozen=True)
class ReadOptions:
    """What a person said about a file; ``None`` means: find it out.

    Attributes
    ----------
    sheet : str or None
        Name of a workbook's sheet.
    encoding, separator, decimal : str or None
        Of a text file.
    date_format : {"day-first", "month-first", "year-first"} or None
        Order in dates such as 03/04/2021; a year of two digits may come first.
    missing_codes : tuple of str
        Numbers that stand for a missing value, such as ``"-999"``.
    """

    sheet: str | None = None
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    date_format: str | None = None
    missing_codes: tuple[str, ...] = ()

    @classmethod
    def from_config(cls, config: Config) -> ReadOptions:
        """Take the reading options out of a run's configuration."""
        return cls(
            config.sheet,
            config.encoding,
            config.separator,
            config.decimal,
            config.date_format,
            config.missing_codes,
        )


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        Unique name to show and to refer to.
    original : str
        The name as it stands in the file.
    position : int
        1-based position in the file.
    type : {"number", "date", "text", "empty"}
        What its cells are.
    n_missing : int
        Rows without a value (unreadable cells are counted apart, as rejected).
    hidden : bool
        Whether the workbook hides it.
    notes : tuple of str
        Remarks, such as "in percent".
    """

    name: str
    original: str
    position: int
    type: str
    n_missing: int = 0
    hidden: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rejected:
    """A cell that cannot be read, and where it is.

    ``row`` is the 1-based data row, ``line`` the line of the file (row of the sheet).  An empty ``column`` means that
    the whole row is out of step with the header.
    """

    row: int
    line: int
    column: str
    text: str
    reason: str


@dataclass(frozen=True)
class Finding:
    """One remark about a table.

    Attributes
    ----------
    kind : str
        Slug such as ``"ambiguous_dates"``.
    severity : {"info", "warning", "question", "error"}
        A question has ``choices`` and is answered by ``option``.
    sentence : str
        For people.
    columns : tuple of str
        Columns it is about.
    rows : tuple of int
        1-based data rows it is about.
    choices : tuple of str
        Allowed answers of a question.
    option : str
        Name of the :class:`~plm_engine.config.Config` option that answers a question.
    """

    kind: str
    severity: str
    sentence: str
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()
    option: str = ""


@dataclass(frozen=True)
class SheetInfo:
    """One sheet of a workbook; ``header_row`` is None where it holds no table."""

    name: str
    hidden: bool
    n_rows: int
    n_columns: int
    header_row: int | None


@dataclass(frozen=True)
class FileFormat:
    """How a file was read.

    ``header_row`` is the 1-based file line (sheet row) of the column names, None where there is none.
    ``separator``, ``encoding`` and ``decimal`` are empty where they have no meaning.
    """

    kind: str
    encoding: str = ""
    bom: bool = False
    separator: str = ""
    decimal: str = ""
    sheet: str = ""
    sheets: tuple[SheetInfo, ...] = ()
    header_row: int | None = 1


@dataclass
class Table:
    """A table that has been read.

    Attributes
    ----------
    frame : pandas.DataFrame
        One row per data row, index = 1-based data row; numbers are float64 (NaN = missing or unreadable), dates
        datetime64 (NaT), texts object (None).
    columns : list of Column
        In the order of the file; the names are those of ``frame``.
    rejected : list of Rejected
        Cells that cannot be read.
    findings : list of Finding
        Everything worth saying.
    format : FileFormat
        How the file was read.
    lines : mapping of int to int
        File line (sheet row) of each data row.
    n_rows_read : int
        Data rows, without blank ones.
    sha256 : str
        Of the file's bytes.
    source : str
        Name to show.
    """

    frame: pd.DataFrame
    columns: list[Column]
    rejected: list[Rejected]
    findings: list[Finding]
    format: FileFormat
    lines: Mapping[int, int] = field(default_factory=dict)
    n_rows_read: int = 0
    sha256: str = ""
    source: str = ""

    def column(self, name: str) -> Column:
        """Return a column by its shown name (KeyError if there is none)."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def names(self, type: str | None = None) -> list[str]:
        """Return the shown names, of one type if given."""
        return [c.name for c in self.columns if type is None or c.type == type]

    @property
    def size(self) -> str:
        """Say how large the table is: ``"4 columns, 0 rows"``."""
        n_columns = len(self.columns)
        return f"{n_columns:,} column{'s' * (n_columns != 1)}, {self.n_rows_read:,} row{'s' * (self.n_rows_read != 1)}"


@dataclass
class Grid:
    """Cells as they stand in a file, before anyone asked what they mean.

    ``rows[i]`` is a list of cells (text from a text file; numbers, dates, text and None from a workbook) found at
    ``lines[i]`` (1-based).  ``hidden`` holds 0-based positions of hidden columns, ``findings`` what reading them
    already brought to light.  ``header`` is the index of the row of names where it is known and need not be found.
    """

    rows: list[list[Any]]
    lines: list[int]
    hidden: frozenset[int] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    uncomputed: dict[int, list[int]] = field(default_factory=dict)
    header: int | None = None


def some(numbers: list[int] | tuple[int, ...], limit: int = 8) -> str:
    """List numbers for people, shortened: ``"3, 11 and 40 more"``."""
    shown = ", ".join(f"{n}" for n in numbers[:limit])
    return shown if len(numbers) <= limit else f"{shown} and {len(numbers) - limit:,} more"


def counted(n: int, word: str) -> str:
    """Return ``"1 row"`` or ``"1,499 rows"``."""
    return f"{n:,} {word}{'s' * (n != 1)}"


def data_rows(rows: Iterable[int]) -> str:
    """Return ``"data row 9"`` or ``"data rows 3, 11"``, shortened where they are many."""
    numbers = sorted(rows)
    return f"data row{'s' * (len(numbers) != 1)} {some(numbers)}"
