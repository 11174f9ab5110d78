"""Ranks that are started once and then train whatever they are handed, for fuzzing the modes with several processes.

``RankPool`` (in the test's process) starts torchrun on this file; every rank connects to it and answers each task, one
JSON object a line.  ``answer`` is what a rank does with a task, and what the test does with one for a single process.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from plm_engine import Config, train
from plm_engine.errors import UserError

#: longer than any task may take by far: a rank that does not answer in time hangs
PATIENCE_S = 120.0


def answer(x: np.ndarray, y: np.ndarray, goal: float, options: dict[str, Any]) -> dict[str, Any]:
    """Train, and tell what came of it in plain numbers and words."""
    try:
        result = train(x, y, Config(goal=goal, **options))
    except UserError as error:
        return {"refusal": str(error)}
    return {
        "reason": str(result.reason),
        "sentence": result.sentence,
        "learned": [record.n_learned for record in result.history],
        "picked": [[int(n) for n in record.picked] for record in result.history],
        "measured": [[record.largest_residual, record.train_mae] for record in result.history],
        "predicted": result.predict(x).tolist(),
        "sha256": result.network.sha256(),
    }


class RankPool:
    """Some ranks of this machine (gloo), waiting for tasks."""

    def __init__(self, ranks: int = 2) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(PATIENCE_S)
        words = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", "-m", "tests.rank_pool"]
        project = str(Path(__file__).resolve().parents[1])
        self._torchrun = subprocess.Popen(
            [sys.executable, *words, str(listener.getsockname()[1])],
            cwd=project,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": project},
            start_new_session=True,
        )
        self._files = []
        with listener:
            for _ in range(ranks):
                connection, _ = listener.accept()
                connection.settimeout(PATIENCE_S)
                self._files.append(connection.makefile("rw"))
        self.ranks = ranks

    def answer(self, x: np.ndarray, y: np.ndarray, goal: float, options: dict[str, Any]) -> dict[str, Any]:
        """Let all ranks train together; returns their common answer."""
        task = {"x": x.tolist(), "y": y.tolist(), "goal": goal, "options": {**options, "workers": self.ranks}}
        for file in self._files:
            file.write(json.dumps(task) + "\n")
            file.flush()
        answers = [json.loads(file.readline()) for file in self._files]
        crashes = [given["crash"] for given in answers if "crash" in given]
        assert not crashes, crashes[0]
        assert all(given == answers[0] for given in answers)
        return answers[0]

    def close(self) -> None:
        """End the ranks; those that hang are killed with torchrun's whole session."""
        for file in self._files:
            file.close()
        try:
            self._torchrun.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._torchrun.pid, signal.SIGKILL)
            self._torchrun.wait(10)


def serve(port: int) -> None:
    """Be a rank: answer one task after the other until the connection ends."""
    import torch
    import torch.distributed as dist

    from plm_engine.processes import die_with_parent, leave

    die_with_parent()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rw") as file:
        for line in file:
            task = json.loads(line)
            try:
                given = answer(np.array(task["x"]), np.array(task["y"]), task["goal"], task["options"])
            except Exception:
                given = {"crash": traceback.format_exc()}
            file.write(json.dumps(given) + "\n")
            file.flush()
    leave(0)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
