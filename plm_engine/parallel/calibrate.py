"""A short calibration at the start of a run: how many threads share a step and, for mode *auto*, which mode.

One step is timed on this machine, at the size of the data (of more than 50,000 rows, so many).  Only modes that end
with the network of ``single``, bit for bit, are tried, so *auto* changes how long a run takes and nothing else.  All
ranks call :func:`calibrate` together; rank 0's clock decides.  Modes of one process are timed on rank 0 while the
others wait.  Threads of ``single`` compute the bits of ``row_parallel`` with one copy of the rows, so with many rows
they are preferred at about the same time.

Below the cross-over (``crew.py``) a step stays on one thread without being timed.  Several candidates at once pay below
it, where steps are short: above it they leave the cache, or the memory.
"""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import psutil
import torch

from plm_engine.config import Config
from plm_engine.modes import MODES
from plm_engine.parallel.choose import choose_device, device_of_ranks, make_strategies, may_help
from plm_engine.parallel.crew import CROSS_OVER
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.strategy import Strategy
from plm_engine.parallel.timing import synthetic, time_strategy

#: hidden nodes of the step that is timed: about what small trainings grow to
NODES = 48
#: most rows of the step that is timed; its time grows as they do
MOST_ROWS = 50_000
#: every so-manieth trial step is undone (copper table: 3,600 of 11,300 that are computed)
UNDONE = 3
#: seconds for each mode, in so many blocks, of at least so many steps where steps are short: tunings have about 30
TRY_S, BLOCKS, LEAST = 0.02, 2, 16
#: another mode has to be this much quicker than single to be worth its processes
GAIN = 0.9
#: and so much quicker than several threads of single, which hold the rows once where processes hold a copy each
COPY_GAIN = 0.7
EXCHANGES = 20


@dataclass(frozen=True)
class Choice:
    """What *auto* chose.

    Attributes
    ----------
    mode, workers : str, int
    reason : str
        One sentence with the times that decided.
    step_ms : dict
        Mode -> milliseconds of one step of one candidate.
    exchange_ms : float or None
        Milliseconds of one small collective; None with one process.
    threads : int
        Threads that share the row chunks of a step.
    strategy : Strategy or None
        What was timed and chosen, where it is worth keeping for the run: a helper is forked already.
    """

    mode: str
    workers: int
    reason: str
    step_ms: dict[str, float]
    exchange_ms: float | None
    threads: int = 1
    strategy: Strategy | None = field(default=None, repr=False, compare=False)

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values: all but the strategy."""
        values = asdict(replace(self, strategy=None))
        del values["strategy"]
        return values


def calibrate(config: Config, n_rows: int, n_features: int) -> Choice:
    """Choose a mode; on several ranks, all of them call this and get the same answer.

    Parameters
    ----------
    config : Config
        Mode ``auto``, with the processes or threads it may use as ``workers``.
    n_rows, n_features : int
        N and m of the training rows.
    """
    several = "RANK" in os.environ
    ranks = Ranks(device_of_ranks(config, choose_device(config))) if several else None
    alone = ranks is None or ranks.rank == 0
    times: dict[str, float] = {}
    threads, short = 1, n_rows * NODES < CROSS_OVER
    if ranks is None and config.workers > 1 and short and may_help(config):
        return _with_helpers(config, n_rows, n_features)
    if alone:
        most = min(int(os.environ["LOCAL_WORLD_SIZE"]), cores()) if several else config.workers
        times["single"], threads = _single(config, n_rows, n_features, most)
        if short:
            times["batched"] = _step_ms(config.replace(mode="batched", workers=1), n_rows, n_features)
    exchange = None
    if ranks is not None:
        exchange = _exchange_ms(ranks)  # also where the others wait for rank 0
        for name in ("candidate_parallel", "row_parallel"):
            times[name] = _step_ms(config.replace(mode=name, workers=ranks.size), n_rows, n_features)
    chosen = quickest(times, threads) if alone else ""
    if ranks is not None:
        names = list(MODES)
        told = torch.tensor([float(names.index(chosen)) if chosen else 0.0], device=ranks.device)
        chosen = names[int(ranks.from_first(told).item())]
    workers = (config.workers if ranks is None else ranks.size) if MODES[chosen].ranked else 1
    threads = threads if chosen == "single" else 1
    return Choice(chosen, workers, reason(chosen, workers, times, n_rows, exchange, threads), times, exchange, threads)


def _with_helpers(config: Config, n_rows: int, n_features: int) -> Choice:
    """Choose between one process and helpers forked from it; batches on one core are no match for two cores.

    One strategy is timed alone and with its helpers, and kept for the run if they are worth it.
    """
    strategy, _ = make_strategies(config.replace(mode="candidate_parallel"))
    liked, workers = strategy.candidates_at_once, config.workers
    x, y, network = synthetic(n_rows, NODES, config, n_features)
    times: dict[str, float] = {}
    for name, several in (("candidate_parallel", 2 * workers), ("single", 1)):
        timed = {"undone": UNDONE, "blocks": BLOCKS, "least": LEAST, "several": several}
        times[name] = min(time_strategy(strategy, x, y, network, TRY_S, **timed)["blocks_ms"])
    chosen = quickest(times)
    if chosen == "single":
        strategy.close()
        return Choice(chosen, 1, reason(chosen, 1, times, n_rows, None), times, None)
    strategy.candidates_at_once = liked
    return Choice(chosen, workers, reason(chosen, workers, times, n_rows, None), times, None, strategy=strategy)


def choose_threads(config: Config, n_rows: int, n_features: int) -> Choice:
    """Choose the threads of mode ``single``."""
    if n_rows * NODES < CROSS_OVER or cores() == 1 or choose_device(config) != "cpu":
        why = "the machine has one core" if cores() == 1 else f"{n_rows:,} rows with {NODES} nodes are too few for more"
        return Choice("single", 1, f"Each step is computed on one thread: {why}.", {}, None)
    ms, threads = _single(config, n_rows, n_features, cores())
    said = f"Each step is computed on {threads} thread{'s' * (threads > 1)}, by timing one step at the size of the data"
    return Choice("single", 1, f"{said} ({_short(ms)} ms with {NODES} nodes).", {"single": ms}, None, threads)


def cores() -> int:
    """Return how many cores this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(psutil.cpu_count(logical=False) or usable, usable)


