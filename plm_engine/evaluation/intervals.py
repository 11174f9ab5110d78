"""Prediction intervals from the errors of forward-chained refits (split-conformal scores).

The point model learns from all training rows.  Its own training residuals say nothing about its forecasts (the
network's are within the learning goal by construction), so the scores are absolute errors on rows that refits inside
the training rows had not seen.  The interval is the forecast plus or minus the score at rank ceil((n + 1) level): for
exchangeable rows it covers a new row with at least that probability.  Prices are not exchangeable, so coverage is
measured on the test rows and shown beside the stated level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plm_engine.errors import ConfigError, DataError
from plm_engine.evaluation.chain import forward_folds, shuffled_folds
from plm_engine.evaluation.fitting import Fit, Sample
from plm_engine.evaluation.metrics import Measure, Undefined

Floats = NDArray[np.float64]
FOLDS = 5
#: 0.9 / (1 - 0.9) is 9, not 9.000000000000002
ROUNDING = 1e-9
#: the oldest rows, which no refit forecasts
FIRST_SHARE = 0.4


@dataclass(frozen=True)
class Interval:
    """How far a forecast is expected to be off.

    Attributes
    ----------
    level : float
        Stated probability, such as 0.9.
    half_width : float
        In the target's unit.
    n_scores : int
    """

    level: float
    half_width: float
    n_scores: int

    def around(self, predicted: ArrayLike) -> tuple[Floats, Floats]:
        """Return lower and upper bounds, shape (n,), of forecasts."""
        centre = np.asarray(predicted, dtype=np.float64)
        return centre - self.half_width, centre + self.half_width

    def coverage(self, actual: ArrayLike, predicted: ArrayLike) -> Measure:
        """Return the share of rows that lie inside their interval."""
        off = np.abs(np.asarray(actual, dtype=np.float64) - np.asarray(predicted, dtype=np.float64))
        off = off[~np.isnan(off)]
        return float((off <= self.half_width).mean()) if len(off) else Undefined("no rows")


def calibration_scores(
    fit: Fit,
    sample: Sample,
    n_folds: int = FOLDS,
    first_share: float = FIRST_SHARE,
    *,
    shuffled_seed: int | None = None,
) -> Floats:
    """Return absolute errors, in the target's unit, of refits on rows they had not seen.

    With ``shuffled_seed`` the folds are shuffled: only for splits that are random themselves.

    Raises
    ------
    DataError
        If there are too few rows to refit.
    """
    scores = []
    folds = (
        forward_folds(len(sample), sample.horizon, n_folds, first_share)
        if shuffled_seed is None
        else shuffled_folds(len(sample), n_folds, shuffled_seed)
    )
    for fold in folds:
        test = sample.take(fold.test)
        scores.append(np.abs(fit(sample.take(fold.train)).forecast(test) - test.y))
    found = np.concatenate(scores)
    return found[~np.isnan(found)]


def interval_from(scores: ArrayLike, level: float = 0.9) -> Interval:
    """Return the interval of a level.

    Raises
    ------
    ConfigError
        If the level is not a probability.
    DataError
        If there are too few scores for it.
    """
    if not 0 < level < 1:
        raise ConfigError(f"The level of an interval is {level:g}: give a share above 0 and below 1, such as 0.9.")
    ordered = np.sort(np.asarray(scores, dtype=np.float64))
    rank = math.ceil((len(ordered) + 1) * level - ROUNDING)
    if rank > len(ordered):
        needed = math.ceil(level / (1 - level) - ROUNDING)
        raise DataError(f"{len(ordered)} scores are too few for an interval of {level:.0%}: {needed} are needed.")
    return Interval(level, float(ordered[rank - 1]), len(ordered))


def interval_for(
    fit: Fit, sample: Sample, level: float = 0.9, n_folds: int = FOLDS, *, shuffled_seed: int | None = None
) -> Interval | Undefined:
    """Return the interval around the forecasts of a model that learns from ``sample``, or why there is none."""
    try:
        return interval_from(calibration_scores(fit, sample, n_folds, shuffled_seed=shuffled_seed), level)
    except DataError as error:
        return Undefined(str(error))
