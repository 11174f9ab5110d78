"""The processes of a store's runs, found by the run's folder in their command line."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from plm_engine.store import RunInfo, Store


def processes_of(folder: Path) -> list[psutil.Process]:
    """Return every living process that has a path at or below ``folder`` among its words."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            if any(word == str(folder) or word.startswith(f"{folder}/") for word in process.cmdline()):
                found.append(process)
    return found


def wait_for(condition: Callable[[], Any], seconds: float, what: str) -> Any:
    """Return the condition's first true value; raise ``TimeoutError`` after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(0.02)
    return value


def wait_for_end(store: Store, run_id: str, seconds: float = 180.0) -> RunInfo:
    """Return the run's record once it has ended and no process of it is left."""
    wait_for(lambda: not store.status(run_id).status.active, seconds, f"the end of run {run_id}")
    wait_for(lambda: not processes_of(store.run_dir(run_id)), 15.0, f"the last process of run {run_id}")
    return store.status(run_id)
