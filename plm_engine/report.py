"""Tables for pages and notebooks, made from the store: NumPy and pandas only."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from plm_engine.series import PHASES, Reader, Series
from plm_engine.store.contract import RunInfo
from plm_engine.store.kept import Kept
from plm_engine.store.sqlite import Store

__all__ = ["PHASES", "Series", "decimate", "forget", "run_table", "series"]

_readers = Kept(Reader, most=48)

COLUMNS = {
    "id": "string",
    "name": "string",
    "status": "string",
    "sentence": "string",
    "data": "string",
    "target": "string",
    "goal": "float64",
    "nodes": "Int64",
    "rounds": "Int64",
    "train_mae": "float64",
    "test_mae": "float64",
    "seconds": "float64",
    "created": "datetime64[ns, UTC]",
}


def run_table(home: str | PathLike[str] | None = None) -> pd.DataFrame:
    """Return one row per run, newest first.

    Columns: id, name, status, sentence, data, target, goal (in the target's unit), nodes, rounds, train_mae and
    test_mae (in the target's unit), seconds (from start to end, or to now), created (UTC).  What is not known yet is
    missing, never 0.
    """
    records = [_row(info) for info in Store(home).runs()]
    return pd.DataFrame(records, columns=list(COLUMNS)).astype(COLUMNS)


def _row(info: RunInfo) -> dict[str, Any]:
    summary, mae = info.summary, info.summary.get("mae") or {}
    data = info.extra.get("data") or {}
    return {
        "id": info.id,
        "name": info.name,
        "status": str(info.status),
        "sentence": info.sentence,
        "data": data.get("name") or info.config.get("data") or None,
        "target": summary.get("target") or info.config.get("target"),
        "goal": summary.get("goal", info.config.get("goal")),
        "nodes": summary.get("n_hidden"),
        "rounds": summary.get("rounds"),
        "train_mae": mae.get("train"),
        "test_mae": mae.get("test"),
        "seconds": info.elapsed_s(),
        "created": pd.Timestamp(info.created, unit="s", tz="UTC"),
    }


def series(home: str | PathLike[str] | None, run_id: str) -> Series:
    """Return a run's events as columns; all callers in a process share one reader per run.

    Raises
    ------
    RunError
        If there is no such run.
    """
    return _readers.of(home, run_id).read()


def forget(home: str | PathLike[str] | None, run_id: str) -> None:
    """Drop what is kept of a run, such as after deleting it."""
    _readers.forget(home, run_id)


def decimate(x: Any, y: Any, n: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Thin a line out to about ``n`` points, keeping the lowest and highest of every stretch and both ends.

    Parameters
    ----------
    x, y : array, shape (k,)
        The line; a missing y (NaN) counts as no extreme.
    n : int
        Points to aim at, at least 4.

    Returns
    -------
    x, y : ndarray, shape (at most n + 4,)
        In the old order; the line itself where it has at most ``n`` points.
    """
    x, y = np.asarray(x), np.asarray(y, dtype=float)
    if len(x) <= n:
        return x, y
    width = -(-len(x) // max(2, n // 2))
    whole = len(x) // width * width
    blocks = y[:whole].reshape(-1, width)
    offset = np.arange(len(blocks)) * width
    lowest = np.where(np.isnan(blocks), np.inf, blocks).argmin(axis=1) + offset
    highest = np.where(np.isnan(blocks), -np.inf, blocks).argmax(axis=1) + offset
    rest = np.arange(whole, len(x))
    tail = rest[[np.nanargmin(y[rest]), np.nanargmax(y[rest])]] if np.isfinite(y[rest]).any() else rest[:0]
    keep = np.unique(np.concatenate([lowest, highest, tail, [0, len(x) - 1]]))
    return x[keep], y[keep]
