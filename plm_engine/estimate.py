"""What a training is expected to take, asked of a short one in a process of its own (torch stays out of this one)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from plm_engine.config import Config
from plm_engine.errors import DataError, RunError
from plm_engine.processes import before_exec
from plm_engine.store.paths import PROJECT, home_dir

#: loading torch and the table on a busy machine
PATIENCE_S = 90.0


@dataclass(frozen=True)
class Estimate:
    """What a training is expected to take.

    Attributes
    ----------
    seconds_low, seconds_high : float
        Range of its duration; equal if the probe came to the end.
    nodes : int
        Hidden nodes at the end.
    memory_bytes : int
        Peak over all its processes.
    sentence : str
        All of it in words.
    """

    seconds_low: float
    seconds_high: float
    nodes: int
    memory_bytes: int
    sentence: str


def ask(config: Config, seconds: float = 4.0, *, home: str | os.PathLike[str] | None = None) -> Estimate:
    """Return the estimate after about ``seconds`` of training and the time it takes to load everything.

    ``home`` is the store's folder, whose limits hold.

    Raises
    ------
    DataError
        If the training would be refused; the sentence is the one that it would end with.
    RunError
        If no answer came.
    """
    words = [sys.executable, "-m", "plm_engine.estimate_probe", json.dumps(config.to_mapping()), str(seconds)]
    words.append(str(home_dir(home)))
    try:
        done = subprocess.run(
            words,
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds + PATIENCE_S,
            preexec_fn=before_exec(),
            check=False,
        )
        answer = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise RunError(
            f"The duration cannot be estimated ({type(error).__name__}); training is possible all the same."
        ) from error
    if "error" in answer:
        raise DataError(str(answer["error"]))
    return Estimate(**answer)
