"""Tells listeners what happens, and keeps the seconds of every module.

The modules work in standardised units and count rows from 0; a narrator turns both into what people read: the target's
unit and 1-based data row numbers.  Times come from a monotonic clock, with the device synchronised at both ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from plm_engine.events import Event, NullSink, Phase, PhaseEnded, PhaseStarted, RateLimit, Sink, StepKept
from plm_engine.parallel.strategy import Measured

STEPS_PER_SECOND = 20.0
TRIES_PER_SECOND = 50.0


@dataclass
class Ending:
    """Filled in by the code inside :meth:`Narrator.phase`: how the phase ended."""

    outcome: str = ""
    seconds: float = 0.0


@dataclass
class Narrator:
    """Speaks for one run.

    Attributes
    ----------
    sink : Sink
    unit : float
        One standardised unit in the target's unit.
    rows : ndarray of int, shape (N,)
        1-based data row number of each training row.
    synchronize : callable
        Waits for the device.
    round : int
        Number of the current round; 0 is interpreting.
    kept : int
        Kept steps of the run so far.
    seconds : dict
        Seconds in each phase so far, by :class:`Phase` value; ``total`` is the time since the start.
    """

    sink: Sink = field(default_factory=NullSink)
    unit: float = 1.0
    rows: np.ndarray = field(default_factory=lambda: np.arange(1, 1))
    synchronize: Callable[[], None] = lambda: None
    round: int = 0
    kept: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(Phase, 0.0))

    def __post_init__(self) -> None:
        self._steps = RateLimit(STEPS_PER_SECOND)
        self._tries = RateLimit(TRIES_PER_SECOND)
        self._began = time.perf_counter()
        self._open: dict[str, float] = {}

    def go_on(self, round: int, kept: int, seconds: dict[str, float]) -> None:
        """Count on from what was spent before the run was interrupted."""
        self.round, self.kept = round, kept
        self.seconds = {str(phase): seconds.get(str(phase), 0.0) for phase in Phase}
        self._began = time.perf_counter() - seconds.get("total", 0.0)

    def emit(self, event: Event) -> None:
        """Hand an event to the listener."""
        self.sink.emit(event)

    def total(self) -> float:
        """Return the seconds since the run began."""
        return time.perf_counter() - self._began

    def times(self) -> dict[str, float]:
        """Return the seconds of every phase, one that is not over included, and the total."""
        now = time.perf_counter()
        spent = {str(name): spent + (now - self._open.get(str(name), now)) for name, spent in self.seconds.items()}
        return {**spent, "total": self.total()}

    @contextmanager
    def phase(self, phase: Phase, node: int | None = None) -> Iterator[Ending]:
        """Time a module, and announce its start and end (the parts of organizing at a bounded rate)."""
        part = phase in (Phase.REGULARIZING, Phase.REORGANIZING)
        spoken = not part or self._tries.ready()
        if spoken:
            self.emit(PhaseStarted(self.round, phase, node))
        self.synchronize()
        began = self._open[str(phase)] = time.perf_counter()
        ending = Ending()
        try:
            yield ending
        finally:
            self.synchronize()
            ending.seconds = time.perf_counter() - began
            del self._open[str(phase)]
            self.seconds[phase] += ending.seconds
        if spoken:
            self.emit(PhaseEnded(self.round, phase, ending.seconds, ending.outcome, node))

    def on_step(self, phase: Phase, n_hidden: int) -> Callable[[Measured, float], None]:
        """Return the listener of one tuning's kept steps."""

        def tell(at: Measured, step_size: float) -> None:
            self.kept += 1
            if self._steps.ready():
                largest = at.largest_residual * self.unit
                self.emit(StepKept(self.round, phase, self.kept, at.loss, step_size, largest, n_hidden))

        return tell
