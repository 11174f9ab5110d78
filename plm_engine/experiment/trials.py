"""The finished trials of an experiment: one JSON line each, appended at once, so that nothing measured is lost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

TRIALS = "trials.jsonl"


def add_trial(run_dir: Path, trial: dict[str, Any]) -> None:
    """Append one finished trial."""
    with (run_dir / TRIALS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(trial) + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_trials(run_dir: Path) -> list[dict[str, Any]]:
    """Return the finished trials; a last line that a crash cut off is left out."""
    try:
        lines = (run_dir / TRIALS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    trials = []
    for line in lines:
        try:
            trials.append(json.loads(line))
        except ValueError:
            continue
    return trials
