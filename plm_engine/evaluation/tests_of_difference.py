"""Is one forecast really better than another, or only by luck?  The Diebold-Mariano test.

Diebold & Mariano (1995) test whether the mean difference of two forecasts' losses is zero, with autocovariances up to
h - 1 in the variance, because forecasts h steps ahead overlap.  Harvey, Leybourne & Newbold (1997) correct the
statistic for small samples and compare it with Student's t with n - 1 degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from plm_engine.evaluation.metrics import Undefined

#: at or below this p-value a difference is called one
LEVEL = 0.05
#: smaller p-values are said to be below it
SMALLEST_SAID = 0.001


@dataclass(frozen=True)
class Difference:
    """Result of a test.

    Attributes
    ----------
    statistic : float
        Corrected statistic; below 0 the first forecast has the smaller loss.
    p_value : float
        Two-sided.
    mean_difference : float
        Mean loss of the first less that of the second, in the loss's unit.
    n, horizon : int
    """

    statistic: float
    p_value: float
    mean_difference: float
    n: int
    horizon: int

    def sentence(self, first: str, second: str) -> str:
        """Say what it means, in one sentence."""
        better = first if self.mean_difference < 0 else second
        worse = second if self.mean_difference < 0 else first
        likely = f"p = {self.p_value:.3f}" if self.p_value >= SMALLEST_SAID else f"p < {SMALLEST_SAID}"
        chance = f"{likely}, {self.n} forecasts"
        if self.p_value <= LEVEL:
            return f"{better} has smaller errors than {worse}, by more than luck would explain ({chance})."
        return f"The errors of {better} are smaller than those of {worse}, but luck alone could explain it ({chance})."


def diebold_mariano(
    errors: ArrayLike, other_errors: ArrayLike, horizon: int = 1, *, power: float = 1.0
) -> Difference | Undefined:
    """Compare two forecasts of the same rows.

    Parameters
    ----------
    errors, other_errors : array, shape (n,)
        Errors of the two forecasts, in time order.
    horizon : int
        Rows between the latest known target and the row forecast.
    power : float
        Loss is the absolute error to this power: 1 for absolute, 2 for squared errors.

    Returns
    -------
    Difference or Undefined
        Undefined where rows are too few, the forecasts are equal, or the variance comes out at or below zero.
    """
    first, second = np.asarray(errors, dtype=np.float64), np.asarray(other_errors, dtype=np.float64)
    d = np.abs(first) ** power - np.abs(second) ** power
    n = len(d)
    if n <= horizon + 1:
        return Undefined(f"{n} forecasts are too few at horizon {horizon}")
    if not np.any(d):
        return Undefined("both forecasts are the same")
    mean = float(d.mean())
    centred = d - mean
    variance = float(centred @ centred) / n
    variance += 2 * sum(float(centred[k:] @ centred[:-k]) / n for k in range(1, horizon))
    if not variance > 0:
        return Undefined("the variance of the difference comes out at or below zero")
    harvey = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    statistic = mean / np.sqrt(variance / n) * np.sqrt(harvey)
    p_value = 2 * float(stats.t.sf(abs(statistic), n - 1))
    return Difference(float(statistic), p_value, mean, n, horizon)
