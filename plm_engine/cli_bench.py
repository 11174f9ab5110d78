"""The command ``bench``: measure this machine, as a table for people or as one JSON object."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from typing import Any

BENCHES = ("step", "run", "growth", "startup")


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Add the flags of ``bench``."""
    parser.add_argument("which", choices=BENCHES, help="What to measure.")
    parser.add_argument("--data", default="copper-sample", metavar="FILE|NAME", help="Table of whole runs.")


def bench(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from plm_engine.benchmarks.turns import table
    from plm_engine.config import Config
    from plm_engine.launch import environment

    module: Any = import_module(f"plm_engine.benchmarks.{arguments.which}")
    lines = module.measure(arguments.data) if arguments.which == "run" else module.measure()
    machine = environment(Config())
    if arguments.json:
        print(json.dumps({"bench": arguments.which, "results": lines, "machine": machine}))
        return 0
    print("\n".join(table(lines, module.COLUMNS)))
    versions = machine["versions"]
    print(f"{machine['platform']}, {machine['cores']} cores, Python {machine['python']}, torch {versions['torch']}")
    return 0
