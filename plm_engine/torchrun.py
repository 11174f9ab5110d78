"""torchrun that says in a file which rank failed first: ``python -m plm_engine.torchrun REPORT TORCHRUN_ARGUMENTS``.

The same as ``python -m torch.distributed.run``, which keeps what it knows about a failed rank for its log.  This
process ends with its parent, and its ranks end with it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from plm_engine.processes import die_with_parent
from plm_engine.store.paths import write_json


def main(report: Path, arguments: list[str]) -> int:
    """Run torchrun and return its exit code; a failure of ranks is written to ``report``."""
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.run import main as torchrun

    try:
        torchrun(arguments)
    except ChildFailedError as error:
        ended = [
            {"rank": rank, "pid": failure.pid, "exit_code": failure.exitcode, "at": failure.timestamp}
            for rank, failure in error.failures.items()
        ]
        write_json(report, {"failures": ended, "at": time.time()})
        return 1
    return 0


if __name__ == "__main__":
    die_with_parent()
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
