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
    parser.add_argument("which", choices=BENCHES, help="What to measure.")
    parser.add_argument("--data", default="copper-sample", metavar="FILE|NAME", help="Table of whole runs.")
    growth = parser.add_argument_group("growth: whole runs on a teacher's rows")
    growth.add_argument("--rows", metavar="N,N,...", help="Numbers of rows (2000,20000,200000).")
    growth.add_argument("--budget", type=float, metavar="MIN", help="Time limit of each run in minutes (10).")
    growth.add_argument("--pick", metavar="SHARE", help="Rows picked in a round, of those not learned yet (5%%).")
    growth.add_argument("--rounds", type=int, metavar="N", help="End each run after so many rounds.")
    growth.add_argument("--mode", metavar="MODE", help="Mode of the runs (auto, which uses all cores).")


def bench(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from plm_engine.benchmarks.turns import table
    from plm_engine.config import Config
    from plm_engine.launch import environment

    name = "growth_runs" if arguments.which == "growth" else arguments.which
    module: Any = import_module(f"plm_engine.benchmarks.{name}")
    lines = module.measure(*_words(arguments), **_growth(arguments))
    more: dict[str, Any] = {}
    if arguments.which == "growth":
        steps = import_module("plm_engine.benchmarks.growth")
        more["steps"] = steps.measure(tuple(line["rows"] for line in lines))
    machine = environment(Config())
    if arguments.json:
        print(json.dumps({"bench": arguments.which, "results": lines, **more, "machine": machine}))
        return 0
    print("\n".join(table(lines, module.COLUMNS)))
    if arguments.which == "growth":
        print("\n".join(table([one for line in lines for one in line["per_round"]], module.ROUND_COLUMNS)))
        print("\n".join(line["sentence"] for line in lines))
        print("\n".join(table(more["steps"], steps.COLUMNS)))
    versions = machine["versions"]
    print(f"{machine['platform']}, {machine['cores']} cores, Python {machine['python']}, torch {versions['torch']}")
    return 0


def _words(arguments: argparse.Namespace) -> list[Any]:
    return [arguments.data] if arguments.which == "run" else []


def _growth(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what was given for ``growth``."""
    if arguments.which != "growth":
        return {}
    given = {
        "rows": None if arguments.rows is None else _counts(arguments.rows),
        "budget_min": arguments.budget,
        "pick": arguments.pick,
        "max_rounds": arguments.rounds,
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
