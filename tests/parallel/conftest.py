"""Runs ``ranks_program.py`` once for each number of ranks, and hands its report to the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("ranks_program.py")


def torchrun(ranks: int, *words: str, timeout: float = 240, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program on several ranks of this machine."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", *words]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, check=False)


@pytest.fixture(scope="session")
def ranks_report(tmp_path_factory: pytest.TempPathFactory):
    """A function from a number of ranks to the report."""
    reports: dict[int, dict] = {}

    def report(ranks: int) -> dict:
        if ranks not in reports:
            out = tmp_path_factory.mktemp("ranks") / "report.json"
            done = torchrun(ranks, str(PROGRAM), str(out))
            assert done.returncode == 0, done.stderr[-4000:]
            reports[ranks] = json.loads(out.read_text())
        return reports[ranks]

    return report
