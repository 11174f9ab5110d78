"""The commands that start, follow and show runs: what they do once the command line is read."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from plm_engine.cli_follow import Progress, cancel_if_active, follow, number, print_json, print_result, result_of
from plm_engine.config import Config
from plm_engine.store.contract import RunInfo, Status
from plm_engine.store.paths import new_run_id
from plm_engine.store.sqlite import Store

DONE, FAILED, USER_ERROR = 0, 1, 2
CANCEL_WAIT_S = 10.0


def train(arguments: argparse.Namespace) -> int:
    """Train in the background and follow it."""
    from plm_engine.cli_hosts import worker_command
    from plm_engine.cli_studies import config_to_train
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


def resume(arguments: argparse.Namespace) -> int:
    """Go on with a run and follow it."""
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


def estimate(arguments: argparse.Namespace) -> int:
    """Say what a training will take."""
    from plm_engine.cli_options import config_from
    from plm_engine.estimate import ask

    found = ask(config_from(arguments), arguments.seconds, home=arguments.home)
    print_json(asdict(found)) if arguments.json else print(found.sentence)
    return DONE


def inspect(arguments: argparse.Namespace) -> int:
    """Say how a table is read."""
    from plm_engine.cli_options import given_options
    from plm_engine.cli_tables import inspect_table

    inspect_table(given_options(arguments), as_json=arguments.json)
    return DONE


def predict(arguments: argparse.Namespace) -> int:
    """Forecast with a run's network."""
    from plm_engine.cli_options import given_options
    from plm_engine.cli_tables import predict_table

    store = Store(arguments.home)
    out = None if arguments.out is None else Path(arguments.out)
    predict_table(store, store.find(arguments.which), given_options(arguments), out, as_json=arguments.json)
    return DONE


def list_(arguments: argparse.Namespace) -> int:
    """List the runs."""
    store = Store(arguments.home)
    runs, damaged = store.runs(), store.damaged()
    for run_id in damaged:
        print(f"Run {run_id} is left out: its store is damaged, gone or of a newer version.", file=sys.stderr)
    if arguments.json:
        print_json({"home": str(store.home), "runs": [_row(store, info) for info in runs], "damaged": damaged})
    elif not runs and damaged:
        print(f"No run in {store.home} can be read: {len(damaged):,} damaged or of a newer version.")
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


def show(arguments: argparse.Namespace) -> int:
    """Show one run."""
    store = Store(arguments.home)
    info = store.status(store.find(arguments.which))
    result = result_of(store, info)
    times = {"created": info.created, "started": info.started, "ended": info.ended, "heartbeat": info.heartbeat}
    if arguments.json:
        more = {"elapsed_s": info.elapsed_s(), "position": info.position, "labels": info.labels, "config": info.config}
        print_json({**result, **times, **more})
        return DONE
    print_result(result)
    config, unknown = Config.from_stored(info.config)
    changed = ", ".join(f"{key}={value}" for key, value in config.changed().items())
    print(f"  settings         {changed} (else the defaults)")
    for sentence in unknown:
        print(f"  left out         {sentence}")
    if info.status is Status.FAILED and not info.user_error:
        print(f"  end of the log\n{store.log_tail(info.id, 2_000)}")
    return DONE


def cancel(arguments: argparse.Namespace) -> int:
    """End a run."""
    store = Store(arguments.home)
    run_id = store.find(arguments.which)
    store.request_cancel(run_id)
    deadline = time.monotonic() + CANCEL_WAIT_S
    while (info := store.status(run_id)).status.active and time.monotonic() < deadline:
        time.sleep(0.05)
    result = result_of(store, info)
    print_json(result) if arguments.json else print_result(result)
    return FAILED if info.status.active else DONE
