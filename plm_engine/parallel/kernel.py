"""The arithmetic of one tuning step without autograd: loss, largest residual and gradient, in row chunks, in place.

With a column of ones appended to x (x~, shape (n, m + 1)), a row of ones appended to the hidden layer (H~) and
theta = (W~, v, c) where W~ = (W, b), one chunk gives

    H = relu(W~ x~')             (p, n)         hidden activations; H~ = (H, 1)
    e = H~' (v, c) - y           (n,)           minus the residual
    G' = 2/N (x~' e) 1[H~ > 0]'  (m + 1, p + 1) the one backward product; its last number is 2/N times the sum of e

and over all rows:  dW~ = v G,  dv = rowsum(G * W~),  dc = the last number of G'.  (dv follows from G because relu(u) =
1[u > 0] u.)  At a kink the gradient of ReLU is taken as 0, as autograd does.  G is computed transposed: the product of
these shapes then takes half to two thirds of the time (measured with MKL), and x~ itself is never needed.  Where it
pays, x~' e gets one or two lines of zeros more, and so does G', for products with whole fours of lines are quicker.

A chunk's partial sums (G', sum of e^2, largest abs e) depend on the chunk and N alone; they are added in chunk order.
So whoever computes a chunk, the total has the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from plm_engine.parallel.chunks import chunk_bounds
from plm_engine.parallel.crew import ALONE, Crew
from plm_engine.parallel.strategy import File, Room

#: activations up to this many numbers are kept between loss and gradient, so that an undone step costs no gradient
KEEP_ACTIVATIONS = 400_000
#: vectors start at multiples of this many numbers: matrix products may round by memory alignment
ALIGNED = 16


class Rows:
    """Rows laid out for :class:`Kernel`: x~' (x with ones appended, transposed) and y, cut into chunks.

    Parameters
    ----------
    x : Tensor, shape (N, m)
    y : Tensor, shape (N,)
    crew : Crew
        Threads that share the chunks.
    index : Tensor or None
        Which rows, in which order; all if not given.
    room : Room or None
        Where the chunks of x~' lie, memory if not given; the bits do not depend on it.
    """

    def __init__(
        self, x: Tensor, y: Tensor, crew: Crew = ALONE, *, index: Tensor | None = None, room: Room | None = None
    ) -> None:
        self.crew = crew
        y = y if index is None else y[index]
        self.n_rows, self.n_features = len(y), x.shape[1]
        self.bounds = chunk_bounds(len(y))
        #: the file that the chunks lie in, if they do
        self.file: File | None = None if room is None else room.file(_file_size(self.bounds, x))
        if self.file is None:
            self.xt = [torch.cat([part.T, x.new_ones(1, len(part))]) for part in self._parts(x, index)]
        else:
            self.xt = chunks_in(self.file.array, self.bounds, self.n_features, x.dtype)
            for chunk, part in zip(self.xt, self._parts(x, index), strict=True):
                chunk[:-1] = part.T
                chunk[-1] = 1
        self._set(y)

    @classmethod
    def over(cls, xt: list[Tensor], y: Tensor) -> Rows:
        """Return rows over chunks that are laid out already."""
        rows = cls.__new__(cls)
        rows.crew, rows.file, rows.xt = ALONE, None, xt
        rows.n_rows, rows.n_features = len(y), len(xt[0]) - 1
        rows.bounds = chunk_bounds(len(y))
        rows._set(y)
        return rows

    def _parts(self, x: Tensor, index: Tensor | None) -> Iterator[Tensor]:
        """Yield the rows of every chunk: no other copy of all of them is needed."""
        return (x[a:b] if index is None else x[index[a:b]] for a, b in self.bounds)

    def _set(self, y: Tensor) -> None:
        self.y = [y[a:b].contiguous() for a, b in self.bounds]
        self.minus_y = [-chunk for chunk in self.y]
        self._kernels: dict[tuple[int, range | None, bool], Kernel] = {}
        #: what a strategy wants to keep with these rows
        self.extra: dict[str, Any] = {}

    @property
    def x(self) -> list[Tensor]:
        """The rows of each chunk as they were given, shape (n, m)."""
        return [chunk[:-1].T for chunk in self.xt]

    def kernel(self, n_hidden: int, mine: range | None = None, may_keep: bool = True) -> Kernel:
        """Return the work space for networks with ``n_hidden`` nodes; two sizes are kept, p and p - 1."""
        key = (n_hidden, mine, may_keep)
        if key not in self._kernels:
            for stale in [each for each in self._kernels if abs(each[0] - n_hidden) > 1]:
                del self._kernels[stale]
            self._kernels[key] = Kernel(self, *key)
        return self._kernels[key]


def _file_size(bounds: list[tuple[int, int]], x: Tensor) -> int:
    """Return the bytes of a file with the chunks of rows like those of ``x``; 0 on another device than the CPU."""
    numbers = sum(_aligned((x.shape[1] + 1) * (b - a)) for a, b in bounds)
    return numbers * x.element_size() if x.device.type == "cpu" else 0


def chunks_in(file: np.ndarray, bounds: list[tuple[int, int]], n_features: int, dtype: torch.dtype) -> list[Tensor]:
    """Return the places in a file's bytes for x~' of every chunk, aligned as in memory."""
    flat, done, places = torch.from_numpy(file).view(dtype), 0, []
    for a, b in bounds:
        size = (n_features + 1) * (b - a)
        places.append(flat[done : done + size].view(n_features + 1, b - a))
        done += _aligned(size)
    return places


class Weights:
    """A flat weight vector (as ``TwoLayerNetwork.flat``; of some nodes or all) with views of its parts, made once.

    The ``width`` m + 1 follows from the others, but for a rank that owns no node: there it must be given.

    Attributes
    ----------
    flat : Tensor, shape (P,)
    hidden : Tensor, shape (p, m + 1)
        W~.
    output : Tensor, shape (p + 1,)
        (v, c).
    column : Tensor, shape (p, 1)
        v.
    """

    def __init__(self, flat: Tensor, n_hidden: int, width: int | None = None) -> None:
        self.flat = flat
        width = (len(flat) - 1) // n_hidden - 1 if width is None else width
        size = n_hidden * width
        self.hidden = flat[:size].view(n_hidden, width)
        self.output = flat[size:]
        self.column = flat[size:-1, None]


class Chunk(NamedTuple):
    """The tensors of one chunk, with views made once: taking a view costs as much as a small product."""

    xt: Tensor
    minus_y: Tensor
    active: Tensor
    hidden_t: Tensor
    error: Tensor
    weighted: Tensor
    weighted_padded: Tensor
    g: Tensor
    sum_squares: Tensor


class Group(NamedTuple):
    """Chunks that one thread goes through together, and their hidden layers H~ end to end."""

    chunks: list[Chunk]
    hidden: Tensor


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
    partial : Tensor, shape (chunks in ``mine``, padded(m + 1) (p + 1) + 2)
        One line a chunk: G', sum of e^2, and largest abs e (of all of ``mine``, in the first line only).
    lines : list of Tensor
        The lines of ``partial``.
    scalars : Tensor, shape (chunks in ``mine``, 2)
        The last two of each line.
    """

    def __init__(self, rows: Rows, n_hidden: int, mine: range | None = None, may_keep: bool = True) -> None:
        self.rows = rows
        self.p, self.width = n_hidden, rows.n_features + 1
        mine = range(len(rows.bounds)) if mine is None else mine
        self.keeps = may_keep and self.p * sum(len(rows.y[k]) for k in mine) <= KEEP_ACTIVATIONS
        self._scale = 2.0 / rows.n_rows
        self.n_sums = padded(self.width) * (self.p + 1) + 2
        lines = torch.zeros(len(mine), _aligned(self.n_sums), dtype=rows.y[0].dtype, device=rows.y[0].device)
        self.partial = lines[:, : self.n_sums]
        self.lines = list(self.partial)
        self.scalars = self.partial[:, -2:]
        # the gaps that alignment leaves stay 0 and do not disturb the largest error
        self._errors = lines.new_zeros(sum(_aligned(len(rows.y[k])) for k in mine))
        self._sizes_of_errors = torch.empty_like(self._errors)
        self._largest = self.partial[0, -1] if self.lines else None
        self._shares: list[list[Group]] = []
        places = self._errors.split([_aligned(len(rows.y[k])) for k in mine])
        for share in rows.crew.shares(list(zip(mine, self.lines, places, strict=True)), self.p * rows.n_rows):
            self._shares.append(self._groups(share))

    def _groups(self, share: Sequence[tuple[int, Tensor, Tensor]]) -> list[Group]:
        """Return one thread's chunks: in one group if activations are kept, else each in its own."""
        groups = []
        # nearly equal chunks have two widths at most, so two work spaces serve any number of them on one thread
        spaces: dict[tuple[int, ...], Tensor] = {}
        weighted: dict[int, Tensor] = {}
        for group in [share] if self.keeps else [[given] for given in share]:
            widths = tuple(len(self.rows.y[k]) for k, _, _ in group)  # of one aligned size, two widths share no ones
            sizes = [_aligned((self.p + 1) * n) for n in widths]
            if widths not in spaces:
                spaces[widths] = self.partial.new_ones(sum(sizes))
            hidden, chunks = spaces[widths], []
            for (k, line, place), own in zip(group, hidden.split(sizes), strict=True):
                n = len(self.rows.y[k])
                if n not in weighted:
                    weighted[n] = line.new_zeros(padded(self.width), n)
                mine = own[: (self.p + 1) * n].view(self.p + 1, n)
                g = line[:-2].view(-1, self.p + 1)
                views = (mine[:-1], mine.T, place[:n], weighted[n][: self.width], weighted[n], g, line[-2])
                chunks.append(Chunk(self.rows.xt[k], self.rows.minus_y[k], *views))
            groups.append(Group(chunks, hidden))
        return groups

    def measure(self, weights: Weights) -> None:
        """Fill ``partial``: the sums of squares and largest errors, and the gradient too unless it can wait."""

        def forward(groups: list[Group]) -> None:
            for group in groups:
                for c in group.chunks:
                    torch.mm(weights.hidden, c.xt, out=c.active)
                group.hidden.relu_()
                for c in group.chunks:
                    torch.addmv(c.minus_y, c.hidden_t, weights.output, out=c.error)
                    torch.dot(c.error, c.error, out=c.sum_squares)
                if not self.keeps:
                    self._backward(group)

        self.rows.crew.each(self._shares, forward)
        if self._largest is not None:
            torch.abs(self._errors, out=self._sizes_of_errors)  # an infinity norm takes longer than these two
            torch.amax(self._sizes_of_errors, 0, out=self._largest)

    def finish_gradient(self) -> None:
        """Fill in the gradient sums that :meth:`measure` left out."""
        if self.keeps:
            self.rows.crew.each(self._shares, self._backwards)

    def _backwards(self, groups: list[Group]) -> None:
        for group in groups:
            self._backward(group)

    def _backward(self, group: Group) -> None:
        group.hidden.sign_()
        for c in group.chunks:
            torch.mul(c.xt, c.error, out=c.weighted)
            torch.addmm(c.g, c.weighted_padded, c.hidden_t, beta=0, alpha=self._scale, out=c.g)


