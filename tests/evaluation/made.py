"""Samples made for the tests of comparisons and backtests."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_table
from plm_engine.evaluation.fitting import Sample


def copper(copper_csv: Path, **options) -> Sample:
    """All rows of the real table."""
    return Sample.of(prepare(read_table(copper_csv), Config(test_rows=0, **options)))


def made(n: int = 60, m: int = 3, *, horizon: int = 1, noise: float = 0.1, seed: int = 0) -> Sample:
    """Rows whose target is linear in the drivers; the first driver is the latest price."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, m))
    y = 100 + 3 * x[:, 0] - 2 * x[:, 1] + noise * rng.normal(size=n)
    x[:, 0] += 100
    names = tuple(f"x{j + 1}" for j in range(m))
    return Sample(x, y, x[:, 0].copy(), np.arange(1, n + 1), names, 0, True, horizon)
