"""The whole suite runs in several processes (pytest-xdist): many tests wait for a browser or for other processes.

A file's tests stay together in one process, in order, so that they share what the file makes once.  A part of the suite
named on the command line runs in one process, as do ``-n 0`` and ``-p no:xdist``.  Tests marked ``alone``, which judge
how long something takes, wait until no other test runs, and others wait for them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

#: as quick as more of them on two cores, and each holds a server, a browser and torch
PROCESSES = 2


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    option = config.option
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    here = "PYTEST_XDIST_WORKER" not in os.environ and config.pluginmanager.hasplugin("xdist")
    if whole and here and option.numprocesses is None and not option.usepdb:
        option.numprocesses, option.dist, option.loadscopereorder = PROCESSES, "loadfile", False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return (yield)
    folder = Path(item.config._tmp_path_factory.getbasetemp()).parent  # common to the processes of this run
    with turn(folder, alone=item.get_closest_marker("alone") is not None):
        return (yield)


@contextlib.contextmanager
def turn(folder: Path, *, alone: bool) -> Iterator[None]:
    """Hold a share of the machine, or all of it; who waits for all of it lets nobody pass at the gate."""
    with (folder / "gate.lock").open("w") as gate, (folder / "turn.lock").open("w") as mine:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(mine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(mine, fcntl.LOCK_UN)  # a forked process may still have it open
