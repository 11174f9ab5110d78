"""Start an experiment, continue one, or say how long it will take: for pages and the command line.  No torch here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace

from plm_engine import launch
from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.experiment.plan import SWEEP, Plan
from plm_engine.modes import MODES
from plm_engine.store.paths import PROJECT, read_json
from plm_engine.store.sqlite import Store

LABEL = "experiment"
#: what an experiment on whole trainings is called until somebody names it
NAME = "Speed-up experiment"
#: one collective of small tensors on one machine, measured (gloo); a guess until the first warm-up has run
COLLECTIVE_MS = 1.0
#: loading the libraries, for each contender
LOADING_S = 5.0
PROBE_S = 15.0


def start(config: Config, plan: Plan, *, home: str | os.PathLike[str] | None = None, run_id: str | None = None) -> str:
    """Start an experiment as one run and return its id."""
    name = "Where does it pay?" if plan.kind == SWEEP else NAME
    command = [sys.executable, "-m", "plm_engine.experiment.conduct", json.dumps(plan.to_mapping())]
    started = launch.start(config, home=home, run_id=run_id, name=name, command=command)
    Store(home).set_labels(started, kind=LABEL)
    return started


def continue_(run_id: str, *, home: str | os.PathLike[str] | None = None) -> str:
    """Start an experiment that takes over the finished trials of one that ended early; returns the new id.

    Raises
    ------
    RunError
        If that run is no experiment, or still goes.
    """
    store = Store(home)
    info = store.status(run_id)
    plan = read_json(store.run_dir(run_id) / "plan.json")
    if not plan:
        raise RunError(f"Run {run_id} is not an experiment, or never began: start one with 'experiment'.")
    if info.status.active:
        raise RunError(f"Experiment {run_id} still goes: cancel it first.")
    again = replace(Plan.from_mapping(plan), continues=run_id)
    return start(Config.to_repeat(info.config), again, home=home)


def is_experiment(labels: dict[str, str]) -> bool:
    """Return whether a run's labels say that it is an experiment."""
    return labels.get("kind") == LABEL


@dataclass(frozen=True)
class Estimate:
    """How long an experiment is expected to take, in seconds; ``sentence`` says on what that rests."""

    seconds: float
    sentence: str


def estimate(config: Config, plan: Plan) -> Estimate:
    """Estimate the duration, from a short training in a process of its own (at most some 20 s).

    Raises
    ------
    RunError
        If that training fails, with its sentence.
    """
    if plan.kind == SWEEP:
        seconds = 60 * plan.minutes + LOADING_S * len(plan.contenders)
        return Estimate(seconds, f"At most {plan.minutes:g} minutes: sizes that do not fit in are left out.")
    probe = [sys.executable, "-m", "plm_engine.experiment.probe", json.dumps(config.to_mapping()), str(PROBE_S)]
    try:
        done = subprocess.run(
            probe, cwd=PROJECT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
        )
        found = json.loads(done.stdout.strip().splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError) as error:
        raise RunError(f"The duration cannot be estimated: {error}.") from error
    if "error" in found:
        raise RunError(found["error"])
    return estimate_from(plan, **found)


def estimate_from(plan: Plan, total_s: float, organizing_s: float, steps: int, complete: bool) -> Estimate:
    """Estimate from a training of *single*: its seconds, its kept steps, and whether it came to its end."""
    seconds = 0.0
    for contender in plan.contenders:
        ranked = MODES[contender.mode].ranked and contender.mode != "candidate_parallel"
        # a trial and its gradient cost up to two collectives, and about every third trial is undone
        talking = 3 * steps * COLLECTIVE_MS / 1000 if ranked else 0.0
        seconds += LOADING_S + (plan.repeats + 0.5) * (total_s + talking)
    basis = "one training of Single" if complete else f"the first {PROBE_S:g} s of one training of Single, carried on"
    return Estimate(seconds, f"Rests on {basis} ({total_s:.1f} s) and {COLLECTIVE_MS:g} ms for each exchange.")
