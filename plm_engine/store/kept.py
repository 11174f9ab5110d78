"""Readers of runs that a process keeps, so that each call reads only what is new; the one longest unused is dropped."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from os import PathLike
from typing import Generic, TypeVar

from plm_engine.store.paths import checked_run_id
from plm_engine.store.sqlite import Store

R = TypeVar("R")


class Kept(Generic[R]):
    """One reader per run, for all callers in a process.

    Parameters
    ----------
    make : callable
        (store, run id) -> a new reader.
    most : int
        Readers kept.
    """

    def __init__(self, make: Callable[[Store, str], R], most: int) -> None:
        self._make, self._most = make, most
        self._readers: OrderedDict[tuple[str, str], R] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, home: str | PathLike[str] | None, run_id: str) -> R:
        """Return the run's reader."""
        store = Store(home)
        key = (str(store.home), checked_run_id(run_id))
        with self._lock:
            reader = self._readers[key] if key in self._readers else self._make(store, run_id)
            self._readers[key] = reader
            self._readers.move_to_end(key)
            while len(self._readers) > self._most:
                self._readers.popitem(last=False)
        return reader

    def forget(self, home: str | PathLike[str] | None, run_id: str) -> None:
        """Drop what is kept of a run, such as after deleting it."""
        with self._lock:
            self._readers.pop((str(Store(home).home), run_id), None)
