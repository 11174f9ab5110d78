"""Hidden nodes shared out over ranks: each rank owns whole nodes, one sum of the output per forward pass.

Rank r owns nodes p r / W ... p (r + 1) / W - 1: their W~ rows and output weights, with their moments.  Its share of the
output, o_r = v_r H_r (N,), is summed over ranks in rank order; then every rank knows all errors e and computes the
gradient of its own nodes without any traffic.  The output bias w_0 is kept, equal, on every rank.

The output is added up from -y to w_0 as ``kernel.py`` does it: of a row crammed a moment ago only rounding is left
(see ``ddp.py``), and that should be the same.

Choice made: written by hand, since DTensor's ready-made plan fails for p not divisible by the ranks and, in Adam, for p
smaller than the ranks; here a rank may own no node at all.
"""

from __future__ import annotations

import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants, AdamTuning
from plm_engine.parallel.confirming import ConfirmingStrategy
from plm_engine.parallel.kernel import Rows, Weights
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.strategy import Measured


class ModelParallelTuning(AdamTuning):
    """A tuning of the nodes that this rank owns.  Local vector: W~ rows, then v, then w_0."""

    def __init__(
        self, network: TwoLayerNetwork, rows: Rows, penalty: float, constants: AdamConstants, ranks: Ranks
    ) -> None:
        self._base, self._rows, self._ranks = network, rows, ranks
        self._penalty = penalty / network.n_weights
        p, self._width = network.n_hidden, network.n_features + 1
        self._mine = ranks.share(ranks.rank, p)
        flat, owned = network.flat(), slice(self._mine.start, self._mine.stop)
        hidden, output = flat[: p * self._width].view(p, -1), flat[p * self._width : -1]
        mine = torch.cat([hidden[owned].reshape(-1), output[owned], flat[-1:]])
        self._gradient = Weights(torch.empty_like(mine), len(self._mine), self._width)
        self._hidden = [mine.new_empty(len(self._mine), len(y)) for y in rows.y]
        self._output = mine.new_empty(rows.n_rows + 1)
        self._minus_y = torch.cat(rows.minus_y)
        self._error: list[Tensor] = []
        super().__init__(mine, len(self._mine), self._width, constants)

    def network(self) -> TwoLayerNetwork:
        """Return the whole network, gathered from all ranks."""
        lines = torch.cat([self._kept.hidden, self._kept.column], dim=1)
        whole = self._ranks.gather_shares(lines, self._base.n_hidden)
        return self._base.with_flat(torch.cat([whole[:, :-1].reshape(-1), whole[:, -1], self._kept.flat[-1:]]))

    def _measure(self, weights: Weights) -> Measured:
        own, bias = weights.flat[:-1], weights.flat[-1]
        for (a, b), xt, hidden in zip(self._rows.bounds, self._rows.xt, self._hidden, strict=True):
            torch.mm(weights.hidden, xt, out=hidden)
            hidden.relu_()
            torch.mv(hidden.T, weights.output[:-1], out=self._output[a:b])
        torch.dot(own, own, out=self._output[-1])
        everybody = self._ranks.gather(self._output)
        error = self._minus_y + everybody[0, :-1]
        for share in everybody[1:, :-1]:
            error += share
        error += bias
        self._error = [error[a:b] for a, b in self._rows.bounds]
        loss = sum(float(e @ e) for e in self._error) / self._rows.n_rows
        if self._penalty:
            loss += self._penalty * float(everybody[:, -1].sum() + bias**2)
        largest = max(float(e.abs().amax()) for e in self._error)  # faster than an infinity norm
        return Measured(loss, largest)

    def _gradient_at_kept(self) -> Tensor:
        scale = 2.0 / self._rows.n_rows
        transposed = self._kept.flat.new_zeros(self._width, len(self._mine))
        for xt, error, hidden in zip(self._rows.xt, self._error, self._hidden, strict=True):
            transposed.addmm_(xt * error, hidden.sign_().T, alpha=scale)
        torch.mul(transposed.T, self._kept.column, out=self._gradient.hidden)
        torch.sum(transposed.T * self._kept.hidden, dim=1, out=self._gradient.output[:-1])
        self._gradient.output[-1] = scale * torch.stack([error.sum() for error in self._error]).sum()
        gradient = self._gradient.flat
        return gradient.add_(self._kept.flat, alpha=2 * self._penalty) if self._penalty else gradient


class ModelParallelStrategy(ConfirmingStrategy):
    """Every rank owns some hidden nodes and sees all rows."""

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> ModelParallelTuning:
        """Begin a tuning, on all ranks together."""
        return ModelParallelTuning(network, rows, penalty, self.constants, self.ranks)
