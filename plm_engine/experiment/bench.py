"""The process of one contender (each of its ranks): ``python -m plm_engine.experiment.bench FOLDER``.

It loads everything once, then waits for ``go-K.json`` files in its folder and answers each with ``done-K.json``, until
there is a file ``quit``.  Waiting is a look at the folder every ten milliseconds, which costs no other contender
anything; all ranks look, and begin together at a first collective.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch

from plm_engine.config import Config
from plm_engine.datasets.prepare import Prepared, prepare
from plm_engine.datasets.samples import load
from plm_engine.errors import UserError
from plm_engine.experiment.plan import TRIAL_LIMIT_S
from plm_engine.lesson import watched
from plm_engine.machine import own_peak_memory
from plm_engine.modes import MODES
from plm_engine.multirank import show_alive, show_done
from plm_engine.parallel.choose import choose_device, device_of_ranks
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.timing import time_step
from plm_engine.processes import die_with_parent, leave
from plm_engine.store.paths import read_json, write_json
from plm_engine.training import Course, one_thread, train

log = logging.getLogger(__name__)
LOOK_S = 0.01


class Bench:
    """Does what it is told, on all ranks of one contender."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rank = int(os.environ.get("RANK", "0"))
        self.ranks: Ranks | None = None
        self._data: tuple[str, Prepared] | None = None

    def serve(self) -> None:
        """Answer until told to quit."""
        k = 0
        while not (self.folder / "quit").exists():
            go = self.folder / f"go-{k}.json"
            if not go.exists():
                time.sleep(LOOK_S)
                continue
            try:
                answer = self._answer(read_json(go))
            except UserError as error:  # found by every rank alike, such as rows that contradict each other
                answer = {"error": str(error)}
            if self.rank == 0:
                write_json(self.folder / f"done-{k}.json", answer)
            k += 1
        if self.ranks is not None:
            self.ranks.close()

    def _answer(self, task: dict[str, Any]) -> dict[str, Any]:
        config = Config.from_mapping(task["config"])
        if MODES[config.mode].ranked and self.ranks is None:
            self.ranks = Ranks(device_of_ranks(config, choose_device(config)))
        if self.ranks is not None:
            self.ranks.gather(torch.zeros(1, device=self.ranks.device))  # begin together
        if task["what"] == "step":
            with one_thread():
                return time_step(config, task["rows"], task["hidden"], task["seconds"])
        return self._train(config)

    def _train(self, config: Config) -> dict[str, Any]:
        data = self._prepared(config)
        course: list[Course] = []
        deadline = time.monotonic() + TRIAL_LIMIT_S
        result = train(
            data.x_train,
            data.y_train,
            config.replace(horizon=data.horizon),
            x_test=data.x_test,
            y_test=data.y_test,
            latest=data.latest_train,
            latest_test=data.latest_test,
            features=data.features,
            target=data.target,
            watched=watched(data),
            on_round=lambda record, at: course.append(at) if not course else None,
            stop=lambda: time.monotonic() > deadline,
        )
        last = result.history[-1]
        communicating, calls = course[0].strategy.communication()
        return {
            "seconds": result.seconds,
            "mae": {"train": last.train_mae, "test": last.test_mae},
            "communicating_s": communicating,
            "collectives": calls,
            "kept_steps": last.kept_steps,
            "n_hidden": last.n_hidden,
            "rounds": last.number,
            "n_train": len(data.y_train),
            "target": data.target,
            "reason": str(result.reason),
            "network_sha256": result.network.sha256(),
            "device": str(course[0].strategy.device),
            "peak_memory_bytes": self._peaks(),
        }

    def _prepared(self, config: Config) -> Prepared:
        """Return the rows; they are the same for every trial of an experiment."""
        name = json.dumps([config.data, config.target, config.drivers, config.split])
        if self._data is None or self._data[0] != name:
            self._data = name, prepare(load(config), config)
        return self._data[1]

    def _peaks(self) -> list[int]:
        """Return every rank's peak of main memory (of GPU memory, on GPUs) in bytes."""
        device = self.ranks.device if self.ranks is not None else torch.device("cpu")
        peak = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else own_peak_memory()
        if self.ranks is None:
            return [peak]
        mine = torch.tensor([float(peak)], dtype=torch.float64, device=device)
        return [int(value) for value in self.ranks.gather(mine).flatten().tolist()]


def main(folder: Path) -> None:
    """Serve, with a sign of life a second where there are several ranks."""
    if "RANK" in os.environ:
        show_alive(folder, int(os.environ["RANK"]))
    Bench(folder).serve()
    if "RANK" in os.environ:
        show_done(folder, int(os.environ["RANK"]))


if __name__ == "__main__":
    die_with_parent()
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.INFO)
    main(Path(sys.argv[1]))
    if "RANK" in os.environ:
        leave(0)
