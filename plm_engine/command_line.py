"""The command line that repeats a run: every setting that differs from the defaults, quoted for a shell."""

from __future__ import annotations

import shlex
from typing import Any

from plm_engine.config import Config, options
from plm_engine.options import flag


def command_of(config: Config) -> str:
    """Return the command that trains with these settings.

    Parameters
    ----------
    config : Config
        Such as a run's; its data path is written as it stands.

    Returns
    -------
    str
        One line, beginning with ``python -m plm_engine train``.  A single column name that holds a comma cannot be
        told apart from two names on the command line; it is written as it is.
    """
    words = ["python", "-m", "plm_engine", "train"]
    standard = Config().to_mapping()
    for name, value in config.to_mapping().items():
        if value == standard[name] or value is None:
            continue
        kind = options()[name].kind
        if kind is bool:
            words.append(flag(name) if value else f"--no-{flag(name)[2:]}")
        elif kind is tuple:
            words += _several(name, [str(one) for one in value])
        else:
            words.append(f"{flag(name)}={_text(value)}")
    return shlex.join(words)


def _several(name: str, values: list[str]) -> list[str]:
    if len(values) > 1 and any("," in value for value in values):
        return [flag(name), *values]
    return [f"{flag(name)}={','.join(values)}"]


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)
