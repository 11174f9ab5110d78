"""The step-size rule that understanding and regularizing share (ALGORITHM section 3).

One trial step at step size eta.  If the loss fell: keep it, eta *= growth, count one epoch.  Otherwise undo it, and if
eta is at or under its floor end with *undesired attractor*, else eta *= shrink and try again.  At ``epochs`` kept
steps end with *epoch bound*.  Every call starts with fresh moments and the first step size.

Bound: at most ``epochs`` steps are kept, and between two of them eta, which never exceeds :data:`LARGEST_STEP`, shrinks
at most log(eta / floor) / log(1 / shrink) + 1 times, so a descent always ends.  A loss that is not a number never
counts as fallen.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from plm_engine.errors import NumericalError
from plm_engine.learning.outcome import Outcome
from plm_engine.parallel.strategy import Measured

#: called after every kept step with what was measured and the step size that led there
OnStep = Callable[[Measured, float], None]


#: whether to stop is asked at every so-manieth trial step: the answer may be a file's, which takes longer than a step
ASK_EVERY = 8

#: no useful step is longer; without a bound eta could become infinite, and then it would never shrink
LARGEST_STEP = 1e9


@dataclass(frozen=True)
class StepSizes:
    """Constants of the rule: eta0, its floor, its growth after a kept step and its shrinking after an undone one."""

    first: float = 1e-3
    floor: float = 1e-6
    growth: float = 1.2
    shrink: float = 0.7


def never() -> bool:
    """Return that the run is not to end."""
    return False


class Descent(ABC):
    """State of one tuning; says which step to try, whether to keep it and when to end.

    Attributes
    ----------
    step_size : float
        eta of the next trial step.
    kept : int
        Kept steps so far.
    at : Measured
        Loss and largest residual at the kept weights; infinite before :meth:`begin`.
    closest : float
        Smallest largest residual at any weights kept so far.
    outcome : Outcome or None
        How it ended; ``None`` while it goes on.

    ``stop`` says whether the run is to end (a time budget, a request): a long tuning ends with *stopped* then, and its
    network is not used.
    """

    def __init__(
        self,
        goal: float,
        epochs: int,
        sizes: StepSizes,
        on_step: OnStep | None = None,
        stop: Callable[[], bool] = never,
    ) -> None:
        self.goal, self.epochs, self.sizes = goal, epochs, sizes
        self.step_size = sizes.first
        self.kept = 0
        self.at = Measured(math.inf, math.inf)
        self.closest = math.inf
        self.outcome: Outcome | None = None
        self._on_step, self._stop = on_step, stop
        self._tried, self._is_due = 0, False

    @property
    def ended(self) -> bool:
        """Whether the tuning is over."""
        return self.outcome is not None

    def begin(self, start: Measured) -> None:
        """Take the state before the first step.

        Raises
        ------
        NumericalError
            If the loss there is not a finite number.
        """
        if not math.isfinite(start.loss):
            raise NumericalError(
                f"The squared error of the network is {start.loss}, which no step can lower: the values are too large "
                "for this precision; use float64, or leave out the columns with extreme values."
            )
        self.at, self.closest = start, start.largest_residual
        if self.epochs == 0:
            self.outcome = Outcome.EPOCH_BOUND

    def judge(self, trial: Measured) -> bool:
        """Return whether the trial step is kept, and move on."""
        if not trial.loss < self.at.loss:
            if self.step_size <= self.sizes.floor:
                self.outcome = Outcome.UNDESIRED_ATTRACTOR
            self.step_size *= self.sizes.shrink
            return False
        if not self.may_keep(trial):
            return False
        self.at, self.closest = trial, min(self.closest, trial.largest_residual)
        self.kept += 1
        if self._on_step is not None:
            self._on_step(trial, self.step_size)
        self.step_size = min(self.step_size * self.sizes.growth, LARGEST_STEP)
        if self.kept >= self.epochs:
            self.outcome = Outcome.EPOCH_BOUND
        self.after_kept(trial)
        return True

    def due(self) -> bool:
        """Return whether the run is to end, asked of ``stop`` at every eighth call; once it is, it stays so.

        Ranks exchange the answer at every eighth call too, which need not be the one that asks.
        """
        self._tried += 1
        if self._tried % ASK_EVERY == 0:
            self._is_due = self._is_due or self._stop()
        return self._is_due

    def interrupt(self) -> None:
        """End here, for the run is to end."""
        self.outcome = self.outcome or Outcome.STOPPED

    def again(self) -> Self:
        """Return the same rule as it was before :meth:`begin`, with the same listener."""
        return type(self)(self.goal, self.epochs, self.sizes, self._on_step, self._stop)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the listeners behind when sent to another process."""
        return {**self.__dict__, "_on_step": None, "_stop": never}

    @property
    def met(self) -> bool:
        """Whether every row is learned at the kept weights, and that is what the tuning was for."""
        return self.outcome is Outcome.GOAL_MET

    @abstractmethod
    def matters(self, share: float) -> bool:
        """Whether the tuned network is used further, or came within ``share`` of the goal of being used."""

    def state(self) -> list[float]:
        """Return kept steps, step size, loss, largest and closest residual and outcome as plain numbers."""
        ending = -1 if self.outcome is None else list(Outcome).index(self.outcome)
        return [self.kept, self.step_size, self.at.loss, self.at.largest_residual, self.closest, ending]

    def adopt(self, state: list[float]) -> None:
        """Take over the state of the same descent on another rank."""
        kept, self.step_size, loss, largest, self.closest, ending = state
        self.kept, self.at = int(kept), Measured(loss, largest)
        self.outcome = None if ending < 0 else list(Outcome)[int(ending)]

    def may_keep(self, trial: Measured) -> bool:
        """Return whether a step that lowered the loss may be kept; may end the descent instead."""
        return True

    @abstractmethod
    def after_kept(self, trial: Measured) -> None:
        """Test the goal after a kept step."""
