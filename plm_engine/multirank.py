"""Several ranks for one run: start torchrun, watch every rank, and say which one failed and why.

torchrun starts and ends the ranks.  What it does not do here, measured: a rank that is stopped (SIGSTOP) makes the
*others* fail with a timeout much later, and those are blamed.  So every rank shows a sign of life each second, from a
thread, in a file of its own; a sign that grows old names the rank that stands still.  Ages are taken by this process's
monotonic clock, which stands still while the machine sleeps, so a nap is no stall.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from plm_engine.errors import PeerLostError, UnavailableError
from plm_engine.hosts import Hosts
from plm_engine.machine import anonymous_peak, own_peak_memory
from plm_engine.processes import before_exec, end_all
from plm_engine.store.paths import PROJECT, read_json, write_json

ALIVE_S = 1.0
STANDS_STILL_S = 15.0
#: Python itself and this program's light half have to load first
FIRST_SIGN_S = 60.0
#: after a cancel request the ranks end by themselves at the next decision that they all take part in
CANCEL_S = 10.0
POLL_S = 0.05
GRACE_S = 0.7
RANKS = "ranks"
REPORT = "torchrun.json"
KEPT = "all that was learned up to the last complete round is kept."


def run_ranks(run_dir: Path, workers: int, hosts: Hosts, cancelled: Callable[[], bool]) -> int:
    """Run the worker once on each of ``workers`` ranks and return the exit code for the run.

    Rank 0 writes ``outcome.json``; where another rank or the launcher failed, this process writes it again, naming
    the rank and the cause.
    """
    try:
        hosts.check()
    except UnavailableError as error:
        write_json(run_dir / "outcome.json", {"status": "failed", "sentence": str(error)})
        return 2
    group = RankGroup(run_dir, workers, hosts, ["-m", "plm_engine.worker", str(run_dir)])
    still = group.watch(cancelled)
    code = group.end()
    outcome = read_json(run_dir / "outcome.json")
    if still:
        sentence = still
    elif code == 0 and outcome:
        return {"finished": 0, "cancelled": 3}.get(outcome.get("status", ""), 1)
    elif cancelled():
        return 3
    else:
        sentence = group.failure(code)
        said = group.word(0)
        if not sentence and outcome and said and not said["lost_peer"]:  # rank 0 said it all
            return 2 if said["user_error"] else 1
    write_json(run_dir / "outcome.json", {"status": "failed", "sentence": sentence or group.no_word()})
    return 2 if group.user_error() else 1


class RankGroup:
    """The ranks of one run on this machine, under one torchrun.

    Parameters
    ----------
    run_dir : Path
        Its folder ``ranks`` holds what the ranks and torchrun leave behind.
    workers : int
        Ranks in all, over all hosts.
    hosts : Hosts
        Where they run.
    program : sequence of str
        What each rank runs, as after ``python``.
    """

    def __init__(self, run_dir: Path, workers: int, hosts: Hosts, program: Sequence[str]) -> None:
        self.workers, self.folder = workers, run_dir / RANKS
        self.here = hosts.ranks_here(workers)
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.iterdir():
            old.unlink()
        torchrun = [sys.executable, "-m", "plm_engine.torchrun", str(self.folder / REPORT)]
        self.child = subprocess.Popen(
            # nothing of the ranks is redirected, and torchrun would leave a folder for it behind
            [*torchrun, *hosts.arguments(len(self.here)), "--max-restarts=0", f"--log-dir={os.devnull}", *program],
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            preexec_fn=before_exec(),
            env={**os.environ, "OMP_NUM_THREADS": "1", **hosts.environment()},
        )
        self._began = time.monotonic()
        self._signs: dict[int, tuple[int, float]] = {}

    def watch(self, cancelled: Callable[[], bool]) -> str:
        """Wait for the end; returns a sentence if a rank stands still."""
        asked: float | None = None
        while self.child.poll() is None:
            time.sleep(POLL_S)
            still = self.standing_still()
            if still:
                return still
            if cancelled():
                asked = asked or time.monotonic()
                if time.monotonic() - asked > CANCEL_S:
                    return ""
            elif self._told():
                # torchrun waits long for ranks that are deep in a computation: the cause is known, so end them
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.child.wait(GRACE_S)
                return ""
        return ""

    def end(self) -> int:
        """End whatever is left and return torchrun's exit code (below 0: its signal)."""
        known = self.child.poll()
        end_all(self.child, (), GRACE_S)
        return self.child.returncode if known is None else known

    def standing_still(self) -> str:
        """Return a sentence that names the ranks without a sign of life; empty if there are none."""
        now = time.monotonic()
        still = []
        for rank in self.here:
            if (self.folder / f"done-{rank}").exists():
                continue
            try:
                seen = (self.folder / f"alive-{rank}").stat().st_mtime_ns
            except OSError:
                if now - self._began > FIRST_SIGN_S:
                    return f"Rank {rank} of {self.workers} did not start within {FIRST_SIGN_S:g} s; the log says more."
                continue
            if self._signs.get(rank, (0, 0.0))[0] != seen:
                self._signs[rank] = seen, now
            if now - self._signs[rank][1] > STANDS_STILL_S:
                still.append(rank)
        if not still:
            return ""
        ranks = " and ".join(map(str, still))
        return (
            f"Rank {ranks} of {self.workers} gave no sign of life for {STANDS_STILL_S:g} s (stopped, or starved of "
            f"processor time), so the run was ended; {KEPT}"
        )

    def failure(self, code: int) -> str:
        """Say which rank failed first and why; empty if rank 0 failed by itself and has said so, or nobody knows.

        Parameters
        ----------
        code : int
            torchrun's exit code.
        """
        ended = [f for f in read_json(self.folder / REPORT).get("failures", ()) if f["exit_code"] < 0]
        told = self._told()
        # SIGTERM is what torchrun itself sends to the others
        killed = [f for f in ended if f["exit_code"] != -signal.SIGTERM] or (ended if not told else [])
        if killed:
            first = min(killed, key=lambda failure: failure["at"])
            name = signal_name(-first["exit_code"])
            return f"Rank {first['rank']} of {self.workers} was ended by signal {name}, and the run with it; {KEPT}"
        if told:
            word = min(told, key=lambda word: word["at"])
            if word["rank"] == 0 or word["sentence"] == self.word(0).get("sentence"):
                return ""
            return f"Rank {word['rank']} of {self.workers} failed: {word['sentence']}"
        if code < 0:
            return (
                f"The launcher of the {self.workers} ranks (torchrun) was ended by signal {signal_name(-code)}, "
                f"and all ranks with it; {KEPT}"
            )
        return ""

    def user_error(self) -> bool:
        """Return whether the first rank that failed by itself did so for a reason that the user can put right."""
        told = self._told()
        return bool(told) and bool(min(told, key=lambda word: word["at"])["user_error"])

    def no_word(self) -> str:
        """Return what to say where nobody said anything."""
        lost = [rank for rank in self.here if self.word(rank)]
        others = "the others" if len(self.here) == self.workers else "another machine"
        peers = f"rank {', '.join(map(str, lost))} lost contact with {others}" if lost else "without a word"
        return f"The {self.workers} ranks ended ({peers}); the log says more; {KEPT}"

    def word(self, rank: int) -> dict[str, Any]:
        """Return what a rank said when it failed."""
        return read_json(self.folder / f"failed-{rank}.json")

    def _told(self) -> list[dict[str, Any]]:
        """Return what failed ranks said of themselves, not of lost peers."""
        return [word for rank in self.here if (word := self.word(rank)) and not word["lost_peer"]]


