"""The arithmetic of one tuning step without autograd: loss, largest residual and gradient, in row chunks, in place.

With a column of ones appended to x (x~, shape (n, m + 1)) and theta = (W~, v, c) where W~ = (W, b), one chunk gives

    H = relu(W~ x~')            (p, n)     hidden activations
    e = H' v + c - y            (n,)       minus the residual
    G = 1[H > 0] @ (e x~)       (p, m + 1) the one backward product

and over all rows, with s = 2 / N:  dW~ = s v G,  dv = s rowsum(G * W~),  dc = s sum(e).  (dv follows from G because
relu(u) = 1[u > 0] u.)  At a kink the gradient of ReLU is taken as 0, as autograd does.

A chunk's partial sums (G, sum of e, sum of e^2, largest abs e) depend on the chunk alone; they are added in chunk
order.  So whoever computes a chunk, the total has the same bits.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from plm_engine.parallel.chunks import chunk_bounds

#: activations up to this many numbers are kept between loss and gradient, so that an undone step costs no gradient
KEEP_ACTIVATIONS = 400_000
#: lines of partial sums start at multiples of this many numbers: matrix products may round by memory alignment
ALIGNED = 16


class Rows:
    """Rows laid out for :class:`Kernel`: x with ones appended, its transpose, and y, cut into chunks.

    Parameters
    ----------
    x : Tensor, shape (N, m)
    y : Tensor, shape (N,)
    """

    def __init__(self, x: Tensor, y: Tensor) -> None:
        self.n_rows, self.n_features = x.shape
        ones = torch.ones(len(x), 1, dtype=x.dtype, device=x.device)
        self.bounds = chunk_bounds(len(x))
        padded = torch.cat([x, ones], dim=1)
        self.x = [padded[a:b].contiguous() for a, b in self.bounds]
        self.xt = [chunk.T.contiguous() for chunk in self.x]
        self.y = [y[a:b].contiguous() for a, b in self.bounds]
        self._kernels: dict[int, Kernel] = {}
        #: what a strategy wants to keep with these rows
        self.extra: dict[str, Any] = {}

    def kernel(self, n_hidden: int, mine: range | None = None, may_keep: bool = True) -> Kernel:
        """Return the work space for networks with ``n_hidden`` nodes; two sizes are kept, p and p - 1."""
        if n_hidden not in self._kernels:
            for stale in [p for p in self._kernels if abs(p - n_hidden) > 1]:
                del self._kernels[stale]
            self._kernels[n_hidden] = Kernel(self, n_hidden, mine, may_keep)
        return self._kernels[n_hidden]


class Kernel:
    """Work space for the partial sums of networks with p hidden nodes on fixed rows.

    Parameters
    ----------
    rows : Rows
    n_hidden : int
    mine : range
        Chunks to compute; all if not given.
    may_keep : bool
        Whether activations may be kept between :meth:`measure` and :meth:`finish_gradient`.

    Attributes
    ----------
    partial : Tensor, shape (chunks in ``mine``, p (m + 1) + 3)
        One line a chunk: G, sum of e, sum of e^2, largest abs e.
    """

    def __init__(self, rows: Rows, n_hidden: int, mine: range | None = None, may_keep: bool = True) -> None:
        self.rows = rows
        self.p, self.width = n_hidden, rows.n_features + 1
        self.mine = range(len(rows.bounds)) if mine is None else mine
        like = rows.y[0]
        sizes = [len(rows.y[k]) for k in self.mine]
        self.keeps = may_keep and self.p * sum(sizes) <= KEEP_ACTIVATIONS
        widest = max(sizes, default=0)
        spaces = sizes if self.keeps else [widest]
        self._hidden = [torch.empty(self.p, n, dtype=like.dtype, device=like.device) for n in spaces]
        self._error = [torch.empty(n, dtype=like.dtype, device=like.device) for n in spaces]
        self._weighted = torch.empty(widest, self.width, dtype=like.dtype, device=like.device)
        self.size = self.p * self.width
        padded = -(-(self.size + 3) // ALIGNED) * ALIGNED
        lines = torch.zeros(len(self.mine), padded, dtype=like.dtype, device=like.device)
        self.partial = lines[:, : self.size + 3]
        self._g = [line[: self.size].view(self.p, self.width) for line in self.partial]
        self._scalars = [[line[self.size + j] for j in range(3)] for line in self.partial]

    def measure(self, theta: Tensor) -> None:
        """Fill ``partial``: the sums of squares and largest errors, and the gradient too unless it can wait."""
        hidden_weight = theta[: self.size].view(self.p, self.width)
        output_weight, output_bias = theta[self.size : -1], theta[-1]
        for j, k in enumerate(self.mine):
            hidden, error = self._space(j, k)
            torch.mm(hidden_weight, self.rows.xt[k], out=hidden)
            hidden.relu_()
            torch.mv(hidden.T, output_weight, out=error)
            error.add_(output_bias).sub_(self.rows.y[k])
            sum_e, sum_squares, largest = self._scalars[j]
            torch.sum(error, dim=0, out=sum_e)
            torch.dot(error, error, out=sum_squares)
            torch.linalg.vector_norm(error, float("inf"), out=largest)
            if not self.keeps:
                self._backward(j, k, hidden, error)

    def finish_gradient(self) -> None:
        """Fill in the gradient sums that :meth:`measure` left out."""
        if self.keeps:
            for j, k in enumerate(self.mine):
                self._backward(j, k, *self._space(j, k))

    def _space(self, j: int, k: int) -> tuple[Tensor, Tensor]:
        if self.keeps:
            return self._hidden[j], self._error[j]
        n = len(self.rows.y[k])
        return self._hidden[0].view(-1)[: self.p * n].view(self.p, n), self._error[0][:n]

    def _backward(self, j: int, k: int, hidden: Tensor, error: Tensor) -> None:
        weighted = self._weighted[: len(error)]
        torch.mul(self.rows.x[k], error[:, None], out=weighted)
        hidden.sign_()
        torch.mm(hidden, weighted, out=self._g[j])


def add_in_order(partial: Tensor, total: Tensor) -> None:
    """Write the sum of the lines of ``partial`` into ``total``, added one after the other in chunk order."""
    total.copy_(partial[0])
    for line in partial[1:]:
        total.add_(line)


def gradient_from_sums(theta: Tensor, total: Tensor, n_rows: int, n_hidden: int, out: Tensor) -> None:
    """Turn the sums G and sum of e over all rows into the gradient of the mean squared error.

    Parameters
    ----------
    theta : Tensor, shape (P,)
    total : Tensor, shape (p (m + 1) + 3,)
        As in :attr:`Kernel.partial`; overwritten.
    out : Tensor, shape (P,)
        Gets the gradient.
    """
    size = len(total) - 3
    g = total[:size].view(n_hidden, -1)
    hidden_weight = theta[:size].view(n_hidden, -1)
    total[: size + 1].mul_(2.0 / n_rows)
    torch.mul(g, theta[size:-1, None], out=out[:size].view(n_hidden, -1))
    torch.sum(g.mul_(hidden_weight), dim=1, out=out[size:-1])
    out[-1] = total[size]
