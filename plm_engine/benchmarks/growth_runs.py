"""Whole runs on a teacher's rows at several sizes: how far RPLM gets in a budget, how fast, in how much memory.

A fixed script: 16-node teacher, 18 drivers, noise of 10 % of the target's spread, goal of five times the noise (a
linear regression leaves more than 20 % of the rows outside), in each round 5 % of the rows not learned yet, mode auto,
10 minutes.  Each run is a real one: a Parquet file, read, checked, trained by the modes' own processes, every round
kept in the store.

Two peaks are told: of all main memory, and of what does not lie in files (anonymous), which the system cannot take back
and which is what is predicted for rows on the disk.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from plm_engine.benchmarks import teacher
from plm_engine.cli_follow import Progress, follow
from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.limits import SETTINGS
from plm_engine.predict import load_round
from plm_engine.store.contract import RunInfo
from plm_engine.store.paths import new_run_id, write_json
from plm_engine.store.sqlite import Store

ROWS = (2_000, 20_000, 200_000)
BUDGET_MIN = 10.0
PICK = "5%"
#: what makes very many rows at once possible; each option is off by default
OPTIONS: dict[str, Any] = {
    "epochs": 100,
    "cramming_shared": 2,
    "cramming_search": "common",
    "organize_candidates": 40,
    "max_nodes": 300,
}
COLUMNS = {
    "rows": "rows",
    "mode": "mode",
    "rounds": "rounds",
    "n_learned": "learned",
    "n_hidden": "nodes",
    "seconds": "training (s)",
    "wall_s": "with start (s)",
    "ms_per_step": "ms per kept step",
    "exponent": "exponent",
    "where": "rows lie",
    "peak_mib": "peak (MiB)",
    "anonymous_mib": "not in files (MiB)",
    "predicted_mib": "predicted (MiB)",
    "reason": "ended by",
}
ROUND_COLUMNS = {
    "rows": "rows",
    "round": "round",
    "n_learned": "learned",
    "picked": "picked",
    "n_hidden_before": "nodes before",
    "n_hidden_crammed": "crammed",
    "n_hidden": "organized",
    "seconds": "seconds",
    "kept_steps": "kept steps",
    "train_mae": "MAE",
    "largest_residual": "largest error",
}
TELL_S = 10.0


class Told(Progress):
    """Progress as one line every ten seconds, for output that goes into a file."""

    def __init__(self, tell: Callable[[str], Any]) -> None:
        super().__init__()
        self._tell, self._next = tell, 0.0

    def update(self, info: RunInfo, events: list[Any]) -> None:
        """Take the newest state and say it now and then."""
        for event in events:
            self._known.update(event.payload)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + TELL_S
            self._tell(self.line(info))


def measure(
    rows: Iterable[int] = ROWS,
    budget_min: float = BUDGET_MIN,
    *,
    pick: str = PICK,
    mode: str = "auto",
    workers: int = 2,
    max_rounds: int | None = None,
    rows_on_disk: str = "auto",
    tell: Callable[[str], Any] = lambda text: print(text, file=sys.stderr, flush=True),
) -> list[dict[str, Any]]:
    """Return one line for each size; the time of a kept step grows as rows ** exponent between two lines."""
    lines: list[dict[str, Any]] = []
    for n in rows:
        with tempfile.TemporaryDirectory(prefix="plm-growth-") as folder:
            line = _one(Path(folder), n, budget_min, pick, mode, workers, max_rounds, rows_on_disk, tell)
        before = lines[-1] if lines else None
        line["exponent"] = before and _exponent(before, line)
        lines.append(line)
    return lines


def _exponent(before: dict[str, Any], line: dict[str, Any]) -> float | None:
    times = before["ms_per_step"], line["ms_per_step"]
    return math.log(times[1] / times[0]) / math.log(line["rows"] / before["rows"]) if all(times) else None


def _one(
    folder: Path,
    n: int,
    budget_min: float,
    pick: str,
    mode: str,
    workers: int,
    max_rounds: int | None,
    rows_on_disk: str,
    tell: Callable[[str], Any],
) -> dict[str, Any]:
    x, y = teacher.rows(n)
    left = teacher.left_by_regression(x, y)
    teacher.write(folder / "teacher.parquet", x, y)
    del x, y
    one_process = mode in ("single", "batched", "auto")  # auto has threads and helpers without: one copy of the rows
    config = Config(
        data=str(folder / "teacher.parquet"),
        target="y",
        test_rows=0,
        goal=teacher.GOAL,
        pick=pick,  # type: ignore[arg-type]  # a share is turned into one
        max_minutes=budget_min,
        max_rounds=max_rounds,
        rows_on_disk=rows_on_disk,
        mode=mode,
        workers=1 if one_process else workers,
        **OPTIONS,
    )
    home = folder / "runs"
    home.mkdir()
    write_json(home / SETTINGS, {"limits": {"rows": 10 * n, "upload_mb": 10_000, "memory_share": 0.95}})
    tell(f"{n:,} rows, goal {teacher.GOAL:g} spreads of the target; linear regression leaves {left:.1%} of the rows.")
    began = time.monotonic()
    store, run_id = Store(home), new_run_id()
    start(config, home=home, run_id=run_id)
    info = follow(store, run_id, Told(tell))
    return _line(store, info, config, n, left, time.monotonic() - began)


def _line(store: Store, info: RunInfo, config: Config, n: int, left: float, wall_s: float) -> dict[str, Any]:
    summary = info.summary
    rounds: list[dict[str, Any]] = []
    for event in store.events(info.id, 0, ("RoundEnded",)):
        said = event.payload
        picked = load_round(store.run_dir(info.id), said["round"])["picked"]
        before = rounds[-1] if rounds else {"total_s": 0.0, "kept_total": 0}
        total = said["seconds"]["total"]
        rounds.append(
            {
                **{name: said[name] for name in ROUND_COLUMNS if name in said and name != "seconds"},
                "rows": n,
                "seconds": total - before["total_s"],
                "picked": len(picked),
                "kept_steps": said["kept_steps"] - before["kept_total"],
                "total_s": total,
                "kept_total": said["kept_steps"],
                "modules_s": said["seconds"],
            }
        )
    kept, seconds = summary.get("kept_steps") or 0, (summary.get("seconds") or {}).get("total")
    peaks, placed = summary.get("peak_memory_bytes") or [], summary.get("rows_on_disk") or {}
    workers = summary.get("workers") or config.workers
    return {
        "rows": n,
        "left_by_regression": left,
        "mode": summary.get("mode"),
        "workers": workers,
        "rounds": summary.get("rounds"),
        "n_learned": summary.get("n_learned"),
        "n_hidden": summary.get("n_hidden"),
        "seconds": seconds,
        "wall_s": wall_s,
        "kept_steps": kept,
        "ms_per_step": 1000 * seconds / kept if kept and seconds else None,
        "peak_mib": sum(peaks) / 2**20,
        "where": "on disk" if placed.get("on_disk") else "in memory",
        "anonymous_mib": sum(summary.get("peak_anonymous_bytes") or []) / 2**20,
        "predicted_mib": placed.get("needed", 0) / 2**20,
        "reason": summary.get("reason") or str(info.status),
        "sentence": info.sentence,
        "per_round": rounds,
    }
