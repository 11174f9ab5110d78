"""The command ``bench``: measure this machine, as a table for people or as one JSON object."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from typing import Any

from plm_engine.errors import ConfigError

BENCHES = ("step", "run", "growth", "startup")


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Add the flags of ``bench``."""
    parser.description = f"{parser.description or ''} Figures of the pages: python -m tests.browser.figures.".strip()
    parser.add_argument("which", nargs="?", choices=BENCHES, help="What to measure; all of it, in turn, if not given.")
    parser.add_argument("--data", default="copper-sample", metavar="FILE|NAME", help="Table of whole runs.")
    growth = parser.add_argument_group("growth: whole runs on a teacher's rows")
    growth.add_argument("--rows", metavar="N,N,...", help="Numbers of rows (2000,20000,200000).")
    growth.add_argument("--budget", type=float, metavar="MIN", help="Time limit of each run in minutes (10).")
    growth.add_argument("--pick", metavar="SHARE", help="Rows picked in a round, of those not learned yet (5%%).")
    growth.add_argument("--rounds", type=int, metavar="N", help="End each run after so many rounds.")
    growth.add_argument("--rows-on-disk", choices=("auto", "always", "never"), help="Where the rows lie (auto).")
    growth.add_argument("--mode", metavar="MODE", help="Mode of the runs (auto, which uses all cores).")


def bench(arguments: argparse.Namespace) -> int:
    """Measure one part, or all of them in turn, and print."""
    from plm_engine.config import Config
    from plm_engine.launch import environment

    parts = BENCHES if arguments.which is None else (arguments.which,)
    words: dict[str, dict[str, Any]] = {"run": {"data": arguments.data}, "growth": _growth(arguments)}
    found: dict[str, dict[str, Any]] = {}
    for part in parts:
        found[part], lines = _measured(part, words.get(part, {}))
        if not arguments.json:
            print("\n".join([f"{part}:"] * (len(parts) > 1) + lines), flush=True)
    machine = environment(Config())
    if arguments.json:
        told = {"bench": "all", "parts": found} if len(parts) > 1 else {"bench": parts[0], **found[parts[0]]}
        print(json.dumps({**told, "machine": machine}))
        return 0
    versions = machine["versions"]
    print(f"{machine['platform']}, {machine['cores']} cores, Python {machine['python']}, torch {versions['torch']}")
    return 0


def _measured(part: str, words: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what was measured, and the lines of its tables."""
    from plm_engine.benchmarks.turns import table

    module: Any = import_module(f"plm_engine.benchmarks.{'growth_runs' if part == 'growth' else part}")
    results = module.measure(**words)
    lines = table(results, module.COLUMNS)
    if part != "growth":
        return {"results": results}, lines
    step_module: Any = import_module("plm_engine.benchmarks.growth")
    steps = step_module.measure(tuple(line["rows"] for line in results))
    lines += table([one for line in results for one in line["per_round"]], module.ROUND_COLUMNS)
    lines += [line["sentence"] for line in results]
    return {"results": results, "steps": steps}, lines + table(steps, step_module.COLUMNS)


def _growth(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what was given for ``growth``."""
    given = {
        "rows": None if arguments.rows is None else _counts(arguments.rows),
        "budget_min": arguments.budget,
        "pick": arguments.pick,
        "max_rounds": arguments.rounds,
        "rows_on_disk": arguments.rows_on_disk,
        "mode": arguments.mode,
    }
    return {name: value for name, value in given.items() if value is not None}


def _counts(words: str) -> tuple[int, ...]:
    try:
        counts = tuple(int(word.replace("_", "")) for word in words.split(","))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 20:
        raise ConfigError(f"Option --rows is {words!r}: give numbers of rows of at least 20, such as 2000,20000.")
    return counts
