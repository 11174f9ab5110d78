"""Several networks of one size tuned in lockstep by batched products, on one device and one thread.

C candidates with p nodes each share the rows, so their hidden layers are one matrix product of (C p, m + 1) with
(m + 1, n); the rest are batched products.  At small sizes a step costs mostly overhead, which the batch shares.  Every
candidate has its own step size, and one that has ended makes room for the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.foresight import NOTHING, Barred, Barrier, Foresight
from plm_engine.parallel.kernel import Rows, Weights, padded
from plm_engine.parallel.strategy import Measured

#: candidates in one batch; more leave the cache
AT_ONCE = 8


class Space(NamedTuple):
    """Work space of one chunk of rows, with views made once."""

    xt: Tensor
    xt_padded: Tensor
    minus_y: Tensor
    hidden: Tensor
    lines: Tensor
    error: Tensor
    column: Tensor
    squares: Tensor
    largest: Tensor


class BatchedTuning:
    """Unpenalised tunings of C networks of one size, in lockstep.

    Weights are held as T (C, p + 1, m + 2): line i of a candidate is (W_i, b_i, v_i), and its last line (0, ..., 0, 1,
    c) is a hidden node that is always 1, so that the output bias c needs no case of its own.  For the formulas see
    ``kernel.py``.

    Parameters
    ----------
    networks : sequence of TwoLayerNetwork
        The C candidates.
    rows : Rows
    constants : AdamConstants
    """

    @torch.inference_mode()
    def __init__(self, networks: Sequence[TwoLayerNetwork], rows: Rows, constants: AdamConstants) -> None:
        self.rows, self.constants = rows, constants
        self.p, self.width = networks[0].n_hidden, rows.n_features + 1
        like = rows.y[0]
        self.kept = like.new_zeros(len(networks), self.p + 1, self.width + 1)
        self._tried, self._first, self._second, self._direction, self._gradient = (
            torch.zeros_like(self.kept) for _ in range(5)
        )
        self._scales, self._guards = [0.0], [0.0]  # by the number of gradients taken
        self._taken, self._barriers = [0] * len(networks), [Barrier() for _ in networks]
        self._fresh: list[int] = []
        for place, network in enumerate(networks):
            self.put(place, network)
        self._fresh = list(range(len(networks)))
        self._make_space()
        self.start = self._measure(self.kept)

    @torch.inference_mode()
    def put(self, place: int, network: TwoLayerNetwork) -> None:
        """Put a new candidate at ``place``; the next trial there must be of size 0, and measures its start."""
        flat, size = network.flat(), self.p * self.width
        lines = self.kept[place]
        lines[:-1, :-1] = flat[:size].view(self.p, self.width)
        lines[:, -1] = flat[size:]
        lines[-1, -2] = 1.0
        for of_the_last in (self._first, self._second, self._direction):
            of_the_last[place] = 0.0
        self._taken[place] = 0
        self._fresh = [j for j in self._fresh if j != place]

    @torch.inference_mode()
    def trial(self, step_sizes: Sequence[float]) -> list[Measured]:
        """Take one step of its own size from each candidate's kept weights, without keeping any."""
        if self._fresh:
            self._take()
        scaled = [eta * self._scale(t) for eta, t in zip(step_sizes, self._taken, strict=True)]
        torch.addcmul(self.kept, self._direction, self._column(scaled), value=-1, out=self._tried)
        return self._measure(self._tried)

    @torch.inference_mode()
    def keep(self, kept: Sequence[bool]) -> None:
        """Keep the last trial step of the candidates marked."""
        self._fresh = [j for j, yes in enumerate(kept) if yes]
        if len(self._fresh) == len(kept):
            self.kept, self._tried = self._tried, self.kept
        elif self._fresh:
            self.kept[self._fresh] = self._tried[self._fresh]

    def is_in_vain(self, place: int, step_size: float) -> bool:
        """Whether a step of this size is proven not to lower the loss; to be asked after an undone trial."""
        return self._barriers[place].holds(step_size, partial(self._proven, place))

    @torch.inference_mode()
    def _proven(self, place: int, step_size: float) -> Barred:
        scale = self._scale(self._taken[place])
        slope = -scale * float(torch.dot(self._gradient[place].view(-1), self._direction[place].view(-1)))
        if not slope > 0:
            return NOTHING
        at, way = (Weights(self._flat(t[place]), self.p, self.width) for t in (self.kept, self._direction))
        way.flat.mul_(scale)
        return Foresight.of(self.rows).barred(at, way, slope, step_size)

    @torch.inference_mode()
    def drop_to(self, places: Sequence[int]) -> None:
        """Go on with the candidates at ``places`` only."""
        for name in ("kept", "_tried", "_first", "_second", "_direction", "_gradient"):
            setattr(self, name, getattr(self, name)[list(places)])
        for name in ("_taken", "_barriers"):
            setattr(self, name, [getattr(self, name)[j] for j in places])
        self._fresh = [new for new, old in enumerate(places) if old in self._fresh]
        before, index = self._spaces, torch.tensor(places, device=self.kept.device)
        self._make_space()
        for new, old in zip(self._spaces, before, strict=True):
            torch.index_select(old.hidden, 0, index, out=new.hidden)
            torch.index_select(old.error, 0, index, out=new.error)

    def flat(self, place: int) -> Tensor:
        """Return one candidate's kept weights in the order of ``TwoLayerNetwork.flat``."""
        return self._flat(self.kept[place])

    @staticmethod
    def _flat(lines: Tensor) -> Tensor:
        return torch.cat([lines[:-1, :-1].reshape(-1), lines[:, -1]])

    def _make_space(self) -> None:
        count, p, like = len(self.kept), self.p, self.kept
        sizes = [len(y) for y in self.rows.y]
        self._scalars = like.new_empty(2, len(sizes), count, 1, 1)
        self._g = like.new_empty(padded(self.width) * count * (p + 1))
        self._marked = like.new_empty(count, p + 1, max(sizes))
        self._spaces = []
        for k, n in enumerate(sizes):
            hidden, error = like.new_empty(count, p + 1, n), like.new_empty(count, 1, n)
            views = (hidden, hidden.view(count * (p + 1), n), error, error.transpose(1, 2))
            minus_y = self.rows.minus_y[k].expand(count, 1, n)
            xt = self._padded_rows()[k]
            results = (self._scalars[0, k], self._scalars[1, k])
            self._spaces.append(Space(xt[: self.width], xt, minus_y, *views, *results))

    def _padded_rows(self) -> list[Tensor]:
        """Return x~' of every chunk with lines of zeros below, see ``kernel.py``; kept with the rows."""
        if "padded" not in self.rows.extra:
            more = padded(self.width) - self.width
            self.rows.extra["padded"] = [torch.cat([xt, xt.new_zeros(more, xt.shape[1])]) for xt in self.rows.xt]
        return self.rows.extra["padded"]

    def _column(self, values: Sequence[float]) -> Tensor:
        return torch.tensor(values, dtype=self.kept.dtype, device=self.kept.device)[:, None, None]

    def _scale(self, taken: int) -> float:
        """Return the factor that takes out the bias of moments of so many gradients."""
        while len(self._scales) <= taken:
            t, c = len(self._scales), self.constants
            self._scales.append(math.sqrt(1 - c.beta2**t) / (1 - c.beta1**t))
            self._guards.append(c.epsilon * math.sqrt(1 - c.beta2**t))
        return self._scales[taken]

    def _measure(self, weights: Tensor) -> list[Measured]:
        hidden_weight = weights.view(-1, self.width + 1)[:, :-1]
        output = weights[:, None, :, -1].contiguous()
        for s in self._spaces:
            torch.mm(hidden_weight, s.xt, out=s.lines)
            s.hidden.relu_()
            torch.baddbmm(s.minus_y, output, s.hidden, out=s.error)
            torch.bmm(s.error, s.column, out=s.squares)
            torch.amax(s.error.abs(), dim=2, keepdim=True, out=s.largest)  # a third of the time of an infinity norm
        squares, largest = self._scalars[..., 0, 0].tolist()
        measured = []
        for parts, residuals in zip(zip(*squares, strict=True), zip(*largest, strict=True), strict=True):
            loss = sum(parts) / self.rows.n_rows
            measured.append(Measured(loss, max(residuals) if math.isfinite(loss) else math.inf))
        return measured

    def _gradients(self, kept: Tensor, fresh: Tensor | None) -> Tensor:
        """Return the gradients at ``kept``, the weights measured last of the candidates ``fresh`` (None: of all).

        With the errors multiplied into the marks 1[H > 0], all candidates share one product with x~'.
        """
        count, scale = len(kept), 2.0 / self.rows.n_rows
        g = self._g[: padded(self.width) * count * (self.p + 1)].view(padded(self.width), -1)
        for k, s in enumerate(self._spaces):
            hidden, error = s.hidden, s.error
            if fresh is not None:
                room = self._marked.view(-1)[: count * hidden[0].numel()].view(count, *hidden.shape[1:])
                hidden = torch.index_select(hidden, 0, fresh, out=room)
                error = error[fresh]
            # what ReLU's backward pass does: the error where the node is active, else 0
            torch.ops.aten.threshold_backward.grad_input(error.expand_as(hidden), hidden, 0, grad_input=hidden)
            lines = hidden.view(count * (self.p + 1), -1)
            torch.addmm(g, s.xt_padded, lines.T, beta=float(k > 0), alpha=scale, out=g)
        by_candidate = g[: self.width].view(self.width, count, self.p + 1).permute(1, 2, 0)
        gradient = torch.empty_like(kept)
        torch.mul(by_candidate, kept[:, :, -1:], out=gradient[:, :, :-1])
        gradient[:, -1, :-1] = 0.0  # the node that is always 1 stays so
        torch.sum(by_candidate * kept[:, :, :-1], dim=2, out=gradient[:, :, -1])
        return gradient

    def _take(self) -> None:
        """Take the gradients at newly kept weights into the moments, as ``AdamDirection`` does for one candidate."""
        c, fresh = self.constants, self._fresh
        for j in fresh:
            self._taken[j] += 1
            self._barriers[j] = Barrier()
        everyone = len(fresh) == len(self.kept)
        index = None if everyone else torch.tensor(fresh, device=self.kept.device)
        kept, first, second = (t if index is None else t[index] for t in (self.kept, self._first, self._second))
        gradient = self._gradients(kept, index)
        first.lerp_(gradient, 1 - c.beta1)
        second.mul_(c.beta2).addcmul_(gradient, gradient, value=1 - c.beta2)
        self._scale(max(self._taken))
        guard = self._column([self._guards[self._taken[j]] for j in fresh])
        direction = first / second.sqrt().add_(guard)
        if index is None:
            self._direction, self._gradient = direction, gradient
        else:
            self._first[index], self._second[index], self._direction[index] = first, second, direction
            self._gradient[index] = gradient
        self._fresh = []
