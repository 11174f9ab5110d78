"""How long a training will take, and how much memory: from a few seconds of it on this machine.

``python -m plm_engine.estimate_probe CONFIG SECONDS HOME`` prints one JSON object; ``plm_engine.estimate`` asks it.

The time of a round is taken as a p (K + n p m): p candidates to drop, each with a bounded number of steps whose cost
is a fixed part K and a part for n rows, p nodes and m drivers.  The factor a comes from the rounds of the probe, or
from the candidates tried if it completed none; rows learned and nodes are carried on linearly.  That is good to a
factor of about three, so a range is told, never one number.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from plm_engine.config import Config
from plm_engine.errors import PLMError
from plm_engine.estimate import Estimate
from plm_engine.events import Event, NodesAdded, NodeTried, Phase, PhaseStarted, RoundStarted
from plm_engine.learning.outcome import EndReason
from plm_engine.limits import Limits, place_rows
from plm_engine.machine import known
from plm_engine.parallel.calibrate import choose_threads
from plm_engine.processes import die_with_parent
from plm_engine.reading import read_and_prepare
from plm_engine.training import TrainResult, train

#: fixed cost of a step, in products of one row, node and driver
FIXED = 3e5
SPREAD = 3.0
MOST_ROUNDS = 100_000


class Watch:
    """A sink that counts what one round has done so far."""

    def __init__(self) -> None:
        self.n_learned = self.n_train = self.nodes = self.tried = self.left = 0
        self.organizing_since = 0.0

    def emit(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, RoundStarted):
            self.n_learned, self.n_train, self.tried = event.n_learned, event.n_train, 0
        elif isinstance(event, NodesAdded):
            self.nodes += len(event.nodes)
        elif isinstance(event, NodeTried):
            self.tried, self.left = self.tried + 1, event.n_hidden
        elif isinstance(event, PhaseStarted) and event.phase == Phase.ORGANIZING:
            self.organizing_since = time.monotonic()


def cost(n: float, p: float, m: int) -> float:
    """Return the cost of a round with n picked rows, p nodes and m drivers, in an arbitrary unit."""
    return p * (FIXED + n * p * m)


def estimate(config: Config, seconds: float, home: Path) -> Estimate:
    """Train for about ``seconds`` and carry on what was seen to the end; what the limits refuse is refused."""
    limits = Limits.of(home).within(config)
    found = read_and_prepare(config, limits, known(home).memory_bytes)
    data = found.prepared
    probe = config.replace(mode="single", workers=1, max_minutes=max(0.01, seconds / 60), horizon=data.horizon)
    # as the run will have them; of ranks the probe is one
    threads = choose_threads(probe, *data.x_train.shape).threads if config.mode in ("auto", "single") else 1
    watch = Watch()
    result = train(
        data.x_train,
        data.y_train,
        probe,
        latest=data.latest_train,
        features=data.features,
        target=data.target,
        sink=watch,
        threads=threads,
        room=found.room,
    )
    ended = time.monotonic()
    n, m = data.x_train.shape
    if result.reason is not EndReason.BUDGET_MINUTES:
        low = high = result.seconds["total"]
        nodes = result.network.n_hidden
    else:
        middle, nodes = carried_on(result, watch, n, m, config.rows_to_pick(n - watch.n_learned), ended)
        low, high = max(result.seconds["total"], middle / SPREAD), middle * SPREAD
    if config.max_minutes is not None:
        low, high = min(low, 60 * config.max_minutes), min(high, 60 * config.max_minutes)
    if config.max_nodes is not None:
        nodes = min(nodes, config.max_nodes)
    rows, columns, nodes_held = len(data.y_train) + len(data.y_test), len(found.table.columns), max(nodes, 50)
    on_disk = found.placement.on_disk
    memory = place_rows(config, rows, m, columns=columns, nodes=nodes_held, on_disk=on_disk, train=n).needed
    limits.check_memory(memory, known(home).memory_bytes, held=config.rows_on_disk == "never")
    return Estimate(low, high, nodes, memory, _sentence(low, high, nodes, memory, n, m))


def carried_on(result: TrainResult, watch: Watch, n: int, m: int, pick: int, ended: float) -> tuple[float, int]:
    """Return seconds and nodes at the end, from the complete rounds of a probe and the one that was cut short."""
    first, last = result.history[0], result.history[-1]
    whole = result.history[1:-1]  # the last one was cut short by the time limit
    cut_nodes = max(watch.nodes if not whole else last.n_hidden_crammed, 1)
    if whole:
        times = [b.seconds["total"] - a.seconds["total"] for a, b in zip(result.history, whole, strict=False)]
        factor = sum(times) / sum(cost(r.n_learned, r.n_hidden_crammed, m) for r in whole)
        gained = (whole[-1].n_learned - first.n_learned) / len(whole)
        grown = (whole[-1].n_hidden - first.n_hidden) / len(whole)
    else:
        share = min(1.0, max(watch.tried, 1) / cut_nodes)
        spent = max(ended - watch.organizing_since, 0.01) if watch.organizing_since else result.seconds["total"]
        factor = spent / share / cost(watch.n_learned + pick, cut_nodes, m)
        gained, grown = float(pick), float(cut_nodes - first.n_hidden) / 2
    seconds, learned, nodes = result.seconds["total"], float(last.n_learned), float(last.n_hidden)
    step = max(gained, 1.0)
    for _ in range(MOST_ROUNDS):
        if learned >= n:
            break
        learned, nodes = learned + step, nodes + max(grown, 0.0)
        seconds += factor * cost(min(learned, n), nodes, m)
    return seconds, int(nodes)


def _sentence(low: float, high: float, nodes: int, memory: int, n: int, m: int) -> str:
    lasts = f"about {_time(low)}" if high < 1.05 * low else f"between {_time(low)} and {_time(high)}"
    return (
        f"{n:,} training rows with {m} drivers: {lasts}, about {nodes:,} hidden nodes and {memory / 2**30:.1f} GiB of "
        "memory."
    )


def _time(seconds: float) -> str:
    for unit, length in (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(1.0, seconds):.0f} seconds"


if __name__ == "__main__":
    die_with_parent()
    try:
        answer = asdict(estimate(Config.from_mapping(json.loads(sys.argv[1])), float(sys.argv[2]), Path(sys.argv[3])))
    except PLMError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))
