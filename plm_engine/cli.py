"""The command line: ``python -m plm_engine train|resume|estimate|inspect|list|show|cancel|predict``.

Exit codes: 0 done, 2 the user can put it right (one sentence on standard error), 1 failed.  With ``--json`` exactly one
object goes to standard output.  Heavy libraries are imported by the commands that need them, so that ``--help`` and
``list`` answer at once.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from plm_engine.cli_bench import add_bench, bench
from plm_engine.cli_experiment import add_flags
from plm_engine.cli_experiment import run as run_experiment
from plm_engine.cli_follow import Progress, cancel_if_active, follow, number, print_json, print_result, result_of
from plm_engine.cli_hosts import add_join, join, worker_command
from plm_engine.cli_options import READING, Parser, add_config_sources, add_options, config_from, given_options
from plm_engine.cli_studies import add_study_commands, config_to_train
from plm_engine.config import Config, options
from plm_engine.errors import BugError, UserError
from plm_engine.hosts import add_arguments as add_host_arguments
from plm_engine.store.contract import RunInfo, Status
from plm_engine.store.paths import new_run_id
from plm_engine.store.sqlite import Store

DONE, FAILED, USER_ERROR = 0, 1, 2
CANCEL_WAIT_S = 10.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    try:
        parsed = parser().parse_args(words)
        return parsed.run(parsed)
    except UserError as error:
        return _refuse(str(error), USER_ERROR, as_json)
    except BugError as error:
        return _refuse(f"This is a fault of the program, not yours: {error}", FAILED, as_json)
    except KeyboardInterrupt:
        return _refuse("Interrupted.", FAILED, as_json)
    except BrokenPipeError:  # whoever read our output has left, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _refuse(sentence: str, code: int, as_json: bool) -> int:
    print(sentence, file=sys.stderr)
    if as_json:
        print_json({"status": "refused" if code == USER_ERROR else "failed", "error": sentence})
    return code


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    main_parser = Parser(
        prog="python -m plm_engine", description="The revised Pupil Learning Mechanism.", allow_abbrev=False
    )
    commands = main_parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=Parser)

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        made.add_argument("--json", action="store_true", help="Print one JSON object and nothing else.")
        made.add_argument("--home", metavar="DIR", help="Folder of the runs (else PLM_LAB_HOME, else data/runs).")
        made.set_defaults(run=run)
        return made

    made = command("train", _train, "Train in the background, follow it here; Ctrl-C cancels the run.")
    made.add_argument("--name", default="", metavar="TEXT", help="Name of the run for people.")
    made.add_argument(
        "--continue",
        dest="going_on",
        metavar="RUN",
        help="Go on from this run's network, with its settings unless flags say otherwise (--data for a longer table).",
    )
    add_host_arguments(made)
    add_config_sources(made)
    add_options(made, options())
    made = command("join", join, "Compute for a run on several machines that another one keeps.")
    add_join(made)
    made = command("estimate", _estimate, "Train for some seconds and say what the whole training will take.")
    made.add_argument("--seconds", type=float, default=4.0, metavar="S", help="How long to train for it.")
    add_config_sources(made)
    add_options(made, options())
    made = command("inspect", _inspect, "Say how a table is read, without training.")
    add_options(made, [name for name, option in options().items() if option.group == "data"])
    command("list", _list, "List the runs, newest first.")
    made = command("show", _show, "Show one run.")
    made.add_argument("which", metavar="RUN", help="The run's id, or its first characters (at least 4).")
    made = command("cancel", _cancel, "End a run and keep what it learned.")
    made.add_argument("which", metavar="RUN", help="The run's id, or its first characters (at least 4).")
    made = command(
        "resume", _resume, "Go on with a cancelled, failed or lost run and follow it here; Ctrl-C cancels it."
    )
    made.add_argument("which", metavar="RUN", help="The run's id, or its first characters (at least 4).")
    made = command("predict", _predict, "Forecast with the newest network of a run.")
    made.add_argument("--run", dest="which", metavar="ID", required=True, help="The run whose network to use.")
    made.add_argument("--out", metavar="FILE", help="Write the forecasts to this CSV file.")
    add_options(made, ("data", *READING))
    made = command("experiment", run_experiment, "Compare parallel modes by time and error, in the background.")
    add_flags(made)
    add_study_commands(command)
    add_bench(command("bench", bench, "Measure the speed of this machine: one step, whole runs, growth, start-up."))
    return main_parser


def _train(arguments: argparse.Namespace) -> int:
    from plm_engine.launch import start

    store, run_id = Store(arguments.home), new_run_id()
    config = config_to_train(arguments, store)
    command = worker_command(arguments, config)
    elsewhere: dict[str, Any] = {} if command is None else {"command": command}
    try:
        start(config, home=store.home, run_id=run_id, name=arguments.name, **elsewhere)
    except KeyboardInterrupt:
        cancel_if_active(store, run_id)
        raise
    if not arguments.json and not sys.stderr.isatty():
        print(f"Run {run_id} started.", file=sys.stderr)
    return _follow_to_the_end(store, run_id, as_json=arguments.json)


def _resume(arguments: argparse.Namespace) -> int:
    from plm_engine.launch import resume

    store = Store(arguments.home)
    run_id = store.find(arguments.which)
    remark = resume(run_id, home=store.home)
    if remark:
        print(remark, file=sys.stderr)
    return _follow_to_the_end(store, run_id, as_json=arguments.json)


def _follow_to_the_end(store: Store, run_id: str, *, as_json: bool) -> int:
    info = follow(store, run_id, Progress())
    result = result_of(store, info)
    if as_json:
        print_json(result)
    elif info.summary or info.status is Status.FINISHED:
        print_result(result)
    if info.status is Status.FINISHED:
        return DONE
    print(info.sentence, file=sys.stderr)
    return USER_ERROR if info.user_error else FAILED


def _estimate(arguments: argparse.Namespace) -> int:
    from plm_engine.estimate import ask

    found = ask(config_from(arguments), arguments.seconds, home=arguments.home)
    print_json(asdict(found)) if arguments.json else print(found.sentence)
    return DONE


def _inspect(arguments: argparse.Namespace) -> int:
    from plm_engine.cli_tables import inspect_table

    inspect_table(given_options(arguments), as_json=arguments.json)
    return DONE


def _predict(arguments: argparse.Namespace) -> int:
    from plm_engine.cli_tables import predict_table

    store = Store(arguments.home)
    out = None if arguments.out is None else Path(arguments.out)
    predict_table(store, store.find(arguments.which), given_options(arguments), out, as_json=arguments.json)
    return DONE


def _list(arguments: argparse.Namespace) -> int:
    store = Store(arguments.home)
    runs = store.runs()
    for run_id in store.damaged():
        print(f"Run {run_id} is left out: its store is damaged or of a newer version.", file=sys.stderr)
    if arguments.json:
        print_json({"home": str(store.home), "runs": [_row(store, info) for info in runs]})
    elif not runs:
        print(f"There are no runs in {store.home} yet: 'python -m plm_engine train --data copper-sample' makes one.")
    else:
        print(f"{'run':12}  {'status':9}  {'created':16}  {'nodes':>5}  {'test MAE':>12}  {'time':>9}  data, name")
        for info in runs:
            row = _row(store, info)
            created = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.created))
            taken = "-" if row["elapsed_s"] is None else f"{row['elapsed_s']:.1f} s"
            nodes = "-" if row["n_hidden"] is None else row["n_hidden"]
            words = ", ".join(word for word in (row["data"], info.name) if word)
            mae = number(row["mae"]["test"])
            print(f"{info.id:12}  {info.status:9}  {created:16}  {nodes:>5}  {mae:>12}  {taken:>9}  {words}")
    return DONE


def _row(store: Store, info: RunInfo) -> dict[str, Any]:
    """Return a run's line in the list."""
    result = result_of(store, info)
    kept = ("run_id", "status", "reason", "sentence", "mode", "n_hidden", "rounds", "goal", "target", "mae")
    data = info.extra.get("data") or {}
    return {
        **{key: result[key] for key in kept},
        "name": info.name,
        "data": data.get("name") or info.config.get("data"),
        "created": info.created,
        "elapsed_s": info.elapsed_s(),
        "position": info.position,
    }


def _show(arguments: argparse.Namespace) -> int:
    store = Store(arguments.home)
    info = store.status(store.find(arguments.which))
    result = result_of(store, info)
    times = {"created": info.created, "started": info.started, "ended": info.ended, "heartbeat": info.heartbeat}
    if arguments.json:
        more = {"elapsed_s": info.elapsed_s(), "position": info.position, "labels": info.labels, "config": info.config}
        print_json({**result, **times, **more})
        return DONE
    print_result(result)
    changed = Config.from_mapping(info.config).changed()
    print(f"  settings         {', '.join(f'{key}={value}' for key, value in changed.items())} (else the defaults)")
    if info.status is Status.FAILED and not info.user_error:
        print(f"  end of the log\n{store.log_tail(info.id, 2_000)}")
    return DONE


def _cancel(arguments: argparse.Namespace) -> int:
    store = Store(arguments.home)
    run_id = store.find(arguments.which)
    store.request_cancel(run_id)
    deadline = time.monotonic() + CANCEL_WAIT_S
    while (info := store.status(run_id)).status.active and time.monotonic() < deadline:
        time.sleep(0.05)
    result = result_of(store, info)
    print_json(result) if arguments.json else print_result(result)
    return FAILED if info.status.active else DONE
