"""Options of the configuration as form fields: each field is built from the option's own description.

A new option appears under *More settings* by itself.  Limits set on a widget are only the browser's; the
configuration checks every value again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.parts import words
from pages.parts.language import explain, say, told
from pages.parts.messages import MESSAGES
from plm_engine.config import PRESET_TEXT, PRESETS, Config, options
from plm_engine.options import Option

GROUPS = ("learning", "budget", "steps", "machine")
#: options with a place of their own on the page
_ELSEWHERE = ("seed", "mode", "workers")
#: what an empty field means, where it is not that there is no limit
_EMPTY = {"pick_share": "field.not_used", "organize_candidates": "field.all"}
#: JavaScript, and so a number field, counts exactly only up to here
_LARGEST_IN_BROWSER = 2**53 - 1


def label(name: str, described: Option) -> str:
    """Return what a field is called, with its unit."""
    text = option_name(name)
    return say("axis.in_unit", what=text, unit=told(described.unit)) if described.unit else text


def option_name(name: str) -> str:
    """Return what an option is called, without its unit."""
    return say(f"option.{name}") if f"option.{name}" in MESSAGES else name.replace("_", " ").capitalize()


def setting_name(name: str) -> str:
    """Return what an option is called in a list of settings; limits with the unit that tells them apart."""
    described = options().get(name)
    return label(name, described) if described and described.group == "budget" else option_name(name)


def choice_name(name: str, value: str) -> str:
    """Return what one of an option's choices is called."""
    key = f"choice.{name}_{value}".replace("-", "_")
    return say(key) if key in MESSAGES else told(value)


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
    shared: dict[str, Any] = {"help": told(described.help), "key": f"option:{scope}:{name}", "persist_state": "session"}
    title = label(name, described)
    empty = say(_EMPTY.get(name, "field.no_limit"))
    if described.choices:
        allowed = [*([None] if described.optional else []), *described.choices]
        return st.selectbox(
            title,
            allowed,
            allowed.index(default),
            format_func=lambda v: say("field.found_out") if v is None else choice_name(name, v),
            **shared,
        )
    if described.kind is bool:
        return st.checkbox(title, default, **shared)
    if described.kind is int:
        highest = None if described.high is None else min(int(described.high), _LARGEST_IN_BROWSER)
        lowest = None if described.low is None else int(described.low)
        return st.number_input(title, lowest, highest, default, step=1, placeholder=empty, **shared)
    if described.kind is float:
        step = 10.0 ** math.floor(math.log10(abs(default))) if default else 1.0
        low, high = (None if limit is None else float(limit) for limit in (described.low, described.high))
        return st.number_input(title, low, high, default, step=step, format="%.6g", placeholder=empty, **shared)
    return st.text_input(title, default or "", **shared) or None


def in_rows(names: Sequence[str], first: Mapping[str, Any], scope: str) -> dict[str, Any]:
    """Show fields three in a row, their lower edges in line, and return the values."""
    given: dict[str, Any] = {}
    for at in range(0, len(names), 3):
        for column, name in zip(st.columns(3, vertical_alignment="bottom"), names[at : at + 3], strict=False):
            with column:
                given[name] = field(name, first[name], scope)
    return given


def preset_field(start: str = "quick", scope: str = "") -> str:
    """Show the choice of a preset, ``start`` chosen at first, and return its name."""
    names = list(PRESETS)
    name = st.radio(
        say("train.preset"),
        names,
        names.index(start),
        format_func=lambda name: say(f"preset.{name}"),
        captions=[told(PRESET_TEXT[name].split(":", 1)[1].strip().capitalize()) for name in PRESETS],
        help=explain("preset"),
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
        say("goal.title"),
        [False, True],
        int(given.get("goal") is not None),
        horizontal=True,
        format_func=lambda v: say("goal.in_unit", unit=unit) if v else say("goal.in_percent"),
        key=f"goal:by_unit{scope}",
        persist_state="session",
        help=say("goal.help"),
    )
    if by_unit:
        first = float(given.get("goal") or (round(span * percent / 100, 4) if span else 1.0))
        value = st.number_input(
            say("goal.largest_unit", unit=unit),
            0.0,
            value=first,
            step=10.0 ** math.floor(math.log10(first)),
            format="%.6g",
            key=f"goal:unit:{preset}:{first}{scope}",
            persist_state="session",
            help=explain("goal"),
        )
        if span:
            st.caption(say("goal.is_percent", percent=words.number(100 * value / span, 3)))
        return {"goal": value}
    value = st.number_input(
        say("goal.largest_percent"),
        0.0,
        100.0,
        percent,
        step=1.0,
        format="%.6g",
        key=f"goal:percent:{preset}{scope}",
        persist_state="session",
        help=explain("goal"),
    )
    if span:
        st.caption(say("goal.is_unit", value=words.number(span * value / 100), unit=words.plain(unit)))
    return {"goal_percent": value}


def predict_field(start: Mapping[str, Any], has_latest: bool, chosen_for_me: bool, scope: str = "") -> dict[str, str]:
    """Show what is learned of the target, and return the option where there is something to choose.

    Parameters
    ----------
    start : mapping
        Settings of a run to start from; may be empty.
    has_latest : bool
        Whether a column holds the latest known price: only then there are changes to learn.
    chosen_for_me : bool
        Whether it is chosen together with the goal.
    scope : str
        Part of the field's key.
    """
    described = options()["predict"]
    off = "predict.no_latest" if not has_latest else "predict.chosen" if chosen_for_me else ""
    first = "level" if off else start.get("predict", "level")
    value = st.selectbox(
        option_name("predict"),
        described.choices,
        described.choices.index(first),
        format_func=lambda value: choice_name("predict", value),
        help=told(described.help),
        disabled=bool(off),
        key=f"predict:{off or 'open'}{scope}",
        persist_state="session",
    )
    if off:
        st.caption(say(off))
        return {}
    return {"predict": value}


def more_fields(preset: str, start: Mapping[str, Any] | None = None, scope: str = "") -> dict[str, Any]:
    """Show every option that has no place of its own, and return those that differ from the preset.

    The fields start with the settings of a run where ``start`` gives some, else with the preset's.
    """
    defaults = Config.preset(preset).to_mapping()
    first = {**defaults, **(start or {})}
    given: dict[str, Any] = {}
    for group in GROUPS:
        names = [name for name, d in options().items() if d.group == group and name not in _ELSEWHERE]
        st.markdown(f"**{say(f'group.{group}')}**")
        given |= in_rows(names, first, preset + scope)
    return {name: value for name, value in given.items() if value != defaults[name]}
