"""A run written by hand for the replay's tests: three nodes are crammed in round 1, two of them vanish in round 2."""

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

GOAL = 2.0
DATES = ("2015-02-23", "2015-03-02", "2015-03-09", "2015-03-16")
TIMES = {"cramming": 0.1}


def write_story(store: Store, *, ended: bool = True) -> str:
    """Write the run with the real writer and return its id; not ended, it stays in round 2."""
    run_id = new_run_id()
    assert store.create(run_id, Config(data="copper-sample", target="y"), {})
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        writer.emit(DataPrepared((1, 2, 3, 4), (10.0, 20.0, 30.0, 40.0), ("train",) * 3 + ("test",), DATES))
        writer.emit(RunStarted(3, 1, 2, GOAL, ("a", "b"), "single", 1, "cpu"))
        writer.emit(NodesAdded(0, (1,), None))
        writer.emit(RoundEnded(0, 1, 3, "", 0, 1, 1, 6.0, 3.8, 0.0, TIMES, 0))
        writer.emit(Predicted(0, (10.5, 15.0, 36.0, 40.0), (1,)))
        writer.emit(RoundStarted(1, 1, 3))
        writer.emit(RowsPicked(1, (2,), (5.0,)))
        for kept, loss in ((1, 0.5), (2, 0.4)):
            writer.emit(StepKept(1, "understanding", kept, loss, 0.001, 6.0, 1))
        writer.emit(PhaseEnded(1, "understanding", 0.1, "epoch bound"))
        writer.emit(NodesAdded(1, (2, 3, 4), 2, 5.0, 0.1))
        writer.emit(NodeTried(1, 1, False, 4, -1.0))
        writer.emit(Predicted(1, (10.5, 19.0, 36.0, 41.0), (1, 2)))
        writer.emit(RoundEnded(1, 2, 3, "epoch bound", 1, 4, 4, 6.0, 2.5, 1.0, TIMES, 1))
        writer.emit(RoundStarted(2, 2, 3))
        writer.emit(RowsPicked(2, (3,), (-6.0,)))
        if not ended:
            return run_id
        writer.emit(PhaseEnded(2, "understanding", 0.1, "goal met"))
        writer.emit(NodeTried(2, 2, True, 3, 0.1))
        writer.emit(NodeTried(2, 4, True, 2, 0.1))
        writer.emit(Predicted(2, (10.5, 19.0, 31.0, 41.0), (1, 2, 3)))
        writer.emit(RoundEnded(2, 3, 3, "goal met", 4, 4, 2, 1.0, 0.8, 1.0, TIMES, 2))
        writer.emit(RunEnded("goal met", "Every training row is within the learning goal.", 2, 2, 3, 3, TIMES))
        writer.set_status(Status.FINISHED, "Every training row is within the learning goal.")
    folder = store.run_dir(run_id) / "rounds"
    folder.mkdir()
    for number, ids in ((0, [1]), (1, [1, 2, 3, 4]), (2, [1, 3])):
        size = len(ids)
        arrays: dict[str, Any] = {
            "W": np.eye(size, 2),
            "b": np.zeros(size),
            "w_out": np.arange(1.0, size + 1),
            "w_0": np.zeros(()),
        }
        np.savez(folder / f"round_{number:04d}.npz", node_ids=np.array(ids), **arrays)
    return run_id
