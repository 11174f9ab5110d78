"""Regularizing: make the weights smaller without forgetting anything.

ALGORITHM section 5 (a).  Minimise MSE over I + lambda / (number of weights) * (sum of all squared weights and biases,
w_0 included) with the same step-size rule.  A step that lowers the loss but would leave acceptability is undone and
ends regularizing.  The network it starts from is acceptable, so the one it ends with is.
"""

from __future__ import annotations

from plm_engine.learning.descent import Descent
from plm_engine.learning.outcome import Outcome
from plm_engine.parallel.strategy import Measured


class Regularizing(Descent):
    """A descent on the penalised loss that never leaves the goal."""

    def may_keep(self, trial: Measured) -> bool:
        """Refuse, and end, where a learned row would be lost."""
        if trial.largest_residual <= self.goal:
            return True
        self.outcome = Outcome.LEFT_GOAL
        return False

    def after_kept(self, trial: Measured) -> None:
        """Nothing to test: it goes on while the loss falls."""

    def matters(self, share: float) -> bool:
        """Every kept step is used."""
        return self.kept > 0
