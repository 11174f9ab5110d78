"""A training under a limit on anonymous memory: ``python -m tests.bounded_program FOLDER TABLE always|never MIB``.

RLIMIT_DATA counts private memory that can be written, and not mapped files.  The limit is so many MiB above what the
program takes before it has seen any data.  Prints one JSON object.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path


def main(folder: Path, data: str, where: str, mib: int) -> None:
    """Train one run in ``folder``."""
    import numpy as np
    import pyarrow.parquet
    import scipy.linalg
    import torch

    from plm_engine import machine
    from plm_engine.config import Config
    from plm_engine.events import ListSink
    from plm_engine.lesson import Lesson
    from plm_engine.training import one_thread

    assert pyarrow.parquet is not None
    ones = np.ones((300, 300))  # libraries take their work space when they are first used
    scipy.linalg.lstsq(np.linalg.qr(ones @ ones, mode="r"), ones)
    (torch.from_numpy(ones) @ torch.from_numpy(ones)).sum()
    config = Config(
        data=data,
        target="y",
        test_share=10,
        goal=1.0,
        pick=3,
        max_rounds=1,
        epochs=4,
        regularizing_epochs=2,
        cramming_shared=2,
        cramming_search="common",
        cramming_draws=5,
        organize_candidates=1,
        rows_on_disk=where,
    )
    before = int(next(line for line in machine.STATUS.read_text().splitlines() if line.startswith("VmData")).split()[1])
    most = 1024 * before + mib * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))
    try:
        with one_thread():
            lesson = Lesson(folder, config, None)
            lesson.sink = ListSink()
            result = lesson.learn(lambda: False)
    except (MemoryError, RuntimeError, OSError) as error:
        print(json.dumps({"refused": type(error).__name__, "said": str(error)[:200]}))
        return
    about = {
        "on_disk": lesson.placement.on_disk,
        "needed": lesson.placement.needed,
        "rounds": result.history[-1].number,
    }
    peaks = {"anonymous": machine.anonymous_peak(), "rows_bytes": lesson.placement.rows_bytes}
    print(json.dumps({**about, **peaks, "sha256": result.network.sha256(), "left": [p.name for p in folder.iterdir()]}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
