"""The form of the Train page: how thoroughly to learn, to which goal, and the button that starts a run."""

from __future__ import annotations

import json
import time
from typing import Any

import streamlit as st

from pages.parts import choice, chosen_data, estimate_button, fields, news, words
from pages.parts.client import Lab, name_of, unit_of
from pages.parts.language import counted, say
from pages.parts.log_field import log_field
from pages.parts.mode_fields import mode_fields
from plm_engine.config import Config
from plm_engine.datasets.prepare import Prepared
from plm_engine.errors import UserError

#: a second press of Start within this many seconds, with nothing changed, means the same run
_SAME_PRESS_S = 5.0


def show(client: Lab) -> None:
    """Show the form; a press of Start leads to the live view of the new run."""
    st.title(say("train.title"))
    like, start = _like(client)
    scope = f":{like}" if like else ""
    ready = chosen_data.show(client, _facts)
    if ready is None:
        return
    chosen, prepared = ready
    for finding in prepared.findings:  # what makes errors worthless is said once more before a launch
        if finding.severity == "warning":
            st.warning(words.shown(finding.sentence), icon=":material/warning:")
    span = float(prepared.y_train.max() - prepared.y_train.min()) if len(prepared.y_train) else 0.0
    unit = unit_of(prepared, chosen["data"])
    left, right = st.columns(2, gap="large")
    with left:
        preset = fields.preset_field(fields.nearest_preset(start) if start else "quick", scope)
    with right:
        auto = st.checkbox(
            say("train.auto"),
            bool(start.get("goal_auto")),
            key=f"goal:auto{scope}",
            help=say("train.auto_help"),
        )
        goal: dict[str, Any] = {"goal_auto": True}
        if not auto:
            goal = dict(fields.goal_field(preset, unit, span or None, start, scope))
        goal |= fields.predict_field(start, prepared.roles.latest_price is not None, auto, scope)
        seed = fields.field("seed", start.get("seed", 0), f"run{scope}")
    with st.expander(say("train.more")):
        more = fields.more_fields(preset, start, scope) | mode_fields(client.machine(), start, scope)
        more |= log_field(start, scope)
    try:
        config = client.config(chosen, preset, **goal, seed=seed, **more)
        client.check(prepared, config)
    except UserError as error:
        st.error(words.shown(error), icon=":material/block:")
        blocked = say("train.start_blocked")
        st.button(say("button.start"), type="primary", disabled=True, key="start:disabled", help=blocked)
        return
    with st.container(horizontal=True):
        pressed = st.button(
            say("button.start"),
            type="primary",
            icon=":material/play_arrow:",
            key="start",
            help=say("train.start_help"),
        )
        asked = estimate_button.offer()
    if pressed:
        _start(client, config)
    st.caption(say("train.background"))
    estimate_button.show(client, config, asked)


def _like(client: Lab) -> tuple[str, dict[str, Any]]:
    """Return the run that ``?like=<id>`` names and its settings, to start from; nothing if it names none."""
    run_id = st.query_params.get("like", "")
    if not run_id:
        return "", {}
    try:
        run = client.run(run_id)
    except UserError as error:
        st.warning(words.shown(error), icon=":material/link_off:")
        return "", {}
    if st.session_state.get("train:like") != run_id:  # once: the table may be changed afterwards
        st.session_state["train:like"] = run_id
        choice.put(client.choice_of(Config.from_stored(run.config)[0].to_mapping()))
    name = name_of(client, run)
    st.caption(words.plain(say("train.like", name=name, when=words.moment(run.created))))
    known, unknown = Config.from_stored(run.config)
    if unknown:
        st.warning(say("train.like_partly", unknown=words.shown(" ".join(unknown))), icon=":material/history:")
    return run_id, {name: value for name, value in known.to_mapping().items() if name not in choice.data_options()}


def _facts(prepared: Prepared) -> list[str]:
    """Return what the table is used for, and how many rows it has."""
    return [
        say("train.target", target=prepared.target),
        counted("driver", len(prepared.features)),
        counted("training_row", len(prepared.y_train)),
        counted("test_row", len(prepared.y_test)),
    ]


def _start(client: Lab, config: Config) -> None:
    """Start the run, once however often the button was pressed, and go to its live view."""
    pressed = json.dumps(config.to_mapping(), sort_keys=True)
    last: dict[str, Any] = st.session_state.get("last_start", {})
    if last.get("pressed") != pressed or time.monotonic() - last["at"] > _SAME_PRESS_S:
        last = {"pressed": pressed, "at": time.monotonic(), "run": client.new_run_id()}
        st.session_state["last_start"] = last
    try:
        run_id = client.start(config, last["run"])
    except UserError as error:
        st.session_state.pop("last_start", None)
        st.error(words.shown(error), icon=":material/error:")
        return
    news.follow(run_id)
    st.query_params.from_dict({"run": run_id})
    st.rerun()
