"""The form that starts a study of a run's data and settings, and the list of earlier ones."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts import news, words
from pages.parts.client import Lab
from plm_engine.config import Config
from plm_engine.errors import UserError
from plm_engine.store import RunInfo
from plm_engine.studies.plan import ABLATE, BACKTEST, COMPARE, Study
from plm_engine.studies.start import start_study, study_of

TITLES = {COMPARE: "Compare models", BACKTEST: "Backtest", ABLATE: "Switch modules off"}
TEXTS = {
    COMPARE: "The network beside persistence, regression, ridge and a backpropagation network, on the run's own split.",
    BACKTEST: "Stand at one week after the other, learn from what was known there, forecast, and compare.",
    ABLATE: "Train with one module of the mechanism switched off or swapped, over seeds and random splits.",
}


def show(client: Lab) -> None:
    """Show form and list."""
    runs = [run for run in client.runs() if run.status == "finished" and not run.extra.get("job")]
    if not runs:
        st.info("No finished run yet: train one first, then see here what its forecasts are worth.")
        st.page_link("pages/views/train.py", label="Train", icon=":material/model_training:")
    else:
        _form(client, runs)
    earlier = [(run, study) for run in client.runs() if (study := study_of(run)) is not None]
    if earlier:
        st.subheader("Earlier studies", anchor=False)
    for run, study in earlier[:10]:
        label = f"{words.moment(run.created)} · {TITLES[study.kind]} · {words.STATUS_TEXT[run.status][0]}"
        st.page_link(
            "pages/views/compare.py", label=words.plain(label), icon=":material/balance:", query_params={"run": run.id}
        )


def _form(client: Lab, runs: list[RunInfo]) -> None:
    titles = {run.id: f"{run.name or run.config.get('data', '')} · {words.moment(run.created)}" for run in runs}
    picked = st.selectbox("Data and settings of the run", list(titles), format_func=titles.__getitem__, key="study:run")
    kinds = list(TITLES)
    kind = st.radio(
        "What to do",
        kinds,
        kinds.index(COMPARE),
        format_func=TITLES.__getitem__,
        horizontal=True,
        key="study:kind",
    )
    if kind is None:
        return
    st.caption(TEXTS[kind])
    run = next(run for run in runs if run.id == picked)
    with st.container(horizontal=True):
        asked = _fields(kind, run)
    auto = kind != ABLATE and st.checkbox(
        "Choose the goal for me",
        key="study:auto",
        help="Goal and first network are chosen by forecasts inside the training rows; test rows are never used.",
    )
    if st.button("Start", type="primary", icon=":material/play_arrow:", key="study:start"):
        config = Config.from_mapping(run.config)
        if auto:
            config = config.replace(goal=None, goal_percent=None, goal_auto=True)
        try:
            study = Study(kind, **asked)
            run_id = start_study(config, study, home=client.home, run_id=_id(client), name=TITLES[kind])
        except UserError as error:
            st.error(words.plain(error), icon=":material/block:")
            return
        st.session_state.pop("study:id", None)
        news.follow(run_id)
        st.query_params["run"] = run_id
        st.rerun()


def _fields(kind: str, run: RunInfo) -> dict[str, Any]:
    if kind == BACKTEST:
        n = int(run.summary.get("n_train") or 0) + int(run.summary.get("n_test") or 0)
        first = st.number_input(
            "First origin (row, from 0)", min_value=12, value=max(12, int(0.6 * n)), key="study:first"
        )
        step = st.number_input("Rows between origins", min_value=1, value=4, key="study:step")
        window = st.selectbox("Learn from", ["expanding", "sliding"], key="study:window")
        return {"first_origin": int(first), "step": int(step), "window": window}
    seeds = st.number_input("Seeds", min_value=1, max_value=100, value=1 if kind == COMPARE else 3, key="study:seeds")
    splits = st.number_input(
        "Random splits",
        min_value=0,
        max_value=100,
        value=0,
        key="study:splits",
        help="0: the run's own split. Random splits leak.",
    )
    return {"seeds": int(seeds), "splits": int(splits)}


def _id(client: Lab) -> str:
    """Return one id for one form, so that a second press starts nothing new."""
    return str(st.session_state.setdefault("study:id", client.new_run_id()))
