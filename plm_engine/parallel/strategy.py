"""The contract between RPLM's modules and whatever does their arithmetic.

The algorithm decides (keep this step, accept this removal); a strategy computes (loss, gradient, largest residual) on
one device, several threads, processes or machines.  The algorithm is written for one device; parallelism is applied
from outside, one technique a file.

Every number an algorithm decides on comes from :class:`Measured`, which a strategy returns equal on all ranks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork

#: a tuning that came this near to its goal (share of it) is decided by the exact arithmetic of ``single`` alone
BORDERLINE = 1e-6


class File(Protocol):
    """Bytes in a file that is mapped, and may be by another process that is given ``fd``."""

    array: np.ndarray
    fd: int


class Room(Protocol):
    """Where arrays of the size of the rows lie: in memory, or on the disk (``datasets/rooms.py``)."""

    @property
    def on_disk(self) -> bool:
        """Whether they lie in files."""

    def file(self, size: int) -> File | None:
        """Return so many bytes in a file; None where there is none."""

    def taken(self, x: np.ndarray, positions: np.ndarray, dtype: Any = None) -> np.ndarray:
        """Return a copy of some rows of ``x``, with numbers of another kind if asked."""


class Measured(NamedTuple):
    """Loss (mean squared error plus penalty) and largest absolute residual of a network on a set of rows."""

    loss: float
    largest_residual: float


class StepRule(Protocol):
    """What the algorithm wants of a tuning: the size of the next step, whether to keep it, when to end."""

    @property
    def step_size(self) -> float:
        """Size (eta) of the next trial step."""

    @property
    def ended(self) -> bool:
        """Whether the tuning is over."""

    def begin(self, start: Measured) -> None:
        """Take the state before the first step."""

    def judge(self, trial: Measured) -> bool:
        """Return whether the trial step is kept."""

    def due(self) -> bool:
        """Return whether the run is to end; called once after every trial step."""

    def interrupt(self) -> None:
        """End the tuning, for the run is to end."""

    def state(self) -> list[float]:
        """Return everything that :meth:`adopt` needs, as plain numbers."""

    def adopt(self, state: list[float]) -> None:
        """Take over the state of the same rule on another rank."""

    def again(self) -> StepRule:
        """Return the same rule as it was before :meth:`begin`."""

    def matters(self, share: float) -> bool:
        """Whether the tuned network is used further, or came within ``share`` of the goal of being used."""

    @property
    def met(self) -> bool:
        """Whether the tuning reached what it was for; a later candidate is then not needed."""


class Tuning(ABC):
    """Gradient descent with fresh Adam moments on one network over one set of rows.

    ``start`` is measured at the network given; :meth:`trial` measures one step further on; :meth:`keep` moves there.
    A trial that is not kept leaves nothing behind, neither in the weights nor in the moments.
    """

    start: Measured

    @abstractmethod
    def trial(self, step_size: float) -> Measured:
        """Take one step of this size from the kept weights, without keeping it."""

    @abstractmethod
    def keep(self) -> None:
        """Keep the last trial step: weights and moments."""

    @abstractmethod
    def network(self) -> TwoLayerNetwork:
        """Return a network with the kept weights."""


class Strategy(ABC):
    """Does the arithmetic of the modules.

    Attributes
    ----------
    candidates_at_once : int
        How many prune candidates :meth:`tune_candidates` likes to get in one call.
    device : torch.device
        Where rows and weights live.
    rank, n_ranks : int
        This process among those that run the same program; rank 0 is the one that writes.
    room : Room or None
        Where arrays of the size of the rows lie; in memory if not given.
    """

    device: torch.device
    room: Room | None = None
    candidates_at_once: int = 1
    rank: int = 0
    n_ranks: int = 1

    @abstractmethod
    def place(self, x: Tensor, y: Tensor, index: np.ndarray | None = None) -> Any:
        """Return a handle on rows ``x`` (N, m) with targets ``y`` (N,), laid out as this strategy needs them.

        ``index`` says which rows, by ascending position; all if not given.
        """

    def gathered(self, x: Tensor, index: np.ndarray) -> Tensor:
        """Return the rows of ``x`` (N, m) at ``index`` (n,) as a new float64 tensor (n, m) on the CPU."""
        if self.room is not None and self.room.on_disk and x.device.type == "cpu":
            return torch.from_numpy(self.room.taken(x.numpy(), index, np.float64))
        rows = x[torch.from_numpy(index).to(x.device)].double()  # new in any case
        return rows.cpu()

    @abstractmethod
    def residuals(self, network: TwoLayerNetwork, rows: Any) -> np.ndarray:
        """Return e = y - f(x), shape (N,), equal on all ranks."""

    @abstractmethod
    def open(self, network: TwoLayerNetwork, rows: Any, penalty: float) -> Tuning:
        """Begin a tuning; ``penalty`` is lambda of the weight penalty lambda / n_weights * sum of squares."""

    def tune(self, network: TwoLayerNetwork, rows: Any, rule: StepRule, penalty: float = 0.0) -> TwoLayerNetwork:
        """Tune until the rule ends it and return the network with the kept weights."""
        tuning = self.open(network, rows, penalty)
        rule.begin(tuning.start)
        while not rule.ended:
            if rule.judge(tuning.trial(rule.step_size)):
                tuning.keep()
            if self.to_end(rule):
                rule.interrupt()
        return tuning.network()

    def to_end(self, rule: StepRule) -> bool:
        """Return whether a tuning is to be interrupted; ranks that tune in step must all get the same answer."""
        return rule.due()

    def tune_candidates(
        self, candidates: Sequence[TwoLayerNetwork], rows: Any, rules: Sequence[StepRule]
    ) -> list[TwoLayerNetwork]:
        """Tune several candidate networks, one rule each, and return them in the same order.

        A strategy may tune them one after the other (as here), in one batch, or on different ranks.
        """
        return [self.tune(network, rows, rule) for network, rule in zip(candidates, rules, strict=True)]

    def spread(self, function: Callable[[list[Any]], list[Any]], things: list[Any]) -> list[Any]:
        """Return ``function(things)``, a list with one result for each thing.

        A strategy may call it with parts of ``things`` elsewhere: no result may depend on the other things.
        """
        return function(things)

    def share(self, network: TwoLayerNetwork) -> TwoLayerNetwork:
        """Return rank 0's network on every rank."""
        return network

    def agree(self, flag: bool) -> bool:
        """Return rank 0's ``flag`` on every rank (a clock or a cancel request may look different elsewhere)."""
        return flag

    def communication(self) -> tuple[float, int]:
        """Return the seconds spent in collectives so far, waiting for others included, and their number."""
        return 0.0, 0

    def synchronize(self) -> None:  # noqa: B027 - most devices need nothing
        """Wait until the device has finished, so that a clock reads true."""

    def close(self) -> None:  # noqa: B027 - most strategies hold nothing
        """Give back processes and connections."""
