"""Runs of fake training processes, and a check that nothing of them is left."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.store import RunInfo, Status, Store

FAKE = ("-m", "tests.runs.fake_worker")


class Scene:
    """A store of its own, runs in it, and the processes they have."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder / "home")
        self.data = folder / "data.csv"
        self.data.write_text("x,y\n1,2\n3,4\n")

    def start(self, behaviour: str, **details: Any) -> str:
        command = [sys.executable, *FAKE, behaviour]
        return start(Config(data=str(self.data)), home=self.store.home, command=command, **details)

    def wait(self, run_id: str, *wanted: Status, seconds: float = 20.0) -> RunInfo:
        wanted = wanted or (Status.FINISHED, Status.FAILED, Status.CANCELLED, Status.LOST)
        deadline = time.monotonic() + seconds
        while (info := self.store.status(run_id)).status not in wanted:
            assert time.monotonic() < deadline, f"still {info.status} after {seconds} s; log: {self.log(run_id)}"
            time.sleep(0.02)
        return info

    def wait_for(self, condition: Callable[[], Any], seconds: float = 20.0) -> Any:
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.02)
        return value

    def log(self, run_id: str) -> str:
        return self.store.log_tail(run_id)

    def pids(self, run_id: str) -> list[int]:
        """Wait for the training process and return it and its children."""
        path = self.store.run_dir(run_id) / "pids.json"
        self.wait_for(path.exists)
        return json.loads(path.read_text())

    def supervisor(self, run_id: str) -> psutil.Process:
        found = [p for p in self.processes(run_id) if "plm_engine.detach" in p.cmdline()]
        assert len(found) == 1
        return found[0]

    def processes(self, run_id: str = "") -> list[psutil.Process]:
        """Return every living process that belongs to this scene's runs (or to one of them)."""
        here, found = str(self.store.home / run_id), []
        known = {pid for path in self.store.home.glob("*/pids.json") for pid in json.loads(path.read_text())}
        known |= {int(path.read_text()) for path in self.store.home.glob("*/orphan.txt")}
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.status() != psutil.STATUS_ZOMBIE and (
                    any(word.startswith(here) for word in process.cmdline())
                    or (not run_id and process.pid in known and "sleep(600)" in " ".join(process.cmdline()))
                ):
                    found.append(process)
        return found

    def nothing_is_left(self) -> None:
        self.nothing_is_left_within(5.0)

    def nothing_is_left_within(self, seconds: float) -> None:
        self.wait_for(lambda: not self.processes(), seconds)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    yield scene
    for process in scene.processes():
        with contextlib.suppress(psutil.Error):
            process.kill()
