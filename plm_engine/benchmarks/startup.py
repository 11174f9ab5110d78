"""How long the command line takes to start, beside an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from plm_engine.benchmarks.turns import ratio, spread, take_turns
from plm_engine.store.paths import PROJECT

COMMANDS = {
    "python -c pass": ("-c", "pass"),
    "plm_engine --help": ("-m", "plm_engine", "--help"),
    "plm_engine list": ("-m", "plm_engine", "list"),
}
COLUMNS = {"command": "command", "ms": "time (ms)", "over_python": "times python -c pass"}


def measure() -> list[dict[str, Any]]:
    """Return one line for each command."""
    spent = take_turns({name: _run(words) for name, words in COMMANDS.items()}, blocks=5)
    nothing = next(iter(COMMANDS))
    return [
        {"command": name, "ms": spread(spent[name], 1e-3)["median"], "over_python": ratio(spent, name, nothing)}
        for name in COMMANDS
    ]


def _run(words: tuple[str, ...]) -> Any:
    command = [sys.executable, *words]
    return lambda: subprocess.run(command, cwd=PROJECT, stdout=subprocess.DEVNULL, check=True)
