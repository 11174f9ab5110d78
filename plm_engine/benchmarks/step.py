"""One training step: ours, a batch of eight, torch as everybody writes it, and the bare matrix products.

A step is loss, largest residual, gradient and Adam's update for all rows.  *eager* is autograd over an ``nn.Module``
with ``torch.optim.Adam``, full batch.  *bare* is a loop of the matrix products alone, of the same shapes, chunks and
orientation: what no step on one thread can beat.  *two threads* share the chunks of large steps.
"""

from __future__ import annotations

from typing import Any

import torch

from plm_engine.benchmarks.turns import ratio, spread, take_turns
from plm_engine.config import Config
from plm_engine.datasets.rooms import MEMORY, Room
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.batch import AT_ONCE, BatchedTuning
from plm_engine.parallel.calibrate import cores
from plm_engine.parallel.crew import CROSS_OVER
from plm_engine.parallel.kernel import Rows, padded
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.timing import STEP, synthetic
from plm_engine.training import one_thread

SIZES = tuple((n, p) for n in (376, 10_000, 100_000) for p in (20, 100, 300))
#: the batch is for small sets of rows; its memory grows with the rows
BATCH_UP_TO = 1_000
COLUMNS = {
    "rows": "rows",
    "nodes": "nodes",
    "ours_us": "ours (us)",
    "eager_over_ours": "eager / ours",
    "ours_over_bare": "ours / bare",
    "eager_over_batch": f"eager / batch of {AT_ONCE}, per candidate",
    "threads_over_one": "two threads / one",
}


class Eager:
    """A step with autograd and ``torch.optim.Adam``."""

    def __init__(self, x: torch.Tensor, y: torch.Tensor, network: TwoLayerNetwork) -> None:
        self.x, self.y, self.network = x, y, network.copy()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=STEP)

    def __call__(self) -> None:
        """Take one step."""
        self.optimizer.zero_grad()
        loss = ((self.network(self.x) - self.y) ** 2).mean()
        loss.backward()
        self.optimizer.step()
        loss.item()


class Ours:
    """A trial step that is kept, on one thread or more, over rows in memory or on the disk."""

    def __init__(
        self, x: torch.Tensor, y: torch.Tensor, network: TwoLayerNetwork, threads: int = 1, room: Room = MEMORY
    ) -> None:
        strategy = SingleStrategy(threads=threads)
        strategy.room = room
        self.tuning = strategy.open(network, strategy.place(x, y), 0.0)

    def __call__(self) -> None:
        """Take one step."""
        self.tuning.trial(STEP)
        self.tuning.keep()


class Batch:
    """A trial step of eight candidates at once, all kept."""

    def __init__(self, x: torch.Tensor, y: torch.Tensor, network: TwoLayerNetwork) -> None:
        self.tuning = BatchedTuning([network] * AT_ONCE, Rows(x, y), AdamConstants())

    def __call__(self) -> None:
        """Take one step."""
        self.tuning.trial([STEP] * AT_ONCE)
        self.tuning.keep([True] * AT_ONCE)


class Bare:
    """The three matrix products of every chunk, and nothing else."""

    def __init__(self, x: torch.Tensor, y: torch.Tensor, network: TwoLayerNetwork) -> None:
        p, width = network.n_hidden, network.n_features + 1
        self.hidden, self.output = torch.randn(p, width, dtype=x.dtype), torch.randn(p, dtype=x.dtype)
        rows = Rows(x, y)
        self.chunks = []
        for xt, y_of_chunk in zip(rows.xt, rows.y, strict=True):
            hidden, error = torch.empty(p, len(y_of_chunk), dtype=x.dtype), torch.empty_like(y_of_chunk)
            weighted = torch.randn(padded(width), len(y_of_chunk), dtype=x.dtype)
            self.chunks.append((xt, hidden, error, weighted, torch.empty(padded(width), p, dtype=x.dtype)))

    def __call__(self) -> None:
        """Multiply."""
        for xt, hidden, error, weighted, gradient in self.chunks:
            torch.mm(self.hidden, xt, out=hidden)
            torch.mv(hidden.T, self.output, out=error)
            torch.mm(weighted, hidden.T, out=gradient)


def measure(sizes: tuple[tuple[int, int], ...] = SIZES) -> list[dict[str, Any]]:
    """Return one line for each size."""
    lines = []
    with one_thread():
        for n, p in sizes:
            x, y, network = synthetic(n, p, Config())
            contenders: dict[str, Any] = {
                "ours": Ours(x, y, network),
                "eager": Eager(x, y, network),
                "bare": Bare(x, y, network),
            }
            if n <= BATCH_UP_TO:
                contenders["batch"] = Batch(x, y, network)
            if n * p >= CROSS_OVER and cores() > 1:
                contenders["threads"] = Ours(x, y, network, threads=2)
            spent = take_turns(contenders)
            lines.append(
                {
                    "rows": n,
                    "nodes": p,
                    "ours_us": spread(spent["ours"])["median"],
                    "eager_over_ours": ratio(spent, "eager", "ours"),
                    "ours_over_bare": ratio(spent, "ours", "bare"),
                    "eager_over_batch": AT_ONCE * ratio(spent, "eager", "batch") if "batch" in spent else None,
                    "threads_over_one": ratio(spent, "threads", "ours") if "threads" in spent else None,
                    "us": {name: spread(seconds) for name, seconds in spent.items()},
                }
            )
    return lines
