"""Room on the disk that a run holds for its last words.

Where the disk is full, the training fails; but that it failed and why has to be recorded all the same.  So every run
that goes holds a file of some pages, and gives it up where its end cannot be written.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

RESERVE = "reserve"
#: enough for an outcome, a summary and the pages that SQLite writes twice (write-ahead log, then the file)
RESERVED_BYTES = 192 * 1024


def hold(run_dir: Path) -> None:
    """Hold the room (written, for an empty file of that length would take none)."""
    (run_dir / RESERVE).write_bytes(bytes(RESERVED_BYTES))


def give_up(run_dir: Path) -> bool:
    """Give the room back; returns whether there was any."""
    with contextlib.suppress(OSError):
        (run_dir / RESERVE).unlink()
        return True
    return False
