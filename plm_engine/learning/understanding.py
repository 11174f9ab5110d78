"""Understanding: tune the weights until every picked row is learned, or until the epoch bound or an attractor.

ALGORITHM section 3.  Full-batch gradient descent with Adam's moments on the mean squared error over the picked set I,
from the current weights.  The goal is tested before the first step and after every kept step: acceptable for I (the
largest abs residual is at most eps) ends with *goal met*.

Choice made: if the goal was not met, the caller keeps its own network; the tuned one is only handed over on success.
"""

from __future__ import annotations

from plm_engine.learning.descent import Descent
from plm_engine.learning.outcome import Outcome
from plm_engine.parallel.strategy import Measured


class Understanding(Descent):
    """A descent on the mean squared error that ends as soon as the goal is met."""

    def begin(self, start: Measured) -> None:
        """Test the goal before the first step."""
        super().begin(start)
        self.after_kept(start)

    def after_kept(self, trial: Measured) -> None:
        """End with *goal met* if every row is learned."""
        if trial.largest_residual <= self.goal:
            self.outcome = Outcome.GOAL_MET

    def matters(self, share: float) -> bool:
        """Only a network that met the goal is used; or one that all but did."""
        return self.closest <= self.goal * (1 + share)
