"""One study, live or ended: progress, its sentence, the table with the spread, charts, and how the goal was chosen."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from pages.parts import study_charts, words
from pages.parts.client import Lab, unit_of_run
from pages.parts.language import say
from pages.parts.live_chart import show_chart
from pages.parts.study_tables import backtest_frame, measures_frame, spread_frame
from plm_engine.errors import UserError
from plm_engine.store import RunInfo
from plm_engine.studies.plan import BACKTEST
from plm_engine.studies.start import result_of_run, study_of

REFRESH_S = 2.0


def show(client: Lab, run_id: str) -> None:
    """Show the study with this id, which comes from a link and may be anything."""
    try:
        run = client.run(run_id)
        study = study_of(run)
    except UserError as error:
        st.error(words.plain(error), icon=":material/link_off:")
        return
    if study is None:
        st.error("This run is a training, not a study.", icon=":material/link_off:")
        return
    active = run.status in words.ACTIVE
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, run_id, active)
    result = result_of_run(client.store, run_id)
    if result:
        _result(result, unit_of_run(run))
    st.page_link("pages/views/compare.py", label="All studies", icon=":material/arrow_back:", query_params={})


def _live(client: Lab, run_id: str, was_active: bool) -> None:
    run = client.run(run_id)
    if was_active and run.status not in words.ACTIVE:
        st.rerun()  # declares this fragment anew, without a timer
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.status_badge(run.status), width="content")
        st.caption(words.plain(run.sentence), width="stretch")
        if run.status in words.ACTIVE:
            _cancel(client, run)
    progress = run.summary.get("progress") or {}
    if progress.get("total") and run.status in words.ACTIVE:
        share = progress["done"] / progress["total"]
        st.progress(min(1.0, share), text=f"{progress['done']} of {words.counted(progress['total'], 'part')}")


def _cancel(client: Lab, run: RunInfo) -> None:
    label = "Cancelling …" if run.cancel_requested else "Cancel"
    if st.button(label, icon=":material/stop_circle:", disabled=run.cancel_requested, key="study:cancel"):
        try:
            client.cancel(run.id)
        except UserError as error:
            st.toast(words.plain(error))
        st.rerun()


def _result(result: dict[str, Any], unit: str) -> None:
    for note in result["notes"]:
        (st.warning if "leak" in note.lower() else st.info)(words.plain(note))
    frame = backtest_frame(result) if result["kind"] == BACKTEST else spread_frame(result)
    st.dataframe(frame, hide_index=True, width="stretch")
    st.caption(f"Errors in {unit}. Skill: 1 less the error as a share of persistence's; below 0 loses to persistence.")
    if result["kind"] != BACKTEST:
        with st.expander("All measures, and the interval around each model", expanded=True):
            st.dataframe(measures_frame(result), hide_index=True, width="stretch")
    for line in result["table"]:
        if line.get("sentence"):
            st.caption(words.plain(line["sentence"]))
    if result["kind"] == BACKTEST:
        figures = {"skill": study_charts.skill_chart(result, "skill")}
        figures["origins"] = study_charts.origin_chart(result, unit, "origins")
        for name, figure in figures.items():
            title = say(f"study.chart_{name}")
            st.subheader(title, anchor=False)
            show_chart(figure, key=f"study:{name}", alt=title)
    else:
        _drivers(result, unit)
    for name, choice in result["choices"].items():
        with st.expander(f"What the goal was chosen from ({name.removeprefix('choice_').lstrip('0') or '0'})"):
            alt = say("study.chart_goal")
            st.caption(alt)
            show_chart(study_charts.goal_chart(choice, unit, name), key=f"study:{name}", alt=alt, height=360)
    st.download_button(
        "Download the result", json.dumps(result), "study.json", "application/json", icon=":material/download:"
    )


def _drivers(result: dict[str, Any], unit: str) -> None:
    lines = [line for line in result["pieces"][0]["lines"] if line.get("importance")]
    if not lines:
        return
    st.subheader("Drivers that matter", anchor=False)
    names = [line["model"] for line in lines]
    picked = st.selectbox("Model", names, index=len(names) - 1, key="study:model")
    found = next(line["importance"] for line in lines if line["model"] == picked)
    figure = study_charts.drivers_chart(found, unit, picked)
    alt = say("study.chart_drivers", model=picked)
    show_chart(figure, key="study:drivers", alt=alt, height=max(240, 24 * len(found)))
