"""The arithmetic of one tuning step without autograd: loss, largest residual and gradient, in row chunks, in place.

With a column of ones appended to x (x~, shape (n, m + 1)), a row of ones appended to the hidden layer (H~) and
theta = (W~, v, c) where W~ = (W, b), one chunk gives

    H = relu(W~ x~')            (p, n)         hidden activations; H~ = (H, 1)
    e = H~' (v, c) - y          (n,)           minus the residual
    G = 2/N 1[H~ > 0] @ (e x~)  (p + 1, m + 1) the one backward product; its last number is 2/N times the sum of e

and over all rows:  dW~ = v G,  dv = rowsum(G * W~),  dc = the last number of G.  (dv follows from G because relu(u) =
1[u > 0] u.)  At a kink the gradient of ReLU is taken as 0, as autograd does.

A chunk's partial sums (G, sum of e^2, largest abs e) depend on the chunk and N alone; they are added in chunk order.
So whoever computes a chunk, the total has the same bits.
"""

from __future__ import annotations

import math
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
        self.minus_y = [-chunk for chunk in self.y]
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
    partial : Tensor, shape (chunks in ``mine``, (p + 1)(m + 1) + 2)
        One line a chunk: G, sum of e^2, largest abs e.
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
        self._hidden = [torch.ones(self.p + 1, n, dtype=like.dtype, device=like.device) for n in spaces]
        self._error = [torch.empty(n, dtype=like.dtype, device=like.device) for n in spaces]
        self._weighted = torch.empty(widest, self.width, dtype=like.dtype, device=like.device)
        self.size = self.p * self.width
        self.n_sums = (self.p + 1) * self.width + 2
        padded = -(-self.n_sums // ALIGNED) * ALIGNED
        lines = torch.zeros(len(self.mine), padded, dtype=like.dtype, device=like.device)
        self.partial = lines[:, : self.n_sums]
        self._g = [line[:-2].view(self.p + 1, self.width) for line in self.partial]
        self._scalars = [(line[-2], line[-1]) for line in self.partial]

    def measure(self, theta: Tensor) -> None:
        """Fill ``partial``: the sums of squares and largest errors, and the gradient too unless it can wait."""
        hidden_weight = theta[: self.size].view(self.p, self.width)
        output = theta[self.size :]
        for j, k in enumerate(self.mine):
            hidden, error = self._space(j, k)
            active = hidden[:-1]
            torch.mm(hidden_weight, self.rows.xt[k], out=active)
            active.relu_()
            torch.addmv(self.rows.minus_y[k], hidden.T, output, out=error)
            sum_squares, largest = self._scalars[j]
            torch.dot(error, error, out=sum_squares)
            torch.linalg.vector_norm(error, math.inf, out=largest)
            if not self.keeps:
                self._backward(j, k, hidden, error)

    def finish_gradient(self) -> None:
        """Fill in the gradient sums that :meth:`measure` left out."""
        if self.keeps:
            for j, k in enumerate(self.mine):
                self._backward(j, k, self._hidden[j], self._error[j])

    def _space(self, j: int, k: int) -> tuple[Tensor, Tensor]:
        if self.keeps:
            return self._hidden[j], self._error[j]
        n = len(self.rows.y[k])
        whole = self._hidden[0]
        if whole.shape[1] == n:
            return whole, self._error[0]
        # nearly equal chunks: the narrower ones use the front of the same memory
        narrow = whole.view(-1)[: (self.p + 1) * n].view(self.p + 1, n)
        narrow[-1] = 1.0
        return narrow, self._error[0][:n]

    def _backward(self, j: int, k: int, hidden: Tensor, error: Tensor) -> None:
        weighted = self._weighted[: len(error)]
        torch.mul(self.rows.x[k], error[:, None], out=weighted)
        hidden.sign_()
        g = self._g[j]
        torch.addmm(g, hidden, weighted, beta=0, alpha=2.0 / self.rows.n_rows, out=g)


def add_in_order(partial: Tensor, total: Tensor) -> Tensor:
    """Return the sum of the lines of ``partial``, added one after the other in chunk order, in ``total``."""
    if len(partial) == 1:
        return total.copy_(partial[0])
    torch.add(partial[0], partial[1], out=total)
    for line in partial[2:]:
        total.add_(line)
    return total


def gradient_from_sums(theta: Tensor, total: Tensor, n_hidden: int, out: Tensor) -> None:
    """Turn the sum of G over all rows into the gradient of the mean squared error.

    Parameters
    ----------
    theta : Tensor, shape (P,)
    total : Tensor, shape ((p + 1)(m + 1) + 2,)
        As a line of :attr:`Kernel.partial`; overwritten.
    out : Tensor, shape (P,)
        Gets the gradient.
    """
    width = (len(total) - 2) // (n_hidden + 1)
    size = n_hidden * width
    g = total[:size].view(n_hidden, width)
    torch.mul(g, theta[size:-1, None], out=out[:size].view(n_hidden, width))
    torch.sum(g.mul_(theta[:size].view(n_hidden, width)), dim=1, out=out[size:-1])
    out[-1:] = total[-3:-2]
