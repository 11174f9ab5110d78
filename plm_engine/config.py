"""Everything a run can be told, in one validated, frozen object.

Symbols of the sources (eps, eta, lambda) stand beside the names used here; see ``ARCHITECTURE.md`` for the map from
the papers to the files.  Defaults are those of the revised Pupil Learning Mechanism as this project implements it.

Read it from code (``Config(goal=4000)``), from a preset (``Config.preset("quick", seed=1)``), from TOML
(``Config.from_toml("run.toml")``) or from the command line (:func:`plm_engine.cli.main`).
"""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plm_engine.config_fields import Fields
from plm_engine.config_limits import LimitFields
from plm_engine.errors import ConfigError
from plm_engine.options import Option, checked, flag

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {"goal_percent": 12.0, "pick": 5, "epochs": 30, "max_minutes": 0.2},
    "standard": {"goal_percent": 10.0, "pick": 5, "max_minutes": 10.0},
    "thorough": {"goal_percent": 5.0, "pick": 1, "epochs": 100, "max_minutes": 60.0},
    "published": {
        "goal_percent": 10.0,
        "pick": 1,
        "cramming": "symmetric",
        "cramming_draws": 1,
        "cramming_ascent": 0,
        "max_minutes": 60.0,
    },
}
PRESET_TEXT: dict[str, str] = {
    "quick": "Quick look: a wide goal and a budget of 12 seconds; shows every module at work.",
    "standard": "Standard: a goal of 10 % of the target's range, five new rows a round.",
    "thorough": "Thorough: a goal of 5 %, one new row a round, longer tuning; may take an hour.",
    "published": "As published: one new row a round, symmetric cramming along one random direction.",
}
#: pairs of which at most one may be given, and what holds when neither is
EXCLUSIVE: dict[str, tuple[str, str, float]] = {
    "goal": ("goal", "goal_percent", 10.0),
    "test": ("test_rows", "test_share", 20.0),
}


