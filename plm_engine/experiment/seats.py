"""A contender's processes, seen from the conductor: started once, told what to do, watched, ended."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from plm_engine.errors import PLMError
from plm_engine.experiment.plan import Contender
from plm_engine.hosts import Hosts
from plm_engine.modes import MODES
from plm_engine.multirank import RankGroup, signal_name
from plm_engine.processes import before_exec
from plm_engine.store.paths import PROJECT, read_json, write_json

POLL_S = 0.02
GRACE_S = 0.5
PROGRAM = "plm_engine.experiment.bench"


class SeatError(PLMError):
    """A contender's processes ended or hang; ``str(error)`` says which and why."""


class Cancelled(Exception):
    """Somebody asked for the end."""


class Seat:
    """The processes of one contender.

    Parameters
    ----------
    contender : Contender
    folder : Path
        Its own; emptied of what an earlier life left.
    """

    def __init__(self, contender: Contender, folder: Path) -> None:
        self.contender, self.folder, self._asked = contender, folder, 0
        folder.mkdir(parents=True, exist_ok=True)
        for old in [path for path in folder.iterdir() if path.is_file()]:
            old.unlink()
        self._group: RankGroup | None = None
        if MODES[contender.mode].ranked:
            self._group = RankGroup(folder, contender.workers, Hosts(), ["-m", PROGRAM, str(folder)])
            self._process = self._group.child
        else:
            self._process = subprocess.Popen(
                [sys.executable, "-m", PROGRAM, str(folder)],
                cwd=PROJECT,
                stdin=subprocess.DEVNULL,
                preexec_fn=before_exec(),
            )

    def ask(self, task: dict[str, Any], cancelled: Callable[[], bool]) -> dict[str, Any]:
        """Have a task done and return the answer.

        Raises
        ------
        SeatError
            If the processes end or hang before there is one.
        Cancelled
            If somebody asks for the end meanwhile.
        """
        answer = self.folder / f"done-{self._asked}.json"
        write_json(self.folder / f"go-{self._asked}.json", task)
        self._asked += 1
        while not answer.exists():
            if cancelled():
                raise Cancelled
            self._check()
            time.sleep(POLL_S)
        return read_json(answer)

    def cpu_seconds(self) -> float:
        """Return the processor time that all processes of this seat have used."""
        total = 0.0
        with contextlib.suppress(psutil.Error):
            top = psutil.Process(self._process.pid)
            for process in (top, *top.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    spent = process.cpu_times()
                    total += spent.user + spent.system
        return total

    def close(self) -> None:
        """End the processes."""
        with contextlib.suppress(OSError):
            (self.folder / "quit").touch()
        if self._process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_S)
        known = []
        with contextlib.suppress(psutil.Error):
            known = psutil.Process(self._process.pid).children(recursive=True)
        if self._process.poll() is None:
            self._process.kill()  # its ranks end with it
            self._process.wait(5.0)
        psutil.wait_procs(known, timeout=2.0)

    def _check(self) -> None:
        code = self._process.poll()
        still = self._group.standing_still() if self._group is not None else ""
        if still:
            raise SeatError(f"{self.contender.title}: {still}")
        if code is None:
            return
        said = self._group.failure(code) if self._group is not None else ""
        how = f"was ended by signal {signal_name(-code)}" if code < 0 else f"ended with code {code}"
        raise SeatError(f"{self.contender.title}: {said or f'its process {how}; the log says more.'}")


def end_everything() -> None:
    """End every process below this one, at the end of an experiment that went wrong."""
    left = [p for p in psutil.Process().children(recursive=True) if p.is_running()]
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(left, timeout=2.0)
