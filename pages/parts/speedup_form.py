"""The form of the Speed-up page: which modes to compare, on which data and how often; estimate first, then Start."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from pages.parts import chosen_data, fields, news, words
from pages.parts.client import Lab, unit_of
from pages.parts.language import counted, explain, say, told
from pages.parts.mode_fields import count_field, lacking, shares_out
from plm_engine.config import Config
from plm_engine.datasets.prepare import Prepared
from plm_engine.errors import UserError
from plm_engine.experiment import start as experiments
from plm_engine.experiment.plan import REPEATS, SWEEP, SWEEP_MINUTES, TRAIN, Contender, Plan
from plm_engine.machine import Machine
from plm_engine.modes import MODES

PRESET = "quick"
#: ticked when the page is first seen, if the machine can do them
FIRST_CHOICE = ("single", "batched", "ddp", "candidate_parallel")
KINDS = {TRAIN: "speedup.train", SWEEP: "speedup.sweep"}
#: what a mode rests on, as the glossary has it
TERM_OF_MODE = {
    "single": "mode",
    "batched": "candidate",
    "data_parallel": "data_parallel",
    "ddp": "ddp",
    "row_parallel": "data_parallel",
    "model_parallel": "model_parallel",
    "candidate_parallel": "candidate_parallel",
}
MORE = ("pick", "epochs", "max_rounds", "max_nodes", "scope", "dtype", "seed")


def show(client: Lab) -> None:
    """Show the form; Start leads to the live view of the new experiment."""
    machine = client.machine()
    st.markdown(say("speedup.lead"))
    st.caption(say("speedup.machine", machine=words.shown(machine.sentence())))
    kind = st.radio(
        say("speedup.kind"),
        list(KINDS),
        list(KINDS).index(TRAIN),
        horizontal=True,
        format_func=lambda k: say(KINDS[k]),
        key="speedup:kind",
        persist_state="session",
        help=say("speedup.kind_help"),
    )
    data = chosen_data.show(client, lambda prepared: [counted("training_row", len(prepared.y_train))])
    if data is None:
        return
    chosen, prepared = data
    contenders = _modes(machine)
    details: dict[str, Any] = {}
    if kind == SWEEP:
        minutes = float(
            st.number_input(
                say("speedup.minutes"),
                1.0,
                1440.0,
                SWEEP_MINUTES,
                1.0,
                key="speedup:minutes",
                help=say("speedup.minutes_help"),
            )
        )
        repeats = 1
    else:
        repeats, minutes = _repeats(), SWEEP_MINUTES
        details = _goal(prepared, chosen["data"])
    try:
        config = client.config(chosen, PRESET, **details)
        client.check(prepared, config)
        plan = Plan(tuple(contenders), kind or TRAIN, repeats, minutes=minutes)
        plan.check(machine)
    except UserError as error:
        st.error(words.shown(error), icon=":material/block:")
        return
    _estimate_and_start(client, config, plan)


def _modes(machine: Machine) -> list[Contender]:
    """Show every mode with its count of workers; what the machine lacks is disabled, with what it would need."""
    st.subheader(say("speedup.modes"), anchor=False)
    contenders = []
    for mode in MODES.values():
        if mode.name == "auto":
            continue
        missing = lacking(mode, machine)
        left, right = st.columns([3, 2], vertical_alignment="center")
        with left, st.container(gap="xxsmall", key=f"mode:{mode.name}"):
            ticked = st.checkbox(
                told(mode.title),
                value=mode.name in FIRST_CHOICE and not missing,
                disabled=bool(missing),
                key=f"speedup:mode:{mode.name}",
                persist_state="session",
                help=say("mode.lacks", missing=missing) if missing else explain(TERM_OF_MODE[mode.name]),
            )
            st.caption(words.shown(missing or mode.text))
        workers = 1
        if shares_out(mode) and ticked and not missing:
            with right:
                workers = count_field(mode, machine, f"speedup:workers:{mode.name}")
        if ticked and not missing:
            contenders.append(Contender(mode.name, workers))
    return contenders


def _repeats() -> int:
    return int(
        st.number_input(
            say("speedup.repeats"),
            1,
            100,
            REPEATS,
            1,
            key="speedup:repeats",
            persist_state="session",
            help=say("speedup.repeats_help"),
        )
    )


def _goal(prepared: Prepared, data: str) -> dict[str, Any]:
    """Show goal and further settings and return the options given."""
    span = float(prepared.y_train.max() - prepared.y_train.min())
    given: dict[str, Any] = dict(fields.goal_field(PRESET, unit_of(prepared, data), span or None))
    defaults = Config.preset(PRESET).to_mapping()
    with st.expander(say("speedup.more")):
        given |= fields.in_rows(MORE, defaults, "speedup")
    return given


def _estimate_and_start(client: Lab, config: Config, plan: Plan) -> None:
    asked = json.dumps([config.to_mapping(), plan.to_mapping()], sort_keys=True)
    known: dict[str, Any] = st.session_state.get("speedup:estimate", {})
    fresh = known.get("asked") == asked
    with st.container(horizontal=True):
        estimate = st.button(
            say("speedup.ask"),
            type="secondary" if fresh else "primary",
            key="speedup:ask",
            help=say("speedup.ask_help"),
        )
        begin = st.button(
            say("button.start"),
            type="primary" if fresh else "secondary",
            icon=":material/play_arrow:",
            disabled=not fresh,
            key="speedup:start",
            help=say("speedup.start_help" if fresh else "speedup.ask_first"),
        )
    if estimate:
        try:
            with st.spinner(say("speedup.trying")):
                found = experiments.estimate(config, plan)
        except UserError as error:
            st.error(words.shown(error), icon=":material/error:")
            return
        run_id = client.new_run_id()
        st.session_state["speedup:estimate"] = {
            "asked": asked, "seconds": found.seconds, "sentence": found.sentence, "run": run_id,
        }  # fmt: skip
        st.rerun()
    if fresh:
        about = words.duration(known["seconds"])
        st.info(say("speedup.about", time=about, basis=words.shown(known["sentence"])), icon=":material/timer:")
    if begin:
        try:
            # the id was drawn with the estimate: a second press starts nothing new
            run_id = experiments.start(config, plan, home=client.home, run_id=known["run"])
        except UserError as error:
            st.error(words.shown(error), icon=":material/error:")
            return
        st.session_state.pop("speedup:estimate", None)
        news.follow(run_id)
        st.query_params.from_dict({"run": run_id})
        st.rerun()
