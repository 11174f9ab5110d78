"""How much main memory this process holds, and of it what only it can give back (anonymous) and what lies in files.

The system counts the most of all (``ru_maxrss``) but not of each kind, so on Linux a thread looks ten times a second;
what lasts shorter may be missed.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import threading
import time
from pathlib import Path

LOOK_S = 0.1
STATUS = Path("/proc/self/status")
_NAMES = {"RssAnon": "anonymous", "RssFile": "in_files", "RssShmem": "shared"}
_peaks: dict[str, int] = {}
_looking = threading.Lock()


def held() -> dict[str, int]:
    """Return bytes of each kind, ``anonymous``, ``in_files`` and ``shared``; nothing where the system does not tell."""
    try:
        lines = (line.split() for line in STATUS.read_text().splitlines())
    except OSError:
        return {}
    return {_NAMES[kind]: 1024 * int(words[0]) for name, *words in lines if (kind := name.rstrip(":")) in _NAMES}


def own_peak_memory() -> int:
    """Return the most main memory that this process has held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def watch() -> None:
    """Look from now on, from a thread of its own; calling it again does nothing."""
    if not held() or not _looking.acquire(blocking=False):
        return

    def look() -> None:
        while True:
            _look()
            time.sleep(LOOK_S)

    with contextlib.suppress(RuntimeError):  # too little memory for a thread: the run goes on and says so if it must
        threading.Thread(target=look, name="memory", daemon=True).start()


def anonymous_peak() -> int:
    """Return the most anonymous memory seen since :func:`watch`, in bytes; 0 where nobody has looked."""
    if _looking.locked():
        _look()
    return _peaks.get("anonymous", 0)


def _look() -> None:
    with contextlib.suppress(ValueError):
        for kind, size in held().items():
            _peaks[kind] = max(size, _peaks.get(kind, 0))
