"""Several ranks for one run: start torchrun, watch every rank, and say which one failed and why.

torchrun (``python -m torch.distributed.run``) starts and ends the ranks.  What it does not do here, measured: a rank
that is stopped (SIGSTOP) makes the *others* fail with a timeout much later, and are blamed.  So every rank touches a
file of its own each second, from a thread; a file that grows old names the rank that stands still.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from plm_engine.config import Config
from plm_engine.processes import before_exec, end_all
from plm_engine.store.paths import PROJECT, read_json, write_json

log = logging.getLogger(__name__)

ALIVE_S = 1.0
STANDS_STILL_S = 20.0
POLL_S = 0.1
GRACE_S = 0.7
RANKS = "ranks"


def run_ranks(run_dir: Path, config: Config, cancelled: Callable[[], bool]) -> int:
    """Run the worker once on each of ``config.workers`` ranks and return the exit code for the run.

    Rank 0 writes ``outcome.json`` unless it dies; then this process writes it, naming the rank and the cause.
    """
    folder = run_dir / RANKS
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    child = subprocess.Popen(
        torchrun_command(run_dir, config.workers),
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        preexec_fn=before_exec(),
        env={**os.environ, "OMP_NUM_THREADS": "1", "TORCHELASTIC_ERROR_FILE": str(folder / "torchrun.json")},
    )
    sentence = _watch(child, folder, config.workers, cancelled)
    end_all(child, (), GRACE_S)
    outcome = read_json(run_dir / "outcome.json")
    if outcome and not sentence:
        return {"finished": 0, "cancelled": 3}.get(outcome.get("status", ""), 2)
    if cancelled() and not sentence:
        return 3
    sentence = sentence or failed_rank(folder, config.workers)
    write_json(run_dir / "outcome.json", {"status": "failed", "sentence": sentence})
    return 1


def torchrun_command(run_dir: Path, workers: int) -> list[str]:
    """Return the command that starts the ranks; the rendezvous takes a free port of this machine by itself."""
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={workers}"]
    return [*run, "--max-restarts=0", "-m", "plm_engine.worker", str(run_dir)]


def _watch(child: subprocess.Popen[bytes], folder: Path, workers: int, cancelled: Callable[[], bool]) -> str:
    """Wait for the end; returns a sentence if a rank stands still."""
    asked: float | None = None
    while child.poll() is None:
        time.sleep(POLL_S)
        if cancelled() and asked is None:
            asked = time.monotonic()
        still = [rank for rank in range(workers) if age(folder, rank) > STANDS_STILL_S]
        if still and asked is None:
            ranks = ", ".join(map(str, still))
            return (
                f"Rank {ranks} of {workers} gave no sign of life for {STANDS_STILL_S:g} s (stopped, or starved of "
                "processor time) and the run was ended; all that was learned up to the last complete round is kept."
            )
    return ""


def age(folder: Path, rank: int) -> float:
    """Return the seconds since a rank's last sign of life; 0 before its first."""
    try:
        return max(0.0, time.time() - (folder / f"alive-{rank}").stat().st_mtime)
    except OSError:
        return 0.0


def show_alive(run_dir: Path, rank: int) -> None:
    """Touch this rank's file every second from a thread of its own; call it once in every rank."""
    path = run_dir / RANKS / f"alive-{rank}"
    path.write_text(str(os.getpid()))

    def touch() -> None:
        while True:
            time.sleep(ALIVE_S)
            with contextlib.suppress(OSError):
                os.utime(path)

    threading.Thread(target=touch, name="alive", daemon=True).start()


def show_failure(run_dir: Path, rank: int, sentence: str) -> None:
    """Leave word of why this rank failed."""
    write_json(run_dir / RANKS / f"failed-{rank}.json", {"sentence": sentence, "at": time.time()})


def failed_rank(folder: Path, workers: int) -> str:
    """Say which rank failed first and why, from what the ranks and torchrun left behind."""
    kept = "all that was learned up to the last complete round is kept."
    told = [(read_json(folder / f"failed-{rank}.json"), rank) for rank in range(workers)]
    told = sorted(((word, rank) for word, rank in told if word), key=lambda pair: pair[0]["at"])
    killed = _killed(folder)
    if killed is not None:
        rank, code = killed
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"Rank {rank} of {workers} was ended by {name}, and the run with it; {kept}"
    if told:
        word, rank = told[0]
        return f"Rank {rank} of {workers} failed: {word['sentence']}"
    return f"The {workers} ranks ended without saying why; the log says more; {kept}"


def _killed(folder: Path) -> tuple[int, int] | None:
    """Return rank and exit code of the first rank that a signal ended, from torchrun's own error file."""
    try:
        text = (folder / "torchrun.json").read_text()
        message = json.loads(text).get("message", "")
    except (OSError, ValueError):
        return None
    found = re.search(r"rank\s*:\s*(\d+).*?exitcode\s*:\s*(-\d+)", str(message), re.DOTALL)
    return (int(found[1]), int(found[2])) if found else None
