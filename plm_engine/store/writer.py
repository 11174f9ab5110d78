"""The one writer of a run's SQLite file.

Events are held back for at most 0.2 s and inserted together by a small thread, which also records the heartbeat: tens
of thousands of events then cost the training next to nothing.  At a round's boundaries and at the end everything is
written before the call returns.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plm_engine.errors import BugError, RunError
from plm_engine.store.contract import Status, reopened_values, status_values
from plm_engine.store.locks import Busy, Lock

if TYPE_CHECKING:  # the events are many classes, which `list` need not make
    from plm_engine.events import Event

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE event(seq INTEGER PRIMARY KEY, at_s REAL NOT NULL, wall REAL NOT NULL, kind TEXT NOT NULL,
                   payload TEXT NOT NULL);
CREATE INDEX event_kind ON event(kind, seq);
"""
DATABASE = "run.db"
HOLD_BACK_S = 0.2
HEARTBEAT_S = 2.0
#: events after which readers must see everything: a round's network is in place
BOUNDARIES = frozenset({"RunStarted", "RoundStarted", "RoundEnded", "Predicted", "RunEnded", "DataPrepared"})


class Writer:
    """Writes a run's status, values and events; it is an event sink.

    Parameters
    ----------
    run_dir : Path
        The run's folder.
    wait_s : float
        How long to wait for the writer before us to close, in seconds.
    beat : bool
        Whether to record a heartbeat every two seconds for as long as the writer is open.

    Raises
    ------
    BugError
        If another writer has the run.
    RunError
        If the file cannot be opened or was written by a newer version.
    """

    def __init__(self, run_dir: Path, *, wait_s: float = 5.0, beat: bool = False) -> None:
        self.run_dir = Path(run_dir)
        try:
            self._lock = Lock(self.run_dir / "writer.lock", wait_s)
        except Busy as error:
            raise BugError(f"Run {self.run_dir.name} has a writer already; a second one was refused.") from error
        except OSError as error:
            raise cannot_write(self.run_dir, error) from error
        self._db_lock = threading.Lock()  # the connection, used by this thread and by the flusher
        self._buffer_lock = threading.Lock()
        self._buffer: list[tuple[float, float, str, str]] = []
        self._failure: RunError | None = None
        self._closing = threading.Event()
        self._beat = beat
        try:
            self._db = open_for_writing(self.run_dir)
            meta = read_meta(self._db)
        except BaseException:
            self._lock.release()
            raise
        self._clock_start(meta.get("started"))
        self._flusher = threading.Thread(target=self._flush_often, name="store-writer", daemon=True)
        self._flusher.start()

    def emit(self, event: Event) -> None:
        """Append one event; visible to readers within 0.2 s, at a round's boundary at once."""
        if self._failure is not None:
            raise self._failure
        self._check_open()
        at_s = self._offset + (time.monotonic() - self._zero)
        row = (at_s, time.time(), event.kind, plain_json(event.to_mapping()))
        with self._buffer_lock:
            self._buffer.append(row)
        if event.kind in BOUNDARIES:
            self.flush()

    def set_status(self, status: Status, sentence: str = "") -> None:
        """Record where the run stands.

        Raises
        ------
        BugError
            If the run has ended already, or ``status`` is ``LOST``.
        """
        self._check_open()
        self.flush()
        with self._db_lock:
            meta = read_meta(self._db)
            values = status_values(meta, status, sentence)
            self._put(values)
        if "started" in values:
            self._clock_start(values["started"])

    def reopen(self) -> None:
        """Make an ended run a queued one again, to be resumed."""
        self._check_open()
        with self._db_lock:
            self._put(reopened_values(read_meta(self._db), self._last_at_s()))

    def put_meta(self, **values: Any) -> None:
        """Record plain values under names; ``status`` goes through :meth:`set_status`."""
        if "status" in values:
            raise BugError("The status is recorded with set_status.")
        self._check_open()
        with self._db_lock:
            self._put(values)

    def heartbeat(self) -> None:
        """Record a sign of life now."""
        self.put_meta(heartbeat=time.time())

    def flush(self) -> None:
        """Insert everything held back.

        Raises
        ------
        RunError
            If the file cannot be written, such as on a full disk.
        """
        with self._db_lock:  # held from taking a batch to writing it, so that batches keep their order
            with self._buffer_lock:
                rows, self._buffer = self._buffer, []
            if not rows:
                return
            try:
                with self._db:
                    self._db.execute("BEGIN IMMEDIATE")
                    self._db.executemany("INSERT INTO event(at_s, wall, kind, payload) VALUES(?, ?, ?, ?)", rows)
            except sqlite3.Error as error:
                with self._buffer_lock:
                    self._buffer = rows + self._buffer
                raise cannot_write(self.run_dir, error) from error

    def close(self) -> None:
        """Flush, close the file and let the next writer in; harmless when closed already."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._flusher.join()
        try:
            self.flush()
        finally:
            self._db.close()
            self._lock.release()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise BugError("The writer was used after it was closed.")

    def _clock_start(self, started: float | None) -> None:
        """Let ``at_s`` count from the run's start; it never goes back, also where the system's clock was set back."""
        self._zero = time.monotonic()
        self._offset = max(self._last_at_s(), time.time() - started if started else 0.0)

    def _last_at_s(self) -> float:
        last = self._db.execute("SELECT at_s FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        return float(last[0]) if last else 0.0

    def _put(self, values: dict[str, Any]) -> None:
        """Insert or replace values; the caller holds the connection."""
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany(
                    "INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                    [(key, plain_json(value)) for key, value in values.items()],
                )
        except sqlite3.Error as error:
            raise cannot_write(self.run_dir, error) from error

    def _flush_often(self) -> None:
        """Flush every 0.2 s and beat every 2 s until closed; a failure is raised by the next :meth:`emit`."""
        next_beat = 0.0
        while not self._closing.wait(HOLD_BACK_S):
            try:
                self.flush()
                if self._beat and time.monotonic() >= next_beat:
                    self.heartbeat()
                    next_beat = time.monotonic() + HEARTBEAT_S
            except RunError as error:
                self._failure = error


def plain_json(value: Any) -> str:
    """Return JSON text; numbers of numpy and torch become plain ones."""
    return json.dumps(value, default=lambda number: number.item())


def create_database(run_dir: Path, values: dict[str, Any]) -> None:
    """Make the file of a new run with its first values."""
    db = sqlite3.connect(run_dir / DATABASE, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.executescript(SCHEMA)
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        db.executemany("INSERT INTO meta VALUES(?, ?)", [(key, plain_json(value)) for key, value in values.items()])
    finally:
        db.close()


def open_for_writing(run_dir: Path) -> sqlite3.Connection:
    """Open a run's file for its one writer, whose lock the caller holds."""
    if not (run_dir / DATABASE).is_file():
        raise RunError(f"There is no run {run_dir.name}.")
    try:
        db = sqlite3.connect(run_dir / DATABASE, isolation_level=None, timeout=10.0, check_same_thread=False)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        check_version(db, run_dir.name)
    except sqlite3.Error as error:
        raise cannot_write(run_dir, error) from error
    return db


def cannot_write(run_dir: Path, error: Exception) -> RunError:
    """Return what to raise where the system refuses to write."""
    return RunError(
        f"The store of run {run_dir.name} cannot be written: {error}; see that the disk has room and that the folder "
        "may be written, then resume the run."
    )


def check_version(db: sqlite3.Connection, run_id: str) -> None:
    """Raise :class:`RunError` if the file was written by a newer version of this program."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise RunError(
            f"Run {run_id} was written by a newer version of this program "
            f"(schema {version}, known up to {SCHEMA_VERSION}): update the program."
        )


def read_meta(db: sqlite3.Connection) -> dict[str, Any]:
    """Return all recorded values."""
    return {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM meta")}
