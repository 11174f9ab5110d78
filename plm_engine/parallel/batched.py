"""Several prune candidates at once in batched products on one device.

C candidates with p nodes each share the rows, so their hidden layers are one matrix product of (C p, m + 1) with
(m + 1, n); the rest are batched products.  At small sizes a step costs mostly overhead, which the batch shares.

Exact by speculation (see ``learning/organizing.py``): every candidate follows its own step-size rule in lockstep, and
one that comes after an accepted candidate is given up.  Sums round differently from one candidate alone (in the
sixteenth digit), so the batch only *decides*: the accepted candidate, and any that came within rounding of the goal, is
tuned again alone, and that result counts.  Acceptances are few (11 of 384 in a prototype), so this costs little, and
the run goes on from exactly the network of ``single``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import BORDERLINE, Measured, StepRule

#: candidates in one batch; more leave the cache
AT_ONCE = 8


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

    def __init__(self, networks: Sequence[TwoLayerNetwork], rows: Rows, constants: AdamConstants) -> None:
        self.rows, self.constants = rows, constants
        self.p, self.width = networks[0].n_hidden, rows.n_features + 1
        flat = torch.stack([network.flat() for network in networks])
        size = self.p * self.width
        self.kept = flat.new_zeros(len(flat), self.p + 1, self.width + 1)
        self.kept[:, :-1, :-1] = flat[:, :size].view(-1, self.p, self.width)
        self.kept[:, :, -1] = flat[:, size:]
        self.kept[:, -1, -2] = 1.0
        self._tried = self.kept.clone()
        self._first, self._second, self._direction = (torch.zeros_like(self.kept) for _ in range(3))
        self._taken = [0] * len(flat)
        self._fresh = list(range(len(flat)))
        self._make_space()
        self.start = self._measure(self.kept)

    def trial(self, step_sizes: Sequence[float]) -> list[Measured]:
        """Take one step of its own size from each candidate's kept weights, without keeping any."""
        if self._fresh:
            self._take(self._gradient())
        beta1, beta2 = self.constants.beta1, self.constants.beta2
        scaled = [
            eta * math.sqrt(1 - beta2**t) / (1 - beta1**t) for eta, t in zip(step_sizes, self._taken, strict=True)
        ]
        torch.addcmul(self.kept, self._direction, self._column(scaled), value=-1, out=self._tried)
        return self._measure(self._tried)

    def keep(self, kept: Sequence[bool]) -> None:
        """Keep the last trial step of the candidates marked."""
        self._fresh = [j for j, yes in enumerate(kept) if yes]
        if len(self._fresh) == len(kept):
            self.kept, self._tried = self._tried, self.kept
        elif self._fresh:
            self.kept[self._fresh] = self._tried[self._fresh]

    def drop_to(self, places: Sequence[int]) -> None:
        """Go on with the candidates at ``places`` only."""
        for name in ("kept", "_tried", "_first", "_second", "_direction"):
            setattr(self, name, getattr(self, name)[list(places)])
        self._taken = [self._taken[j] for j in places]
        self._fresh = [new for new, old in enumerate(places) if old in self._fresh]
        hidden, errors = self._hidden, self._errors
        self._make_space()
        for new, old in zip([*self._hidden, *self._errors], [*hidden, *errors], strict=True):
            torch.index_select(old, 0, torch.tensor(places, device=old.device), out=new)

    def flat(self, place: int) -> Tensor:
        """Return one candidate's kept weights in the order of ``TwoLayerNetwork.flat``."""
        lines = self.kept[place]
        return torch.cat([lines[:-1, :-1].reshape(-1), lines[:, -1]])

    def _make_space(self) -> None:
        count, like = len(self.kept), self.kept
        sizes = [len(y) for y in self.rows.y]
        self._hidden = [like.new_empty(count, self.p + 1, n) for n in sizes]
        self._errors = [like.new_empty(count, 1, n) for n in sizes]
        self._squares = like.new_empty(len(sizes), count, 1)
        self._largest = like.new_empty(len(sizes), count, 1)
        self._g = like.new_empty(self.width, count * (self.p + 1))

    def _column(self, values: Sequence[float]) -> Tensor:
        return torch.tensor(values, dtype=self.kept.dtype, device=self.kept.device)[:, None, None]

    def _measure(self, weights: Tensor) -> list[Measured]:
        count = len(weights)
        hidden_weight = weights.view(-1, self.width + 1)[:, :-1]
        output = weights[:, None, :, -1].contiguous()
        for k, xt in enumerate(self.rows.xt):
            hidden, error = self._hidden[k], self._errors[k]
            torch.mm(hidden_weight, xt, out=hidden.view(count * (self.p + 1), -1))
            hidden.relu_()
            # from -y to c, as kernel.py adds up: of a row crammed a moment ago only rounding is left (see ddp.py)
            torch.baddbmm(self.rows.minus_y[k], output, hidden, out=error)
            torch.sum(error * error, dim=2, out=self._squares[k])
            torch.linalg.vector_norm(error, math.inf, dim=2, out=self._largest[k])
        losses = (self._squares.sum(dim=0).view(-1) / self.rows.n_rows).tolist()
        worst = self._largest.amax(dim=0).view(-1).tolist()
        return [Measured(loss, residual) for loss, residual in zip(losses, worst, strict=True)]

    def _gradient(self) -> Tensor:
        """Return the gradients at the weights measured last; of use only where those were kept.

        With the errors multiplied into the marks 1[H > 0], all candidates share one product with x~'.
        """
        count, scale = len(self.kept), 2.0 / self.rows.n_rows
        for k, xt in enumerate(self.rows.xt):
            marked = self._hidden[k].sign_().mul_(self._errors[k])
            lines = marked.view(count * (self.p + 1), -1)
            torch.addmm(self._g, xt, lines.T, beta=float(k > 0), alpha=scale, out=self._g)
        g = self._g.view(self.width, count, self.p + 1).permute(1, 2, 0)
        gradient = torch.empty_like(self.kept)
        torch.mul(g, self.kept[:, :, -1:], out=gradient[:, :, :-1])
        gradient[:, -1, :-1] = 0.0  # the node that is always 1 stays so
        torch.sum(g * self.kept[:, :, :-1], dim=2, out=gradient[:, :, -1])
        return gradient

    def _take(self, gradient: Tensor) -> None:
        """Take the gradients of newly kept weights into the moments, as ``AdamDirection`` does for one candidate."""
        c, fresh = self.constants, self._fresh
        for j in fresh:
            self._taken[j] += 1
        everyone = len(fresh) == len(self.kept)
        first = self._first if everyone else self._first[fresh]
        second = self._second if everyone else self._second[fresh]
        gradient = gradient if everyone else gradient[fresh]
        first.lerp_(gradient, 1 - c.beta1)
        second.mul_(c.beta2).addcmul_(gradient, gradient, value=1 - c.beta2)
        guard = self._column([c.epsilon * math.sqrt(1 - c.beta2 ** self._taken[j]) for j in fresh])
        direction = first / second.sqrt().add_(guard)
        if everyone:
            self._direction = direction
        else:
            self._first[fresh], self._second[fresh], self._direction[fresh] = first, second, direction
        self._fresh = []


