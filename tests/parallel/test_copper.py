"""Whole runs on the real copper table (goal 4000): the exact modes, and those that agree with single to rounding.

In the latter rounding grows from tuning to tuning (a difference of 1e-10 in one is one of 1e-3 some ten tunings on), so
a whole run may part from single's.  What is asserted is that it never decides otherwise than single would: every tuning
of the run is replayed by one device from the run's own state, and ends with the same number of kept steps, the same
outcome and weights within 1e-9.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parallel.conftest import torchrun

PROGRAM = Path(__file__).with_name("replay_program.py")
BORDERLINE = 1e-8


@pytest.fixture(scope="module")
def single(copper_csv, tmp_path_factory) -> dict:
    """What one process comes to."""
    out = tmp_path_factory.mktemp("single") / "single.json"
    words = [sys.executable, str(PROGRAM), "single", str(out), str(copper_csv), "4000"]
    subprocess.run(words, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, timeout=120)
    return json.loads(out.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("mode", ["row_parallel", "candidate_parallel"])
def test_an_exact_mode_ends_a_copper_run_with_the_bytes_of_single(copper_csv, single, tmp_path, mode, ranks):
    out = tmp_path / "run.json"
    done = torchrun(ranks, str(PROGRAM), mode, str(out), str(copper_csv), "4000")
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(out.read_text())
    assert told["reason"] == "goal met"
    assert (told["sha256"], told["picked"]) == (single["sha256"], single["picked"])


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["ddp", "model_parallel"])
def test_every_tuning_of_a_copper_run_ends_as_one_device_would_end_it(copper_csv, tmp_path, mode):
    out = tmp_path / "replays.json"
    done = torchrun(2, str(PROGRAM), mode, str(out), str(copper_csv), "4000")
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(out.read_text())
    assert told["reason"] == "goal met"
    assert len(told["replays"]) > 50
    for j, replay in enumerate(told["replays"]):
        if replay["margin"] > BORDERLINE:  # else rounding alone may decide
            assert replay["met"][0] == replay["met"][1], (j, replay)
        assert replay["kept"][0] == replay["kept"][1], (j, replay)
        assert replay["outcome"][0] == replay["outcome"][1], (j, replay)
        assert replay["apart"] <= 1e-9, (j, replay)
