"""Run under torchrun: a whole run in one mode, every tuning of which rank 0 replays alone from the same state.

Usage: torchrun ... replay_program.py MODE OUT_FILE TABLE GOAL.  Rank 0 writes what the run and the replays came to.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from plm_engine import Config, train
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.samples import load
from plm_engine.events import ListSink
from plm_engine.parallel.confirming import ConfirmingStrategy
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.single import SingleStrategy
from plm_engine.processes import leave


def watched(kind: type[ConfirmingStrategy], found: list[dict]) -> None:
    """Let every tuning of this kind of strategy be done once more by one device, and note how far apart they end."""
    tune, alone = kind.tune_unconfirmed, SingleStrategy()

    def both(self, network, rows, rule, penalty=0.0):
        again = rule.again()
        result = tune(self, network, rows, rule, penalty)
        if self.rank == 0:
            own = Rows(torch.cat(rows.x), torch.cat(rows.y))
            expected = alone.tune(network, own, again, penalty)
            found.append(
                {
                    "apart": (result.flat() - expected.flat()).abs().max().item(),
                    "kept": [rule.kept, again.kept],
                    "outcome": [str(rule.outcome), str(again.outcome)],
                    "met": [rule.met, again.met],
                    "margin": abs(again.closest - rule.goal) / rule.goal,
                }
            )
        return result

    kind.tune_unconfirmed = both


def main(mode: str, out: str, table: str, goal: str) -> None:
    from plm_engine.parallel.ddp import DDPStrategy
    from plm_engine.parallel.model_parallel import ModelParallelStrategy

    torch.set_num_threads(1)
    found: list[dict] = []
    kind = {"ddp": DDPStrategy, "model_parallel": ModelParallelStrategy}.get(mode)
    if kind is not None:  # the other modes are exact as a whole
        watched(kind, found)
    config = Config(data=table, goal=float(goal), mode=mode, workers=int(os.environ.get("WORLD_SIZE", "1")))
    data, sink = prepare(load(config), config), ListSink()
    config = config.replace(horizon=data.horizon)
    result = train(data.x_train, data.y_train, config, latest=data.latest_train, features=data.features, sink=sink)
    if os.environ.get("RANK", "0") == "0":
        told = {"replays": found, "reason": str(result.reason), "n_hidden": result.network.n_hidden}
        told["sha256"] = result.network.sha256()
        told["picked"] = [[int(n) for n in record.picked] for record in result.history]
        Path(out).write_text(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
    leave(0)
