"""A long run written at once: 500 rounds, up to 200 nodes, 100,000 events; what the pages must stay quick with."""

from typing import Any

import numpy as np

from plm_engine.config import Config
from plm_engine.events import (
    DataPrepared,
    NodesAdded,
    NodeTried,
    PhaseEnded,
    Predicted,
    RoundEnded,
    RoundStarted,
    RowsPicked,
    RunEnded,
    RunStarted,
    StepKept,
)
from plm_engine.store import Status, Store, new_run_id

ROUNDS, ROWS, TRAIN, NODES, EVENTS = 500, 471, 373, 200, 100_000
TIMES = {"understanding": 10.0, "cramming": 5.0, "organizing": 85.0, "total": 100.0}


def write_long_run(store: Store) -> str:
    """Write the run and return its id."""
    generator, run_id = np.random.default_rng(0), new_run_id()
    assert store.create(run_id, Config(data="copper-sample", target="y"), {})
    folder = store.run_dir(run_id) / "rounds"
    folder.mkdir()
    actual = 50_000 + 5_000 * np.sin(np.arange(ROWS) / 9)
    off = generator.normal(0, 6_000, ROWS)
    alive, newest, steps = [1], 1, (EVENTS - 9 * ROUNDS) // ROUNDS
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        part = ("train",) * TRAIN + ("test",) * (ROWS - TRAIN)
        writer.emit(DataPrepared(tuple(range(1, ROWS + 1)), tuple(actual), part))
        writer.emit(
            RunStarted(TRAIN, ROWS - TRAIN, 18, 4_000.0, tuple(f"x{j}" for j in range(1, 19)), "single", 1, "cpu")
        )
        writer.emit(NodesAdded(0, (1,), None))
        for number in range(ROUNDS + 1):
            row = 1 + number % TRAIN
            if number:
                writer.emit(RoundStarted(number, number * TRAIN // ROUNDS, TRAIN))
                writer.emit(RowsPicked(number, (row,), (5_000.0,)))
                for k in range(steps):
                    writer.emit(StepKept(number, "understanding", k, 1 / number, 1e-3, 9_000 / number, len(alive)))
                writer.emit(PhaseEnded(number, "understanding", 0.1, "epoch bound"))
                nodes = tuple(range(newest + 1, newest + 4))
                newest += 3
                writer.emit(NodesAdded(number, nodes, row, 5_000.0, 0.1))
                alive += nodes
                while len(alive) > NODES or (len(alive) > 4 and generator.random() < 0.7):
                    gone = alive.pop(int(generator.integers(1, len(alive))))
                    writer.emit(NodeTried(number, gone, True, len(alive), 1.0))
            residual = off * (1 - number / ROUNDS)
            learned = tuple(int(j) + 1 for j in np.flatnonzero(np.abs(residual[:TRAIN]) <= 4_000))
            largest, size = float(np.abs(residual).max()), len(alive)
            writer.emit(
                RoundEnded(
                    number, len(learned), TRAIN, "goal met", size, size + 3, size, largest, 1.0, 1.0, TIMES, number
                )
            )
            writer.emit(Predicted(number, tuple(actual - residual), learned))
            arrays: dict[str, Any] = {"W": generator.normal(size=(size, 18)), "w_out": generator.normal(size=size)}
            np.savez(folder / f"round_{number:04d}.npz", node_ids=np.array(alive), **arrays)
        writer.put_meta(summary={"n_hidden": len(alive), "rounds": ROUNDS, "goal": 4_000.0, "target": "y"})
        writer.emit(
            RunEnded(
                "goal met", "Every training row is within the learning goal.", ROUNDS, len(alive), TRAIN, TRAIN, TIMES
            )
        )
        writer.set_status(Status.FINISHED, "Every training row is within the learning goal.")
    return run_id
