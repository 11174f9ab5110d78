"""The store on disk: one folder and one SQLite file per run.

Readers open ``run.db`` read-only for one call and keep no transaction, because an idle reader lets the write-ahead log
grow without bound.  One writer at a time is a must: SQLite 3.7.0 to 3.51.2 can damage a file in WAL mode when two
connections write or checkpoint at the same moment.  So what people edit (labels) and ask for (cancel) lies in small
files of its own.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from plm_engine.config import Config
from plm_engine.errors import NoRunError, RunError
from plm_engine.store import reserve
from plm_engine.store.contract import RunInfo, Status, StoredEvent, info_from_meta
from plm_engine.store.locks import Busy, Lock, is_held
from plm_engine.store.paths import RUN_ID, checked_run_id, home_dir, new_run_id, read_json, write_json
from plm_engine.store.queueing import Queue
from plm_engine.store.writer import DATABASE, Writer, check_version, create_database, read_meta

__all__ = ["CANCEL", "Store", "Writer", "home_dir", "new_run_id"]

CANCEL = "cancel"
LABELS = "labels.json"
LONGEST_LABEL = 200
T = TypeVar("T")
#: values of ended runs, by folder: a page with hundreds of them would open hundreds of files every two seconds
KEPT_IN_MEMORY = 2_000
_ended: dict[Path, tuple[tuple[Any, ...], dict[str, Any]]] = {}


class Store:
    """All runs under one home folder.

    Parameters
    ----------
    home : path or None
        The folder; see :func:`plm_engine.store.paths.home_dir` for what holds when it is not given.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        self.home = home_dir(home)
        self.queue = Queue(self.home)

    def run_dir(self, run_id: str) -> Path:
        """Return the run's folder, whether it exists or not."""
        return self.home / checked_run_id(run_id)

    def create(self, run_id: str, config: Config, extra: dict[str, Any] | None = None) -> bool:
        """Record a new queued run; return False, and change nothing, if the id is taken."""
        lock = self.create_held(run_id, config, extra)
        if lock is None:
            return False
        lock.release()
        return True

    def create_held(self, run_id: str, config: Config, extra: dict[str, Any] | None = None) -> Lock | None:
        """Like :meth:`create`, but return the run's lock, held from before the run is visible; None if taken.

        The folder is filled under another name and renamed: rename refuses a folder that is there and not empty, so
        of two starters one wins, and no reader ever sees half a run.
        """
        final = self.run_dir(run_id)
        if final.exists():
            return None
        lock = None
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            building = Path(tempfile.mkdtemp(dir=self.home, prefix=".new-"))
            try:
                lock = Lock(building / "lock")
                write_json(building / "config.json", config.to_mapping())
                values = {"status": "queued", "created": time.time(), "config": config.to_mapping()}
                reserve.hold(building)
                create_database(building, {**values, "extra": extra or {}})
                os.rename(building, final)
            except BaseException:
                shutil.rmtree(building, ignore_errors=True)
                if lock is not None:
                    lock.release()
                if final.exists():
                    return None
                raise
        except (OSError, sqlite3.Error) as error:
            raise RunError(f"The run cannot be stored in {str(self.home)!r}: {_reason(error)}.") from error
        return lock

    def hold(self, run_id: str) -> Lock:
        """Hold the run's lock (a context manager); raise :class:`RunError` if another process holds it."""
        try:
            # readers who look whether the lock is held take it for a moment: wait that long
            return Lock(self._existing(run_id) / "lock", wait_s=1.0)
        except Busy:
            raise RunError(f"Run {run_id} is held by its processes.") from None
        except OSError as error:
            raise self._not_written(error) from error

    def writer(self, run_id: str) -> Writer:
        """Open the run for writing."""
        return Writer(self._existing(run_id), wait_s=0.0)

    def runs(self) -> list[RunInfo]:
        """Return all runs, newest first; folders without a readable run are left out."""
        if not self.home.is_dir():
            return []
        positions = self.queue.positions()
        found = []
        for path in self.home.iterdir():
            if RUN_ID.fullmatch(path.name) and (path / DATABASE).is_file():
                try:
                    found.append(self._info(path.name, positions))
                except RunError:
                    continue  # damaged or deleted meanwhile: it must not hide the others
        return sorted(found, key=lambda info: (info.created, info.id), reverse=True)

    def damaged(self) -> list[str]:
        """Return the ids of the runs whose store is gone or cannot be read, which :meth:`runs` leaves out."""
        found = []
        for path in sorted(self.home.iterdir()) if self.home.is_dir() else ():
            if RUN_ID.fullmatch(path.name):
                try:
                    self._meta(path.name, path)
                except RunError:
                    if path.is_dir():  # else it was deleted meanwhile
                        found.append(path.name)
        return found

    def status(self, run_id: str) -> RunInfo:
        """Return what is known about a run."""
        info = self._info(run_id, {})
        return self._info(run_id, self.queue.positions()) if info.status is Status.QUEUED else info

    def find(self, text: str) -> str:
        """Return the id of the one run whose id begins with ``text`` (at least 4 characters)."""
        if RUN_ID.fullmatch(text):
            self._existing(text)
            return text
        known = [p.name for p in self.home.iterdir() if RUN_ID.fullmatch(p.name)] if self.home.is_dir() else []
        matches = [name for name in known if len(text) >= 4 and name.startswith(text)]
        if len(matches) != 1:
            which = "more than one run whose id begins" if matches else "no run whose id is or begins"
            raise RunError(f"There is {which} with {text[:40]!r} in {str(self.home)!r}: 'list' shows the ids.")
        return matches[0]

    def events(
        self, run_id: str, after_seq: int = 0, kinds: Iterable[str] | None = None, limit: int | None = None
    ) -> list[StoredEvent]:
        """Return the events after ``after_seq`` in order, of the given kinds, at most ``limit``."""
        wanted = None if kinds is None else tuple(kinds)
        sql, values = "SELECT seq, at_s, wall, kind, payload FROM event WHERE seq > ?", [after_seq, *(wanted or ())]
        if wanted is not None:
            sql += f" AND kind IN ({', '.join('?' * len(wanted))})"
        sql += " ORDER BY seq LIMIT ?"
        rows = self._read(run_id, lambda db: db.execute(sql, [*values, -1 if limit is None else limit]).fetchall())
        payloads = json.loads(f"[{','.join(row[4] for row in rows)}]")  # at once: twice as fast as one by one
        return [StoredEvent(*row[:4], said) for row, said in zip(rows, payloads, strict=True)]  # type: ignore[call-arg]

    def request_cancel(self, run_id: str) -> None:
        """Ask for the end of an active run; the supervisor sees the flag file within a tenth of a second."""
        info = self.status(run_id)
        if not info.status.active:
            raise RunError(f"Run {run_id} is {info.status} already, so it cannot be cancelled.")
        try:
            (self.run_dir(run_id) / CANCEL).touch()
        except OSError as error:
            raise self._not_written(error) from error

    def cancel_requested(self, run_id: str) -> bool:
        """Return whether somebody asked for the run's end."""
        return (self.run_dir(run_id) / CANCEL).exists()

    def labels(self, run_id: str) -> dict[str, str]:
        """Return the labels people gave the run."""
        return {str(k): str(v) for k, v in read_json(self._existing(run_id) / LABELS).items()}

    def set_labels(self, run_id: str, **labels: str) -> None:
        """Set labels such as ``name``; an empty text removes one."""
        checked_labels(labels)
        merged = {**self.labels(run_id), **labels}
        try:
            write_json(self.run_dir(run_id) / LABELS, {key: text for key, text in merged.items() if text})
        except OSError as error:
            raise self._not_written(error) from error

    def delete(self, run_id: str) -> None:
        """Delete a run and its files; raise :class:`RunError` while it is active."""
        info = self.status(run_id)
        if info.status.active:
            raise RunError(f"Run {run_id} is {info.status}: cancel it before deleting it.")
        gone = self.home / f".deleted-{run_id}-{new_run_id()}"
        try:
            os.rename(self.run_dir(run_id), gone)  # at once for readers, however long the files take
            shutil.rmtree(gone)
        except OSError as error:
            raise RunError(f"Run {run_id} cannot be deleted: {_reason(error)}.") from error

    def log_tail(self, run_id: str, n_bytes: int = 20_000) -> str:
        """Return the end of the run's log."""
        path = self._existing(run_id) / "log.txt"
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - n_bytes))
            return file.read().decode("utf-8", "replace")

    def _not_written(self, error: OSError) -> RunError:
        return RunError(f"Nothing can be written in {str(self.home)!r}: {_reason(error)}.")

    def _existing(self, run_id: str) -> Path:
        path = self.run_dir(run_id)
        if not (path / DATABASE).is_file():
            raise NoRunError(f"There is no run {run_id} in {str(self.home)!r}.")
        return path

    def _info(self, run_id: str, positions: dict[str, int]) -> RunInfo:
        """Read a run's values, then its lock; once more if it ended in between, which would look like *lost*."""
        path = self._existing(run_id)
        labels = self.labels(run_id)
        for _ in range(2):
            meta = self._meta(run_id, path)
            alive = Status(meta["status"]).active and is_held(path / "lock")
            info = info_from_meta(
                run_id,
                meta,
                alive=alive,
                cancel_requested=(path / CANCEL).exists(),
                labels=labels,
                position=positions.get(run_id),
            )
            if info.status is not Status.LOST:
                break
        return info

    def _meta(self, run_id: str, path: Path) -> dict[str, Any]:
        """Read a run's values; those of an ended run are kept in memory until its files change."""
        stamp = _stamp(path)
        kept = _ended.get(path)
        if kept is not None and kept[0] == stamp:
            return copy.deepcopy(kept[1])
        meta = self._read(run_id, read_meta)
        if not Status(meta["status"]).active:
            if len(_ended) >= KEPT_IN_MEMORY:
                _ended.clear()
            _ended[path] = (stamp, copy.deepcopy(meta))
        return meta

    def _read(self, run_id: str, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run one query on a read-only connection that lives as long as the call."""
        path = self._existing(run_id) / DATABASE
        # in a folder that cannot be written SQLite reads a closed file only when told that nobody changes it
        alone = not os.access(path.parent, os.W_OK) and not path.with_name(f"{DATABASE}-wal").exists()
        try:
            address = f"{path.as_uri()}?mode=ro" + ("&immutable=1" if alone else "")
            db = sqlite3.connect(address, uri=True, timeout=5.0, isolation_level=None)
            try:
                check_version(db, run_id)
                return query(db)
            finally:
                db.close()
        except (sqlite3.Error, ValueError, KeyError) as error:
            raise RunError(f"The store of run {run_id} cannot be read: {error}.") from error


def _reason(error: Exception) -> str:
    """Return what the system says, without the name of a file that people never see."""
    return getattr(error, "strerror", None) or str(error)


def _stamp(path: Path) -> tuple[Any, ...]:
    """Return what changes whenever a run's file or its write-ahead log does."""
    found: list[Any] = []
    for name in (DATABASE, f"{DATABASE}-wal"):
        try:
            state = (path / name).stat()
            found += [state.st_ino, state.st_mtime_ns, state.st_size]
        except OSError:
            found.append(None)
    return tuple(found)


def checked_labels(labels: dict[str, str]) -> None:
    """Raise :class:`RunError` if a label is not a text of at most 200 characters."""
    for key, text in labels.items():
        if not isinstance(text, str) or len(text) > LONGEST_LABEL:
            raise RunError(f"The run's {key} must be a text of at most {LONGEST_LABEL} characters.")
