"""The one path from a table to arrays, used by command line, worker and pages alike.

Order matters: rows are put in time order first, then the latest known price of each is looked up, then rows that
cannot be used fall out, then the split is made, and only then are the training rows looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plm_engine.config import Config
from plm_engine.datasets.checks import check_frame, check_split
from plm_engine.datasets.roles import Roles
from plm_engine.datasets.rooms import MEMORY, Room
from plm_engine.datasets.split import Split, part_of, split_rows
from plm_engine.datasets.table import Finding, Table
from plm_engine.datasets.usable import Usable, usable_rows
from plm_engine.errors import DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass
class Prepared:
    """Arrays ready to learn from, in the units of the file.

    Attributes
    ----------
    x_train, x_test : ndarray of shape (N, m), (N_test, m)
        Drivers, float64.
    y_train, y_test : ndarray of shape (N,), (N_test,)
        Target.
    rows_train, rows_test, rows_left_out : ndarray of int
        1-based data row numbers, in time order.
    features : tuple of str
        Drivers that are really used (constant ones are not).
    target : str
        Name of the target.
    roles : Roles
        The part each column plays.
    rows : ndarray of int
        All usable rows in time order.  ``x`` (their drivers), ``actual``, ``part`` (``"train"``, ``"test"`` or ``"left
        out"``), ``dates`` (ISO, or empty texts) and ``latest_price`` (base of persistence; NaN where nothing was known
        yet) go with it.
    findings : list of Finding
        Of the file and of these roles.
    n_read, n_used, n_rejected, n_missing : int
        Data rows read, usable, with an unreadable cell in a used column, and with a missing one.
    """

    x_train: Floats
    y_train: Floats
    x_test: Floats
    y_test: Floats
    rows_train: Ints
    rows_test: Ints
    rows_left_out: Ints
    features: tuple[str, ...]
    target: str
    roles: Roles
    rows: Ints
    x: Floats
    actual: Floats
    part: tuple[str, ...]
    dates: tuple[str, ...]
    latest_price: Floats
    latest_train: Floats | None
    latest_test: Floats | None
    horizon: int
    split: str
    n_read: int
    n_used: int
    n_rejected: int
    n_missing: int
    findings: list[Finding] = field(default_factory=list)


def prepare(table: Table, config: Config, *, need_drivers: bool = True, room: Room = MEMORY) -> Prepared:
    """Turn a table into training and test arrays.

    Parameters
    ----------
    table : Table
        As read.
    config : Config
        Roles, split, horizon and answers to questions.
    need_drivers : bool
        If False, a table without drivers gives arrays of shape (N, 0), for baselines that need none.
    room : Room
        Where the drivers lie.

    Raises
    ------
    DataError
        If a question has to be answered first, a role cannot be played, no driver is left, or rows are too few.
    """
    usable = usable_rows(table, config)
    frame, roles = usable.frame, usable.roles
    if len(frame) == 0:
        raise DataError(_no_rows_sentence(table, usable))
    split = split_rows(len(frame), config, roles.horizon)
    x = _drivers(frame, roles.drivers, room)
    checked = check_frame(frame, x, roles, config)
    features = tuple(n for n in roles.drivers if n not in checked.unused)
    if not features and need_drivers:
        raise DataError(
            f"No driver columns left: besides the target '{roles.target}' no numeric column can be used "
            f"({table.size}), so a network cannot be trained. Baselines that need no drivers still work."
        )
    if checked.unused:
        x = _drivers(frame, features, room)
    y = frame[roles.target].to_numpy(dtype=np.float64)
    findings = [*table.findings, *usable.findings, *checked.findings]
    findings += check_split(x, y, frame.index.to_numpy(), split, features, roles, config)
    return _arrays(table, config, usable, split, features, x, y, findings, room)


def _drivers(frame: pd.DataFrame, names: Sequence[str], room: Room) -> Floats:
    """Return columns as one array (N, m) whose columns each lie together, as pandas gives them."""
    if not room.on_disk or not names:
        return frame[list(names)].to_numpy(dtype=np.float64).reshape(len(frame), len(names))
    x = room.empty((len(frame), len(names)), order="F")
    for j, name in enumerate(names):
        x[:, j] = frame[name].to_numpy(dtype=np.float64)
    return x


def _arrays(
    table: Table,
    config: Config,
    usable: Usable,
    split: Split,
    features: tuple[str, ...],
    x: Floats,
    y: Floats,
    findings: list[Finding],
    room: Room,
) -> Prepared:
    rows = usable.frame.index.to_numpy(dtype=np.int64)
    latest = usable.latest_price.to_numpy(dtype=np.float64)
    part = np.full(len(rows), "train", dtype=object)
    part[split.test] = "test"
    part[split.left_out] = "left out"
    given = usable.roles.latest_price is not None
    return Prepared(
        x_train=part_of(x, split.train, room),
        y_train=y[split.train],
        x_test=part_of(x, split.test, room),
        y_test=y[split.test],
        rows_train=rows[split.train],
        rows_test=rows[split.test],
        rows_left_out=rows[split.left_out],
        features=features,
        target=usable.roles.target,
        roles=usable.roles,
        rows=rows,
        x=x,
        actual=y,
        part=tuple(part),
        dates=_iso_dates(usable.frame, usable.roles.date),
        latest_price=latest,
        latest_train=latest[split.train] if given else None,
        latest_test=latest[split.test] if given else None,
        horizon=usable.roles.horizon,
        split=config.split,
        n_read=table.n_rows_read,
        n_used=len(rows),
        n_rejected=len(usable.rejected_rows),
        n_missing=len(usable.missing_rows),
        findings=findings,
    )


def _iso_dates(frame: pd.DataFrame, date: str | None) -> tuple[str, ...]:
    if date is None:
        return ("",) * len(frame)
    dates = frame[date]
    midnight = (dates == dates.dt.normalize()).all()
    return tuple(dates.dt.strftime("%Y-%m-%d" if midnight else "%Y-%m-%dT%H:%M:%S"))


def _no_rows_sentence(table: Table, usable: Usable) -> str:
    n_missing, n_rejected = len(usable.missing_rows), len(usable.rejected_rows)
    return (
        f"No usable rows: of {table.n_rows_read} read, {n_missing} miss a value and {n_rejected} hold unreadable "
        f"cells in used columns. Choose other drivers, or check the file."
    )
