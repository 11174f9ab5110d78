"""What a store of runs promises: the words of a run's status, what is known about a run, and two protocols.

A run has one record and one log of events.  Exactly one writer at a time appends to them (rank 0 of the training; the
supervisor before its start and after its end); any number of readers look on.  Whether a run still goes is decided by
two things only: the status that was recorded, and whether the run's lock is held.  Active but unlocked is *lost*.

``tests/store`` runs one and the same test case against every implementation.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from plm_engine.config import Config
from plm_engine.errors import BugError

if TYPE_CHECKING:  # the events are many classes, which `list` need not make
    from plm_engine.events import Event


class Status(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"
    LOST = "lost"

    @property
    def active(self) -> bool:
        """Whether the run still has processes: queued or running."""
        return self in (Status.QUEUED, Status.RUNNING)


#: what to tell people where nothing more precise was recorded
STATUS_SENTENCES: dict[Status, str] = {
    Status.QUEUED: "Waits for its turn.",
    Status.RUNNING: "Learns.",
    Status.FINISHED: "Finished.",
    Status.CANCELLED: "Cancelled; all that was learned up to the last complete round is kept.",
    Status.FAILED: "Failed; the log says more.",
    Status.LOST: (
        "Its processes ended without a word (killed, or the machine went down); "
        "all that was learned up to the last complete round is kept."
    ),
}


@dataclass(frozen=True)
class RunInfo:
    """What is known about one run at one moment.

    Attributes
    ----------
    id : str
        12 hex digits.
    status : Status
        As recorded; ``LOST`` if it was recorded active but its lock is free.
    sentence : str
        The status in words, for people.
    created, started, ended, heartbeat : float or None
        Unix seconds; the heartbeat is the training process's last sign of life.
    config : dict
        Plain values that ``Config.from_mapping`` reads.
    extra : dict
        What the launcher recorded: data fingerprint, versions, python, platform, seed.
    summary : dict
        Newest summary of the training (see the worker); empty before the first round's end.
    name : str
        Label a person gave; empty if none.
    labels : dict
        All labels.
    position : int or None
        Place in the queue, 1 = next; None unless queued.
    cancel_requested : bool
        Whether somebody asked for the end and the run still goes.
    user_error : bool
        Whether it failed for a reason that the user can put right.
    resumed : int
        How often it was resumed.
    """

    id: str
    status: Status
    sentence: str
    created: float
    started: float | None = None
    ended: float | None = None
    heartbeat: float | None = None
    config: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    position: int | None = None
    cancel_requested: bool = False
    user_error: bool = False
    resumed: int = 0

    def elapsed_s(self, now: float | None = None) -> float | None:
        """Return the seconds from the start to the end, or to now (lost: to the last heartbeat); None if not begun."""
        if self.started is None:
            return None
        if self.ended is not None:
            end = self.ended
        elif self.status is Status.LOST:
            end = self.heartbeat or self.started
        else:
            end = time.time() if now is None else now
        return max(0.0, end - self.started)


class StoredEvent(NamedTuple):
    """One event as it was stored.

    Attributes
    ----------
    seq : int
        1, 2, 3, ... without gaps within a run.
    at_s : float
        Seconds since the run started, by a clock that never goes back.
    wall : float
        Unix seconds.
    kind : str
        Name of the event's class in ``plm_engine.events``.
    payload : dict
        Its fields as plain values (tuples as lists).
    """

    seq: int
    at_s: float
    wall: float
    kind: str
    payload: dict[str, Any]


class RunWriter(Protocol):
    """The one that writes; it is a ``plm_engine.events.Sink``."""

    def emit(self, event: Event) -> None:
        """Append one event (may be held back for 0.2 s; never beyond a round boundary or the end)."""

    def set_status(self, status: Status, sentence: str = "") -> None:
        """Record where the run stands.  An ended run stays ended; *lost* is never recorded."""

    def reopen(self) -> None:
        """Make an ended run a queued one again, to be resumed: the only way out of an end.

        Seconds go on from the last event, as if there had been no interruption.
        """

    def put_meta(self, **values: Any) -> None:
        """Record plain values under names, such as ``summary``."""

    def heartbeat(self) -> None:
        """Record a sign of life."""

    def flush(self) -> None:
        """Make everything emitted so far visible to readers."""

    def close(self) -> None:
        """Flush and let the next writer in."""


class RunStore(Protocol):
    """All runs under one home folder."""

    def create(self, run_id: str, config: Config, extra: dict[str, Any] | None = None) -> bool:
        """Record a new queued run; return False, and change nothing, if the id is taken."""

    def hold(self, run_id: str) -> AbstractContextManager[Any]:
        """Hold the run's lock: while it is held an active run is alive.  Raise ``RunError`` if another holds it."""

    def writer(self, run_id: str) -> RunWriter:
        """Open the run for writing; raise ``BugError`` while another writer has it."""

    def run_dir(self, run_id: str) -> Path:
        """Return the run's folder; raise ``RunError`` if the id is not of the right form."""

    def runs(self) -> list[RunInfo]:
        """Return all runs, newest first."""

    def status(self, run_id: str) -> RunInfo:
        """Return what is known about a run; raise ``RunError`` if there is none."""

    def events(
        self, run_id: str, after_seq: int = 0, kinds: Iterable[str] | None = None, limit: int | None = None
    ) -> list[StoredEvent]:
        """Return the events after ``after_seq`` in order, of the given kinds, at most ``limit``."""

    def request_cancel(self, run_id: str) -> None:
        """Ask for the end of an active run; raise ``RunError`` if it has ended."""

    def set_labels(self, run_id: str, **labels: str) -> None:
        """Set labels a person edits, such as ``name``; an empty text removes one."""

    def delete(self, run_id: str) -> None:
        """Forget a run and its files; raise ``RunError`` while it is active."""


