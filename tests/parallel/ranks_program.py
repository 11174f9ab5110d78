"""Run under torchrun by ``conftest.py``: does everything the tests assert on, once, and writes it down.

Usage: torchrun ... ranks_program.py OUT_FILE.  Rank 0 writes a JSON object, one entry for each mode.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from plm_engine import Config, train
from plm_engine.learning.descent import StepSizes
from plm_engine.learning.regularizing import Regularizing
from plm_engine.learning.understanding import Understanding
from plm_engine.modes import MODES
from plm_engine.parallel.choose import make_strategies
from plm_engine.parallel.single import SingleStrategy
from plm_engine.processes import leave
from tests.helpers import random_network, random_rows

RANKED = ("ddp", "row_parallel", "model_parallel", "candidate_parallel")
#: rows and hidden nodes: below and above one chunk, not divisible by 2 or 3, fewer nodes than ranks
SHAPES = ((7, 1), (100, 5), (4501, 20))


EPOCHS = 12


def tuned(strategy, n, p, dtype, *, penalty=0.0):
    """Tune from the common state; returns weights, kept steps and ending."""
    x, y = random_rows(n, 5, dtype=dtype)
    network = random_network(5, p, dtype=dtype)
    goal = 1e3 if penalty else 1e-9
    rule = (Regularizing if penalty else Understanding)(goal, EPOCHS, StepSizes())
    tune = getattr(strategy, "tune_unconfirmed", strategy.tune)  # else its own arithmetic would hardly be seen
    result = tune(network, strategy.place(x, y), rule, penalty)
    return {"flat": result.flat().double().tolist(), "kept": rule.kept, "outcome": str(rule.outcome)}


def candidates(strategy, n, p):
    """Tune several candidates from the common state; returns the first met and its weights."""
    x, y = random_rows(n, 5)
    networks = [random_network(5, p, seed=s) for s in range(strategy.candidates_at_once)]
    rules = [Understanding(1e-9, 20, StepSizes()) for _ in networks]
    result = strategy.tune_candidates(networks, strategy.place(x, y), rules)
    return {"flat": result[0].flat().tolist(), "kept": [r.kept for r in rules][:1], "n": len(result)}


def whole_run(mode, scope, dtype="float64"):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(71, 3))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=71)
    workers = 1 if mode in ("single", "batched") else dist.get_world_size()
    config = Config(goal=0.9, pick=6, epochs=EPOCHS, seed=2, mode=mode, workers=workers, scope=scope, dtype=dtype)
    return told(train(x, y, config))


def told(result):
    return {
        "sha256": result.network.sha256(),
        "picked": [[int(n) for n in record.picked] for record in result.history],
        "nodes": result.network.node_ids,
        "reason": str(result.reason),
        "largest": result.history[-1].largest_residual,
    }


def same_on_all_ranks(value) -> bool:
    everybody = [None] * dist.get_world_size()
    dist.all_gather_object(everybody, json.dumps(value))
    return len(set(everybody)) == 1


def main(out: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    report = small_cases()
    if dist.get_rank() == 0:
        Path(out).write_text(json.dumps(report))
    dist.destroy_process_group()
    leave(0)


def small_cases() -> dict:
    single = SingleStrategy()
    report: dict = {"single": {}}
    types = {"float64": torch.float64, "float32": torch.float32}
    for name, dtype in types.items():
        for n, p in SHAPES:
            for penalty in (0.0, 0.01):
                report["single"][f"tuned {n} {p} {penalty} {name}"] = tuned(single, n, p, dtype, penalty=penalty)
        report["single"][f"run all {name}"] = whole_run("single", "all", name)
    for mode in RANKED:
        strategy, _ = make_strategies(Config(mode=mode, workers=dist.get_world_size()))
        mine: dict = {}
        for name, dtype in types.items():
            for n, p in SHAPES if name == "float64" or MODES[mode].exact else ():
                for penalty in (0.0, 0.01):
                    mine[f"tuned {n} {p} {penalty} {name}"] = tuned(strategy, n, p, dtype, penalty=penalty)
        for scope in ("organizing", "all"):
            mine[f"run {scope} float64"] = whole_run(mode, scope)
        if MODES[mode].exact:
            mine["run all float32"] = whole_run(mode, "all", "float32")
        mine["candidates"] = candidates(strategy, 200, 6)
        mine["same on all ranks"] = same_on_all_ranks(mine)
        report[mode] = mine
    return report


if __name__ == "__main__":
    warnings.simplefilter("error")
    main(sys.argv[1])
