"""Which rows train, which test, and which are left out because their target is not known yet at the split."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plm_engine.config import EXCLUSIVE, Config
from plm_engine.datasets.rooms import MEMORY, Room
from plm_engine.errors import DataError

#: fewest rows that can be learned from
MIN_TRAIN = 2
#: rows above which copies of the drivers are avoided
LARGE = 50_000


@dataclass(frozen=True)
class Split:
    """Positions (0-based, in time order) of the three parts."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    left_out: NDArray[np.intp]


def part_of(x: NDArray[np.float64], positions: NDArray[np.intp], room: Room = MEMORY) -> NDArray[np.float64]:
    """Return the rows at ascending ``positions``; of a large table no copy is made where they follow each other."""
    follow = len(positions) > LARGE and positions[-1] - positions[0] == len(positions) - 1
    return x[positions[0] : positions[-1] + 1] if follow else room.taken(x, positions)


def n_test_rows(n: int, config: Config) -> int:
    """Return how many of ``n`` rows are held back: ``test_rows``, or the share rounded up (95 of 471 at 20 %)."""
    if config.test_rows is not None:
        return config.test_rows
    share = config.test_share if config.test_share is not None else EXCLUSIVE["test"][2]
    return math.ceil(n * share / 100 - 1e-9)


def split_rows(n: int, config: Config, horizon: int = 1) -> Split:
    """Split ``n`` rows that are in time order.

    Chronological: the newest rows are the test; the ``horizon - 1`` rows before them are left out, since their
    targets are not known yet when the first test row is forecast.  Random: rows drawn by the seed; nothing is left
    out, and neighbours of test rows are trained on, which is why pages warn.

    Raises
    ------
    DataError
        If too few rows remain to train on.
    """
    n_test = n_test_rows(n, config)
    unknown = horizon - 1 if config.split == "chronological" and n_test else 0
    needed = MIN_TRAIN + unknown + max(n_test, 1 if config.test_rows is None else 0)
    if n - n_test - unknown < MIN_TRAIN:
        parts = f"{MIN_TRAIN} to train, {n_test} to test"
        parts += f", {unknown} between them whose target is not known yet (horizon {horizon})" if unknown else ""
        raise DataError(
            f"Too few rows for a train/test split: {n} usable row{'s' * (n != 1)}, at least {needed} needed ({parts}). "
            "Add rows, or hold back fewer with --test-rows."
        )
    order = np.arange(n)
    if config.split == "random":
        test = np.sort(np.random.default_rng(config.seed).permutation(n)[:n_test])
        train = np.setdiff1d(order, test)
        return Split(train, test, order[:0])
    first = n - n_test
    return Split(order[: first - unknown], order[first:], order[first - unknown : first])
