"""Whole runs, one in each mode, every module call and every tuning of which is replayed by one device from its state.

Usage: [torchrun ...] replay_program.py MODES OUT_FILE TABLE GOAL.  Rank 0 replays, and writes what both came to.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from plm_engine import Config, train
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.samples import load
from plm_engine.learning import loop
from plm_engine.learning.crammer import Crammer
from plm_engine.learning.narrator import Narrator
from plm_engine.learning.state import START, Place
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import Strategy
from plm_engine.processes import die_with_parent, leave

ALONE = SingleStrategy()
modules: list[dict] = []
tunings: list[dict] = []


def apart(ours: TwoLayerNetwork, expected: TwoLayerNetwork) -> float:
    """How far the weights are apart; infinite where the nodes are not the same."""
    if ours.node_ids != expected.node_ids:
        return float("inf")
    return (ours.flat() - expected.flat()).abs().max().item()


def alone(rows: Rows) -> Rows:
    """The same rows, with work space of their own."""
    return ALONE.place(torch.cat(rows.x), torch.cat(rows.y))


def watch_understanding() -> None:
    """Replay what ``loop.py`` calls understanding; tunings inside organizing are no calls of that module."""
    round_ = loop.Pupil._round

    def watched(self: Any, *words: Any) -> Any:
        tune = self.outer.tune

        def both(network: TwoLayerNetwork, rows: Rows, rule: Any, penalty: float = 0.0) -> TwoLayerNetwork:
            self.outer.tune = tune  # the first of the round only
            again = rule.again()
            result = tune(network, rows, rule, penalty)
            if self.outer.rank == 0:
                expected = ALONE.tune(network, alone(rows), again, penalty)
                same = (rule.kept, rule.outcome, rule.met) == (again.kept, again.outcome, again.met)
                modules.append({"module": "understanding", "apart": apart(result, expected), "same": same})
            return result

        self.outer.tune = both
        return round_(self, *words)

    loop.Pupil._round = watched


def watch_cramming() -> None:
    cram = Crammer.cram

    def watched(self: Any, network: TwoLayerNetwork, new: Any, picked: Any, rows: Rows) -> Any:
        narrator = Narrator(unit=self.narrator.unit, rows=self.narrator.rows)
        chance = self.generator.clone_state()
        # asking whether to stop is a collective, which rank 0 must not call alone
        shadow = dataclasses.replace(self, outer=ALONE, narrator=narrator, generator=chance, why_stop=lambda: None)
        result, reason = cram(self, network, new, picked, rows)
        if self.outer.rank == 0:
            expected, why = cram(shadow, network, new, picked, alone(rows))
            same = why == reason and torch.equal(chance.get_state(), self.generator.get_state())
            modules.append({"module": "cramming", "apart": apart(result, expected), "same": same})
        return result, reason

    Crammer.cram = watched


def watch_organizing() -> None:
    organizing = loop.organizing

    def watched(network: TwoLayerNetwork, rows: Rows, options: Any, strategy: Strategy, *words: Any) -> TwoLayerNetwork:
        result = organizing(network, rows, options, strategy, *words)
        if strategy.rank == 0:
            place = next((word for word in words if isinstance(word, Place)), START)
            expected = organizing(network, alone(rows), options, ALONE, Narrator(), place=place)
            modules.append({"module": "organizing", "apart": apart(result, expected), "same": True})
        return result

    loop.organizing = watched


def replayed(result: TwoLayerNetwork, network: TwoLayerNetwork, rows: Rows, rule: Any, penalty: float = 0.0) -> None:
    """Tune once more from the same state on one device; ``rule`` has ended in the mode's own arithmetic."""
    again = rule.again()
    expected = ALONE.tune(network, alone(rows), again, penalty)
    tunings.append(
        {
            "apart": apart(result, expected),
            "kept": [rule.kept, again.kept],
            "outcome": [str(rule.outcome), str(again.outcome)],
        }
    )


def watch_batches() -> None:
    """Watch what a batch comes to before anything of it is computed again."""
    from plm_engine.parallel.batched import BatchedStrategy

    batch = BatchedStrategy.tune_batch

    def all_of_them(self: Any, candidates: Any, rows: Rows, rules: Any) -> Any:
        flat = batch(self, candidates, rows, rules)
        for network, weights, rule in zip(candidates, flat, rules, strict=True):
            if rule.ended:  # else given up
                replayed(network.with_flat(weights), network, rows, rule)
        return flat

    BatchedStrategy.tune_batch = all_of_them


def watch_unconfirmed() -> None:
    """Watch the modes on ranks that round differently (ddp, model_parallel) before they confirm anything."""
    from plm_engine.parallel.confirming import ConfirmingStrategy

    tune = ConfirmingStrategy.tune_unconfirmed

    def both(self: Any, network: TwoLayerNetwork, rows: Rows, rule: Any, penalty: float = 0.0) -> TwoLayerNetwork:
        result = tune(self, network, rows, rule, penalty)
        if self.rank == 0:
            replayed(result, network, rows, rule, penalty)
        return result

    ConfirmingStrategy.tune_unconfirmed = both


def run(mode: str, table: str, goal: float) -> dict[str, Any]:
    modules.clear()
    tunings.clear()
    workers = int(os.environ.get("WORLD_SIZE", "1"))
    config = Config(data=table, goal=goal, mode=mode, workers=workers, scope="all")
    data = prepare(load(config), config)
    config = config.replace(horizon=data.horizon)
    result = train(data.x_train, data.y_train, config, latest=data.latest_train, features=data.features)
    return {
        "modules": list(modules),
        "tunings": list(tunings),
        "reason": str(result.reason),
        "rounds": len(result.history),
        "sha256": result.network.sha256(),
        "picked": [[int(n) for n in record.picked] for record in result.history],
    }


def main(modes: str, out: str, table: str, goal: str) -> None:
    torch.set_num_threads(1)
    if "RANK" in os.environ:
        torch.distributed.init_process_group("gloo")
    told = {}
    for mode in modes.split(","):
        if mode != "single" and not told.keys() - {"single"}:  # the first that is watched
            watch_understanding()
            watch_cramming()
            watch_organizing()
            watch_batches()
            watch_unconfirmed()
        told[mode] = run(mode, table, float(goal))
    if os.environ.get("RANK", "0") == "0":
        Path(out).write_text(json.dumps(told))


if __name__ == "__main__":
    die_with_parent()
    main(*sys.argv[1:])
    leave(0)
