"""From the description of the options to flags of the command line, and from flags, file and preset to a config."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from plm_engine.config import EXCLUSIVE, PRESET_TEXT, PRESETS, Config, options
from plm_engine.errors import ConfigError
from plm_engine.options import Option, flag

GROUP_TITLES = {
    "data": "the data",
    "goal": "the goal",
    "learning": "the modules",
    "steps": "the steps of weight tuning",
    "earlier": "an earlier run",
    "budget": "the budget",
    "machine": "the machine",
    "limits": "the limits (lower than this installation's settings.json)",
    "doors": "other tools",
}
#: options that say how a file is to be read
READING = ("sheet", "encoding", "separator", "decimal", "date_format", "missing_codes")


def add_options(parser: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """Add a flag for every named option; a flag that is not given leaves no trace in the result."""
    described = options()
    groups: dict[str, Any] = {}
    for name in names:
        option = described[name]
        if option.group not in groups:
            groups[option.group] = parser.add_argument_group(GROUP_TITLES[option.group])
        default = Config.__dataclass_fields__[name].default
        details: dict[str, Any] = {"help": _help(option, default), "default": argparse.SUPPRESS, "dest": f"set_{name}"}
        if option.kind is bool:
            details["action"] = argparse.BooleanOptionalAction
        else:
            details["metavar"] = option.metavar or _metavar(name, option)
        if option.kind is tuple:
            details["nargs"] = "+"
        groups[option.group].add_argument(flag(name), **details)


def add_config_sources(parser: argparse.ArgumentParser) -> None:
    """Add ``--preset`` and ``--config``."""
    texts = " ".join(PRESET_TEXT[name] for name in PRESETS)
    parser.add_argument(
        "--preset", metavar="|".join(PRESETS), help=f"Start from these settings. {texts}".replace("%", "%%")
    )
    parser.add_argument("--config", metavar="FILE.toml", help="Settings from a file; flags override it.")


def given_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options that flags were given for, as values of their kind."""
    described, given = options(), vars(arguments)
    names = [name for name in described if f"set_{name}" in given]
    return {name: _value(described[name], given[f"set_{name}"]) for name in names}


def config_from(arguments: argparse.Namespace, base: dict[str, Any] | None = None) -> Config:
    """Build the config: ``base`` (another run's) or a preset first, then the file, then the flags.

    Each layer displaces the other member of an exclusive pair: a flag ``--goal`` drops a preset's ``goal_percent``.

    Raises
    ------
    ConfigError
        With one sentence, if anything is not allowed.
    """
    file_values: dict[str, Any] = {}
    if arguments.config is not None:
        Config.from_toml(arguments.config)  # reports what is wrong with the file on its own
        file_values = tomllib.loads(Path(arguments.config).read_text(encoding="utf-8"))
    in_file = file_values.pop("preset", None)
    preset = arguments.preset or in_file
    if preset is not None and preset not in PRESETS:
        raise ConfigError(f"Preset {preset!r} is not known: give one of {', '.join(PRESETS)}.")
    values: dict[str, Any] = {**(base or {}), **(PRESETS[preset] if preset else {})}
    for layer in (file_values, _with_auto(given_options(arguments))):
        if layer.keys() & {"goal", "goal_percent", "goal_auto"}:
            values = {
                name: value for name, value in values.items() if name not in ("goal", "goal_percent", "goal_auto")
            }
        if "pick" in layer:
            values.pop("pick_share", None)
        for first, second, _ in EXCLUSIVE.values():
            if first in layer or second in layer:
                values.pop(first, None)
                values.pop(second, None)
        values.update(layer)
    return Config.from_mapping(values)


def _with_auto(given: dict[str, Any]) -> dict[str, Any]:
    """Read ``--goal auto``: the goal is to be chosen."""
    if given.get("goal") != "auto":
        return given
    return {**{name: value for name, value in given.items() if name != "goal"}, "goal_auto": True}


def _value(option: Option, given: Any) -> Any:
    """Turn the words of a flag into a value; what cannot be turned is left for the config to refuse by name."""
    if option.kind is tuple:
        words = given[0].split(",") if len(given) == 1 else [word.strip(",") for word in given]
        return tuple(word.strip() for word in words if word.strip())
    if option.kind in (int, float):
        for kind in (int, float):
            try:
                return kind(given)
            except ValueError:
                continue
    return given


def _metavar(name: str, option: Option) -> str:
    if option.choices:
        return "|".join(option.choices)
    return {int: "N", float: "X", tuple: "NAME"}.get(option.kind, name.upper())


def _help(option: Option, default: Any) -> str:
    """Return sentence, unit, range and default."""
    notes = []
    if option.kind in (int, float):
        notes.append(option.allowed())
    if default not in (None, (), ""):
        notes.append(f"default {default}")
    text = option.help + (f" [{'; '.join(notes)}]" if notes else "")
    return text.replace("%", "%%")
