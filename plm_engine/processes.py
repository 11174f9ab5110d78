"""Processes that must not outlive their run: who dies with whom, and how a whole tree is ended.

On Linux the kernel does the work: a child asks to be killed when its parent dies (``PR_SET_PDEATHSIG``), and the
supervisor asks to inherit orphans (``PR_SET_CHILD_SUBREAPER``), so that no grandchild slips out of sight, also not one
in a session of its own.  Elsewhere a thread watches the parent and descendants are listed again and again; that path
was never run by the project's tests.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import NoReturn

import psutil

LINUX = sys.platform.startswith("linux")
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
#: loaded before any fork: between fork and exec nothing may be imported
_LIBC = ctypes.CDLL(None, use_errno=True) if LINUX else None


def die_with_parent(parent: int | None = None) -> None:
    """Make this process end when its parent ends, whatever ends that.

    Call it first thing in every process of a run.

    Parameters
    ----------
    parent : int or None
        Process id of the parent where it is known; then a parent that died before this call is noticed too.
    """
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if parent is not None and os.getppid() != parent:
            os._exit(1)
        return
    watched = parent or os.getppid()

    def watch() -> None:
        while os.getppid() == watched and psutil.pid_exists(watched):
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def before_exec() -> Callable[[], None] | None:
    """Return a ``preexec_fn`` that ties a child of ours to us; None where the child must watch us itself."""
    if _LIBC is None:
        return None
    us = os.getpid()
    return lambda: die_with_parent(us)


def adopt_orphans() -> None:
    """Become the new parent of every descendant whose parent dies (Linux; elsewhere nothing happens)."""
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants() -> list[psutil.Process]:
    """Return all living processes below this one, except zombies."""
    with contextlib.suppress(psutil.Error):
        return [p for p in psutil.Process().children(recursive=True) if _runs(p)]
    return []


def end_all(worker: subprocess.Popen[bytes], known: Iterable[psutil.Process], grace_s: float) -> None:
    """End a worker and every descendant of ours: terminate, wait ``grace_s`` seconds, kill.

    The worker's own exit status stays with its ``Popen``: psutil must not collect it.
    """
    others = {p for p in (*known, *descendants()) if p.pid != worker.pid}
    for process in (worker, *others):
        with contextlib.suppress(psutil.Error, OSError):
            process.terminate()
    deadline = time.monotonic() + grace_s
    while time.monotonic() < deadline and (worker.poll() is None or any(map(_runs, others))):
        time.sleep(0.02)
    # once more from the start: somebody may have forked while it was being terminated
    for _ in range(3):
        others.update(p for p in descendants() if p.pid != worker.pid)
        left = [p for p in others if _runs(p)]
        if worker.poll() is not None and not left:
            break
        for process in (worker, *left):
            with contextlib.suppress(psutil.Error, OSError):
                process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            worker.wait(0.5)
        psutil.wait_procs(left, timeout=0.5)


def _runs(process: psutil.Process) -> bool:
    """Return whether a process still runs; a zombie, or a new process with an old number, does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def leave(code: int) -> NoReturn:
    """End a rank's process at once, after its output is written.

    With DistributedDataParallel over gloo an interpreter that winds down in the usual way is aborted now and then
    ("terminate called without an active exception": 5 of 12 ends of a small program, torch 2.13), and torchrun then
    takes a finished rank for a failed one.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
