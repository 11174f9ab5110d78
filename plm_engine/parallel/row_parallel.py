"""Rows shared out over ranks; ends with the bytes of ``single``, whatever the number of ranks.

Every rank owns some row chunks (a function of the number of rows only) and computes their partial sums exactly as one
device would.  One all_gather brings all partial sums to all ranks, where they are added in chunk order: the same
numbers in the same order as on one device, so the same bits.  With more ranks than chunks some ranks idle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.kernel import Kernel, Rows
from plm_engine.parallel.ranked import RankedStrategy
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.single import FlatTuning
from plm_engine.parallel.strategy import StepRule, Strategy


class RowParallelTuning(FlatTuning):
    """A tuning whose partial sums come from all ranks."""

    def __init__(
        self, network: TwoLayerNetwork, kernel: Kernel, penalty: float, constants: AdamConstants, ranks: Ranks
    ) -> None:
        self._ranks = ranks
        super().__init__(network, kernel, penalty, constants)

    def collect(self) -> tuple[Sequence[Tensor], list[list[float]]]:
        """Gather the partial sums of all chunks, in chunk order."""
        lines = self._ranks.gather_shares(self._kernel.partial, len(self._kernel.rows.bounds))
        return list(lines), lines[:, -2:].tolist()


class RowParallelStrategy(RankedStrategy):
    """Every rank computes its chunks of the rows; all ranks keep the same weights and moments."""

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> RowParallelTuning:
        """Begin a tuning, on all ranks together."""
        mine = self.ranks.share(self.rank, len(rows.bounds))
        # loss and gradient travel in one collective, so both are computed at once
        kernel = rows.kernel(network.n_hidden, mine, may_keep=False)
        return RowParallelTuning(network, kernel, penalty, self.constants, self.ranks)

    def to_end(self, rule: StepRule) -> bool:
        """Let rank 0's clock decide for all ranks."""
        return self.agree(rule.due())

    def tune(self, network: TwoLayerNetwork, rows: Rows, rule: StepRule, penalty: float = 0.0) -> TwoLayerNetwork:
        """Tune on all ranks together."""
        return Strategy.tune(self, network, rows, rule, penalty)

    def residuals(self, network: TwoLayerNetwork, rows: Rows) -> np.ndarray:
        """Return e = y - f(x), shape (N,), each rank having computed its chunks."""
        mine = self.ranks.share(self.rank, len(rows.bounds))
        widest = max(b - a for a, b in rows.bounds)
        lines = rows.y[0].new_zeros(len(mine), widest)
        with torch.no_grad():
            for line, k in zip(lines, mine, strict=True):
                line[: len(rows.y[k])] = rows.y[k] - network(rows.xt[k][:-1].T)
        everything = self.ranks.gather_shares(lines, len(rows.bounds)).cpu().numpy()
        return np.concatenate([line[: b - a] for line, (a, b) in zip(everything, rows.bounds, strict=True)])
