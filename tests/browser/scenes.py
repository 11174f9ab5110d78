"""What goes on while somebody looks at pages: runs, studies and experiments that begin, end well and end early."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.store import Store
from tests.browser.conftest import PROJECT

TARGET = "harvest_t_per_ha"
TABLE = ("--data", "two-drivers", "--target", TARGET, "--goal-percent", "15", "--pick", "5")
RUN, REPLAY, SPEEDUP, STUDY = "/train?run={0}", "/replay?run={0}", "/speedup?run={0}", "/compare?run={0}"


@dataclass(frozen=True)
class Scene:
    """Something that goes on.

    Attributes
    ----------
    pages : tuple of str
        Addresses where it is seen; ``{0}``, ``{1}`` stand for the runs.
    begin : callable
        Begins it in a store and returns the runs' ids.
    meanwhile : callable or None
        What is done a little later; may add runs.
    """

    pages: tuple[str, ...]
    begin: Callable[[Store], list[str]]
    meanwhile: Callable[[Store, list[str]], None] | None = None


def training(store: Store, **more: Any) -> list[str]:
    """Start a real training in the background."""
    config = Config(**{"data": "two-drivers", "target": TARGET, "goal_percent": 10, "pick": 2, **more})
    return [start(config, home=store.home, name="Steady")]


def pretended(store: Store, *command: str, **more: Any) -> list[str]:
    """Start a run whose process is this command instead of a training."""
    config = Config(data="copper-sample", target="y", **more)
    return [start(config, home=store.home, name="Pretended", command=[sys.executable, *command])]


def slow(store: Store, seconds: float, **more: Any) -> list[str]:
    """Start a run that says something every half second."""
    return pretended(store, "-m", "tests.browser.slow_worker", str(seconds), **more)


def command_line(*arguments: str) -> Callable[[Store], list[str]]:
    """Return what starts a job of the command line."""

    def begin(store: Store) -> list[str]:
        before = {run.id for run in store.runs()}
        command = [sys.executable, "-m", "plm_engine", *arguments, "--home", str(store.home)]
        subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.DEVNULL)  # ends with the run, which is waited for
        while not (new := [run.id for run in store.runs() if run.id not in before]):
            time.sleep(0.05)
        return new[:1]

    return begin


def going_on(store: Store) -> list[str]:
    """Train, then go on with more rows and train anew beside it."""
    whole = pd.read_csv(PROJECT / "data" / "two_drivers.csv")
    for name, rows in (("before", len(whole) - 20), ("after", len(whole))):
        whole.iloc[:rows].to_csv(store.home / f"{name}.csv", index=False)
    (first,) = training(store, data=str(store.home / "before.csv"), goal_percent=15, pick=5, max_rounds=4)
    while store.status(first).status.active:
        time.sleep(0.2)
    longer = str(store.home / "after.csv")
    return command_line("train", "--continue", first, "--data", longer, "--train-anew")(store)


def cancel(store: Store, runs: list[str]) -> None:
    """Cancel the first of them."""
    store.request_cancel(runs[0])


def one_more(store: Store, runs: list[str]) -> None:
    """Start one more run."""
    runs += slow(store, 3)


EXPERIMENT = (*TABLE, "--modes", "single,batched", "--repeats", "2", "--max-rounds", "2")
SWEEP = (*TABLE, "--sweep", "--modes", "single,row_parallel:2", "--rows", "500,2000", "--hidden", "4,8")
SCENES = {
    "run": Scene((RUN, REPLAY, "/", "/runs"), training),
    "goal chosen": Scene(
        (RUN,), lambda store: training(store, goal_percent=None, goal_auto=True, max_rounds=3, pick=20)
    ),
    "going on": Scene((RUN,), going_on),
    "fails early": Scene((RUN, REPLAY), lambda store: pretended(store, "-c", "import time; time.sleep(5); exit(1)")),
    "cancelled early": Scene((RUN,), lambda store: pretended(store, "-c", "import time; time.sleep(60)"), cancel),
    "cancelled later": Scene((RUN,), lambda store: slow(store, 60), cancel),
    "runs come and go": Scene(
        ("/", "/runs", "/runs?compare={0}&compare={1}"), lambda store: [*slow(store, 6), *slow(store, 4)], one_more
    ),
    "experiment": Scene((SPEEDUP,), command_line("experiment", *EXPERIMENT)),
    "sweep": Scene((SPEEDUP,), command_line("experiment", *SWEEP)),
    "study": Scene((STUDY,), command_line("compare", *TABLE, "--max-rounds", "2")),
    "experiment cancelled": Scene((SPEEDUP,), command_line("experiment", *EXPERIMENT), cancel),
    "study cancelled": Scene((STUDY,), command_line("compare", *TABLE), cancel),
}
