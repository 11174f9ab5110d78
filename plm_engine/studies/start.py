"""Start a study as a run, and find its result again: for the command line and the pages.  No torch."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.store.contract import RunInfo, Status
from plm_engine.store.paths import read_json
from plm_engine.store.sqlite import Store
from plm_engine.studies.plan import COMPARE, KINDS, RPLM, Study

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
    return Study.from_stored(job) if job.get("kind") in KINDS else None


def results_about(store: Store, run: RunInfo, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield id and result of every finished study of a run's very data and settings, the newest first."""
    config, _ = Config.from_stored(run.config)  # another version may have recorded fewer options
    for other in store.runs():
        about = (other.extra.get("job") or {}).get("kind") == kind and other.extra.get("data") == run.extra.get("data")
        if about and other.status is Status.FINISHED and Config.from_stored(other.config)[0] == config:
            yield other.id, result_of_run(store, other.id)


def network_over_seeds(store: Store, run: RunInfo) -> dict[str, Any] | None:
    """Return what the newest comparison with several seeds says of a run's network, on the run's own split.

    ``study`` (its run's id), and ``test_mae``, ``train_mae``, ``n_hidden``, ``seconds`` with median, range and ``n``;
    None if there is no such comparison.
    """
    for run_id, result in results_about(store, run, COMPARE):
        line = next((line for line in result.get("table") or [] if line["model"] == RPLM), None)
        if line and line["repeats"] > 1 and not result["study"]["splits"]:
            return {"study": run_id, **line}
    return None


def result_of_run(store: Store, run_id: str) -> dict[str, Any]:
    """Return the result of a finished study; empty if there is none yet."""
    return read_json(store.run_dir(run_id) / "result.json")
