"""A run as a film: what the pupil did, step by step, read from the run's events and round files.

One :class:`Tape` belongs to one run and is shared by all sessions of a process; reading on appends to it.  NumPy only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from plm_engine.errors import RunError
from plm_engine.events import Phase
from plm_engine.predict import load_model, load_round
from plm_engine.store.contract import StoredEvent
from plm_engine.store.kept import Kept
from plm_engine.store.sqlite import Store

KINDS = (
    "DataPrepared",
    "RunStarted",
    "RunResumed",
    "RoundStarted",
    "RowsPicked",
    "PhaseEnded",
    "NodesAdded",
    "NodeTried",
    "RoundEnded",
    "Predicted",
    "RunEnded",
)
#: drivers that a node is drawn as listening to
STRONGEST = 3
#: points along each driver where the surface of a two-driver run is computed
GRID = 33


@dataclass(frozen=True)
class Step:
    """One thing the pupil did.

    Attributes
    ----------
    kind : str
        ``interpreting``, ``picking``, ``understanding``, ``cramming`` (of one row), ``organizing`` or ``end``.
    round : int
        0 for the first network.
    at_s : float
        Seconds since the run started.
    rows : tuple of int
        Data row numbers: those picked, or the one crammed.
    added, removed : tuple of int
        Ids of the hidden nodes that appear and vanish with this step.
    frame : int
        Round whose network's predictions belong to the picture after this step.
    n_hidden, n_learned : int
        After this step.
    about : dict
        ``outcome``, ``residual`` (of the crammed row, in the target's unit), ``tried``, ``sentence``.
    """

    kind: str
    round: int
    at_s: float
    rows: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    frame: int = 0
    n_hidden: int = 0
    n_learned: int = 0
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Frame:
    """What the network of one complete round knows.

    Attributes
    ----------
    predicted : ndarray (k,)
        In the target's unit, aligned with the tape's rows.
    learned : frozenset of int
        Data row numbers within the goal.
    output : dict of int to float
        Node id -> weight towards the output (standardised); empty where the round's file is missing.
    surface : ndarray (GRID, GRID) or None
        Predictions over the two drivers' training ranges (first driver along columns); None unless there are two.
    """

    predicted: np.ndarray
    learned: frozenset[int]
    output: dict[int, float] = field(default_factory=dict)
    surface: np.ndarray | None = None


@dataclass
class Tape:
    """Everything of a run that its replay shows.

    Attributes
    ----------
    rows, actual, part, dates
        As in :class:`plm_engine.events.DataPrepared`.
    target, goal, features, n_train
        As in :class:`plm_engine.events.RunStarted`; goal is None before it is known.
    steps : list of Step
    frames : dict of int to Frame
        By round.
    slots : dict of int to int
        Node id -> place in the drawing; a place is used again after its node has vanished.
    n_slots : int
        Places ever used at once.
    node_rows : dict of int to int or None
        Node id -> the row it was crammed for.
    links : dict of int to tuple of int
        Node id -> positions of the drivers it listens to most.
    ended : bool
        Whether learning is over.
    version : int
        Grows with everything that is new.
    """

    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    actual: np.ndarray = field(default_factory=lambda: np.empty(0))
    part: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    target: str = "y"
    goal: float | None = None
    features: tuple[str, ...] = ()
    n_train: int = 0
    steps: list[Step] = field(default_factory=list)
    frames: dict[int, Frame] = field(default_factory=dict)
    slots: dict[int, int] = field(default_factory=dict)
    n_slots: int = 0
    node_rows: dict[int, int | None] = field(default_factory=dict)
    links: dict[int, tuple[int, ...]] = field(default_factory=dict)
    ended: bool = False
    version: int = 0


class TapeReader:
    """Reads one run's events as they come; safe to share between threads."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._folder = store.run_dir(run_id)
        self._lock = threading.Lock()
        self._seq = 0
        self.tape = Tape()
        self._alive: set[int] = set()
        self._complete: frozenset[int] = frozenset()
        self._round = self._n_learned = 0
        self._tried: set[int] = set()
        self._dropped: list[int] = []
        self._unread: set[int] = set()
        self._take: dict[str, Callable[[StoredEvent], None]] = {
            "DataPrepared": self._on_data,
            "RunStarted": self._on_start,
            "RunResumed": lambda e: self._take_back(e.payload["round"], e.payload["round"] + e.payload["inside"]),
            "RoundStarted": self._on_round_start,
            "RowsPicked": lambda e: self._step(e, "picking", rows=tuple(e.payload["rows"])),
            "PhaseEnded": self._on_phase,
            "NodesAdded": self._on_nodes,
            "NodeTried": self._on_try,
            "RoundEnded": self._on_round,
            "Predicted": self._on_predicted,
            "RunEnded": self._on_end,
        }

    def read(self) -> Tape:
        """Read what is new and return the tape, the same object at every call."""
        with self._lock:
            for event in self._store.events(self._run_id, self._seq, kinds=KINDS):
                self._take[event.kind](event)
                self._seq = event.seq
                self.tape.version += 1
            self._read_files()
            return self.tape

    def _step(self, event: StoredEvent, kind: str, **more: Any) -> None:
        added, removed = more.get("added", ()), more.get("removed", ())
        self._alive = (self._alive | set(added)) - set(removed)
        frame = max(self.tape.frames, default=0) if kind != "organizing" else self._round
        numbers = {"n_hidden": len(self._alive), "n_learned": self._n_learned, "frame": frame}
        self.tape.steps.append(Step(kind, self._round, event.at_s, **{**numbers, **more}))

    def _on_data(self, event: StoredEvent) -> None:
        found, tape = event.payload, self.tape
        tape.rows, tape.actual = np.asarray(found["rows"], dtype=int), np.asarray(found["actual"], dtype=float)
        tape.part, tape.dates, tape.target = tuple(found["part"]), tuple(found["date"]), found["target"]

    def _on_start(self, event: StoredEvent) -> None:
        found = event.payload
        self._take_back(-1, -1)  # a run that was resumed before its first checkpoint starts once more
        self.tape.goal, self.tape.features = float(found["goal"]), tuple(found["features"])
        self.tape.n_train = found["n_train"]

    def _take_back(self, complete: int, crammed: int) -> None:
        """Forget what is told once more: what came after round ``complete``, of round ``crammed`` only organizing."""
        tape = self.tape
        told = [s for s in tape.steps if s.round <= crammed and s.kind != "end"]
        tape.steps = [s for s in told if s.round <= complete or s.kind != "organizing"]
        tape.frames = {number: frame for number, frame in tape.frames.items() if number <= complete}
        self._unread &= set(tape.frames)
        self._alive = set()
        for step in tape.steps:
            self._alive = (self._alive | set(step.added)) - set(step.removed)
            if step.round <= complete:
                self._complete = frozenset(self._alive)
        self._n_learned = tape.steps[-1].n_learned if tape.steps else 0
        self._round, tape.ended = max(0, crammed), False

    def _on_round_start(self, event: StoredEvent) -> None:
        self._round, self._n_learned = event.payload["round"], event.payload["n_learned"]
        self._dropped, self._tried = [], set()

    def _on_phase(self, event: StoredEvent) -> None:
        if event.payload["phase"] == Phase.UNDERSTANDING:
            self._step(event, "understanding", about={"outcome": event.payload["outcome"]})

    def _on_nodes(self, event: StoredEvent) -> None:
        nodes, row = tuple(event.payload["nodes"]), event.payload["row"]
        taken = {self.tape.slots[node] for node in self._alive if node in self.tape.slots}
        free = (slot for slot in range(len(taken) + len(nodes)) if slot not in taken)
        for node in nodes:
            self.tape.slots[node] = next(free)
            self.tape.node_rows[node] = row
        self.tape.n_slots = max(self.tape.n_slots, *(self.tape.slots[node] + 1 for node in nodes))
        if row is None:
            self._step(event, "interpreting", added=nodes)
            self._complete = frozenset(self._alive)
        else:
            self._step(event, "cramming", added=nodes, rows=(row,), about={"residual": event.payload["residual"]})

    def _on_try(self, event: StoredEvent) -> None:
        self._tried.add(event.payload["node"])  # each node once a round, twice in the events of a resumed run
        if event.payload["removed"] and event.payload["node"] not in self._dropped:
            self._dropped.append(event.payload["node"])

    def _on_round(self, event: StoredEvent) -> None:
        self._n_learned, self._round = event.payload["n_learned"], event.payload["round"]
        if self._round:
            gone = tuple(node for node in self._dropped if node in self._alive)
            self._step(event, "organizing", removed=gone, about={"tried": len(self._tried)})
        else:
            self.tape.steps = [replace(step, n_learned=self._n_learned) for step in self.tape.steps]
        self._complete = frozenset(self._alive)

    def _on_predicted(self, event: StoredEvent) -> None:
        number = event.payload["round"]
        predicted = np.asarray(event.payload["predicted"], dtype=float)
        self.tape.frames[number] = Frame(predicted, frozenset(event.payload["learned"]))
        self._unread.add(number)

    def _read_files(self) -> None:
        """Add to the frames what lies in the rounds' files, which are written a moment after the events."""
        for number in sorted(self._unread):
            try:
                arrays = load_round(self._folder, number)
            except (OSError, ValueError, KeyError):
                continue  # not there yet, or never, as in a run cut short
            ids = arrays["node_ids"].tolist()
            strongest = np.argsort(-np.abs(arrays["W"]), axis=1, kind="stable")[:, :STRONGEST]
            for node, drivers in zip(ids, strongest.tolist(), strict=True):
                self.tape.links.setdefault(node, tuple(drivers))
            self.tape.frames[number] = replace(
                self.tape.frames[number],
                output=dict(zip(ids, arrays["w_out"].tolist(), strict=True)),
                surface=surface(self._folder, arrays) if len(self.tape.features) == 2 else None,
            )
            self._unread.discard(number)
            self.tape.version += 1

    def _on_end(self, event: StoredEvent) -> None:
        unfinished = tuple(sorted(self._alive - self._complete))
        self._n_learned = event.payload["n_learned"]
        about = {"sentence": event.payload["sentence"], "outcome": event.payload["reason"]}
        self._step(event, "end", removed=unfinished, about=about)
        self.tape.ended = True


def surface(folder: Path, arrays: dict[str, np.ndarray]) -> np.ndarray | None:
    """Return a round's network over the training ranges of its two drivers, shape (GRID, GRID), target's unit."""
    try:
        model = load_model(folder)
        low_high = [model.about["training_ranges"][name] for name in model.features]
    except (RunError, KeyError):
        return None
    first, second = (np.linspace(low, high, GRID) for low, high in low_high)
    points = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
    hidden = np.maximum(model.scaler.x(points) @ arrays["W"].T + arrays["b"], 0)
    values: np.ndarray = model.scaler.y_back(hidden @ arrays["w_out"] + arrays["w_0"])
    return values.reshape(GRID, GRID)


_readers = Kept(TapeReader, most=8)


def tape(home: str | PathLike[str] | None, run_id: str) -> Tape:
    """Return a run's tape as far as the run has come; only what is new is read from the store.

    Raises
    ------
    RunError
        If there is no such run.
    """
    Store(home).status(run_id)
    return _readers.of(home, run_id).read()


def forget(home: str | PathLike[str] | None, run_id: str) -> None:
    """Drop what is kept of a run, such as after deleting it."""
    _readers.forget(home, run_id)
