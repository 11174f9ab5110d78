"""What every strategy with several ranks shares: rank 0 leads wherever a technique does not share out the work."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import StepRule

#: a clock or a cancel request is asked about in every so-manieth :meth:`agree`, which costs a collective
ASK_EVERY = 8


class RankedStrategy(SingleStrategy):
    """Rank 0 computes and tells the others: exact, also where ranks sit on unlike processors.

    Subclasses share out some of the work.  On its own it is the arithmetic outside a mode's scope.
    """

    def __init__(self, constants: AdamConstants, ranks: Ranks) -> None:
        super().__init__(constants, str(ranks.device))
        self.ranks, self.rank, self.n_ranks = ranks, ranks.rank, ranks.size
        self._asked = 0

    def residuals(self, network: TwoLayerNetwork, rows: Any) -> np.ndarray:
        """Return e = y - f(x), shape (N,), as rank 0 computes it."""
        if self.rank == 0:
            mine = torch.from_numpy(super().residuals(network, rows)).to(self.device)
        else:
            mine = torch.empty(rows.n_rows, dtype=rows.y[0].dtype, device=self.device)
        return self.ranks.from_first(mine).cpu().numpy()

    def tune(self, network: TwoLayerNetwork, rows: Any, rule: StepRule, penalty: float = 0.0) -> TwoLayerNetwork:
        """Tune on rank 0; the others take over its network and the state of its rule."""
        tuned = super().tune(network, rows, rule, penalty) if self.rank == 0 else network
        told = self.ranks.from_first(pack(tuned, rule) if self.rank == 0 else self._room(network, rule))
        return unpack(network, rule, told)

    def share(self, network: TwoLayerNetwork) -> TwoLayerNetwork:
        """Return rank 0's network."""
        return network.with_flat(self.ranks.from_first(network.flat()))

    def agree(self, flag: bool) -> bool:
        """Return rank 0's ``flag``, asked for in every eighth call."""
        self._asked += 1
        if self._asked % ASK_EVERY != 1:
            return False
        return bool(self.ranks.from_first(torch.tensor([float(flag)], device=self.device)).item())

    def communication(self) -> tuple[float, int]:
        """Return the seconds in collectives, and their number, of this rank and the whole run."""
        return self.ranks.seconds_communicating, self.ranks.calls

    def close(self) -> None:
        """Leave the group."""
        self.ranks.close()

    def _room(self, network: TwoLayerNetwork, rule: StepRule) -> Tensor:
        size = network.n_weights + len(rule.state())
        return torch.empty(size, dtype=torch.float64, device=self.device)


def pack(network: TwoLayerNetwork, rule: StepRule) -> Tensor:
    """Return weights and the rule's state as one float64 vector, exact for both precisions."""
    flat = network.flat().double()
    return torch.cat([flat, torch.tensor(rule.state(), dtype=torch.float64, device=flat.device)])


def unpack(like: TwoLayerNetwork, rule: StepRule, told: Tensor) -> TwoLayerNetwork:
    """Put the state into ``rule`` and return the network (nodes of ``like``, weights as told)."""
    rule.adopt(told[like.n_weights :].tolist())
    return like.with_flat(told[: like.n_weights].to(like.hidden_weight.dtype))
