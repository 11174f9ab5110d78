"""Locks that a process holds as long as it lives, and that the system frees when it dies.

On Linux and macOS these are ``flock`` locks: one can be handed to a child process with its file descriptor, so that a
run's lock is never free between the launcher and the supervisor.  Elsewhere the ``filelock`` library takes their
place, without handing over; that path is written with care but was never run by the project's tests.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: whether a held lock can be handed to a child process
HANDS_OVER = fcntl is not None


class Busy(Exception):
    """Somebody else holds the lock."""


class Lock:
    """An exclusive lock on a file; held from construction until :meth:`release` or the end of the process.

    Raises
    ------
    Busy
        If it is still held by another after ``wait_s`` seconds.
    """

    def __init__(self, path: Path, wait_s: float = 0.0) -> None:
        self._fd: int | None = None
        self._other: Any = None
        if fcntl is None:
            self._other = _library_lock(path, wait_s)
            return
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._fd = fd
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(fd)
                    raise Busy(str(path)) from None
                time.sleep(0.01)

    @classmethod
    def inherited(cls, fd: int) -> Lock:
        """Take over a lock that the parent process holds through ``fd``."""
        lock = cls.__new__(cls)
        lock._fd, lock._other = fd, None
        os.set_inheritable(fd, False)  # our own children must not keep the lock when we die
        return lock

    @property
    def fd(self) -> int:
        """File descriptor to hand to a child (only where :data:`HANDS_OVER`)."""
        if self._fd is None:
            raise ValueError("This lock is not held, or cannot be handed over on this system.")
        return self._fd

    def close_copy(self) -> None:
        """Close our descriptor without unlocking: the child it was handed to keeps the lock."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def release(self) -> None:
        """Free the lock; harmless when it is free already."""
        if self._other is not None:
            self._other.release()
            self._other = None
        if self._fd is not None and fcntl is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)
            self.close_copy()

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_held(path: Path) -> bool:
    """Return whether some process holds the lock.

    A shared lock is tried, so that many readers who ask at once do not take each other for the holder.
    """
    if fcntl is None:
        try:
            _library_lock(path, 0.0).release()
        except Busy:
            return True
        return False
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _library_lock(path: Path, wait_s: float) -> Any:
    """Acquire with the ``filelock`` library (where there is no ``flock``)."""
    import filelock

    lock = filelock.FileLock(str(path))
    try:
        lock.acquire(timeout=wait_s)
    except filelock.Timeout as error:
        raise Busy(str(path)) from error
    return lock
