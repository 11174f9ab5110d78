"""The real training process, short of something: ``python -m tests.runs.limited fsize|memory AMOUNT RUN_DIR``.

``fsize``: no file may grow beyond AMOUNT bytes.  ``memory``: AMOUNT bytes more than it takes to begin with.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def main() -> int:
    """Set the limit and train."""
    kind, amount, run_dir = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    import plm_engine.lesson  # noqa: F401 - so that what it takes to begin with is taken
    from plm_engine.worker import run

    if kind == "fsize":
        resource.setrlimit(resource.RLIMIT_FSIZE, (amount, resource.RLIM_INFINITY))
    else:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + amount
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    return run(run_dir)


if __name__ == "__main__":
    sys.exit(main())