def info_from_meta(
    run_id: str,
    meta: dict[str, Any],
    *,
    alive: bool,
    cancel_requested: bool,
    labels: dict[str, str],
    position: int | None = None,
) -> RunInfo:
    """Build a :class:`RunInfo` from a run's recorded values: the one place where *lost* is decided."""
    status = Status(meta["status"])
    sentence = meta.get("sentence") or STATUS_SENTENCES[status]
    if status.active and not alive:
        status, sentence = Status.LOST, STATUS_SENTENCES[Status.LOST]
    return RunInfo(
        id=run_id,
        status=status,
        sentence=sentence,
        created=meta["created"],
        started=meta.get("started"),
        ended=meta.get("ended"),
        heartbeat=meta.get("heartbeat"),
        config=meta.get("config") or {},
        extra=meta.get("extra") or {},
        summary=meta.get("summary") or {},
        name=labels.get("name", ""),
        labels=labels,
        position=position if status is Status.QUEUED else None,
        cancel_requested=cancel_requested and status.active,
        user_error=status is Status.FAILED and meta.get("exit_code") == 2,
        resumed=meta.get("resumed") or 0,
    )


def status_values(meta: dict[str, Any], status: Status, sentence: str) -> dict[str, Any]:
    """Return the values to record for a new status.

    Raises
    ------
    BugError
        If the run has ended already, or the status is one that is never recorded.
    """
    old = Status(meta["status"])
    if status is Status.LOST:
        raise BugError("The status 'lost' is found out by readers, never recorded.")
    if not old.active:
        raise BugError(f"The run is {old} already and cannot become {status}.")
    values: dict[str, Any] = {"status": str(status), "sentence": sentence}
    if status is Status.RUNNING and not meta.get("started"):
        values["heartbeat"] = time.time()
        values["started"] = values["heartbeat"] - (meta.get("ran_s") or 0.0)
    if not status.active:
        values["ended"] = time.time()
    return values


def reopened_values(meta: dict[str, Any], last_at_s: float) -> dict[str, Any]:
    """Return the values to record for a run that is to be resumed; ``last_at_s`` is the time of its last event."""
    return {
        "status": str(Status.QUEUED),
        "sentence": "",
        "started": None,
        "ended": None,
        "exit_code": None,
        "ran_s": last_at_s,
        "resumed": (meta.get("resumed") or 0) + 1,
    }
