"""Whole runs in this process: ``single`` against ``batched``, and the profile of what remains.

Modes with several processes are compared by ``python -m plm_engine experiment``, which starts and stops them.
"""

from __future__ import annotations

import statistics
from typing import Any

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.samples import load
from plm_engine.training import train

REPEATS = 5
MODES = ("single", "batched")
COLUMNS = {
    "mode": "mode",
    "seconds": "total (s)",
    "over_single": "times single",
    "organizing": "organizing (s)",
    "cramming": "cramming (s)",
    "nodes": "nodes",
    "rounds": "rounds",
    "same_bytes": "bytes of single",
}


def measure(data: str, goal_percent: float = 10.65) -> list[dict[str, Any]]:
    """Return one line for each mode; modes take turns.  10.65 % is a goal of 2718 on the real copper table."""
    config = Config(data=data, goal_percent=goal_percent, pick=5)
    prepared = prepare(load(config), config)
    results: dict[str, list[Any]] = {mode: [] for mode in MODES}
    for _ in range(REPEATS):
        for mode in MODES:
            results[mode].append(train(prepared.x_train, prepared.y_train, config.replace(mode=mode)))
    single = results["single"]
    lines = []
    for mode, runs in results.items():
        pairs = zip(runs, single, strict=True)
        lines.append(
            {
                "mode": mode,
                "seconds": statistics.median(run.seconds["total"] for run in runs),
                "over_single": statistics.median(a.seconds["total"] / b.seconds["total"] for a, b in pairs),
                **{name: statistics.median(run.seconds[name] for run in runs) for name in ("organizing", "cramming")},
                "nodes": runs[0].network.n_hidden,
                "rounds": runs[0].history[-1].number,
                "same_bytes": str(runs[0].network.sha256() == single[0].network.sha256()).lower(),
            }
        )
    return lines