def _aligned(n: int) -> int:
    return -(-n // ALIGNED) * ALIGNED


def padded(width: int) -> int:
    """Return how many lines a factor of so many gets: a fourth or third and fourth one costs less than it saves."""
    return -(-width // 4) * 4 if width % 4 > 1 else width


def add_in_order(lines: Sequence[Tensor], total: Tensor) -> None:
    """Write the sum of ``lines``, added one after the other in chunk order, into ``total``."""
    if len(lines) == 1:
        total.copy_(lines[0])
        return
    torch.add(lines[0], lines[1], out=total)
    for line in lines[2:]:
        total.add_(line)


class Gradient:
    """The gradient of the mean squared error from the sum of G' over all rows, with views made once.

    Attributes
    ----------
    flat : Tensor, shape (P,)
        In the order of ``TwoLayerNetwork.flat``.
    total : Tensor, shape (padded(m + 1) (p + 1) + 2,)
        Takes the sum of the lines of :attr:`Kernel.partial`.
    """

    def __init__(self, like: Tensor, n_hidden: int, width: int) -> None:
        self.flat = torch.empty_like(like)
        self.total = like.new_empty(padded(width) * (n_hidden + 1) + 2)
        self._parts = Weights(self.flat, n_hidden, width)
        self._d_output = self._parts.output[:-1]
        self._d_bias = self.flat[-1:]
        g = self.total[:-2].view(-1, n_hidden + 1)[:width]
        self._g, self._sum_e = g[:, :-1].T, g[-1, -1:]
        self._product = torch.empty_like(self._parts.hidden)

    def take(self, weights: Weights) -> Tensor:
        """Return the gradient at ``weights``, to which ``total`` belongs."""
        torch.mul(self._g, weights.column, out=self._parts.hidden)
        torch.mul(self._g, weights.hidden, out=self._product)
        torch.sum(self._product, dim=1, out=self._d_output)
        self._d_bias.copy_(self._sum_e)
        return self.flat
