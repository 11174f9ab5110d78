"""The time of one training step of a strategy, at any size: for the sweep and for choosing a mode by itself.

A step is one trial (loss and largest residual of moved weights) that is kept, and so the next one's gradient.  Modes
that tune several candidates at once are timed with as many as they like, and the time is that of one candidate.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import torch

from plm_engine.config import Config
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.choose import make_strategies
from plm_engine.parallel.strategy import Measured, Strategy

#: drivers of the synthetic rows, as in the copper table
FEATURES = 18
BLOCKS = 5
STEP = 1e-6


class FixedSteps:
    """A step rule that keeps a fixed number of tiny steps."""

    step_size = STEP
    met = False

    def __init__(self, steps: int) -> None:
        self.steps, self.taken = steps, 0

    @property
    def ended(self) -> bool:
        """Whether all steps are taken."""
        return self.taken >= self.steps

    def begin(self, start: Measured) -> None:
        """Take no notice of the start."""

    def judge(self, trial: Measured) -> bool:
        """Keep the step."""
        self.taken += 1
        return True

    def matters(self, share: float) -> bool:
        """Nobody uses the network."""
        return False

    def due(self) -> bool:
        """Never end early."""
        return False

    def interrupt(self) -> None:
        """Take no notice."""

    def state(self) -> list[float]:
        """Return the steps taken."""
        return [float(self.taken)]

    def adopt(self, state: list[float]) -> None:
        """Take over the steps taken elsewhere."""
        self.taken = int(state[0])

    def again(self) -> FixedSteps:
        """Return the rule unused."""
        return FixedSteps(self.steps)


def synthetic(n_rows: int, n_hidden: int, config: Config, features: int = FEATURES) -> tuple[Any, Any, TwoLayerNetwork]:
    """Return x (n, m), y (n,) and a network with p nodes, the same on every rank."""
    dtype = getattr(torch, config.dtype)
    draw = torch.Generator().manual_seed(config.seed)
    x = torch.randn(n_rows, features, generator=draw, dtype=dtype)
    y = torch.sin(2 * x[:, 0]) + 0.3 * torch.randn(n_rows, generator=draw, dtype=dtype)
    network = TwoLayerNetwork(features, 0.1, dtype=dtype)
    shapes = ((n_hidden, features), (n_hidden,), (n_hidden,))
    w, b, v = (0.3 * torch.randn(*shape, generator=draw, dtype=dtype) for shape in shapes)
    network.add_nodes(w, b, v)
    return x, y, network


def time_step(config: Config, n_rows: int, n_hidden: int, seconds: float) -> dict[str, Any]:
    """Measure the mode of ``config``, in blocks, for about ``seconds`` in all.

    Returns
    -------
    dict
        ``step_ms`` (median over the blocks) and ``blocks_ms`` for one candidate, ``at_once`` (candidates in a step),
        and ``communicating_ms`` of a step.
    """
    strategy, _ = make_strategies(config)
    x, y, network = synthetic(n_rows, n_hidden, config)
    return time_strategy(strategy, x, y, network.to(strategy.device), seconds)


def time_strategy(strategy: Strategy, x: Any, y: Any, network: TwoLayerNetwork, seconds: float) -> dict[str, Any]:
    """Measure one strategy on given rows, from a given network; every rank of it calls this."""
    rows = strategy.place(x, y)
    several = strategy.candidates_at_once

    def block(steps: int) -> float:
        strategy.synchronize()
        began = time.perf_counter()
        if several > 1:
            strategy.tune_candidates([network] * several, rows, [FixedSteps(steps) for _ in range(several)])
        else:
            strategy.tune(network, rows, FixedSteps(steps))
        strategy.synchronize()
        return time.perf_counter() - began

    first = block(1)
    first = min(first, block(1))
    # every rank must take the same number of steps: rank 0's clock decides
    steps = agreed(strategy, max(1, min(50, int(seconds / BLOCKS / max(first, 1e-6)))))
    before, _ = strategy.communication()
    spent = [block(steps) for _ in range(BLOCKS)]
    communicating = strategy.communication()[0] - before
    each = [1000 * value / steps / several for value in spent]
    return {
        "step_ms": statistics.median(each),
        "at_once": several,
        "blocks_ms": each,
        "communicating_ms": 1000 * communicating / BLOCKS / steps / several,
    }


def agreed(strategy: Strategy, count: int) -> int:
    """Return rank 0's count on every rank."""
    ranks = getattr(strategy, "ranks", None)
    if ranks is None:
        return count
    return int(ranks.from_first(torch.tensor([float(count)], device=strategy.device)).item())
