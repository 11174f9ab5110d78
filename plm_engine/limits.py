"""What this installation lets in: file size, rows, columns, memory.

The limits belong to the one who runs the program, not to the one who uses its pages, so they stand in the home folder's
``settings.json``::

    {"limits": {"upload_mb": 200, "rows": 500000, "columns": 2000, "memory_share": 0.8}}

A run's configuration can lower them (``--max-rows 10000``), never raise them; what held is recorded with the run.
They are checked before anything expensive: the file's size before it is read, rows and columns before it is prepared,
memory before training.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from plm_engine.config import Config
from plm_engine.errors import ConfigError, DataError
from plm_engine.options import flag
from plm_engine.store.paths import read_json

SETTINGS = "settings.json"
#: Python with torch, before any data, for each process (measured: 330 to 380 MB)
PROCESS_BYTES = 400_000_000
#: copies of a table from its file to the tensors: text, frame, arrays, standardised, laid out twice
TABLE_COPIES, ROW_COPIES = 4, 8
CHUNK_ROWS = 2048


@dataclass(frozen=True)
class Limits:
    """Limits of one home folder.

    Attributes
    ----------
    upload_mb : float
        Largest data file, in millions of bytes.
    rows, columns : int
        Largest table.
    memory_share : float
        Share of the machine's memory that a training may be expected to take.
    """

    upload_mb: float = 200.0
    rows: int = 500_000
    columns: int = 2_000
    memory_share: float = 0.8

    @classmethod
    def of(cls, home: Path) -> Limits:
        """Return the limits of a home folder.

        Raises
        ------
        ConfigError
            If its settings hold a limit that is not known or not a positive number.
        """
        given = read_json(home / SETTINGS).get("limits", {})
        known = {field.name for field in dataclasses.fields(cls)}
        for name, value in given.items() if isinstance(given, dict) else [("limits", given)]:
            number = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
            if name not in known or not number:
                raise ConfigError(
                    f"The limit {name!r} in {str(home / SETTINGS)!r} is {value!r}: give positive numbers for "
                    f"{', '.join(sorted(known))}."
                )
        return cls(**given)

    def within(self, config: Config) -> Limits:
        """Return the limits of a run: its own where they are given, else these.

        Raises
        ------
        ConfigError
            If one of its own is higher than here.
        """
        own = {name: getattr(config, f"max_{name}") for name in dataclasses.asdict(self)}
        own = {name: value for name, value in own.items() if value is not None}
        for name, value in own.items():
            allowed = getattr(self, name)
            if value > allowed:
                raise ConfigError(
                    f"Option {flag(f'max_{name}')} is {value:,}, and this installation allows {allowed:,} at most: "
                    "lower it, or leave it out."
                )
        return dataclasses.replace(self, **own)

    def check_file(self, name: str, size: int) -> None:
        """Raise :class:`DataError` if a file is larger than allowed (``size`` in bytes)."""
        if size > self.upload_mb * 1e6:
            raise DataError(
                f"The data file {name!r} has {size / 1e6:,.1f} MB, and {self.upload_mb:,g} MB are allowed here: leave "
                "out columns or rows that are not needed."
            )

    def check_table(self, rows: int, columns: int) -> None:
        """Raise :class:`DataError` if a table has more rows or columns than allowed."""
        for what, found, allowed in (("rows", rows, self.rows), ("columns", columns, self.columns)):
            if found > allowed:
                raise DataError(
                    f"The table has {found:,} {what}, and {allowed:,} are allowed here: leave out {what} that are not "
                    "needed."
                )

    def check_memory(self, needed: int, machine_bytes: int) -> None:
        """Raise :class:`DataError` if a training is expected to take more memory than the machine gives."""
        allowed = self.memory_share * machine_bytes
        if needed > allowed:
            raise DataError(
                f"The training would take about {needed / 2**30:.1f} GiB of memory, and {allowed / 2**30:.1f} GiB are "
                "allowed here: use fewer rows, columns, workers or nodes (--max-nodes), or float32."
            )


def memory_needed(
    rows: int, features: int, *, columns: int = 0, nodes: int = 300, workers: int = 1, dtype: str = "float64"
) -> int:
    """Return about how much memory a training takes at its peak, in bytes, over all its processes.

    Parameters
    ----------
    rows, features : int
        Training and test rows, and drivers.
    columns : int
        Columns of the table; ``features`` and the target if not given.
    nodes : int
        Hidden nodes at the most.
    """
    width = 4 if dtype == "float32" else 8
    table = 8 * TABLE_COPIES * rows * (columns or features + 1)
    placed = 8 * ROW_COPIES * rows * (features + 1)
    chunks = max(1, rows // CHUNK_ROWS)
    # two work spaces: activations and their factors of one chunk, partial sums of all
    work = 2 * width * (3 * min(rows, CHUNK_ROWS) * nodes + chunks * (nodes + 1) * (features + 2))
    return workers * (PROCESS_BYTES + table + placed + work)


def one_copy(rows: int, features: int, workers: int, dtype: str) -> str:
    """Say what memory threads of one process save where so many processes would hold the rows once each."""
    one, several = (
        memory_needed(rows, features, nodes=50, workers=count, dtype=dtype) / 2**30 for count in (1, workers)
    )
    return (
        f"Threads of one process hold the rows once (about {one:.1f} GiB of memory), {workers} processes once each "
        f"({several:.1f} GiB)."
    )
