"""Fixtures for all tests: where the real table and the hostile files are, and a store folder of one's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plm_engine.machine import MACHINE_FILE, probe
from tests.side_by_side import pytest_cmdline_main, pytest_runtest_protocol  # noqa: F401 - hooks of pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")

PROJECT = Path(__file__).resolve().parent.parent
SHARED = PROJECT.parent / "shared"


def _shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{path} is missing, and in CI it never is.")
        pytest.skip(f"{path} is not on this machine: it lies beside the project only where the project is developed.")
    return path


@pytest.fixture(scope="session")
def copper_csv() -> Path:
    """The real copper table."""
    return _shared("data/copper_weekly.csv")


@pytest.fixture(scope="session")
def cases_dir() -> Path:
    """The folder of small hostile files."""
    return _shared("cases")


@pytest.fixture(scope="session")
def machine_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What this machine has, asked once: in each new store a page would have torch loaded to ask for GPUs."""
    folder = tmp_path_factory.mktemp("machine")
    assert probe(folder).gpus is not None
    return folder / MACHINE_FILE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store folder that the program under test uses."""
    folder = tmp_path / "home"
    monkeypatch.setenv("PLM_LAB_HOME", str(folder))
    return folder
