"""From a run's configuration to its prepared rows, in memory or on the disk as their size and the limits say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plm_engine.config import Config
from plm_engine.datasets.large import LinesInOrder
from plm_engine.datasets.prepare import Prepared, prepare
from plm_engine.datasets.rooms import MEMORY, DiskRoom, Room
from plm_engine.datasets.samples import load, size_before
from plm_engine.datasets.table import Table
from plm_engine.limits import Limits, Placement, place_rows


@dataclass(frozen=True)
class Found:
    """A table, its prepared rows, where they lie, and why."""

    table: Table
    prepared: Prepared
    room: Room
    placement: Placement


def read_and_prepare(config: Config, limits: Limits, machine_bytes: int, folder: Path | None = None) -> Found:
    """Read the table of a run and prepare its rows.

    Where they lie is decided before a large plain file is read, by its size, and of other tables when they are.

    Parameters
    ----------
    config : Config
    limits : Limits
    machine_bytes : int
        The machine's memory.
    folder : Path or None
        Where rows on the disk have their files; the system's folder for temporary files if not given.

    Raises
    ------
    DataError
        If the limits do not allow it, or the table cannot be learned from.
    """
    allowed = limits.memory_share * machine_bytes
    size = size_before(config)
    on_disk = None if size is None else place_rows(config, size[0], size[1] - 1, allowed).on_disk
    table = load(config, DiskRoom(folder) if on_disk else MEMORY)
    limits.check_table(table.n_rows_read, len(table.columns))
    if on_disk is None:
        on_disk = place_rows(config, table.n_rows_read, len(table.columns) - 1, allowed).on_disk
    room: Room = DiskRoom(folder) if on_disk else MEMORY
    data = prepare(table, config, room=room)
    rows, features = len(data.y_train) + len(data.y_test), data.x_train.shape[1]
    placement = place_rows(
        config,
        rows,
        features,
        allowed,
        columns=len(table.columns),
        nodes=min(300, config.max_nodes or 300),
        by_cells=not isinstance(table.lines, LinesInOrder),
        on_disk=on_disk,
        train=len(data.y_train),
    )
    limits.check_memory(placement.needed, machine_bytes, held=config.rows_on_disk == "never")
    return Found(table, data, room, placement)
