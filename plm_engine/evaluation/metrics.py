"""Error measures in the target's unit; a measure that has no meaning says why instead of being a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import max_error, mean_absolute_error, r2_score, root_mean_squared_error

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Undefined:
    """A measure without a value, and why; never 0, NaN or infinity in disguise."""

    reason: str

    def __str__(self) -> str:
        return f"not defined ({self.reason})"


Measure = float | Undefined


def _pair(actual: ArrayLike, predicted: ArrayLike) -> tuple[Floats, Floats]:
    """Return the rows for which there is a prediction (persistence has none for the first rows)."""
    a = np.asarray(actual, dtype=np.float64)
    p = np.asarray(predicted, dtype=np.float64)
    known = ~np.isnan(p)
    return a[known], p[known]


def mae(actual: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the mean absolute error in the target's unit, over rows that have a prediction (not NaN)."""
    a, p = _pair(actual, predicted)
    return float(mean_absolute_error(a, p)) if len(a) else Undefined("no rows")


def rmse(actual: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the root of the mean squared error in the target's unit."""
    a, p = _pair(actual, predicted)
    if not len(a):
        return Undefined("no rows")
    # measured in units of the largest error, whose square would overflow above 1e154
    largest = float(np.abs(a - p).max())
    return largest * float(root_mean_squared_error(a / largest, p / largest)) if largest > 0 else 0.0


def mape(actual: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the mean absolute percentage error in %, undefined where a target is 0."""
    a, p = _pair(actual, predicted)
    if not len(a):
        return Undefined("no rows")
    zeros = int((a == 0).sum())
    if zeros:
        return Undefined(f"{zeros} zero target{'s' * (zeros != 1)}")
    return float(np.mean(np.abs((a - p) / a)) * 100)


def r2(actual: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the coefficient of determination, undefined for fewer than two rows or equal targets."""
    a, p = _pair(actual, predicted)
    if len(a) < 2:
        return Undefined(f"{len(a)} row{'s' * (len(a) != 1)}")
    if a.max() == a.min():
        return Undefined("all targets are equal")
    scale = float(np.abs(a - a.mean()).max())
    return float(r2_score((a - a.mean()) / scale, (p - a.mean()) / scale))


def largest_residual(actual: ArrayLike, predicted: ArrayLike) -> Measure:
    """Return the largest absolute error in the target's unit."""
    a, p = _pair(actual, predicted)
    return float(max_error(a, p)) if len(a) else Undefined("no rows")


def skill(model_mae: Measure, naive_mae: Measure) -> Measure:
    """Return 1 - MAE / naive MAE: above 0 beats persistence, 0 equals it, below 0 loses to it."""
    if isinstance(model_mae, Undefined):
        return model_mae
    if isinstance(naive_mae, Undefined):
        return naive_mae
    if naive_mae == 0:
        return Undefined("persistence makes no error")
    return 1 - model_mae / naive_mae


@dataclass(frozen=True)
class Metrics:
    """All measures of one set of rows; ``n`` counts the rows with a prediction."""

    n: int
    mae: Measure
    rmse: Measure
    mape: Measure
    r2: Measure
    largest_residual: Measure


def metrics(actual: ArrayLike, predicted: ArrayLike) -> Metrics:
    """Return all measures for rows of one set; rows whose prediction is NaN do not count."""
    n = len(_pair(actual, predicted)[0])
    measures = (f(actual, predicted) for f in (mae, rmse, mape, r2, largest_residual))
    return Metrics(n, *measures)
