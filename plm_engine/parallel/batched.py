"""Several prune candidates at once in batched products, on one or more threads of one device.

Exact by speculation (see ``learning/organizing.py``): candidates are tuned as if none before them were accepted, and
those after an accepted one are given up.  Sums round differently from one candidate alone (in the sixteenth digit), so
the batch only *decides*: the accepted candidate, and any that came within rounding of the goal, is tuned again alone,
and that result counts.  Acceptances are few (11 of 366 on the copper table), so this costs little, and the run goes on
from exactly the network of ``single``.

How far to look ahead: after an acceptance the next candidates are often accepted too (7 of the 11 at once), and what is
prepared beyond them is wasted; after refusals it hardly ever is.  So the look-ahead doubles with every pass without an
acceptance, and starts anew after one.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.batch import AT_ONCE
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.lanes import tune_in_lanes
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import BORDERLINE, StepRule

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
    lanes : int
        Threads, each with a batch of its own.
    """

    def __init__(self, constants: AdamConstants, device: str = "cpu", at_once: int = AT_ONCE, lanes: int = 1) -> None:
        super().__init__(constants, device)
        self._at_once, self._lanes = at_once, lanes
        self._others = ThreadPoolExecutor(lanes - 1, "lane") if lanes > 1 else None
        self._least = self.candidates_at_once = at_once * lanes

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
                    self.candidates_at_once = self._least
                    return result
            else:
                rule.adopt(verdict.state())
        self.candidates_at_once = max(self._least, min(FARTHEST, 2 * self.candidates_at_once))
        return result

    def tune_batch(self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]) -> Tensor:
        """Tune until every candidate up to the first acceptance has ended, in this arithmetic alone.

        Returns
        -------
        Tensor, shape (C, P)
            Flat weights of the candidates; of those given up, the weights they were given up with.
        """
        fit = ROOM // ((candidates[0].n_hidden + 1) * rows.n_rows)
        places = max(1, min(self._at_once, fit, -(-len(candidates) // self._lanes)))
        others = min(self._lanes, len(candidates)) - 1
        return tune_in_lanes(candidates, rows, rules, self.constants, places, self._others, others)

    def close(self) -> None:
        """End the threads."""
        if self._others is not None:
            self._others.shutdown()
