"""For modes that round differently from ``single``: what the run goes on from is confirmed in the exact arithmetic.

Sums taken in another order differ in the sixteenth digit.  One tuning hardly notices (weights agree to 1e-9), but the
difference grows from tuning to tuning, and after some ten of them decisions may part.  Most tunings are prune
candidates that are refused, and whose weights nobody uses again.  So a tuning that matters (its network is used, or it
came within rounding of the goal) is done once more in ``row_parallel``, which has the bits of ``single`` and shares the
rows out over the same ranks; the others only decide.  Acceptances are few, so this costs little, and a whole run goes
the way of ``single`` unless a refusal were wrong by more than the borderline.
"""

from __future__ import annotations

from abc import abstractmethod

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.ranked import RankedStrategy
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.row_parallel import RowParallelStrategy
from plm_engine.parallel.strategy import BORDERLINE, StepRule, Strategy, Tuning


class ConfirmingStrategy(RankedStrategy):
    """Base of the strategies whose :meth:`open` agrees with ``single`` to rounding only."""

    def __init__(self, constants: AdamConstants, ranks: Ranks) -> None:
        super().__init__(constants, ranks)
        self._exact = RowParallelStrategy(constants, ranks)

    @abstractmethod
    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> Tuning:
        """Begin a tuning, on all ranks together."""

    def to_end(self, rule: StepRule) -> bool:
        """Let rank 0's clock decide for all ranks."""
        return self.agree(rule.due())

    def tune_unconfirmed(
        self, network: TwoLayerNetwork, rows: Rows, rule: StepRule, penalty: float = 0.0
    ) -> TwoLayerNetwork:
        """Tune on all ranks together, in this mode's own arithmetic alone."""
        return Strategy.tune(self, network, rows, rule, penalty)

    def tune(self, network: TwoLayerNetwork, rows: Rows, rule: StepRule, penalty: float = 0.0) -> TwoLayerNetwork:
        """Tune on all ranks together, and once more exactly if the result matters."""
        tried = rule.again()
        tuned = self.tune_unconfirmed(network, rows, tried, penalty)
        if tried.matters(BORDERLINE):
            return self._exact.tune(network, rows, rule, penalty)
        rule.adopt(tried.state())
        return tuned
