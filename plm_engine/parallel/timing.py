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
from plm_engine.parallel.threads import one_thread

#: drivers of the synthetic rows, as in the copper table
FEATURES = 18
BLOCKS = 5
STEP = 1e-6


class FixedSteps:
    """A step rule that takes a fixed number of tiny steps, and keeps all of them, or all but every so-manieth.

    Parameters
    ----------
    steps : int
    undone : int
        Every so-manieth step is undone; 0: none.
    tried : int
        Where to begin counting them.
    """

    step_size = STEP
    met = False

    def __init__(self, steps: int, undone: int = 0, tried: int = 0) -> None:
        self.steps, self.taken = steps, 0
        self._undone, self._tried = undone, tried

    @property
    def ended(self) -> bool:
        """Whether all steps are taken."""
        return self.taken >= self.steps

    def begin(self, start: Measured) -> None:
        """Take no notice of the start."""

    def judge(self, trial: Measured) -> bool:
        """Keep the step, unless it is one to be undone."""
        self.taken += 1
        self._tried += 1
        return not self._undone or self._tried % self._undone > 0

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
        return FixedSteps(self.steps, self._undone, self._tried)


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


@one_thread()
def time_strategy(
    strategy: Strategy,
    x: Any,
    y: Any,
    network: TwoLayerNetwork,
    seconds: float,
    *,
    undone: int = 0,
    blocks: int = BLOCKS,
    least: int = 1,
    several: int | None = None,
) -> dict[str, Any]:
    """Measure one strategy on given rows, from a given network; every rank of it calls this.

    Torch's own threads are held back as in a training, where a strategy has its threads for itself.
    Every ``undone``-th step is undone, at different times in candidates tuned at once; 0: none.  A block has at least
    ``least`` steps, however long they take, of ``several`` candidates (if not given, as many as the strategy likes).
    """
    rows = strategy.place(x, y)
    several = strategy.candidates_at_once if several is None else several

    def block(steps: int) -> float:
        strategy.synchronize()
        began = time.perf_counter()
        if several > 1:
            rules = [FixedSteps(steps, undone, tried) for tried in range(several)]
            strategy.tune_candidates([network] * several, rows, rules)
        else:
            strategy.tune(network, rows, FixedSteps(steps, undone))
        strategy.synchronize()
        return time.perf_counter() - began

    first = block(1)
    first = min(first, block(1))
    # every rank must take the same number of steps: rank 0's clock decides
    steps = agreed(strategy, max(least, min(50, int(seconds / blocks / max(first, 1e-6)))))
    before, _ = strategy.communication()
    spent = [block(steps) for _ in range(blocks)]
    communicating = strategy.communication()[0] - before
    each = [1000 * value / steps / several for value in spent]
    return {
        "step_ms": statistics.median(each),
        "at_once": several,
        "blocks_ms": each,
        "communicating_ms": 1000 * communicating / blocks / steps / several,
    }


def agreed(strategy: Strategy, count: int) -> int:
    """Return rank 0's count on every rank."""
    ranks = getattr(strategy, "ranks", None)
    if ranks is None:
        return count
    return int(ranks.from_first(torch.tensor([float(count)], device=strategy.device)).item())
