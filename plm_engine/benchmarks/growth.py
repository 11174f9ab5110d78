"""How the time of a step grows with the rows: about linearly, or the chunks are wrong.

The same step is timed over rows in mapped files: what fits in the system's page cache should not be slower.
"""

from __future__ import annotations

import math
from typing import Any

from plm_engine.benchmarks.step import Ours
from plm_engine.benchmarks.turns import ratio, spread, take_turns
from plm_engine.config import Config
from plm_engine.datasets.rooms import DiskRoom
from plm_engine.parallel.timing import synthetic
from plm_engine.training import one_thread

ROWS = (2_000, 20_000, 200_000, 1_000_000)
NODES, BLOCKS = 64, 5
COLUMNS = {
    "rows": "rows",
    "nodes": "nodes",
    "step_ms": "step (ms)",
    "exponent": "exponent since the line above",
    "disk_ratio": "on the disk (times)",
}


def measure(rows: tuple[int, ...] = ROWS) -> list[dict[str, Any]]:
    """Return one line for each number of rows; time grows as rows ** exponent between two lines."""
    lines: list[dict[str, Any]] = []
    with one_thread():
        contenders = {}
        for n in rows:
            made = synthetic(n, NODES, Config())
            contenders[str(n)] = Ours(*made)
            contenders[f"{n} on disk"] = Ours(*made, room=DiskRoom())
        spent = take_turns(contenders, blocks=BLOCKS)
    for n in rows:
        step = spread(spent[str(n)], 1e-3)["median"]
        before = lines[-1] if lines else None
        exponent = math.log(step / before["step_ms"]) / math.log(n / before["rows"]) if before else None
        slower = ratio(spent, f"{n} on disk", str(n))
        lines.append({"rows": n, "nodes": NODES, "step_ms": step, "exponent": exponent, "disk_ratio": slower})
    return lines
