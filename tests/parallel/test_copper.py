"""Whole runs on the real copper table (goal 4000): every mode ends with single's bytes, on 2 and 3 ranks.

Every call of a module (understanding, cramming, organizing) is replayed by one device from the run's own state, and
agrees to 1e-9.  So does, in the modes that round differently, every single tuning, with its steps and its outcome,
before ``parallel/confirming.py`` or ``batched.py`` has what matters of it computed again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.parallel.conftest import torchrun

PROGRAM = Path(__file__).with_name("replay_program.py")
APART = 1e-9
RANKED = ("row_parallel", "candidate_parallel", "ddp", "model_parallel")


@pytest.fixture(scope="module")
def alone(copper_csv, tmp_path_factory) -> dict:
    """What one process comes to, in single, which nobody watches, and in batched."""
    out = tmp_path_factory.mktemp("alone") / "runs.json"
    words = [sys.executable, str(PROGRAM), "single,batched", str(out), str(copper_csv), "4000"]
    subprocess.run(words, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, timeout=120)
    return json.loads(out.read_text())


@pytest.fixture(scope="module")
def on_ranks(copper_csv, tmp_path_factory) -> Callable[[int], dict]:
    """What several ranks come to in every mode, in one torchrun for each number of ranks."""

    @cache
    def told(ranks: int) -> dict:
        out = tmp_path_factory.mktemp("ranks") / "runs.json"
        done = torchrun(ranks, str(PROGRAM), ",".join(RANKED), str(out), str(copper_csv), "4000")
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(out.read_text())

    return told


def check(told: dict, single: dict, mode: str) -> None:
    assert told["reason"] == "goal met"
    assert (told["sha256"], told["picked"]) == (single["sha256"], single["picked"])
    calls = told["modules"]
    for call in calls:
        assert call["same"], call
        assert call["apart"] <= APART, call
    counted = {name: sum(call["module"] == name for call in calls) for name in ("understanding", "organizing")}
    # round 0 is interpreting
    assert counted == {"understanding": told["rounds"] - 1, "organizing": told["rounds"] - 1}
    assert any(call["module"] == "cramming" for call in calls)
    assert (len(told["tunings"]) > 50) == (mode in ("batched", "ddp", "model_parallel"))
    for j, tuning in enumerate(told["tunings"]):
        assert tuning["apart"] <= APART, (j, tuning)
        assert tuning["kept"][0] == tuning["kept"][1], (j, tuning)
        assert tuning["outcome"][0] == tuning["outcome"][1], (j, tuning)


@pytest.mark.slow
@pytest.mark.parametrize("mode", RANKED)
@pytest.mark.parametrize("ranks", [2, 3])
def test_a_copper_run_on_several_ranks_agrees_with_single(alone, on_ranks, mode, ranks):
    check(on_ranks(ranks)[mode], alone["single"], mode)


def test_a_batched_copper_run_agrees_with_single(alone):
    check(alone["batched"], alone["single"], "batched")
