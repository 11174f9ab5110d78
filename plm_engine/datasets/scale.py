"""Standardising with the training rows only, safe for constant columns and for magnitudes from 1e-300 to 1e300."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plm_engine.datasets.rooms import PART, order_of, parts

Floats = NDArray[np.float64]


def _power_of_two(values: Floats) -> Floats:
    """Return, per column, the power of two just below the largest magnitude (1 for an all-zero column).

    Dividing by it is exact, and no square of what is left overflows or underflows.
    """
    largest = np.abs(values).max(axis=0)
    _, exponent = np.frexp(largest)
    return np.where(largest > 0, np.ldexp(1.0, np.clip(exponent, -1021, 1023) - 1), 1.0)


def centre_and_spread(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and population standard deviation of each column; a constant column has spread 0 exactly.

    A column counts as constant where all its values are equal to within rounding, even if its computed spread is
    1e-17 and not 0 (48 times 0.1 is such a column).
    """
    if values.size > PART and values.shape[1]:
        # the same sums in the same order as below, with no copy of the whole table
        if values.shape[1] > 1 and order_of(values) == "C":
            return _by_rows(values)
        columns = [_at_once(values[:, j : j + 1]) for j in range(values.shape[1])]
        return np.concatenate([mean for mean, _ in columns]), np.concatenate([spread for _, spread in columns])
    return _at_once(values)


def _at_once(values: Floats) -> tuple[Floats, Floats]:
    unit = _power_of_two(values)
    small = values / unit
    mean = small.mean(axis=0)
    spread = small.std(axis=0)
    rounding = 8 * np.finfo(np.float64).eps * np.abs(small).max(axis=0)
    constant = small.max(axis=0) - small.min(axis=0) <= rounding
    mean = np.where(constant, small[0], mean)
    return mean * unit, np.where(constant, 0.0, spread * unit)


def _by_rows(values: Floats) -> tuple[Floats, Floats]:
    """Measure columns whose rows lie together: NumPy adds such rows one after the other."""
    highest, lowest, largest = values.max(axis=0), values.min(axis=0), np.zeros(values.shape[1])
    for a, b in parts(*values.shape):
        largest = np.maximum(largest, np.abs(values[a:b]).max(axis=0))
    unit = _power_of_two(largest[None])

    def sum_of(part: Callable[[Floats], Floats]) -> Floats:
        total = np.zeros((0, values.shape[1]))
        for a, b in parts(*values.shape):
            total = np.add.reduce(np.concatenate([total, part(values[a:b] / unit)]), axis=0, keepdims=True)
        return total[0]

    mean = sum_of(lambda small: small) / len(values)
    spread = np.sqrt(sum_of(lambda small: (small - mean) ** 2) / len(values))
    rounding = 8 * np.finfo(np.float64).eps * largest / unit
    constant = highest / unit - lowest / unit <= rounding
    mean = np.where(constant, values[0] / unit, mean)
    return mean * unit, np.where(constant, 0.0, spread * unit)


@dataclass(frozen=True)
class Scaler:
    """Standardises drivers and target: (value - mean) / population standard deviation of the training rows.

    The same as scikit-learn's ``StandardScaler``, except that a constant column becomes 0 exactly and that no
    intermediate result overflows.

    Attributes
    ----------
    x_mean, x_spread : ndarray of shape (m,)
        Of each driver, in its own unit; spread 0 means constant.
    y_mean, y_spread : float
        Of the target, in its own unit.
    """

    x_mean: Floats
    x_spread: Floats
    y_mean: float
    y_spread: float

    @classmethod
    def fit(cls, x_train: ArrayLike, y_train: ArrayLike) -> Scaler:
        """Measure the training rows.

        Parameters
        ----------
        x_train : array of shape (N, m)
            Finite drivers.
        y_train : array of shape (N,)
            Finite target.
        """
        x = np.asarray(x_train, dtype=np.float64)
        y = np.asarray(y_train, dtype=np.float64).reshape(-1, 1)
        x_mean, x_spread = centre_and_spread(x)
        y_mean, y_spread = centre_and_spread(y)
        return cls(x_mean, x_spread, float(y_mean[0]), float(y_spread[0]))

    def x(self, values: ArrayLike) -> Floats:
        """Return standardised drivers, shape (n, m)."""
        return _scaled(np.asarray(values, dtype=np.float64), self.x_mean, self.x_spread)

    def y(self, values: ArrayLike) -> Floats:
        """Return the standardised target, shape (n,)."""
        return _scaled(np.asarray(values, dtype=np.float64), np.float64(self.y_mean), np.float64(self.y_spread))

    def y_back(self, z: ArrayLike) -> Floats:
        """Return values in the target's unit for standardised ones."""
        return np.asarray(z, dtype=np.float64) * self.y_spread + self.y_mean

    def to_mapping(self) -> dict[str, Any]:
        """Return plain numbers for JSON; floats survive it exactly."""
        return {
            "x_mean": self.x_mean.tolist(),
            "x_spread": self.x_spread.tolist(),
            "y_mean": self.y_mean,
            "y_spread": self.y_spread,
        }

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> Scaler:
        """Rebuild from :meth:`to_mapping`."""
        return cls(
            np.array(values["x_mean"], dtype=np.float64),
            np.array(values["x_spread"], dtype=np.float64),
            float(values["y_mean"]),
            float(values["y_spread"]),
        )


def _scaled(values: Floats, mean: Any, spread: Any) -> Floats:
    constant = np.asarray(spread) == 0
    safe = np.where(constant, 1.0, spread)
    with np.errstate(over="ignore", invalid="ignore"):
        z = values - mean
        z /= safe
        # the difference of two numbers of 1e308 overflows, their quotients do not
        if not np.isfinite(z).all():
            z = np.where(np.isfinite(z), z, values / safe - mean / safe)
    return np.where(constant, 0.0, z) if np.any(constant) else z
