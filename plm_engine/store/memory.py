"""A store that keeps everything in memory: for tests, and for trying things out in one process."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plm_engine.config import Config
from plm_engine.errors import BugError, NoRunError, RunError
from plm_engine.events import Event
from plm_engine.store.contract import RunInfo, Status, StoredEvent, info_from_meta, reopened_values, status_values
from plm_engine.store.paths import checked_run_id
from plm_engine.store.sqlite import checked_labels


class _Record:
    """What is kept of one run."""

    def __init__(self, meta: dict[str, Any]) -> None:
        self.meta = meta
        self.events: list[StoredEvent] = []
        self.labels: dict[str, str] = {}
        self.held = self.has_writer = self.cancel = False


class MemoryStore:
    """Keeps the promises of :class:`plm_engine.store.contract.RunStore` without a disk."""

    def __init__(self, home: Path = Path("/nowhere")) -> None:
        self.home = home
        self._runs: dict[str, _Record] = {}

    def run_dir(self, run_id: str) -> Path:
        """Return where the run's folder would be."""
        return self.home / checked_run_id(run_id)

    def create(self, run_id: str, config: Config, extra: dict[str, Any] | None = None) -> bool:
        """Record a new queued run; return False if the id is taken."""
        if checked_run_id(run_id) in self._runs:
            return False
        meta = {"status": "queued", "created": time.time(), "config": config.to_mapping(), "extra": extra or {}}
        self._runs[run_id] = _Record(meta)
        return True

    @contextmanager
    def hold(self, run_id: str) -> Iterator[None]:
        """Hold the run's lock."""
        record = self._record(run_id)
        if record.held:
            raise RunError(f"Run {run_id} is held by its processes.")
        record.held = True
        try:
            yield
        finally:
            record.held = False

    def writer(self, run_id: str) -> MemoryWriter:
        """Open the run for writing."""
        return MemoryWriter(self._record(run_id), run_id)

    def runs(self) -> list[RunInfo]:
        """Return all runs, newest first."""
        return sorted(map(self.status, self._runs), key=lambda info: (info.created, info.id), reverse=True)

    def status(self, run_id: str) -> RunInfo:
        """Return what is known about a run."""
        record = self._record(run_id)
        waiting = [key for key, r in self._runs.items() if r.held and r.meta["status"] == "queued"]
        return info_from_meta(
            run_id,
            copy.deepcopy(record.meta),
            alive=record.held,
            cancel_requested=record.cancel,
            labels=dict(record.labels),
            position=waiting.index(run_id) + 1 if run_id in waiting else None,
        )

    def events(
        self, run_id: str, after_seq: int = 0, kinds: Iterable[str] | None = None, limit: int | None = None
    ) -> list[StoredEvent]:
        """Return the events after ``after_seq`` in order, of the given kinds, at most ``limit``."""
        wanted = None if kinds is None else set(kinds)
        chosen = [e for e in self._record(run_id).events if e.seq > after_seq and (wanted is None or e.kind in wanted)]
        return copy.deepcopy(chosen if limit is None else chosen[:limit])

    def request_cancel(self, run_id: str) -> None:
        """Ask for the end of an active run."""
        info = self.status(run_id)
        if not info.status.active:
            raise RunError(f"Run {run_id} is {info.status} already, so it cannot be cancelled.")
        self._record(run_id).cancel = True

    def set_labels(self, run_id: str, **labels: str) -> None:
        """Set labels; an empty text removes one."""
        checked_labels(labels)
        record = self._record(run_id)
        record.labels = {key: text for key, text in {**record.labels, **labels}.items() if text}

    def delete(self, run_id: str) -> None:
        """Forget a run; raise :class:`RunError` while it is active."""
        info = self.status(run_id)
        if info.status.active:
            raise RunError(f"Run {run_id} is {info.status}: cancel it before deleting it.")
        del self._runs[run_id]

    def _record(self, run_id: str) -> _Record:
        try:
            return self._runs[checked_run_id(run_id)]
        except KeyError:
            raise NoRunError(f"There is no run {run_id} in {str(self.home)!r}.") from None


class MemoryWriter:
    """Keeps the promises of :class:`plm_engine.store.contract.RunWriter` without a disk."""

    def __init__(self, record: _Record, run_id: str) -> None:
        if record.has_writer:
            raise BugError(f"Run {run_id} has a writer already; a second one was refused.")
        record.has_writer = True
        self._record: _Record | None = record

    def emit(self, event: Event) -> None:
        """Append one event."""
        record = self._open()
        now = time.time()
        started = record.meta.get("started") or now - (record.meta.get("ran_s") or 0.0)
        at_s = max(0.0, now - started)
        payload = _plain(event.to_mapping())
        record.events.append(StoredEvent(len(record.events) + 1, at_s, now, event.kind, payload))

    def set_status(self, status: Status, sentence: str = "") -> None:
        """Record where the run stands."""
        meta = self._open().meta
        meta.update(status_values(meta, status, sentence))

    def reopen(self) -> None:
        """Make an ended run a queued one again."""
        record = self._open()
        record.meta.update(reopened_values(record.meta, record.events[-1].at_s if record.events else 0.0))
        record.cancel = False

    def put_meta(self, **values: Any) -> None:
        """Record plain values under names."""
        if "status" in values:
            raise BugError("The status is recorded with set_status.")
        self._open().meta.update(_plain(values))

    def heartbeat(self) -> None:
        """Record a sign of life."""
        self.put_meta(heartbeat=time.time())

    def flush(self) -> None:
        """Do nothing: everything is visible at once."""

    def close(self) -> None:
        """Let the next writer in."""
        if self._record is not None:
            self._record.has_writer = False
            self._record = None

    def __enter__(self) -> MemoryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> _Record:
        if self._record is None:
            raise BugError("The writer was used after it was closed.")
        return self._record


def _plain(value: Any) -> Any:
    """Return a copy as the disk would give it back: tuples as lists."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
