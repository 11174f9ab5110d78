"""How the time of a step grows with the rows: about linearly, or the chunks are wrong."""

from __future__ import annotations

import math
from typing import Any

from plm_engine.benchmarks.step import Ours
from plm_engine.benchmarks.turns import spread, take_turns
from plm_engine.config import Config
from plm_engine.parallel.timing import synthetic
from plm_engine.training import one_thread

ROWS = (2_000, 20_000, 200_000, 1_000_000)
NODES = 64
COLUMNS = {"rows": "rows", "nodes": "nodes", "step_ms": "step (ms)", "exponent": "exponent since the line above"}


def measure(rows: tuple[int, ...] = ROWS) -> list[dict[str, Any]]:
    """Return one line for each number of rows; time grows as rows ** exponent between two lines."""
    lines: list[dict[str, Any]] = []
    with one_thread():
        contenders = {str(n): Ours(*synthetic(n, NODES, Config())) for n in rows}
        spent = take_turns(contenders, blocks=3)
    for n in rows:
        step = spread(spent[str(n)], 1e-3)["median"]
        before = lines[-1] if lines else None
        exponent = math.log(step / before["step_ms"]) / math.log(n / before["rows"]) if before else None
        lines.append({"rows": n, "nodes": NODES, "step_ms": step, "exponent": exponent})
    return lines
