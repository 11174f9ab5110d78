"""Options of the configuration as form fields: each field is built from the option's own description.

A new option appears under *More settings* by itself.  Limits set on a widget are only the browser's; the
configuration checks every value again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.parts import words
from plm_engine.config import PRESET_TEXT, PRESETS, Config, options
from plm_engine.options import Option

#: labels where the option's own name is a word of the trade
LABELS = {
    "pick": "New rows in each round",
    "interpreting": "First network",
    "epochs": "Longest understanding",
    "regularizing_epochs": "Longest regularizing",
    "regularizing_lambda": "Penalty on large weights (lambda)",
    "start": "First network is made from",
    "picking": "Order of picking",
    "reorganizing": "Drop nodes that are not needed",
    "cramming": "Shape of a crammed row's three nodes",
    "cramming_draws": "Directions drawn for a crammed row",
    "cramming_ascent": "Steps that widen the gap",
    "max_minutes": "Stop after",
    "max_nodes": "Stop above",
    "max_rounds": "Stop after",
    "dtype": "Precision",
    "mode": "How the work is shared",
    "adam_beta1": "Adam: decay of the first moment",
    "adam_beta2": "Adam: decay of the second moment",
    "adam_epsilon": "Adam: guard against division by zero",
}
GROUPS = {
    "learning": "How the pupil learns",
    "budget": "When to stop early",
    "steps": "Sizes of the tuning steps",
    "machine": "The machine",
}
#: options with a place of their own on the page
_ELSEWHERE = ("seed", "mode", "workers")
#: JavaScript, and so a number field, counts exactly only up to here
_LARGEST_IN_BROWSER = 2**53 - 1


def label(name: str, described: Option) -> str:
    """Return what a field is called, with its unit."""
    text = LABELS.get(name, name.replace("_", " ").capitalize())
    return f"{text} ({described.unit})" if described.unit else text


def field(name: str, default: Any, scope: str) -> Any:
    """Show the field of one option and return its value.

    Parameters
    ----------
    name : str
        Name of the option.
    default : any
        The value it starts with.
    scope : str
        Part of the field's key, so that another preset starts with its own defaults.
    """
    described = options()[name]
    shared: dict[str, Any] = {"help": described.help, "key": f"option:{scope}:{name}", "persist_state": "session"}
    title = label(name, described)
    if described.choices:
        allowed = [*([None] if described.optional else []), *described.choices]
        return st.selectbox(
            title, allowed, allowed.index(default), format_func=lambda v: "found out" if v is None else v, **shared
        )
    if described.kind is bool:
        return st.checkbox(title, default, **shared)
    if described.kind is int:
        highest = None if described.high is None else min(int(described.high), _LARGEST_IN_BROWSER)
        lowest = None if described.low is None else int(described.low)
        return st.number_input(title, lowest, highest, default, step=1, placeholder="no limit", **shared)
    if described.kind is float:
        step = 10.0 ** math.floor(math.log10(abs(default))) if default else 1.0
        low, high = (None if limit is None else float(limit) for limit in (described.low, described.high))
        return st.number_input(title, low, high, default, step=step, format="%.6g", placeholder="no limit", **shared)
    return st.text_input(title, default or "", **shared) or None


def preset_field(start: str = "quick", scope: str = "") -> str:
    """Show the choice of a preset, ``start`` chosen at first, and return its name."""
    names = list(PRESETS)
    name = st.radio(
        "How thoroughly",
        names,
        names.index(start),
        format_func=words.PRESET_NAMES.get,
        captions=[PRESET_TEXT[name].split(":", 1)[1].strip().capitalize() for name in PRESETS],
        key=f"preset{scope}",
        persist_state="session",
    )
    return name or start


def nearest_preset(settings: Mapping[str, Any]) -> str:
    """Return the preset that differs least from a run's settings."""

    def differing(preset: str) -> int:
        defaults = Config.preset(preset).to_mapping()
        return sum(defaults[name] != settings[name] for name in defaults if name in settings)

    return min(PRESETS, key=differing)


def goal_field(
    preset: str, unit: str, span: float | None, start: Mapping[str, Any] | None = None, scope: str = ""
) -> dict[str, float | None]:
    """Show the learning goal, as a share of the target's range or in its unit, and return the option it sets.

    Parameters
    ----------
    preset : str
        Gives the share to start with.
    unit : str
        The target's unit.
    span : float or None
        Range of the training targets, to say what one form of the goal is in the other.
    start : mapping or None
        Settings of a run whose goal the field starts with.
    scope : str
        Part of the fields' keys that goes with ``start``.
    """
    given = start or {}
    percent = float(given.get("goal_percent") or PRESETS[preset]["goal_percent"])
    by_unit = st.radio(
        "Learning goal",
        [False, True],
        int(given.get("goal") is not None),
        horizontal=True,
        format_func=lambda v: f"In {unit}" if v else "% of the target's range",
        key=f"goal:by_unit{scope}",
        persist_state="session",
        help="The largest error that a learned row may have. A smaller goal takes longer and grows a larger network.",
    )
    if by_unit:
        first = float(given.get("goal") or (round(span * percent / 100, 4) if span else 1.0))
        value = st.number_input(
            f"Largest error of a learned row ({unit})",
            0.0,
            value=first,
            step=10.0 ** math.floor(math.log10(first)),
            format="%.6g",
            key=f"goal:unit:{preset}:{first}{scope}",
            persist_state="session",
        )
        if span:
            st.caption(f"That is {words.number(100 * value / span, 3)} % of the training targets' range.")
        return {"goal": value}
    value = st.number_input(
        "Largest error of a learned row (%)",
        0.0,
        100.0,
        percent,
        step=1.0,
        format="%.6g",
        key=f"goal:percent:{preset}{scope}",
        persist_state="session",
    )
    if span:
        st.caption(f"That is {words.number(span * value / 100)} {words.plain(unit)}.")
    return {"goal_percent": value}


def more_fields(preset: str, start: Mapping[str, Any] | None = None, scope: str = "") -> dict[str, Any]:
    """Show every option that has no place of its own, and return those that differ from the preset.

    The fields start with the settings of a run where ``start`` gives some, else with the preset's.
    """
    defaults = Config.preset(preset).to_mapping()
    first = {**defaults, **(start or {})}
    given: dict[str, Any] = {}
    for group, title in GROUPS.items():
        names = [name for name, d in options().items() if d.group == group and name not in _ELSEWHERE]
        st.markdown(f"**{title}**")
        columns = st.columns(3)
        for i, name in enumerate(names):
            with columns[i % 3]:
                given[name] = field(name, first[name], preset + scope)
    return {name: value for name, value in given.items() if value != defaults[name]}