@dataclass(frozen=True, kw_only=True)
class Config(LimitFields, Fields):
    """The settings of one run.

    Raises
    ------
    ConfigError
        If a value is not allowed or two options exclude each other.
    """

    def __post_init__(self) -> None:
        share = _as_share(self.pick)
        if share is not None:
            object.__setattr__(self, "pick_share", share)
            object.__setattr__(self, "pick", 1)
        for name, described in options().items():
            object.__setattr__(self, name, checked(name, described, getattr(self, name)))
        for first, second, _ in EXCLUSIVE.values():
            if getattr(self, first) is not None and getattr(self, second) is not None:
                raise ConfigError(f"Options {flag(first)} and {flag(second)} exclude each other: give one of them.")
        if self.goal_auto and (self.goal is not None or self.goal_percent is not None):
            raise ConfigError("The goal is to be chosen (--goal auto) and is given as well: give one of the two.")
        if self.goal == 0 or self.goal_percent == 0:
            raise ConfigError("The learning goal is 0, which no row can meet exactly: give a number above 0.")
        if self.step_floor > self.first_step:
            raise ConfigError(
                f"Option --step-floor ({self.step_floor:g}) is above --first-step ({self.first_step:g}): lower it."
            )
        one_process = self.mode in ("single", "batched")
        if one_process and self.workers != 1:
            raise ConfigError(f"Mode {self.mode} uses one process, but --workers is {self.workers}: give 1.")

    @classmethod
    def preset(cls, name: str, **given: Any) -> Config:
        """Return a preset with the given options on top.

        A given option displaces the preset's member of an exclusive pair: ``preset("quick", goal=4000)`` drops the
        preset's ``goal_percent``.
        """
        if name not in PRESETS:
            raise ConfigError(f"Preset {name!r} is not known: give one of {', '.join(PRESETS)}.")
        values = dict(PRESETS[name])
        for first, second, _ in EXCLUSIVE.values():
            if given.get(first) is not None or given.get(second) is not None:
                values.pop(first, None)
                values.pop(second, None)
        if given.get("goal_auto"):
            values.pop("goal", None)
            values.pop("goal_percent", None)
        return cls.from_mapping({**values, **given})

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> Config:
        """Build from plain values, as read from TOML or JSON; an unknown name is an error, not ignored."""
        known = options()
        for name in values:
            if name not in known:
                raise ConfigError(f"Option {name!r} is not known: give one of {', '.join(known)}.")
        return cls(**values)

    @classmethod
    def from_stored(cls, values: dict[str, Any]) -> tuple[Config, list[str]]:
        """Return a stored run's settings as far as this version knows them, and a sentence on each that it does not.

        Another version may have made the run: an option that is gone is left out, a value that is not allowed gives way
        to the default.  To look at a run, or to start from its settings; to repeat it, see :meth:`to_repeat`.
        """
        known, kept, unknown = options(), {}, []
        for name, value in values.items():
            if name not in known:
                unknown.append(f"Option {name!r} is not known to this version.")
                continue
            try:
                kept[name] = checked(name, known[name], value)
            except ConfigError as error:
                unknown.append(str(error))
        return cls(**kept), unknown

    @classmethod
    def to_repeat(cls, values: dict[str, Any]) -> Config:
        """Return a stored run's settings, all of them: with others it would be another run.

        Raises
        ------
        ConfigError
            If one of them is not known or not allowed here.
        """
        config, unknown = cls.from_stored(values)
        if unknown:
            raise ConfigError(
                "This run was made by another version of the program and cannot be repeated as it was: start a new run "
                f"with its settings instead. {' '.join(unknown)}"
            )
        return config

    @classmethod
    def from_toml(cls, path: str | Path) -> Config:
        """Read a TOML file; an optional key ``preset`` names the preset that the other keys stand on."""
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"The configuration file {str(path)!r} cannot be read: {error}.") from error
        name = values.pop("preset", None)
        return cls.from_mapping(values) if name is None else cls.preset(name, **values)

    def replace(self, **changes: Any) -> Config:
        """Return a copy with some options changed, validated anew."""
        return dataclasses.replace(self, **changes)

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values that :meth:`from_mapping` reads back (tuples as lists)."""
        return json.loads(json.dumps(dataclasses.asdict(self)))

    def changed(self) -> dict[str, Any]:
        """Return only the options that differ from their defaults, as plain values."""
        defaults = Config().to_mapping()
        return {name: value for name, value in self.to_mapping().items() if value != defaults[name]}

    def rows_to_pick(self, n_open: int) -> int:
        """Return how many new rows a round picks where ``n_open`` are not learned yet: at least one."""
        return self.pick if self.pick_share is None else max(1, math.ceil(self.pick_share / 100 * n_open))

    def goal_in_units(self, y_train_min: float, y_train_max: float) -> float:
        """Return the learning goal in the target's unit.

        Raises
        ------
        ConfigError
            If the goal is a share of the range and the range is zero.
        """
        if self.goal is not None:
            return self.goal
        percent = self.goal_percent if self.goal_percent is not None else EXCLUSIVE["goal"][2]
        span = y_train_max - y_train_min
        if not span > 0:
            raise ConfigError(
                f"Every training target is {y_train_min:g}, so {percent:g} % of their range is 0: give --goal instead."
            )
        return percent / 100 * span


def options() -> dict[str, Option]:
    """Return the description of every option, in the order of the class."""
    return {field.name: field.metadata["option"] for field in dataclasses.fields(Config)}


def _as_share(pick: Any) -> float | None:
    """Return the per cent of ``"5%"`` or 0.05, the other way to say ``pick``; None for a number of rows."""
    if isinstance(pick, str) and pick.strip().endswith("%"):
        try:
            return float(pick.strip()[:-1])
        except ValueError:
            return None
    return 100 * pick if isinstance(pick, float) and 0 < pick < 1 else None
