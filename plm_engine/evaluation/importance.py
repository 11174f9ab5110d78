"""Which drivers matter: how much worse the forecasts of the test rows get when one driver is shuffled.

The increase in mean absolute error over several shuffles is reported with its spread.  Drivers that move together
share their importance: each can look unimportant because the others still tell the same.  Where a driver is the latest
price, the price that changes are counted from is shuffled with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plm_engine.evaluation.fitting import Fitted, Sample

REPEATS = 10


@dataclass(frozen=True)
class Importance:
    """Increase in mean absolute error, in the target's unit, when ``driver`` is shuffled."""

    driver: str
    mean: float
    spread: float
    lowest: float
    highest: float
    repeats: int


def permutation_importance(fitted: Fitted, test: Sample, *, repeats: int = REPEATS, seed: int = 0) -> list[Importance]:
    """Return the importance of every driver, the most important first; empty without test rows.

    ``spread`` is the standard deviation over the repeats.
    """
    if not len(test):
        return []
    random = np.random.default_rng(seed)
    before = _mae(fitted, test)
    found = []
    for column, driver in enumerate(test.features):
        increases = np.array(
            [_mae(fitted, test.shuffled(column, random.permutation(len(test)))) - before for _ in range(repeats)]
        )
        found.append(
            Importance(
                driver,
                float(increases.mean()),
                float(increases.std()),
                float(increases.min()),
                float(increases.max()),
                repeats,
            )
        )
    return sorted(found, key=lambda importance: -importance.mean)


def _mae(fitted: Fitted, sample: Sample) -> float:
    off = np.abs(fitted.forecast(sample) - sample.y)
    return float(np.nanmean(off)) if not np.isnan(off).all() else float("nan")
