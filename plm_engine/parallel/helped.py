"""Prune candidates shared with helper processes on this machine: the bits of ``single`` in less time.

Exact by speculation (see ``learning/organizing.py``): every candidate is tuned exactly as one device would, by this
process or by a helper (``helper.py``), whoever is free first; the first acceptance wins.  Where it serves cramming too,
the search for gaps is shared out row by row.

How far to look ahead: after an acceptance the next candidates are often accepted too (on the copper table 7 of 11 at
once), and then all work beyond them is wasted; after refusals it hardly ever is (355 of 366 are refused).  So few are
tried after an acceptance, and the look-ahead grows quickly with refusals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.helper import MOST, PATIENCE, PATIENCE_S, ROOM, Helper, Tokens
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import StepRule

AFTER_ACCEPTANCE = 2
GROWTH = 8
FARTHEST = 64


class HelpedStrategy(SingleStrategy):
    """One process with helpers.

    Parameters
    ----------
    constants : AdamConstants
    workers : int
        Processes in all, this one included.
    """

    def __init__(self, constants: AdamConstants, workers: int) -> None:
        super().__init__(constants)
        self.candidates_at_once = GROWTH
        self._tokens = Tokens(workers)
        self._helpers = [Helper(constants, self._tokens, side) for side in range(1, workers)]
        self._ending = False
        self._longest = 0.0

    def tune_candidates(
        self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]
    ) -> list[TwoLayerNetwork]:
        """Tune up to the first acceptance; the networks of refused candidates may come back as they were."""
        self._ending = False
        if not 1 < len(candidates) <= MOST or len(candidates) * candidates[0].n_weights > ROOM:
            result = super().tune_candidates(candidates, rows, rules)
        else:
            result = self._shared_out(candidates, rows, rules)
        met = any(rule.met for rule in rules)
        self.candidates_at_once = AFTER_ACCEPTANCE if met else min(FARTHEST, GROWTH * self.candidates_at_once)
        return result

    def spread(self, function: Callable[[list[Any]], list[Any]], things: list[Any]) -> list[Any]:
        """Return ``function(things)``, called with equal parts here and by the helpers."""
        helpers = [helper for helper in self._helpers if not helper.lost][: len(things) - 1]
        number, sides = self._tokens.begin(0), len(helpers) + 1
        here, *parts = (things[len(things) * i // sides : len(things) * (i + 1) // sides] for i in range(sides))
        for helper, part in zip(helpers, parts, strict=True):
            helper.call(number, function, part)
        began = time.monotonic()
        results = function(here)
        patience = max(PATIENCE_S, PATIENCE * (time.monotonic() - began))
        for helper, part in zip(helpers, parts, strict=True):
            told = [each for _, each, _ in helper.answers(number, patience, lambda: True)]
            results += told[0] if told else function(part)
        return results

    def to_end(self, rule: StepRule) -> bool:
        """Return whether a tuning is to be interrupted, and remember it."""
        self._ending = rule.due()
        return self._ending

    def close(self) -> None:
        """End the helpers."""
        for helper in self._helpers:
            helper.end()
        self._tokens.close()

    def _shared_out(
        self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]
    ) -> list[TwoLayerNetwork]:
        tokens, result = self._tokens, list(candidates)
        tokens.give_up()
        shared = tokens.weights[: len(candidates) * candidates[0].n_weights].view(len(candidates), -1)
        for line, network in zip(shared, candidates, strict=True):
            line.copy_(network.flat())
        number = tokens.begin(len(candidates))
        helpers = [helper for helper in self._helpers if not helper.lost]
        for helper in helpers:
            helper.ask(number, candidates, rows, rules[0])
        try:
            for j in tokens.taken(number):
                self._tune_here(j, result, rows, rules)
                if self._ending:
                    return result

            def waited_for() -> bool:
                self._ending = self._ending or rules[0].due()
                return not self._ending and not all(rule.ended for rule in rules[: tokens.end + 1])

            for helper in helpers:
                patience = max(PATIENCE_S, PATIENCE * self._longest)
                for j, flat, state in helper.answers(number, patience, waited_for):
                    rules[j].adopt(state)
                    if flat is not None:
                        result[j] = candidates[j].with_flat(torch.from_numpy(flat))
        finally:
            tokens.give_up()
        if self._ending:
            next(rule for rule in rules if not rule.ended).interrupt()
            return result
        for j, rule in enumerate(rules):  # what a lost helper left behind
            if not rule.ended:
                self._tune_here(j, result, rows, rules)
            if rule.met or self._ending:
                break
        return result

    def _tune_here(self, j: int, result: list[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]) -> None:
        began = time.monotonic()
        result[j] = self.tune(result[j], rows, rules[j])
        if rules[j].met:
            self._tokens.accept(j, 0)
        self._longest = max(self._longest, time.monotonic() - began)
