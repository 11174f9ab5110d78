"""Start a study as a run, and find its result again: for the command line and the pages.  No torch."""

from __future__ import annotations

import os
import sys
from typing import Any

from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.store.contract import RunInfo
from plm_engine.store.paths import read_json
from plm_engine.store.sqlite import Store
from plm_engine.studies.plan import KINDS, Study

COMMAND = (sys.executable, "-m", "plm_engine.studies.conduct")


def start_study(
    config: Config,
    study: Study,
    *,
    home: str | os.PathLike[str] | None = None,
    run_id: str | None = None,
    name: str = "",
) -> str:
    """Start a study, or queue it, and return the id of its run; starting the same id twice starts one."""
    return start(config, home=home, run_id=run_id, name=name, command=list(COMMAND), job=study.to_mapping())


def study_of(run: RunInfo) -> Study | None:
    """Return the study that a run is; None for any other run."""
    job = run.extra.get("job") or {}
    return Study.from_mapping(job) if job.get("kind") in KINDS else None


def result_of_run(store: Store, run_id: str) -> dict[str, Any]:
    """Return the result of a finished study; empty if there is none yet."""
    return read_json(store.run_dir(run_id) / "result.json")
