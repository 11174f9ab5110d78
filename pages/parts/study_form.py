"""The form that starts a study of a run's data and settings, and the list of earlier ones."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts import earlier, empty, news, words
from pages.parts.client import Lab, name_of, trained
from pages.parts.language import explain, say, text, told
from plm_engine.config import Config
from plm_engine.errors import UserError
from plm_engine.store import RunInfo
from plm_engine.studies.plan import ABLATE, BACKTEST, COMPARE, Study
from plm_engine.studies.start import start_study, study_of

KINDS = (COMPARE, BACKTEST, ABLATE)


def show(client: Lab) -> None:
    """Show form and list."""
    runs = trained(client)
    if not runs:
        empty.show("study", icon=":material/balance:", button="link.train", leads_to="train")
    else:
        _form(client, runs)
    past = [run for run in client.runs() if study_of(run) is not None]
    earlier.show(client, past, say("study.earlier"), page="compare", icon=":material/balance:")


def _form(client: Lab, runs: list[RunInfo]) -> None:
    titles = {run.id: f"{name_of(client, run)} · {words.moment(run.created)}" for run in runs}
    picked = st.selectbox(
        say("study.run"),
        list(titles),
        format_func=titles.__getitem__,
        key="study:run",
        help=say("study.run_help"),
    )
    kind = st.radio(
        say("study.what"),
        KINDS,
        KINDS.index(COMPARE),
        format_func=lambda kind: say(f"study.{kind}"),
        horizontal=True,
        key="study:kind",
        help=say("study.what_help"),
    )
    if kind is None:
        return
    st.caption(say(f"study.{kind}_text"))
    run = next(run for run in runs if run.id == picked)
    with st.container(horizontal=True):
        asked = _fields(kind, run)
    auto = kind != ABLATE and st.checkbox(
        say("train.auto"),
        key="study:auto",
        help=say("study.auto_help"),
    )
    pressed = st.button(
        say("button.start"),
        type="primary",
        icon=":material/play_arrow:",
        key="study:start",
        help=say("study.start_help"),
    )
    if pressed:
        try:
            config = Config.to_repeat(run.config)
            if auto:
                config = config.replace(goal=None, goal_percent=None, goal_auto=True)
            study = Study(kind, **asked)
            run_id = start_study(config, study, home=client.home, run_id=_id(client), name=text("en", f"study.{kind}"))
        except UserError as error:
            st.error(words.shown(error), icon=":material/block:")
            return
        st.session_state.pop("study:id", None)
        news.follow(run_id)
        st.query_params["run"] = run_id
        st.rerun()


def _fields(kind: str, run: RunInfo) -> dict[str, Any]:
    if kind == BACKTEST:
        n = int(run.summary.get("n_train") or 0) + int(run.summary.get("n_test") or 0)
        first = st.number_input(
            say("study.first"),
            min_value=12,
            value=max(12, int(0.6 * n)),
            key="study:first",
            help=explain("origin"),
        )
        step = st.number_input(say("study.step"), min_value=1, value=4, key="study:step", help=say("study.step_help"))
        window = st.selectbox(
            say("study.window"),
            ["expanding", "sliding"],
            format_func=told,
            key="study:window",
            help=say("study.window_help"),
        )
        asked: dict[str, Any] = {"first_origin": int(first), "step": int(step), "window": window}
        if window == "sliding":
            rows = st.number_input(
                say("study.window_rows"), min_value=12, value=None, key="study:rows", help=say("study.window_rows_help")
            )
            asked["window_rows"] = None if rows is None else int(rows)
        every = st.number_input(
            say("study.rechoose"), min_value=1, value=12, key="study:rechoose", help=say("study.rechoose_help")
        )
        again = st.number_input(
            say("study.seeds"), min_value=1, max_value=100, value=1, key="study:repeats", help=say("study.seeds_help")
        )
        return {**asked, "rechoose_every": int(every), "seeds": int(again)}
    seeds = st.number_input(
        say("study.seeds"),
        min_value=1,
        max_value=100,
        value=1 if kind == COMPARE else 3,
        key="study:seeds",
        help=say("study.seeds_help"),
    )
    splits = st.number_input(
        say("study.splits"),
        min_value=0,
        max_value=100,
        value=0,
        key="study:splits",
        help=say("study.splits_help"),
    )
    return {"seeds": int(seeds), "splits": int(splits)}


def _id(client: Lab) -> str:
    """Return one id for one form, so that a second press starts nothing new."""
    return str(st.session_state.setdefault("study:id", client.new_run_id()))
