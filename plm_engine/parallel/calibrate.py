"""Mode *auto*: time one step of every exact mode on this machine, at the size of the data, and take the quickest.

Only modes that end with the network of ``single``, bit for bit, are tried, so *auto* changes how long a run takes and
nothing else.  All ranks call :func:`calibrate` together; rank 0's clock decides.  Modes of one process are timed on
rank 0 while the others wait.
"""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from typing import Any

import torch

from plm_engine.config import Config
from plm_engine.modes import MODES
from plm_engine.parallel.choose import choose_device, device_of_ranks, make_strategies
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.timing import synthetic, time_strategy

#: hidden nodes of the step that is timed: about what small trainings grow to
NODES = 16
#: seconds for each mode
TRY_S = 0.25
#: another mode has to be this much quicker than single to be worth its processes
GAIN = 0.9
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
    """

    mode: str
    workers: int
    reason: str
    step_ms: dict[str, float]
    exchange_ms: float | None

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def calibrate(config: Config, n_rows: int, n_features: int) -> Choice:
    """Choose a mode; on several ranks, all of them call this and get the same answer.

    Parameters
    ----------
    config : Config
        Mode ``auto``.
    n_rows, n_features : int
        N and m of the training rows.
    """
    several = "RANK" in os.environ
    ranks = Ranks(device_of_ranks(config, choose_device(config))) if several else None
    alone = ranks is None or ranks.rank == 0
    times: dict[str, float] = {}
    for name in ("single", "batched"):
        if alone:
            times[name] = _step_ms(config.replace(mode=name, workers=1), n_rows, n_features)
    exchange = None
    if ranks is not None:
        exchange = _exchange_ms(ranks)  # also where the others wait for rank 0
        for name in ("candidate_parallel", "row_parallel"):
            times[name] = _step_ms(config.replace(mode=name, workers=ranks.size), n_rows, n_features)
    size = 1 if ranks is None else ranks.size
    chosen = quickest(times) if alone else ""
    if ranks is not None:
        names = list(MODES)
        told = torch.tensor([float(names.index(chosen)) if chosen else 0.0], device=ranks.device)
        chosen = names[int(ranks.from_first(told).item())]
    workers = size if MODES[chosen].ranked else 1
    return Choice(chosen, workers, reason(chosen, workers, times, n_rows, exchange), times, exchange)


def quickest(times: dict[str, float]) -> str:
    """Return the quickest mode; single, unless another is clearly quicker."""
    best = min(times, key=lambda name: times[name])
    return best if times[best] < GAIN * times["single"] else "single"


def reason(chosen: str, workers: int, times: dict[str, float], n_rows: int, exchange: float | None) -> str:
    """Say in one sentence what was chosen and why."""
    with_processes = f" with {workers} processes" if MODES[chosen].ranked else ""
    others = ", ".join(f"{ms:.3g} ms for {MODES[name].title}" for name, ms in times.items() if name != chosen)
    said = (
        f"Mode auto chose {MODES[chosen].title}{with_processes}: one step of one candidate takes "
        f"{times.get(chosen, 0.0):.3g} ms there, against {others} ({n_rows:,} rows, {NODES} nodes"
    )
    return said + (")." if exchange is None else f"; one exchange between processes takes {exchange:.2g} ms).")


def _step_ms(config: Config, n_rows: int, n_features: int) -> float:
    strategy, _ = make_strategies(config)
    x, y, network = synthetic(n_rows, NODES, config, n_features)
    return float(time_strategy(strategy, x, y, network.to(strategy.device), TRY_S)["step_ms"])


def _exchange_ms(ranks: Ranks) -> float:
    """Return the time of one small collective, which the ranks enter together."""
    word = torch.zeros(32, device=ranks.device)
    ranks.gather(word)
    began = time.perf_counter()
    for _ in range(EXCHANGES):
        ranks.gather(word)
    return 1000 * (time.perf_counter() - began) / EXCHANGES
