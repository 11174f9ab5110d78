"""The command ``experiment``: compare modes, or sweep sizes, in the background, and print what came out."""

from __future__ import annotations

import argparse
import math
import sys
from typing import Any

from plm_engine.cli_follow import Progress, follow, print_json
from plm_engine.cli_options import add_config_sources, add_options, config_from
from plm_engine.config import options
from plm_engine.errors import ConfigError
from plm_engine.experiment.plan import (
    REPEATS,
    SWEEP,
    SWEEP_HIDDEN,
    SWEEP_MINUTES,
    SWEEP_ROWS,
    TRAIN,
    Plan,
    parse_contenders,
)
from plm_engine.experiment.start import continue_, estimate, start
from plm_engine.machine import probe
from plm_engine.store.contract import RunInfo, Status
from plm_engine.store.sqlite import Store

DEFAULT_MODES = "single,batched,candidate_parallel:2,ddp:2"
#: set by the modes compared, not by a flag
NOT_OFFERED = ("mode", "workers")


#: a sweep makes its own rows; its run still names a table, as every run does
UNUSED = "copper-sample"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument(
        "--modes",
        default=DEFAULT_MODES,
        metavar="LIST",
        help=f"Modes with counts of workers [default {DEFAULT_MODES}].",
    )
    parser.add_argument("--repeats", type=int, default=REPEATS, metavar="N", help=f"Of each mode [default {REPEATS}].")
    parser.add_argument("--sweep", action="store_true", help="One training step over rows and hidden nodes instead.")
    parser.add_argument(
        "--minutes", type=float, default=SWEEP_MINUTES, metavar="X", help=f"Of a sweep, at most [{SWEEP_MINUTES:g}]."
    )
    parser.add_argument("--rows", metavar="LIST", help="Numbers of rows of a sweep, such as 471,10000.")
    parser.add_argument("--hidden", metavar="LIST", help="Numbers of hidden nodes of a sweep, such as 16,64.")
    parser.add_argument("--estimate", action="store_true", help="Say how long it will take, and do not begin.")
    parser.add_argument("--resume", metavar="RUN", help="Go on with an experiment that ended early.")
    add_config_sources(parser)
    add_options(parser, [name for name in options() if name not in NOT_OFFERED])


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit code."""
    store = Store(arguments.home)
    if arguments.resume:
        run_id = continue_(store.find(arguments.resume), home=store.home)
    else:
        plan, config = _plan(arguments), config_from(arguments)
        if plan.kind == SWEEP and not config.data:
            config = config.replace(data=UNUSED)
        plan.check(probe(store.home))
        expected = estimate(config, plan) if arguments.estimate or plan.kind != SWEEP else None
        if arguments.estimate:
            assert expected is not None
            if arguments.json:
                print_json({"seconds": expected.seconds, "sentence": expected.sentence, "plan": plan.to_mapping()})
            else:
                print(f"About {expected.seconds / 60:.1f} min. {expected.sentence}")
            return 0
        if expected is not None:
            print(f"About {expected.seconds / 60:.1f} min. {expected.sentence}", file=sys.stderr)
        run_id = start(config, plan, home=store.home)
    print(f"Experiment {run_id} started.", file=sys.stderr)
    info = follow(store, run_id, Progress())
    found = result_of(store, info)
    print_json(found) if arguments.json else _print(found)
    if info.status is Status.FINISHED:
        return 0
    print(info.sentence, file=sys.stderr)
    return 2 if info.user_error else 1


def _plan(arguments: argparse.Namespace) -> Plan:
    kind = SWEEP if arguments.sweep else TRAIN
    contenders = parse_contenders(arguments.modes.split(","))
    rows = _sizes("rows", arguments.rows, SWEEP_ROWS)
    hidden = _sizes("hidden", arguments.hidden, SWEEP_HIDDEN)
    return Plan(contenders, kind, arguments.repeats, rows, hidden, arguments.minutes)


def _sizes(name: str, text: str | None, default: tuple[int, ...]) -> tuple[int, ...]:
    if text is None:
        return default
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise ConfigError(f"--{name} is {text!r}: give whole numbers with commas between them.") from None


def result_of(store: Store, info: RunInfo) -> dict[str, Any]:
    """Return everything about an experiment as one object."""
    from plm_engine.experiment.results import load
    from plm_engine.experiment.sweeps import sweep_conclusion, sweep_table
    from plm_engine.experiment.trials import read_trials

    run_dir = store.run_dir(info.id)
    found: dict[str, Any] = {
        "run_id": info.id,
        "status": str(info.status),
        "sentence": info.sentence,
        "plan": info.summary.get("plan"),
        "machine": info.summary.get("machine"),
        "failed": info.summary.get("failed") or {},
        "run_dir": str(run_dir),
    }
    if not info.summary.get("plan"):
        return found
    if info.summary["plan"]["kind"] == SWEEP:
        steps = sweep_table(read_trials(run_dir))
        modes = [contender["mode"] for contender in info.summary["plan"]["contenders"]]
        reference = "single" if "single" in modes or steps.empty else str(steps["contender"].iloc[0])
        said = "" if steps.empty else sweep_conclusion(steps, reference)
        disturbed = 0 if steps.empty else int((steps["disturbed"] != "").sum())
        return {**found, "steps": steps.to_dict("records"), "conclusion": said, "disturbed": disturbed}
    results = load(run_dir)
    summary = results.summary.reset_index().to_dict("records") if len(results.summary) else []
    return {
        **found,
        "modes": summary,
        "mae_sentence": results.mae_sentence,
        "conclusion": results.conclusion,
        "disturbed": results.disturbed,
        "trials": results.trials.to_dict("records"),
    }


def _print(found: dict[str, Any]) -> None:
    print(f"Experiment {found['run_id']} {found['status']}: {found['sentence']}")
    for step in found.get("steps", ()):
        took = step["left_out"] or f"{step['step_ms']:.3f} ms a step"
        print(f"  {step['rows']:>9,} rows {step['hidden']:>5,} nodes  {step['contender']:22} {took}")
    if found.get("modes"):
        print(
            f"  {'mode':24} {'organizing':>24} {'ratio':>20} {'overall':>10} {'talking':>8} {'MAE':>10} {'memory':>10}"
        )
    for mode in found.get("modes", ()):
        took = _between(mode["organizing_s"], mode["organizing_s_low"], mode["organizing_s_high"], " s")
        times, low, high = (mode.get(f"organizing_ratio{end}", math.nan) for end in ("", "_low", "_high"))
        ratio = _between(times, low, high, "")
        share, memory = f"{100 * mode['communication_share']:.0f} %", f"{mode['peak_memory_all_mib']:.0f} MiB"
        print(
            f"  {mode['contender']:24} {took:>24} {ratio:>20} {mode['total_s']:>8.2f} s {share:>8} "
            f"{mode['mae']:>10.4g} {memory:>10}"
        )
    for sentence in (found.get("mae_sentence"), found.get("conclusion")):
        if sentence:
            print(f"  {sentence}")
    if found.get("disturbed"):
        n = found["disturbed"]
        print(f"  {n} of these measurements {'was' if n == 1 else 'were'} made while something else used the machine.")
    print(f"  folder {found['run_dir']}")


def _between(mean: float, low: float, high: float, unit: str) -> str:
    return f"{mean:.2f}{unit}" if math.isnan(low) else f"{mean:.2f} [{low:.2f}, {high:.2f}]{unit}"
