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

from collections.abc import Sequence

import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import Measured, StepRule

#: candidates in one batch; more leave the cache
AT_ONCE = 8
#: a candidate this near to the goal (share of it) is decided alone, not in the batch
BORDERLINE = 1e-6


class BatchedTuning:
    """Unpenalised tunings of C networks of one size, in lockstep.

    Parameters
    ----------
    theta : Tensor, shape (C, P)
        Flat weights of each candidate, as ``TwoLayerNetwork.flat``.
    n_hidden : int
        p of every candidate.
    """

    def __init__(self, theta: Tensor, n_hidden: int, rows: Rows, constants: AdamConstants) -> None:
        self.rows, self.constants, self.p = rows, constants, n_hidden
        self.width = rows.n_features + 1
        self.size = self.p * self.width
        self.theta, self._trial = theta, torch.empty_like(theta)
        self._first, self._second = torch.zeros_like(theta), torch.zeros_like(theta)
        self._direction = torch.zeros_like(theta)
        self._taken = torch.zeros(len(theta), 1, dtype=theta.dtype, device=theta.device)
        self._stale = torch.ones(len(theta), 1, dtype=torch.bool, device=theta.device)
        self._space(len(theta))
        self.start = self._measure(theta)

    def trial(self, step_sizes: Sequence[float]) -> list[Measured]:
        """Take one step of its own size from each candidate's kept weights, without keeping any."""
        if bool(self._stale.any()):
            self._take(self._gradient())
        eta = torch.tensor(step_sizes, dtype=self.theta.dtype, device=self.theta.device)[:, None]
        torch.addcmul(self.theta, self._direction, eta, value=-1, out=self._trial)
        return self._measure(self._trial)

    def keep(self, kept: Sequence[bool]) -> None:
        """Keep the last trial step of the candidates marked."""
        self._stale = torch.tensor(kept, device=self.theta.device)[:, None]
        self.theta = torch.where(self._stale, self._trial, self.theta)

    def drop_to(self, places: Sequence[int]) -> None:
        """Go on with the candidates at ``places`` only."""
        index = torch.tensor(places, device=self.theta.device)
        for name in ("theta", "_trial", "_first", "_second", "_direction", "_taken", "_stale"):
            setattr(self, name, getattr(self, name)[index])
        hidden, errors = self._hidden, self._errors
        self._space(len(places))
        for new, old in zip(self._hidden + self._errors, hidden + errors, strict=True):
            new.copy_(old[index])

    def _space(self, count: int) -> None:
        like = self.theta
        self._hidden = [torch.empty(count, self.p, len(y), dtype=like.dtype, device=like.device) for y in self.rows.y]
        self._errors = [torch.empty(count, 1, len(y), dtype=like.dtype, device=like.device) for y in self.rows.y]

    def _measure(self, theta: Tensor) -> list[Measured]:
        count = len(theta)
        hidden_weight = theta[:, : self.size].reshape(count * self.p, self.width)
        output_weight, output_bias = theta[:, None, self.size : -1], theta[:, -1:, None]
        squares, largest = theta.new_zeros(count), theta.new_zeros(count)
        for xt, y, hidden, error in zip(self.rows.xt, self.rows.y, self._hidden, self._errors, strict=True):
            torch.mm(hidden_weight, xt, out=hidden.view(count * self.p, -1))
            hidden.relu_()
            torch.bmm(output_weight, hidden, out=error)
            error.add_(output_bias).sub_(y)
            squares += torch.linalg.vector_norm(error, dim=(1, 2)) ** 2
            torch.maximum(largest, error.abs().amax(dim=(1, 2)), out=largest)
        # a norm of NaN compares false with every goal, as it should
        losses = (squares / self.rows.n_rows).tolist()
        return [Measured(loss, worst) for loss, worst in zip(losses, largest.tolist(), strict=True)]

    def _gradient(self) -> Tensor:
        """Return the gradients at the weights measured last; of use only where those were kept."""
        at = self.theta
        g = at.new_zeros(len(at), self.p, self.width)
        sum_e = at.new_zeros(len(at))
        for x, hidden, error in zip(self.rows.x, self._hidden, self._errors, strict=True):
            g.baddbmm_(hidden.sign_(), error.transpose(1, 2) * x)
            sum_e += error.sum(dim=(1, 2))
        scale = 2.0 / self.rows.n_rows
        g *= scale
        gradient = torch.empty_like(at)
        output_weight = at[:, self.size : -1]
        gradient[:, : self.size] = (g * output_weight[:, :, None]).reshape(len(at), -1)
        gradient[:, self.size : -1] = (g * at[:, : self.size].view(len(at), self.p, self.width)).sum(dim=2)
        gradient[:, -1] = scale * sum_e
        return gradient

    def _take(self, gradient: Tensor) -> None:
        """Take the gradients of newly kept weights into the moments, as ``AdamDirection`` does for one candidate."""
        c, fresh = self.constants, self._stale
        self._taken += fresh
        first = torch.lerp(self._first, gradient, 1 - c.beta1)
        second = (self._second * c.beta2).addcmul_(gradient, gradient, value=1 - c.beta2)
        self._first = torch.where(fresh, first, self._first)
        self._second = torch.where(fresh, second, self._second)
        scaled = self._second.sqrt() / torch.sqrt(1 - c.beta2**self._taken) + c.epsilon
        direction = self._first / scaled / (1 - c.beta1**self._taken)
        self._direction = torch.where(fresh, direction, self._direction)
        self._stale = torch.zeros_like(fresh)


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
            if verdict.closest <= rule.goal * (1 + BORDERLINE):
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
        flat = torch.stack([network.flat() for network in candidates])
        tuning = BatchedTuning(flat.clone(), candidates[0].n_hidden, rows, self.constants)
        for rule, start in zip(rules, tuning.start, strict=True):
            rule.begin(start)
        running = list(range(len(rules)))
        while True:
            going = self._going(running, rules)
            if going != running:
                flat[running] = tuning.theta
                if not going:
                    return flat
                tuning.drop_to([running.index(j) for j in going])
                running = going
            trials = tuning.trial([rules[j].step_size for j in running])
            tuning.keep([rules[j].judge(trial) for j, trial in zip(running, trials, strict=True)])

    @staticmethod
    def _going(running: list[int], rules: Sequence[StepRule]) -> list[int]:
        """Return who still matters: not ended, and before the first that met the goal."""
        first_met = next((j for j, rule in enumerate(rules) if rule.met), len(rules))
        return [j for j in running if not rules[j].ended and j < first_met]
