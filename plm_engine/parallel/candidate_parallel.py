"""Prune candidates shared out over ranks: each rank tunes one of the next W candidates, alone.

Exact by speculation (see ``learning/organizing.py``): the candidates are prepared as if none before them were
accepted; the first acceptance wins and later results are thrown away.  A rank tunes exactly as one device would, so
the run ends with the bytes of ``single``.  There is one collective for W candidates, not one for each step.
"""

from __future__ import annotations

from collections.abc import Sequence

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.ranked import RankedStrategy, pack, unpack
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import StepRule


class CandidateParallelStrategy(RankedStrategy):
    """One candidate a rank at a time; everything else is led by rank 0."""

    def __init__(self, constants: AdamConstants, ranks: Ranks) -> None:
        super().__init__(constants, ranks)
        self.candidates_at_once = ranks.size
        self._alone = SingleStrategy(constants, str(ranks.device))

    def tune_candidates(
        self, candidates: Sequence[TwoLayerNetwork], rows: Rows, rules: Sequence[StepRule]
    ) -> list[TwoLayerNetwork]:
        """Tune candidate r on rank r; every rank gets all networks and all rules' states."""
        mine = min(self.rank, len(candidates) - 1)  # a rank without a candidate of its own must not fall out of step
        tuned = candidates[mine]
        if self.rank < len(candidates):
            tuned = self._alone.tune(candidates[mine], rows, rules[mine])
        told = self.ranks.gather(pack(tuned, rules[mine]))
        return [unpack(network, rule, told[r]) for r, (network, rule) in enumerate(zip(candidates, rules, strict=True))]
