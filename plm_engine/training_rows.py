"""The arrays that training gets: checked, and which of their rows are shown after every round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plm_engine.datasets.arrays import as_numbers
from plm_engine.datasets.rooms import Room, order_of, parts
from plm_engine.datasets.scale import Scaler
from plm_engine.errors import DataError
from plm_engine.events import DataPrepared


@dataclass(frozen=True)
class Watched:
    """Rows whose predictions are shown after every round.

    Attributes
    ----------
    x : ndarray, shape (k, m)
        Unscaled.
    description : DataPrepared
        What to say about them.
    latest : ndarray, shape (k,), or None
        Their latest known prices.
    """

    x: np.ndarray
    description: DataPrepared
    latest: np.ndarray | None = None


@dataclass(frozen=True)
class Rows:
    """Training rows (N) and test rows (M) in the file's units, checked; see ``train``."""

    x: np.ndarray
    y: np.ndarray
    latest: np.ndarray | None
    x_test: np.ndarray | None
    y_test: np.ndarray | None
    latest_test: np.ndarray | None
    numbers: np.ndarray
    features: tuple[str, ...]
    target: str


def checked_arrays(x: Any, y: Any, part: str, n_features: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return float64 arrays that fit together, or say what does not."""
    x, y = as_numbers(x, f"{part} data"), as_numbers(y, f"{part} data")
    if x.ndim != 2 or y.ndim != 1 or len(x) != len(y):
        raise DataError(f"The {part} data have shapes {x.shape} and {y.shape}: give (rows, drivers) and (rows,).")
    if part == "training" and len(y) < 2:
        raise DataError(f"There are {len(y)} training rows: at least 2 are needed.")
    if x.shape[1] < 1 or (n_features is not None and x.shape[1] != n_features):
        wanted = "at least 1" if n_features is None else str(n_features)
        raise DataError(f"The {part} data have {x.shape[1]} drivers: {wanted} needed.")
    for a, b in parts(*x.shape):
        bad = np.argwhere(~np.isfinite(x[a:b]))
        if not len(bad):
            continue
        row, column = a + bad[0][0], bad[0][1]
        raise DataError(
            f"Driver {column + 1} of {part} row {row + 1} is {x[row, column]}: only finite numbers can be learned from."
        )
    if not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise DataError(f"The target of {part} row {row + 1} is {y[row]}: only finite numbers can be learned from.")
    return x, y


def watch_all(
    x: np.ndarray,
    y: np.ndarray,
    x_test: np.ndarray | None,
    y_test: np.ndarray | None,
    rows: np.ndarray,
    target: str,
    latest: Any = None,
    latest_test: Any = None,
) -> Watched:
    """Watch the training rows and, numbered on from them, the test rows."""
    xs, ys, parts, numbers = [x], [y], ["train"] * len(y), list(rows)
    if x_test is not None and y_test is not None:
        xs.append(x_test)
        ys.append(y_test)
        parts += ["test"] * len(y_test)
        numbers += range(int(rows.max()) + 1, int(rows.max()) + 1 + len(y_test))
    actual = tuple(float(v) for v in np.concatenate(ys))
    description = DataPrepared(tuple(int(n) for n in numbers), actual, tuple(parts), target=target)
    known = [np.asarray(v, dtype=np.float64) for v in (latest, latest_test) if v is not None]
    everything = np.concatenate(xs) if len(xs) > 1 else x
    return Watched(everything, description, np.concatenate(known) if known else None)


def standardised(x: np.ndarray, scaler: Scaler, room: Room, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Return the drivers (N, m) as the pupil sees them: a copy on the device, or in a mapped file.

    A copy in any case, for torch aligns its memory and NumPy does not: sums may round by alignment.
    """
    if not room.on_disk or device.type != "cpu":
        return torch.from_numpy(scaler.x(x)).to(device, dtype, copy=True)
    scaled = torch.from_numpy(room.empty(x.shape, str(dtype)[6:], order_of(x)))
    for a, b in parts(*x.shape):
        scaled[a:b] = torch.from_numpy(scaler.x(x[a:b]))
    return scaled
