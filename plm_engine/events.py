"""What the algorithm says while it learns: frozen events, and the one-method contract of those who listen.

The engine emits events and knows no listener.  Every field is plain (numbers, words, tuples), in the target's unit
where it measures the target, and row numbers are 1-based data rows of the input file.  A listener stamps the time.
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

#: above this many rows an event holds an evenly spaced sample; the round's artifact holds the rest
SAMPLE_ROWS = 5_000


class Phase(StrEnum):
    """The modules of RPLM, and the two parts of organizing."""

    INTERPRETING = "interpreting"
    PICKING = "picking"
    UNDERSTANDING = "understanding"
    CRAMMING = "cramming"
    ORGANIZING = "organizing"
    REGULARIZING = "organizing_regularizing"
    REORGANIZING = "organizing_understanding"


@dataclass(frozen=True)
class Event:
    """Base of all events."""

    @property
    def kind(self) -> str:
        """Name under which the event is stored."""
        return type(self).__name__

    def to_mapping(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class DataPrepared(Event):
    """The rows of the run in time order, or an evenly spaced sample of them (see :data:`SAMPLE_ROWS`).

    ``predicted`` of later events is aligned with ``rows``.  ``part`` is ``"train"``, ``"test"`` or ``"left out"``.
    ``date`` holds ISO dates, ``latest_price`` the persistence base (``None`` where
    nothing was known yet); each is empty where there is none.
    """

    rows: tuple[int, ...]
    actual: tuple[float, ...]
    part: tuple[str, ...]
    date: tuple[str, ...] = ()
    latest_price: tuple[float | None, ...] = ()
    target: str = "y"
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunStarted(Event):
    """Learning begins."""

    n_train: int
    n_test: int
    n_features: int
    goal: float
    features: tuple[str, ...]
    mode: str
    workers: int
    device: str


@dataclass(frozen=True)
class RunResumed(Event):
    """An interrupted run goes on after ``round`` complete rounds; later rounds announced before are learned again.

    ``inside`` says that it goes on inside organizing: what the next round picked and crammed still holds.  ``seconds``
    are those spent so far, as in :class:`RoundEnded`.
    """

    round: int
    n_hidden: int
    seconds: dict[str, float]
    inside: bool = False


@dataclass(frozen=True)
class RoundStarted(Event):
    """A round begins; ``n_learned`` of ``n_train`` rows are within the goal."""

    round: int
    n_learned: int
    n_train: int


@dataclass(frozen=True)
class RowsPicked(Event):
    """Picking chose ``rows`` (new ones, nearest first) to join the learned rows."""

    round: int
    rows: tuple[int, ...]
    residuals: tuple[float, ...]


@dataclass(frozen=True)
class PhaseStarted(Event):
    """A module begins; ``node`` is the hidden node dropped, in :attr:`Phase.REORGANIZING`."""

    round: int
    phase: str
    node: int | None = None


@dataclass(frozen=True)
class PhaseEnded(Event):
    """A module ended after ``seconds``; ``outcome`` is a member of ``learning.outcome.Outcome`` or empty."""

    round: int
    phase: str
    seconds: float
    outcome: str = ""
    node: int | None = None


@dataclass(frozen=True)
class StepKept(Event):
    """A tuning step was kept (emitted at a bounded rate).

    ``kept`` counts the kept steps of the whole run, ``loss`` is the loss in standardised units (mean squared error,
    and the penalty in regularizing), ``largest_residual`` is in the target's unit.
    """

    round: int
    phase: str
    kept: int
    loss: float
    step_size: float
    largest_residual: float
    n_hidden: int


@dataclass(frozen=True)
class NodesAdded(Event):
    """Hidden nodes joined the network: by interpreting (``row`` is None) or crammed for ``row``."""

    round: int
    nodes: tuple[int, ...]
    row: int | None
    residual: float | None = None
    gap: float | None = None


@dataclass(frozen=True)
class NodeTried(Event):
    """Reorganizing dropped ``node`` and tuned the rest: ``removed`` says whether the rest met the goal."""

    round: int
    node: int
    removed: bool
    n_hidden: int
    margin: float


@dataclass(frozen=True)
class RoundEnded(Event):
    """A round ended; its network is usable.  Errors are mean absolute errors in the target's unit."""

    round: int
    n_learned: int
    n_train: int
    outcome: str
    n_hidden_before: int
    n_hidden_crammed: int
    n_hidden: int
    largest_residual: float
    train_mae: float
    test_mae: float | None
    seconds: dict[str, float]
    kept_steps: int


@dataclass(frozen=True)
class Predicted(Event):
    """Predictions of the network at a round's end (round 0: the first network), aligned with ``DataPrepared.rows``.

    ``learned`` holds the 1-based data row numbers within the goal (sampled like the rows).
    """

    round: int
    predicted: tuple[float, ...]
    learned: tuple[int, ...] = ()


@dataclass(frozen=True)
class Notice(Event):
    """One sentence for the person watching, such as a numerical remark."""

    sentence: str


@dataclass(frozen=True)
class RunEnded(Event):
    """Learning ended; ``reason`` is a member of ``learning.outcome.EndReason`` and ``sentence`` says it in words."""

    reason: str
    sentence: str
    rounds: int
    n_hidden: int
    n_learned: int
    n_train: int
    seconds: dict[str, float]


EVENT_TYPES: dict[str, type[Event]] = {cls.__name__: cls for cls in Event.__subclasses__()}


def event_from_mapping(kind: str, values: dict[str, Any]) -> Event:
    """Rebuild an event that was stored as plain values (lists become tuples again).

    Raises
    ------
    KeyError
        If ``kind`` is not the name of an event.
    """
    cls = EVENT_TYPES[kind]
    known = {field.name for field in dataclasses.fields(cls)}
    return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items() if k in known})


class Sink(Protocol):
    """Somebody who listens."""

    def emit(self, event: Event) -> None:
        """Take one event; must not change what the engine computes."""


class NullSink:
    """Listens to nothing: the default."""

    def emit(self, event: Event) -> None:
        """Forget the event."""


class ListSink:
    """Keeps every event in memory: for notebooks and tests."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Append the event to :attr:`events`."""
        self.events.append(event)


class RateLimit:
    """Says yes at most ``per_second`` times a second, by a monotonic clock."""

    def __init__(self, per_second: float) -> None:
        self._interval = 1.0 / per_second
        self._next = 0.0

    def ready(self) -> bool:
        """Return whether enough time has passed since the last yes."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._interval
        return True
