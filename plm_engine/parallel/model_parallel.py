"""Hidden nodes shared out over ranks: each rank owns whole nodes, one sum of the output per forward pass.

Rank r owns nodes p r / W ... p (r + 1) / W - 1: their W~ rows and output weights, with their moments.  Its share of the
output, o_r = v_r H_r (N,), is summed over ranks in rank order; then every rank knows all errors e and computes the
gradient of its own nodes without any traffic.  The output bias w_0 is kept, equal, on every rank.

Choice made: written by hand, since DTensor's ready-made plan fails for p not divisible by the ranks and, in Adam, for p
smaller than the ranks; here a rank may own no node at all.
"""

from __future__ import annotations

import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants, AdamDirection
from plm_engine.parallel.confirming import ConfirmingStrategy
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.strategy import Measured, Tuning


class ModelParallelTuning(Tuning):
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
        self._theta = torch.cat([hidden[owned].reshape(-1), output[owned], flat[-1:]])
        self._size = len(self._mine) * self._width
        self._trial = torch.empty_like(self._theta)
        self._gradient = torch.empty_like(self._theta)
        self._adam = AdamDirection(self._theta, constants)
        self._stale = True
        like = rows.y[0]
        self._hidden = [torch.empty(len(self._mine), len(y), dtype=like.dtype, device=like.device) for y in rows.y]
        self._output = torch.empty(rows.n_rows + 1, dtype=like.dtype, device=like.device)
        self._error: list[Tensor] = []
        self.start = self._measure(self._theta)

    def trial(self, step_size: float) -> Measured:
        """Take one step of this size from the kept weights, without keeping it."""
        if self._stale:
            self._adam.take(self._gradient_at_kept())
            self._stale = False
        self._adam.step(self._theta, step_size, self._trial)
        return self._measure(self._trial)

    def keep(self) -> None:
        """Keep the last trial step."""
        self._theta, self._trial = self._trial, self._theta
        self._stale = True

    def network(self) -> TwoLayerNetwork:
        """Return the whole network, gathered from all ranks."""
        n = len(self._mine)
        lines = torch.cat([self._theta[: self._size].view(n, self._width), self._theta[self._size : -1, None]], dim=1)
        whole = self._ranks.gather_shares(lines, self._base.n_hidden)
        return self._base.with_flat(torch.cat([whole[:, :-1].reshape(-1), whole[:, -1], self._theta[-1:]]))

    def _measure(self, theta: Tensor) -> Measured:
        hidden_weight = theta[: self._size].view(len(self._mine), self._width)
        output_weight = theta[self._size : -1]
        for (a, b), xt, hidden in zip(self._rows.bounds, self._rows.xt, self._hidden, strict=True):
            torch.mm(hidden_weight, xt, out=hidden)
            hidden.relu_()
            torch.mv(hidden.T, output_weight, out=self._output[a:b])
        torch.dot(theta[:-1], theta[:-1], out=self._output[-1])
        total = self._ranks.sum(self._output)
        self._error = [
            total[a:b].add_(theta[-1]).sub_(y) for (a, b), y in zip(self._rows.bounds, self._rows.y, strict=True)
        ]
        loss = sum(float(e @ e) for e in self._error) / self._rows.n_rows
        if self._penalty:
            loss += self._penalty * float(total[-1] + theta[-1] ** 2)
        largest = max(float(torch.linalg.vector_norm(e, float("inf"))) for e in self._error)
        return Measured(loss, largest)

    def _gradient_at_kept(self) -> Tensor:
        """Return the gradient of the own nodes at the kept weights, which are always the ones measured last."""
        n, scale = len(self._mine), 2.0 / self._rows.n_rows
        transposed = self._theta.new_zeros(self._width, n)
        for xt, error, hidden in zip(self._rows.xt, self._error, self._hidden, strict=True):
            transposed.addmm_(xt * error, hidden.sign_().T, alpha=scale)
        g = transposed.T
        hidden_weight = self._theta[: self._size].view(n, self._width)
        torch.mul(g, self._theta[self._size : -1, None], out=self._gradient[: self._size].view(n, self._width))
        torch.sum(g * hidden_weight, dim=1, out=self._gradient[self._size : -1])
        self._gradient[-1] = scale * torch.stack([error.sum() for error in self._error]).sum()
        if self._penalty:
            self._gradient.add_(self._theta, alpha=2 * self._penalty)
        return self._gradient


class ModelParallelStrategy(ConfirmingStrategy):
    """Every rank owns some hidden nodes and sees all rows."""

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> ModelParallelTuning:
        """Begin a tuning, on all ranks together."""
        return ModelParallelTuning(network, rows, penalty, self.constants, self.ranks)
