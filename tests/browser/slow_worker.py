"""A training process that learns nothing but says what one says, for as long as a test needs: ``SECONDS RUN_DIR``.

It uses the real writer, so that the pages meet a real store that grows.
"""

import json
import math
import sys
import time
from pathlib import Path

from plm_engine.events import (
    DataPrepared,
    NodesAdded,
    PhaseEnded,
    PhaseStarted,
    Predicted,
    RoundEnded,
    RoundStarted,
    RunEnded,
    RunStarted,
    StepKept,
)
from plm_engine.store import Writer

ROWS, TEST_ROWS, ROUND_S, GOAL = 100, 20, 0.5, 4000.0
BASELINES = {"persistence": {"train": 1_000.0, "test": 1_100.0}, "linear regression": {"train": 900.0, "test": 1_200.0}}
CANDIDATE = {"start": "ridge", "predict": "level", "organizing": "on", "goal": 2718.0, "mae": 1234.0, "n_hidden": 7.5}
CHOICE = {
    "sentence": "Chosen inside the training rows: goal 2,718, start ridge, learning the level, organizing on "
    "(validation MAE 1,234 over 80 rows, 4 folds that grow in time).",
    "best": CANDIDATE,
    "candidates": [CANDIDATE],
}
SECONDS = {"understanding": 0.1, "cramming": 0.1, "organizing": 0.3, "total": 0.5}


def main(seconds: float, run_dir: Path) -> None:
    chooses = json.loads((run_dir / "config.json").read_text()).get("goal_auto")
    rows = tuple(range(1, ROWS + 1))
    actual = tuple(50_000 + 5_000 * math.sin(row / 9) for row in rows)
    part = tuple("train" if row <= ROWS - TEST_ROWS else "test" for row in rows)
    n_train, cancelled, number = ROWS - TEST_ROWS, False, 0
    end = time.monotonic() + seconds
    with Writer(run_dir, beat=True) as writer:
        writer.emit(DataPrepared(rows, actual, part))
        writer.emit(RunStarted(n_train, TEST_ROWS, 2, GOAL, ("a", "b"), "single", 1, "cpu"))
        while time.monotonic() < end and not cancelled:
            number += 1
            writer.emit(RoundStarted(number, min(number, n_train), n_train))
            writer.emit(PhaseStarted(number, "understanding"))
            writer.emit(StepKept(number, "understanding", number, 1 / number, 1e-3, 9000 / number, number + 1))
            time.sleep(ROUND_S)
            writer.emit(PhaseEnded(number, "understanding", ROUND_S))
            writer.emit(NodesAdded(number, (number,), 1))
            learned = min(number, n_train)
            writer.emit(Predicted(number, tuple(value + 2_000 / number for value in actual)))
            errors = (9000 / number, 800.0 / number, 900.0 / number)
            writer.emit(RoundEnded(number, learned, n_train, "goal met", 1, 4, number + 1, *errors, SECONDS, number))
            summary = {"n_hidden": number + 1, "rounds": number, "goal": GOAL, "target": "y", "features": ["a", "b"]}
            summary["baselines"] = BASELINES
            summary["n_train"] = n_train
            if chooses and time.monotonic() > end - seconds / 2:
                summary["choice"] = CHOICE
            writer.put_meta(summary={**summary, "mae": {"train": errors[1], "test": errors[2]}})
            cancelled = (run_dir / "cancel").exists()
        writer.emit(
            RunEnded(
                "goal met",
                "Every training row is within the learning goal.",
                number,
                number + 1,
                n_train,
                n_train,
                SECONDS,
            )
        )
    status = "cancelled" if cancelled else "finished"
    (run_dir / "outcome.json").write_text(json.dumps({"status": status, "sentence": f"The slow run is {status}."}))


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]))
