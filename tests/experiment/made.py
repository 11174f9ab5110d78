"""Trials as the contenders' processes report them, made up."""

from __future__ import annotations

from typing import Any

from plm_engine.experiment.results import MODULES


def trial(contender: str, repeat: int, organizing: float, mae: float = 100.0, **more: Any) -> dict[str, Any]:
    seconds = dict.fromkeys(MODULES, 0.1)
    seconds |= {"organizing": organizing, "organizing_understanding": 0.8 * organizing, "total": organizing + 0.5}
    return {
        "contender": contender,
        "repeat": repeat,
        "seed": 7 + repeat,
        "order": repeat + 1,
        "seconds": seconds,
        "mae": {"train": mae / 2, "test": mae},
        "communicating_s": 0.0,
        "collectives": 0,
        "kept_steps": 1000,
        "n_hidden": 9,
        "rounds": 3,
        "n_train": 300,
        "target": "y",
        "reason": "goal met",
        "network_sha256": f"digest {repeat}",
        "device": "cpu",
        "peak_memory_bytes": [100 * 2**20],
        "disturbed": [],
        **more,
    }
