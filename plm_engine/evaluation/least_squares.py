"""Least squares over a table of any length: rows are folded, part by part, into one small triangle (QR)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plm_engine.datasets.rooms import parts
from plm_engine.datasets.scale import Scaler

Floats = NDArray[np.float64]
#: numbers in a table of drivers up to which the usual solvers get a copy of all of it
AT_ONCE = 4_000_000


def least_squares(scaler: Scaler, x: Floats, learned: Floats) -> tuple[Floats, float]:
    """Return coefficients (m,) and intercept, in standardised units, of ordinary least squares.

    The minimum-norm solution on centred columns, as of the usual solver; it agrees with that to rounding.

    Parameters
    ----------
    scaler : Scaler
        Of the training rows.
    x, learned : ndarray, shapes (N, m) and (N,)
        Training rows, unscaled.
    """
    y = scaler.y(learned)
    x_mean, y_mean = _mean(scaler, x), y.mean()
    triangle: Any = np.empty((0, x.shape[1] + 1))
    for a, b in parts(*x.shape):
        rows = np.column_stack([scaler.x(x[a:b]) - x_mean, y[a:b] - y_mean])
        triangle = np.linalg.qr(np.concatenate([triangle, rows]), mode="r")
    rounding = np.finfo(np.float64).eps * max(x.shape)
    line: Floats = np.linalg.lstsq(triangle[:, :-1], triangle[:, -1], rcond=rounding)[0]
    return line, float(y_mean - x_mean @ line)


def on_line(scaler: Scaler, x: Floats, line: Floats, intercept: float) -> Floats:
    """Return the standardised values (N,) of a linear function on rows ``x`` (N, m), unscaled."""
    z = np.empty(len(x))
    for a, b in parts(*x.shape):
        z[a:b] = scaler.x(x[a:b]) @ line + intercept
    return z


def _mean(scaler: Scaler, x: Floats) -> Floats:
    total = np.zeros(x.shape[1])
    for a, b in parts(*x.shape):
        total += scaler.x(x[a:b]).sum(axis=0)
    mean: Floats = total / len(x)
    return mean