def _single(config: Config, n_rows: int, n_features: int, most: int) -> tuple[float, int]:
    """Return the milliseconds of a step of ``single`` with the best number of threads, and that number."""
    config = config.replace(mode="single", workers=1)
    one = _step_ms(config, n_rows, n_features)
    if most == 1 or n_rows * NODES < CROSS_OVER or choose_device(config) != "cpu":
        return one, 1
    several = _step_ms(config, n_rows, n_features, most)
    return (several, most) if several < GAIN * one else (one, 1)


def quickest(times: dict[str, float], threads: int = 1) -> str:
    """Return the quickest mode; single, with so many threads, unless another is clearly quicker."""
    best = min(times, key=lambda name: times[name])
    gain = COPY_GAIN if threads > 1 and MODES[best].ranked else GAIN
    return best if times[best] < gain * times["single"] else "single"


def reason(
    chosen: str, workers: int, times: dict[str, float], n_rows: int, exchange: float | None, threads: int = 1
) -> str:
    """Say in one sentence what was chosen and why."""
    with_processes = f" with {workers} processes" if MODES[chosen].ranked else ""
    with_processes += f" with {threads} threads" if threads > 1 else ""
    others = ", ".join(f"{_short(ms)} ms for {MODES[name].title}" for name, ms in times.items() if name != chosen)
    said = (
        f"Mode auto chose {MODES[chosen].title}{with_processes}: one step of one candidate takes "
        f"{_short(times.get(chosen, 0.0))} ms there{others and ', against '}{others} ({n_rows:,} rows, {NODES} nodes"
    )
    return said + (")." if exchange is None else f"; one exchange between processes takes {_short(exchange)} ms).")


def _short(ms: float) -> str:
    """Return three digits of a time, and no exponent where it is long."""
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}"


def _step_ms(config: Config, n_rows: int, n_features: int, threads: int = 1) -> float:
    strategy, _ = make_strategies(config, threads)
    x, y, network = synthetic(min(n_rows, MOST_ROWS), NODES, config, n_features)
    try:
        network = network.to(strategy.device)
        least = LEAST if n_rows * NODES < CROSS_OVER else 1
        found = time_strategy(strategy, x, y, network, TRY_S, undone=UNDONE, blocks=BLOCKS, least=least)
        return float(min(found["blocks_ms"]))  # what else goes on for a moment must not decide
    finally:
        if strategy.n_ranks == 1:
            strategy.close()


def _exchange_ms(ranks: Ranks) -> float:
    """Return the time of one small collective, which the ranks enter together."""
    word = torch.zeros(32, device=ranks.device)
    ranks.gather(word)
    began = time.perf_counter()
    for _ in range(EXCHANGES):
        ranks.gather(word)
    return 1000 * (time.perf_counter() - began) / EXCHANGES
