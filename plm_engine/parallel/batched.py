"""Several prune candidates at once in batched products on one device.

Exact by speculation (see ``learning/organizing.py``): candidates are tuned as if none before them were accepted, and
those after an accepted one are given up.  Sums round differently from one candidate alone (in the sixteenth digit), so
the batch only *decides*: the accepted candidate, and any that came within rounding of the goal, is tuned again alone,
and that result counts.  Acceptances are few (11 of 366 on the copper table), so this costs little, and the run goes on
from exactly the network of ``single``.

The batch is kept full: a candidate that has ended makes room for the next, so nobody waits for longer tunings until the
candidates run out.  How far to look ahead: after an acceptance the next candidates are often accepted too (7 of the 11
at once), and what is prepared beyond them is wasted; after refusals it hardly ever is.  So the look-ahead doubles with
every pass without an acceptance, and starts anew after one.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.batch import AT_ONCE, BatchedTuning
from plm_engine.parallel.foresight import NOT_LOWER
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import BORDERLINE, Measured, StepRule

#: most numbers in the activations of a batch
ROOM = 4_000_000
FARTHEST = 64


class BatchedStrategy(SingleStrategy):
    """One device, several candidates at once; all else as ``single``.

    Parameters
    ----------
    constants : AdamConstants
    device : str
    at_once : int
        Candidates in one batch.
    """

    def __init__(self, constants: AdamConstants, device: str = "cpu", at_once: int = AT_ONCE) -> None:
        super().__init__(constants, device)
        self._at_once = self.candidates_at_once = at_once

    def tune_candidates(
        self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]
    ) -> list[TwoLayerNetwork]:
        """Tune all candidates; those after the first acceptance are given up, their rules left open."""
        tried = [rule.again() for rule in rules]
        self.tune_batch(candidates, rows, tried)
        result = list(candidates)
        for j, (rule, verdict) in enumerate(zip(rules, tried, strict=True)):
            if verdict.matters(BORDERLINE):
                result[j] = self.tune(candidates[j], rows, rule)
                if rule.met:
                    self.candidates_at_once = self._at_once
                    return result
            else:
                rule.adopt(verdict.state())
        self.candidates_at_once = max(self._at_once, min(FARTHEST, 2 * self.candidates_at_once))
        return result

    def tune_batch(self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]) -> Tensor:
        """Tune until every candidate up to the first acceptance has ended, in this arithmetic alone.

        Returns
        -------
        Tensor, shape (C, P)
            Flat weights of the candidates; of those given up, the weights they were given up with.
        """
        places = max(1, min(self._at_once, ROOM // ((candidates[0].n_hidden + 1) * rows.n_rows)))
        batch = _FullBatch(candidates, rules)
        batch.run(rows, self.constants, places)
        return torch.stack(batch.flat)


class _FullBatch:
    """Candidates in order, some of which are in the batch.

    Attributes
    ----------
    flat : list of Tensor
        Weights of each candidate that has left the batch; of the others, where they start.
    """

    def __init__(self, candidates: Sequence[TwoLayerNetwork], rules: Sequence[StepRule]) -> None:
        self._candidates, self._rules = candidates, rules
        self.flat = [network.flat() for network in candidates]
        self._next = 0
        self._end = len(candidates)  # candidates from here on are not needed

    def run(self, rows: Rows, constants: AdamConstants, places: int) -> None:
        """Tune until nothing is left to do."""
        running = list(range(min(places, self._end)))
        self._next = len(running)
        self._tuning = BatchedTuning([self._candidates[j] for j in running], rows, constants)
        for j, start in zip(running, self._tuning.start, strict=True):
            self._begin(j, start)
        while True:
            new = self._refilled(running)
            if not running:
                return
            trials = self._tuning.trial([0.0 if j in new else self._rules[j].step_size for j in running])
            kept = [
                self._begin(j, trial) if j in new else self._judge(j, trial)
                for j, trial in zip(running, trials, strict=True)
            ]
            self._tuning.keep(kept)
            for place, j in enumerate(running):
                if not kept[place] and self._needs(j):
                    self._look_ahead(place, j)

    def _needs(self, j: int) -> bool:
        """Whether candidate ``j`` still matters: not ended, and none before it met its goal."""
        return not self._rules[j].ended and j < self._end

    def _refilled(self, running: list[int]) -> set[int]:
        """Put new candidates where others ended, or close the places up; returns the new ones."""
        new = set()
        for place, j in enumerate(running):
            if not self._needs(j):
                self.flat[j] = self._tuning.flat(place)
                if self._next < self._end:
                    running[place] = self._next
                    self._tuning.put(place, self._candidates[self._next])
                    new.add(self._next)
                    self._next += 1
        left = [place for place, j in enumerate(running) if self._needs(j)]
        if len(left) < len(running):
            if left:
                self._tuning.drop_to(left)
            running[:] = [running[place] for place in left]
        return new

    def _begin(self, j: int, start: Measured) -> bool:
        self._rules[j].begin(start)
        if self._rules[j].met:
            self._end = min(self._end, j + 1)
        return True

    def _judge(self, j: int, trial: Measured) -> bool:
        rule = self._rules[j]
        kept = rule.judge(trial)
        if rule.due():
            for other in self._rules:
                other.interrupt()
        elif rule.met:
            self._end = min(self._end, j + 1)
        return kept

    def _look_ahead(self, place: int, j: int) -> None:
        """Judge the next trials that are known to be in vain."""
        rule = self._rules[j]
        while not rule.ended and self._tuning.is_in_vain(place, rule.step_size):
            rule.judge(NOT_LOWER)
