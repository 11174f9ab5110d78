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
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plm_engine.config import Config
from plm_engine.errors import ConfigError, DataError
from plm_engine.machine import own_cores
from plm_engine.options import flag
from plm_engine.store.queueing import LARGEST_MAX_RUNNING, SETTINGS

#: Python with torch, before any data, for each process (measured: 330 to 380 MB)
PROCESS_BYTES = 400_000_000
#: a process forked from another shares what that one held then, and takes so much more (measured: 10 to 20 MB)
HELPER_BYTES = 30_000_000
#: mode auto forks helpers for fewer training rows than this, and shares steps over threads of one process from here on
HELPED_ROWS = 10_417
#: copies of a table from its file to the tensors: text, frame, arrays, standardised, laid out twice
TABLE_COPIES, ROW_COPIES = 4, 8
CHUNK_ROWS = 2048
#: rows go on the disk where in memory they would take more than this, or half of what is allowed
IN_MEMORY_BYTES = 2**30
#: rows on the disk: vectors of the table's length at the peak (numbers of a row, and while they are sorted), and parts
VECTORS, PART_NUMBERS, PARTS = 40, 2_000_000, 6
#: a table that is read cell by cell (dates, words, gaps) takes so much for each row and column
CELL_BYTES = 250


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
            If its settings cannot be read, or hold something that is not known or not allowed: whoever wrote a limit
            down must not find out later that it did not hold.
        """
        given = _settings(home / SETTINGS).get("limits", {})
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

    def check_memory(self, needed: int, machine_bytes: int, *, held: bool = False) -> None:
        """Raise :class:`DataError` if a training is expected to take more memory than the machine gives.

        ``held`` says that its rows are held in memory because somebody asked for it.
        """
        allowed = self.memory_share * machine_bytes
        if needed > allowed:
            raise DataError(
                f"The training would take about {needed / 2**30:.1f} GiB of memory, and {allowed / 2**30:.1f} GiB are "
                "allowed here: use fewer rows, columns, workers or nodes (--max-nodes), or float32"
                + (", or let the rows lie on the disk (--rows-on-disk auto)." if held else ".")
            )


def _settings(path: Path) -> dict[str, Any]:
    """Return the settings of a home folder; empty if there are none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
        if not isinstance(found, dict):
            raise ValueError("no mapping")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"The settings in {str(path)!r} cannot be read ({error}): correct the file.") from error
    unknown = [key for key in found if key not in ("limits", "max_running")]
    if unknown:
        raise ConfigError(
            f"The settings in {str(path)!r} hold {unknown[0]!r}, which is not known: give 'max_running' and 'limits'."
        )
    at_once = found.get("max_running", 1)
    if isinstance(at_once, bool) or not isinstance(at_once, int) or not 1 <= at_once <= LARGEST_MAX_RUNNING:
        raise ConfigError(
            f"'max_running' in {str(path)!r} is {at_once!r}: give a whole number from 1 to {LARGEST_MAX_RUNNING}."
        )
    return found


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
    workers : int
        Processes that hold rows of their own.
    """
    table = 8 * TABLE_COPIES * rows * (columns or features + 1)
    placed = 8 * ROW_COPIES * rows * (features + 1)
    return workers * (PROCESS_BYTES + table + placed + _work_spaces(rows, features, nodes, dtype))


def _work_spaces(rows: int, features: int, nodes: int, dtype: str) -> int:
    """Return the bytes of two work spaces: activations and their factors of one chunk, partial sums of all."""
    width, chunks = 4 if dtype == "float32" else 8, max(1, rows // CHUNK_ROWS)
    return 2 * width * (3 * min(rows, CHUNK_ROWS) * nodes + chunks * (nodes + 1) * (features + 2))


def processes_here(config: Config, train: int) -> tuple[int, int]:
    """Return how many processes of this machine hold rows of their own, and how many helpers are forked from one.

    Of a run on several machines a rank counts the ranks beside it; from outside all workers are taken to be here.
    """
    if "RANK" in os.environ:
        return int(os.environ.get("LOCAL_WORLD_SIZE", config.workers)), 0
    if config.mode != "auto" or sys.platform != "linux":  # where nothing is forked, auto starts ranks
        return config.workers, 0
    sides = min(config.workers, own_cores()) if config.workers > 1 else own_cores()
    return 1, sides - 1 if train < HELPED_ROWS else 0


@dataclass(frozen=True)
class Placement:
    """Where the rows of a training lie, and what is expected of its memory.

    Attributes
    ----------
    on_disk : bool
    needed : int
        Memory at the peak, in bytes, over all processes; of rows on the disk what cannot be taken back (anonymous).
    rows_bytes : int
        What rows in memory take, or would.
    reason : str
        One sentence.
    """

    on_disk: bool
    needed: int
    rows_bytes: int
    reason: str

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values."""
        return dataclasses.asdict(self)


