"""Whole runs in one process: the plain loop against *single*, *batched* and *auto*, and the profile of what remains.

*plain* is the sequential loop over the same fused step on one thread: every trial computed, one candidate after
the other.  *auto* chooses anew in every run; what the choice costs is a column of its own.  Modes with several ranks
are compared by ``python -m plm_engine experiment``, which starts and stops them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plm_engine.config import Config
from plm_engine.datasets.prepare import Prepared, prepare
from plm_engine.datasets.samples import load
from plm_engine.parallel.calibrate import Choice, calibrate, cores
from plm_engine.parallel.single import every_trial_computed
from plm_engine.training import TrainResult, one_thread, train

REPEATS = 5
PARTS = ("organizing", "cramming", "understanding")
COLUMNS = {
    "mode": "mode",
    "seconds": "total (s)",
    "choosing": "choosing (s)",
    "plain_over_this": "plain / this",
    "with_choosing": "the same, choosing counted",
    **{part: f"{part} (s)" for part in PARTS},
    "nodes": "nodes",
    "rounds": "rounds",
    "same_bytes": "bytes of plain",
}


@dataclass(frozen=True)
class Run:
    """One whole run: what it came to, the seconds of choosing, and what was chosen."""

    result: TrainResult
    choosing: float = 0.0
    choice: Choice | None = None

    @property
    def seconds(self) -> float:
        """Seconds of training."""
        return self.result.seconds["total"]


def measure(data: str, goal_percent: float = 10.65, repeats: int = REPEATS) -> list[dict[str, Any]]:
    """Return one line for each mode; modes take turns.  10.65 % is a goal of 2718 on the real copper table."""
    config = Config(data=data, goal_percent=goal_percent, pick=5)
    prepared = prepare(load(config), config)
    contenders: dict[str, Callable[[], Run]] = {
        "plain": lambda: _plain(prepared, config),
        "single": lambda: Run(_trained(prepared, config)),
        "batched": lambda: Run(_trained(prepared, config.replace(mode="batched"))),
        "auto": lambda: _auto(prepared, config),
    }
    runs: dict[str, list[Run]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            runs[name].append(run())
    return [_line(name, runs[name], runs["plain"]) for name in runs]


def _trained(data: Prepared, config: Config, **more: Any) -> TrainResult:
    return train(data.x_train, data.y_train, config, **more)


def _plain(data: Prepared, config: Config) -> Run:
    with every_trial_computed():
        return Run(_trained(data, config))


def _auto(data: Prepared, config: Config) -> Run:
    began = time.perf_counter()
    with one_thread():
        choice = calibrate(config.replace(mode="auto", workers=cores()), *data.x_train.shape)
    choosing = time.perf_counter() - began
    chosen = config.replace(mode=choice.mode, workers=choice.workers)
    return Run(_trained(data, chosen, threads=choice.threads, strategy=choice.strategy), choosing, choice)


def _line(name: str, runs: list[Run], plain: list[Run]) -> dict[str, Any]:
    pairs = list(zip(plain, runs, strict=True))
    last = runs[-1].result
    digests = {run.result.network.sha256() for run in (*runs, *plain)}
    return {
        "mode": name,
        "chosen": [None if run.choice is None else run.choice.to_mapping() for run in runs],
        "seconds": statistics.median(run.seconds for run in runs),
        "spread": [min(run.seconds for run in runs), max(run.seconds for run in runs)],
        "choosing": statistics.median(run.choosing for run in runs),
        "plain_over_this": statistics.median(one.seconds / run.seconds for one, run in pairs),
        "with_choosing": statistics.median(one.seconds / (run.seconds + run.choosing) for one, run in pairs),
        **{part: statistics.median(run.result.seconds[part] for run in runs) for part in PARTS},
        "nodes": last.network.n_hidden,
        "rounds": last.history[-1].number,
        "same_bytes": str(len(digests) == 1).lower(),
    }
