"""The commands that fit many models: ``compare``, ``backtest`` and ``ablate``.  Each is one run in one slot."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable
from typing import Any

from plm_engine.cli_follow import Progress, cancel_if_active, follow, number, print_json
from plm_engine.cli_options import add_config_sources, add_options, config_from
from plm_engine.config import Config, options
from plm_engine.errors import ConfigError
from plm_engine.store.contract import RunInfo, Status
from plm_engine.store.paths import new_run_id
from plm_engine.store.sqlite import Store
from plm_engine.studies.plan import ABLATE, BACKTEST, COMPARE, Study
from plm_engine.studies.start import result_of_run, start_study

DONE, FAILED, USER_ERROR = 0, 1, 2
HELP = {
    "seeds": "Repeats of the network, with seeds from --seed on.",
    "splits": "Repeat over this many random splits (seeds 0, 1, ...), which leak; 0: the split as given, once.",
    "level": "Level of the prediction intervals, as a share.",
    "importance": "Shuffles of each driver on the test rows; 0: none.",
    "width": "Hidden nodes of the backpropagation network.",
    "first_origin": "Position, counted from 0, of the first row forecast.",
    "step": "Rows between two origins, and rows forecast at each.",
    "window": "Learn from all rows known (expanding) or the newest ones (sliding).",
    "window_rows": "Rows of a sliding window; as many as at the first origin if not given.",
    "rechoose_every": "Origins between two choices of goal and start, with --goal auto.",
    "jobs": "Processes at once; 0: one for each core.",
}
FLAGS = {
    COMPARE: ("seeds", "splits", "level", "importance", "width", "jobs"),
    BACKTEST: ("first_origin", "step", "window", "window_rows", "rechoose_every", "seeds", "width", "jobs"),
    ABLATE: ("seeds", "splits", "jobs"),
}


def add_study(made: argparse.ArgumentParser, kind: str) -> None:
    """Add the flags of one study."""
    defaults = {field.name: field.default for field in dataclasses.fields(Study)}
    made.set_defaults(run=run_study, kind=kind)
    made.add_argument("--name", default="", metavar="TEXT", help="Name of the run for people.")
    made.add_argument("--resume", metavar="RUN", help="Go on with an earlier study: take over what it finished.")
    made.add_argument("--run", dest="of_run", metavar="RUN", help="Take data and settings from this run.")
    group = made.add_argument_group("the study")
    for name in FLAGS[kind]:
        details: dict[str, Any] = {"help": f"{HELP[name]} [default {defaults[name]}]", "default": argparse.SUPPRESS}
        if name == "window":
            details["choices"] = ("expanding", "sliding")
        else:
            details["type"] = float if name == "level" else int
            details["metavar"] = "X" if name == "level" else "N"
        group.add_argument(f"--{name.replace('_', '-')}", dest=f"study_{name}", **details)
    add_config_sources(made)
    add_options(made, options())


def run_study(arguments: argparse.Namespace) -> int:
    """Start a study as a run, follow it and print its result."""
    store, run_id = Store(arguments.home), new_run_id()
    config, study = asked(arguments, store)
    try:
        start_study(config, study, home=store.home, run_id=run_id, name=arguments.name)
    except KeyboardInterrupt:
        cancel_if_active(store, run_id)
        raise
    if not arguments.json and not sys.stderr.isatty():
        print(f"Run {run_id} started.", file=sys.stderr)
    info = follow(store, run_id, StudyProgress())
    result = {
        "run_id": run_id,
        "status": str(info.status),
        "sentence": info.sentence,
        "run_dir": str(store.run_dir(run_id)),
        "progress": info.summary.get("progress"),
        **result_of_run(store, run_id),
    }
    if arguments.json:
        print_json(result)
    elif info.status is Status.FINISHED:
        print_study(result)
    if info.status is Status.FINISHED:
        return DONE
    print(info.sentence, file=sys.stderr)
    return USER_ERROR if info.user_error else FAILED


def asked(arguments: argparse.Namespace, store: Store) -> tuple[Config, Study]:
    """Return configuration and study: from the flags, from an earlier study, or both."""
    given = {key.removeprefix("study_"): value for key, value in vars(arguments).items() if key.startswith("study_")}
    if arguments.resume is None:
        config = config_from(arguments, base=_config_of_run(store, arguments.of_run))
        return config, Study.from_mapping({"kind": arguments.kind, **given})
    run_id = store.find(arguments.resume)
    info = store.status(run_id)
    job = info.extra.get("job") or {}
    if job.get("kind") != arguments.kind:
        raise ConfigError(f"Run {run_id} is no {arguments.kind}, so it cannot be gone on with as one.")
    if info.status.active:
        raise ConfigError(f"Run {run_id} still goes: wait for its end, or cancel it, before going on with it.")
    return Config.to_repeat(info.config), Study.from_mapping({**job, **given, "resume_from": run_id})


def config_to_train(arguments: argparse.Namespace, store: Store) -> Config:
    """Return the configuration of ``train``: with ``--continue`` that of the earlier run, under the flags."""
    if arguments.going_on is None:
        return config_from(arguments)
    from plm_engine.going_on import settings_to_go_on

    return config_from(arguments, base=settings_to_go_on(store, store.find(arguments.going_on)))


def _config_of_run(store: Store, which: str | None) -> dict[str, Any] | None:
    return None if which is None else Config.to_repeat(store.status(store.find(which)).config).to_mapping()


class StudyProgress(Progress):
    """A line that says how many parts are done."""

    def line(self, info: RunInfo) -> str:
        """Return the line for what is known now."""
        if info.status is Status.QUEUED:
            return super().line(info)
        progress = info.summary.get("progress") or {"done": 0, "total": 0}
        done, total = progress["done"], progress["total"]
        cells = round(24 * done / total) if total else 0
        state = "cancelling" if info.cancel_requested else f"{info.elapsed_s() or 0:.0f} s"
        return f"[{'#' * cells}{'.' * (24 - cells)}] {done} of {total} parts  {state}"


def print_study(result: dict[str, Any]) -> None:
    """Print a study's result for people."""
    print(f"Run {result['run_id']} {result['status']}: {result['sentence']}")
    backtest = result["kind"] == BACKTEST
    if backtest:
        print(f"  {result['n_forecasts']} forecasts from {result['n_origins']} origins, horizon {result['horizon']}")
        print(f"  {'model':28} {'MAE':>12} {'RMSE':>12} {'skill':>8}  by origin: median (range)")
    else:
        print(f"  {'model':28} {'train MAE':>12} {'test MAE (range)':>36} {'nodes':>18} {'seconds':>22}")
    for line in result["table"]:
        if backtest:
            spread = line["mae_by_origin"]
            low, high = spread["range"]
            print(
                f"  {line['model']:28} {number(line['mae']):>12} {number(line['rmse']):>12} "
                f"{number(line.get('skill')):>8}  {number(spread['median'])} ({number(low)} to {number(high)})"
            )
        else:
            print(
                f"  {line['model']:28} {number(line['train_mae']['median']):>12} {_spread(line['test_mae']):>36} "
                f"{_spread(line.get('n_hidden'), '{:g}'.format):>18} {_spread(line['seconds'], '{:.2f}'.format):>22}"
            )
    for name, found in (result.get("over_seeds") or {}).items():
        low, high = found["mae"]["range"]
        shown = f"{number(found['mae']['median'])} ({number(low)} to {number(high)})"
        print(f"  {name} over {found['mae']['n']} seeds: MAE median {shown}")
    for line in _sentences(result):
        print(f"  {line}")
    print(f"  folder {result['run_dir']}")


def _spread(found: dict[str, Any] | None, shown: Callable[[float], str] = number) -> str:
    """Return a median, and its range where there are several repeats that differ."""
    if not found or found["range"] is None:
        return "-"
    low, high = found["range"]
    middle = shown(found["median"])
    return middle if low == high else f"{middle} ({shown(low)} to {shown(high)})"


def _sentences(result: dict[str, Any]) -> list[str]:
    said = [line["sentence"] for line in result["table"] if line.get("sentence")]
    if result["kind"] == COMPARE and len(result["pieces"]) == 1:
        said += [line["sentence"] for line in result["pieces"][0]["lines"]]
    return said + result["notes"]
