"""Forward chaining: learn from the older rows, forecast the newer ones, never the other way round.

All judging inside the training rows (penalties, goals, calibration scores) uses these folds, and a backtest has the
same rule: when the row at position t is forecast, targets later than t - h are not known, so they do not train.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from plm_engine.errors import DataError

Positions = NDArray[np.intp]
#: fewest rows that a fold may learn from
MIN_ROWS = 8


@dataclass(frozen=True)
class Fold:
    """Positions (0-based, in time order) of the rows to learn from and of those to forecast."""

    train: Positions
    test: Positions


def known_before(t: int, horizon: int) -> int:
    """Return how many of the oldest rows are known when the row at position ``t`` is forecast: t - h + 1."""
    return max(0, t - horizon + 1)


def forward_folds(n: int, horizon: int, n_folds: int, first_share: float = 0.5) -> list[Fold]:
    """Cut ``n`` rows in time order into folds, each forecast from the rows known at its first one.

    Parameters
    ----------
    n, horizon : int
    n_folds : int
    first_share : float
        Share of the rows, oldest first, that is never forecast.

    Raises
    ------
    DataError
        If there are too few rows.
    """
    first = max(int(n * first_share), MIN_ROWS + horizon - 1)
    n_folds = min(n_folds, n - first)
    if n_folds < 1:
        needed = MIN_ROWS + horizon
        raise DataError(
            f"There are {n} training rows: judging forecasts inside them needs at least {needed} at horizon {horizon}."
        )
    edges = np.linspace(first, n, n_folds + 1).astype(int)
    return [Fold(np.arange(known_before(int(start), horizon)), np.arange(start, end)) for start, end in pairwise(edges)]


def shuffled_folds(n: int, n_folds: int, seed: int) -> list[Fold]:
    """Cut ``n`` rows into folds at random: the way to judge for a split that is random itself, and as leaking."""
    order = np.random.default_rng(seed).permutation(n)
    parts = np.array_split(order, min(n_folds, n))
    return [Fold(np.setdiff1d(np.arange(n), part), np.sort(part)) for part in parts]
