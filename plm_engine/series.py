"""A run's events as columns for charts, read step by step: each refresh reads only what is new.

A :class:`Reader` belongs to one run and is shared by all sessions of a process; what it hands out, a :class:`Series`,
does not change any more.  Arrays grow in place behind that: rows that were handed out are never written again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import pandas as pd

from plm_engine.events import Phase
from plm_engine.store.contract import RunInfo, RunStore, Status, StoredEvent

PHASES: tuple[str, ...] = tuple(str(phase) for phase in Phase)
PARTS = (str(Phase.REGULARIZING), str(Phase.REORGANIZING))
STEP_COLUMNS = ("at_s", "round", "kept", "loss", "step_size", "largest_residual", "n_hidden", "phase")
_step_fields = itemgetter(*STEP_COLUMNS[1:])
BATCH = 20_000  # events read at once: bounds the memory of the first look at a long run


class Growing:
    """A table of floats, shape (n, columns), that grows by doubling; :meth:`view` is cheap and stays valid."""

    def __init__(self, columns: int) -> None:
        self._data = np.empty((256, columns))
        self._n = 0

    def append(self, row: tuple[float, ...]) -> None:
        """Add one row."""
        self.extend(np.array([row]))

    def extend(self, rows: np.ndarray) -> None:
        """Add rows, shape (k, columns)."""
        end = self._n + len(rows)
        while end > len(self._data):
            self._data = np.concatenate([self._data, np.empty_like(self._data)])
        self._data[self._n : end] = rows
        self._n = end

    def view(self) -> np.ndarray:
        """Return the rows so far, shape (n, columns), read-only."""
        seen = self._data[: self._n]
        seen.flags.writeable = False
        return seen


@dataclass(frozen=True)
class Series:
    """What a run has said so far; errors and residuals in the target's unit, times in seconds since the run started.

    Attributes
    ----------
    seq : int
        Number of the newest event.
    rows, actual, part, dates, latest_price
        The watched rows in time order: 1-based data row numbers (k,), targets (k,), ``"train"``/``"test"``/``"left
        out"`` (k,), ISO dates (k or none), persistence base (k or none).
    predicted : ndarray (k,) or None
        Predictions of the newest complete round, aligned with ``rows``.
    predictions : dict of int to ndarray (k,)
        Predictions of every complete round; round 0 is the first network.
    learned : tuple of int
        Data row numbers within the goal at the newest round's end.
    picked : dict of int to tuple of int
        Rows picked in each round.
    steps : dict of str to ndarray (s,)
        Kept steps (at a bounded rate): ``at_s, round, kept, loss, step_size, largest_residual, n_hidden, phase`` (index
        into :data:`PHASES`).
    nodes : ndarray (c, 2)
        Seconds and number of hidden nodes, at every change.
    rounds : DataFrame
        One row for each complete round: the fields of ``RoundEnded`` and ``at_s``.
    seconds : dict
        Seconds in each phase so far, also of one that still runs, and ``total``.  Until a round ends, the two parts of
        organizing are estimates, because not every one of their thousands of calls is announced.
    phase : str
        The module at work; empty before the start and after the end.
    ended : dict
        Fields of ``RunEnded``; empty before.
    """

    seq: int = 0
    n_train: int = 0
    n_test: int = 0
    n_learned: int = 0
    round: int = 0
    n_hidden: int | None = None
    goal: float | None = None
    largest_residual: float | None = None
    target: str = "y"
    features: tuple[str, ...] = ()
    phase: str = ""
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    actual: np.ndarray = field(default_factory=lambda: np.empty(0))
    part: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    latest_price: np.ndarray = field(default_factory=lambda: np.empty(0))
    predicted: np.ndarray | None = None
    predictions: dict[int, np.ndarray] = field(default_factory=dict)
    learned: tuple[int, ...] = ()
    picked: dict[int, tuple[int, ...]] = field(default_factory=dict)
    steps: dict[str, np.ndarray] = field(default_factory=dict)
    nodes: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    rounds: pd.DataFrame = field(default_factory=pd.DataFrame)
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    ended: dict[str, Any] = field(default_factory=dict)

    def steps_of(self, phase: str) -> dict[str, np.ndarray]:
        """Return the kept steps of one phase (columns as in ``steps``)."""
        if not self.steps:
            return {}
        chosen = self.steps["phase"] == PHASES.index(phase)
        return {name: column[chosen] for name, column in self.steps.items()}


class Reader:
    """Reads one run's events as they come; safe to share between threads."""

    def __init__(self, store: RunStore, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._lock = threading.Lock()
        self._seq = 0
        self._known: dict[str, Any] = {}
        self._steps, self._nodes = Growing(len(STEP_COLUMNS)), Growing(2)
        self._predictions: dict[int, np.ndarray] = {}
        self._picked: dict[int, tuple[int, ...]] = {}
        self._rounds: list[dict[str, Any]] = []
        self._table = pd.DataFrame()
        self._notices: list[str] = []
        self._clock = PhaseClock()
        self._take: dict[str, Callable[[StoredEvent], None]] = {
            "DataPrepared": self._on_data,
            "RunStarted": self._on_start,
            "RunResumed": self._on_resumed,
            "RoundStarted": lambda e: self._note(e, "round", "n_learned", "n_train"),
            "RowsPicked": lambda e: self._picked.update({e.payload["round"]: tuple(e.payload["rows"])}),
            "NodesAdded": lambda e: self._on_nodes(e, self._known.get("n_hidden", 0) + len(e.payload["nodes"])),
            "NodeTried": lambda e: self._on_nodes(e, e.payload["n_hidden"]),
            "RoundEnded": self._on_round,
            "Predicted": self._on_predicted,
            "Notice": self._on_notice,
            "RunEnded": lambda e: self._known.update(ended=e.payload),
        }

    def read(self) -> Series:
        """Read what is new and return everything so far."""
        with self._lock:
            info = self._store.status(self._run_id)
            at_s, before = 0.0, self._rounds[-1:]
            while events := self._store.events(self._run_id, self._seq, limit=BATCH):
                for kind, some in groupby(events, key=attrgetter("kind")):
                    if kind == "StepKept":  # nineteen of twenty events: taken many at once
                        self._on_steps(list(some))
                        continue
                    for event in some:
                        self._clock.take(event)
                        if kind in self._take:
                            self._take[kind](event)
                self._seq, at_s = events[-1].seq, events[-1].at_s
                if len(events) < BATCH:
                    break
            self._clock.last_s = max(self._clock.last_s, at_s)
            if self._rounds[-1:] != before or len(self._table) != len(self._rounds):
                self._table = pd.DataFrame(self._rounds)
            return self._series(info)

    def _series(self, info: RunInfo) -> Series:
        running = info.status is Status.RUNNING and info.started is not None
        now_s = max(self._clock.last_s, time.time() - (info.started or 0.0)) if running else self._clock.last_s
        newest = max(self._predictions, default=None)
        steps = self._steps.view()
        return Series(
            seq=self._seq,
            phase=self._clock.phase if running else "",
            predicted=None if newest is None else self._predictions[newest],
            predictions=dict(self._predictions),
            picked=dict(self._picked),
            steps={name: steps[:, j] for j, name in enumerate(STEP_COLUMNS)},
            nodes=self._nodes.view(),
            rounds=self._table,
            seconds=self._clock.seconds(now_s),
            notices=tuple(self._notices),
            **self._known,
        )

    def _note(self, event: StoredEvent, *names: str) -> None:
        self._known.update({name: event.payload[name] for name in names})

    def _on_data(self, event: StoredEvent) -> None:
        found = event.payload
        self._known.update(
            rows=np.asarray(found["rows"], dtype=int),
            actual=np.asarray(found["actual"], dtype=float),
            part=tuple(found["part"]),
            dates=tuple(found["date"]),
            latest_price=np.asarray(found["latest_price"], dtype=float),
            target=found["target"],
            warnings=tuple(found["warnings"]),
        )

    def _on_notice(self, event: StoredEvent) -> None:
        """Keep a sentence once: a resumed run says again what it had said after its checkpoint."""
        if event.payload["sentence"] not in self._notices:
            self._notices.append(event.payload["sentence"])

    def _on_resumed(self, event: StoredEvent) -> None:
        """Forget the rounds that are learned again."""
        last, inside = event.payload["round"], event.payload["inside"]
        self._forget_after(last, last + inside)
        self._known["round"] = last + inside
        self._on_nodes(event, event.payload["n_hidden"])

    def _forget_after(self, round_: int, picked: int) -> None:
        self._rounds = [found for found in self._rounds if found["round"] <= round_]
        self._table = pd.DataFrame(self._rounds)
        for kept, last in ((self._predictions, round_), (self._picked, picked)):
            for number in [n for n in kept if n > last]:
                del kept[number]
        self._known.pop("ended", None)

    def _on_start(self, event: StoredEvent) -> None:
        self._forget_after(-1, -1)  # a run that was resumed before its first checkpoint starts once more
        self._known.pop("n_hidden", None)
        self._note(event, "n_train", "n_test", "goal")
        self._known["features"] = tuple(event.payload["features"])

    def _on_steps(self, events: list[StoredEvent]) -> None:
        """Take kept steps that follow each other."""
        said = [(event.at_s, *_step_fields(event.payload)) for event in events]
        rows = np.array([(*one[:-1], PHASES.index(one[-1])) for one in said], dtype=float)
        self._steps.extend(rows)
        sizes = rows[:, STEP_COLUMNS.index("n_hidden")]
        changed = np.flatnonzero(sizes != np.concatenate([[self._known.get("n_hidden", -1)], sizes[:-1]]))
        self._nodes.extend(np.column_stack([rows[changed, 0], sizes[changed]]))
        self._note(events[-1], "largest_residual", "n_hidden")

    def _on_nodes(self, event: StoredEvent, n_hidden: int) -> None:
        if n_hidden != self._known.get("n_hidden"):
            self._known["n_hidden"] = n_hidden
            self._nodes.append((event.at_s, n_hidden))

    def _on_round(self, event: StoredEvent) -> None:
        self._note(event, "round", "n_learned", "n_train", "largest_residual")
        plain = {name: value for name, value in event.payload.items() if name != "seconds"}
        self._rounds.append({"at_s": event.at_s, **plain})
        self._on_nodes(event, event.payload["n_hidden"])

    def _on_predicted(self, event: StoredEvent) -> None:
        self._predictions[event.payload["round"]] = np.asarray(event.payload["predicted"], dtype=float)
        self._known["learned"] = tuple(event.payload["learned"])


class PhaseClock:
    """Seconds in each phase: exact at a round's end, carried on from there by what was announced since."""

    def __init__(self) -> None:
        self.last_s = 0.0
        self.phase = ""
        self._base = dict.fromkeys((*PHASES, "total"), 0.0)
        self._base_s: float | None = None
        self._since = dict.fromkeys(PHASES, 0.0)
        self._open: dict[str, float] = {}
        self._final = False

    def take(self, event: StoredEvent) -> None:
        """Follow one event."""
        found = event.payload
        if event.kind == "RunStarted":
            self._base = dict.fromkeys(self._base, 0.0)
            self._since = dict.fromkeys(PHASES, 0.0)
            self._open.clear()
            self._base_s, self._final = event.at_s, False
        elif event.kind == "PhaseStarted":
            self._open[found["phase"]] = event.at_s
            self.phase = found["phase"]
        elif event.kind == "PhaseEnded":
            self._open.pop(found["phase"], None)
            self._since[found["phase"]] += found["seconds"]
            self.phase = next(reversed(self._open), "")
        elif event.kind in ("RoundEnded", "RunEnded", "RunResumed"):
            self._base.update(found["seconds"])
            self._base_s = event.at_s
            self._since = dict.fromkeys(PHASES, 0.0)
            self._open.clear()
            self._final = event.kind == "RunEnded"

    def seconds(self, now_s: float) -> dict[str, float]:
        """Return the seconds in each phase at ``now_s`` (seconds since the run started)."""
        if self._final or self._base_s is None:
            return dict(self._base)
        since = dict(self._since)
        for phase, began in self._open.items():
            since[phase] += max(0.0, now_s - began)
        announced = sum(since[part] for part in PARTS)
        if announced > 0:  # parts are announced at a bounded rate: share out the time of the whole as they did
            share = since[Phase.ORGANIZING] / announced
            since.update({part: since[part] * share for part in PARTS})
        since["total"] = max(0.0, now_s - self._base_s)
        return {name: spent + since.get(name, 0.0) for name, spent in self._base.items()}
