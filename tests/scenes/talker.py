"""A training process that only talks: ``python -m tests.scenes.talker EVENTS PER_SECOND RUN_DIR``.

It writes as the real one does (the same writer, rounds, kept steps, summary), leaves how many events it wrote in
``written.txt``, and adds a line to ``started.txt``, so that a run that was started twice shows.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from plm_engine.events import RoundEnded, RoundStarted, RunStarted, StepKept
from plm_engine.store import Writer
from plm_engine.store.paths import OUTCOME, write_json
from plm_engine.store.sqlite import CANCEL

ROUND = 100


def main() -> int:
    """Talk until everything is said, or the run is cancelled."""
    count, per_second, run_dir = int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])
    with (run_dir / "started.txt").open("a") as file:
        file.write(f"{os.getpid()}\n")
    written, cancelled = 0, False
    with Writer(run_dir, wait_s=10.0, beat=True) as writer:
        writer.emit(RunStarted(9, 0, 2, 1.0, ("x1", "x2"), "single", 1, "cpu"))
        written, began = 1, time.monotonic()
        while written < count and not cancelled:
            number, inside = divmod(written, ROUND)
            if inside == 1:
                writer.emit(RoundStarted(number, 0, 9))
            elif inside == 0:
                writer.emit(RoundEnded(number, 0, 9, "", 1, 4, 3, 9.5, 3.5, None, {"total": 1.0}, written))
                writer.put_meta(summary={"rounds": number, "n_hidden": 3})
            else:
                writer.emit(StepKept(number, "understanding", written, 0.5, 1e-3, 9.5, 3))
            written += 1
            cancelled = (run_dir / CANCEL).exists()
            time.sleep(max(0.0, began + written / per_second - time.monotonic()))
    (run_dir / "written.txt").write_text(str(written))
    status = "cancelled" if cancelled else "finished"
    write_json(run_dir / OUTCOME, {"status": status, "sentence": f"Said {written} things."})
    return 3 if cancelled else 0


if __name__ == "__main__":
    sys.exit(main())