def place_rows(
    config: Config,
    rows: int,
    features: int,
    allowed: float | None = None,
    *,
    columns: int = 0,
    nodes: int = 300,
    by_cells: bool = False,
    on_disk: bool | None = None,
    train: int | None = None,
) -> Placement:
    """Say where the rows of a training lie: on the disk if they would take too much memory, or if that is asked for.

    Parameters
    ----------
    config : Config
    rows, features, columns, nodes
        As in :func:`memory_needed`.
    allowed : float or None
        Memory that the installation gives, in bytes.
    by_cells : bool
        Whether the table is read cell by cell, which takes memory wherever the rows lie.
    on_disk : bool or None
        Where they lie if that is decided already.
    train : int or None
        Training rows alone; all rows if not given.
    """
    train = rows if train is None else train
    processes, helpers = processes_here(config, train)
    size: dict[str, Any] = {"columns": columns, "nodes": nodes, "workers": processes, "dtype": config.dtype}
    needed = memory_needed(rows, features, **size)
    held = needed - memory_needed(0, features, **size)
    most = IN_MEMORY_BYTES if allowed is None else min(IN_MEMORY_BYTES, allowed / 2)
    if on_disk is None:
        on_disk = config.rows_on_disk == "always" or (config.rows_on_disk == "auto" and held > most)
    helped = helpers * (HELPER_BYTES + _work_spaces(train, features, nodes, config.dtype))
    if not on_disk:  # a helper has rows of its own, and keeps what its parent has given back since
        needed += helped + helpers * 8 * (TABLE_COPIES + ROW_COPIES) * train * (features + 1)
        return Placement(False, needed, held, f"The rows are held in memory, where they take about {_gib(held)} GiB.")
    why = f"and at most {_gib(most)} GiB are given to them" if config.rows_on_disk == "auto" else "and it was asked for"
    reason = f"The rows lie in mapped files on the disk: in memory they would take about {_gib(held)} GiB, {why}."
    helped += helpers * (8 * VECTORS * train + _timed_bytes(train, features))
    parts = _needed_on_disk(config, rows, features, columns, nodes, by_cells)
    return Placement(True, processes * parts + helped, held, reason)


def _gib(size: float) -> str:
    return f"{size / 2**30:,.1f}" if size >= 0.1 * 2**30 else f"{size / 2**30:.1g}"


def _needed_on_disk(config: Config, rows: int, features: int, columns: int, nodes: int, by_cells: bool) -> int:
    """Return the anonymous memory of one process: of parts, networks and vectors of the table's length."""
    columns = columns or features + 1
    vectors = 8 * VECTORS * rows
    read = CELL_BYTES * rows * columns if by_cells else 0
    width = 4 if config.dtype == "float32" else 8
    work = _work_spaces(rows, features, nodes, config.dtype)
    # directions are drawn for so many rows at once
    parts = 8 * PARTS * min(PART_NUMBERS, rows * columns) + _timed_bytes(rows, features)
    parts += 8 * min(rows, 65_536) * (config.cramming_draws if config.cramming_search == "own" else 1)
    if config.mode == "batched":  # activations of all candidates
        work += 8 * width * rows * nodes
    if config.mode == "model_parallel":
        work += width * rows * nodes // config.workers
    if config.start == "ridge" or config.goal_auto:  # is fitted, or tried, by a solver that copies the rows
        work += 4 * 8 * rows * features
    if config.goal_auto:  # candidates get copies of the rows: all, and those whose latest price is known
        work += 2 * 8 * rows * features
    return PROCESS_BYTES + max(read, vectors + parts + work)


def _timed_bytes(rows: int, features: int) -> int:
    """Return the bytes of the rows, in memory, that a step is timed on."""
    return 8 * 3 * min(rows, 50_000) * (features + 1)


def one_copy(rows: int, features: int, workers: int, dtype: str) -> str:
    """Say what memory threads of one process save where so many processes would hold the rows once each."""
    one, several = (
        memory_needed(rows, features, nodes=50, workers=count, dtype=dtype) / 2**30 for count in (1, workers)
    )
    return (
        f"Threads of one process hold the rows once (about {one:.1f} GiB of memory), {workers} processes once each "
        f"({several:.1f} GiB)."
    )
