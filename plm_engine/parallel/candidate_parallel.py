"""Prune candidates shared out over ranks: each rank tunes some of the next ones, alone.

Exact by speculation (see ``learning/organizing.py``): the candidates are prepared as if none before them were
accepted; the first acceptance wins and later results are thrown away.  A rank tunes exactly as one device would, so
the run ends with the bytes of ``single``.  There is one collective for a whole group of candidates, not one for each
step.

Choice made: two candidates a rank and group.  Tunings differ in length, and with one each the quicker rank waits for
the slower; with many, more results are thrown away at an acceptance.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.ranked import RankedStrategy, pack, unpack
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import StepRule

#: candidates for each rank in one group
EACH = 2


class CandidateParallelStrategy(RankedStrategy):
    """Candidates dealt out to the ranks in turn; everything else is led by rank 0."""

    def __init__(self, constants: AdamConstants, ranks: Ranks, each: int = EACH) -> None:
        super().__init__(constants, ranks)
        self.candidates_at_once = each * ranks.size
        self._alone = SingleStrategy(constants, str(ranks.device))

    def tune_candidates(
        self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]
    ) -> list[TwoLayerNetwork]:
        """Tune candidates r, r + ranks, ... on rank r; every rank gets all networks and all rules' states."""
        mine = []
        met = False
        for j in range(self.rank, self.candidates_at_once, self.n_ranks):
            at = min(j, len(candidates) - 1)
            tuned = candidates[at]
            if j < len(candidates) and not met:  # after an acceptance of its own a rank's later ones cannot win
                tuned = self._alone.tune(tuned, rows, rules[at])
                met = rules[at].met
            # a place without a candidate is filled up, so that every rank brings as much to the collective
            mine.append(pack(tuned, rules[at]))
        told = self.ranks.gather(torch.stack(mine)).transpose(0, 1).flatten(0, 1)
        return [unpack(network, rule, told[j]) for j, (network, rule) in enumerate(zip(candidates, rules, strict=True))]