def signal_name(number: int) -> str:
    """Return ``SIGKILL`` for 9."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def show_alive(run_dir: Path, rank: int) -> None:
    """Show a sign of life every second from a thread of its own; call it once in every rank."""
    path = run_dir / RANKS / f"alive-{rank}"
    path.parent.mkdir(exist_ok=True)  # on another host than the run's own
    path.write_text(f"{os.getpid()} 0")

    def show() -> None:
        while True:
            time.sleep(ALIVE_S)
            with contextlib.suppress(OSError):
                path.write_text(f"{os.getpid()} {own_peak_memory()} {anonymous_peak()}")

    threading.Thread(target=show, name="alive", daemon=True).start()


def show_done(run_dir: Path, rank: int) -> None:
    """Say that this rank has nothing left to do; the interpreter's end may be slow and silent."""
    (run_dir / RANKS / f"done-{rank}").touch()


def show_failure(run_dir: Path, rank: int, error: BaseException, sentence: str, *, user_error: bool) -> None:
    """Leave word of why this rank failed."""
    lost = isinstance(error, PeerLostError)
    word = {"rank": rank, "sentence": sentence, "at": time.time(), "lost_peer": lost, "user_error": user_error}
    write_json(run_dir / RANKS / f"failed-{rank}.json", word)


def peak_memory(run_dir: Path, *, anonymous: bool = False) -> list[int]:
    """Return the newest peak of every rank of this host in bytes, in rank order; one number without ranks.

    All of it, or what does not lie in files (0 where that is not known).
    """
    found: dict[int, int] = {}
    for path in (run_dir / RANKS).glob("alive-*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            found[int(path.name.split("-")[1])] = int(path.read_text().split()[1 + anonymous])
    own = int(os.environ.get("RANK", "0"))
    found[own] = anonymous_peak() if anonymous else own_peak_memory()
    return [found[rank] for rank in sorted(found)]
