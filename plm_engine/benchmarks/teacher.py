"""Rows that a two-layer network made: what a learner of such networks can find again, apart from the noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np

NODES, DRIVERS = 16, 18
#: spread of the noise, as a share of the target's
NOISE = 0.1
#: goal in spreads of the target: five of the noise, so that the teacher itself learns every row (but see below)
GOAL = 0.5


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return x (n, 18) and y (n,), spread about 1; the same teacher for every ``n``, so sizes can be compared."""
    draw = np.random.default_rng(seed)
    weight = draw.normal(size=(NODES, DRIVERS)) / np.sqrt(DRIVERS)
    bias, output = 0.5 * draw.normal(size=NODES), draw.normal(size=NODES)
    x = draw.normal(size=(n, DRIVERS))
    taught = np.empty(n)
    for a in range(0, n, 65_536):
        taught[a : a + 65_536] = np.maximum(x[a : a + 65_536] @ weight.T + bias, 0) @ output
    taught = (taught - taught.mean()) / taught.std()
    noise = NOISE / np.sqrt(1 - NOISE**2)
    y = taught + noise * draw.normal(size=n)
    return x, y / y.std()


def left_by_regression(x: np.ndarray, y: np.ndarray, goal: float = GOAL) -> float:
    """Return the share of rows that a linear regression leaves outside the goal."""
    centred = x - x.mean(axis=0)
    beta = np.linalg.lstsq(centred.T @ centred, centred.T @ (y - y.mean()), rcond=None)[0]
    return float((np.abs(y - y.mean() - centred @ beta) > goal).mean())


def write(path: Path, x: np.ndarray, y: np.ndarray) -> None:
    """Write a Parquet file with columns x1 ... x18 and y, in row groups of 65,536 rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {f"x{j + 1}": x[:, j] for j in range(x.shape[1])}
    pq.write_table(pa.table({**columns, "y": y}), path, row_group_size=65_536)