class BatchedStrategy(SingleStrategy):
    """One device, several candidates at once; all else as ``single``."""

    def __init__(self, constants: AdamConstants, device: str = "cpu", at_once: int = AT_ONCE) -> None:
        super().__init__(constants, device)
        self.candidates_at_once = at_once

    def tune_candidates(
        self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]
    ) -> list[TwoLayerNetwork]:
        """Tune all candidates in lockstep; those after the first acceptance are given up, their rules left open."""
        tried = [rule.again() for rule in rules]
        self.tune_batch(candidates, rows, tried)
        result = list(candidates)
        for j, (rule, verdict) in enumerate(zip(rules, tried, strict=True)):
            if verdict.matters(BORDERLINE):
                result[j] = self.tune(candidates[j], rows, rule)
                if rule.met:
                    break
            else:
                rule.adopt(verdict.state())
        return result

    def tune_batch(self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]) -> Tensor:
        """Tune in lockstep until every candidate up to the first acceptance has ended.

        Returns
        -------
        Tensor, shape (C, P)
            Flat weights of the candidates; of those given up, the weights they were given up with.
        """
        tuning = BatchedTuning(candidates, rows, self.constants)
        flat: dict[int, Tensor] = {}
        for rule, start in zip(rules, tuning.start, strict=True):
            rule.begin(start)
        running = list(range(len(rules)))
        while True:
            going = self._going(running, rules)
            if going != running:
                flat.update({j: tuning.flat(place) for place, j in enumerate(running)})
                if not going:
                    return torch.stack([flat[j] for j in range(len(rules))])
                tuning.drop_to([running.index(j) for j in going])
                running = going
            trials = tuning.trial([rules[j].step_size for j in running])
            tuning.keep([rules[j].judge(trial) for j, trial in zip(running, trials, strict=True)])

    @staticmethod
    def _going(running: list[int], rules: Sequence[StepRule]) -> list[int]:
        """Return who still matters: not ended, and before the first that met the goal."""
        first_met = next((j for j, rule in enumerate(rules) if rule.met), len(rules))
        return [j for j in running if not rules[j].ended and j < first_met]
