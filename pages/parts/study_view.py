"""One study, live or ended: progress, its sentence, the table with the spread, charts, and how the goal was chosen."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.parts import words
from pages.parts.client import Lab, unit_of_run
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
        st.plotly_chart(skill_chart(result), width="stretch", key="study:skill")
        st.plotly_chart(origin_chart(result, unit), width="stretch", key="study:origins")
    else:
        _drivers(result, unit)
    for name, choice in result["choices"].items():
        with st.expander(f"What the goal was chosen from ({name.removeprefix('choice_').lstrip('0') or '0'})"):
            st.plotly_chart(goal_chart(choice, unit), width="stretch", key=f"study:{name}")
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
    figure = go.Figure(
        go.Bar(
            x=[i["mean"] for i in found],
            y=[i["driver"] for i in found],
            error_x={"type": "data", "array": [i["spread"] for i in found]},
            orientation="h",
        )
    )
    figure.update_layout(
        xaxis_title=f"Increase of the test MAE when shuffled ({unit})",
        yaxis={"autorange": "reversed"},
        height=max(240, 24 * len(found)),
    )
    st.plotly_chart(figure, width="stretch", key="study:drivers")


def skill_chart(result: dict[str, Any]) -> go.Figure:
    """Return the cumulative skill of every model over the origins."""
    figure = go.Figure()
    for name, values in result["cumulative_skill"].items():
        figure.add_scatter(x=result["origins"], y=values, name=name, mode="lines")
    return figure.update_layout(title="Cumulative skill", xaxis_title="Origin (row, from 0)", yaxis_title="Skill")


def origin_chart(result: dict[str, Any], unit: str) -> go.Figure:
    """Return the error of every model at every origin."""
    figure = go.Figure()
    for name, values in result["by_origin"].items():
        figure.add_scatter(x=result["origins"], y=values, name=name, mode="lines")
    return figure.update_layout(
        title="Error by origin", xaxis_title="Origin (row, from 0)", yaxis_title=f"MAE ({unit})"
    )


def goal_chart(choice: dict[str, Any], unit: str) -> go.Figure:
    """Return validation error against goal for every way to begin, with hidden nodes in the hover text."""
    figure = go.Figure()
    frame = pd.DataFrame(choice["candidates"])
    for (start, how), part in frame.groupby(["start", "regularizing"], sort=False):
        part = part.sort_values("goal")
        figure.add_scatter(
            x=part["goal"],
            y=part["mae"],
            name=f"{start}, regularizing {how}",
            mode="lines+markers",
            text=[f"{nodes:.1f} hidden nodes" for nodes in part["n_hidden"]],
            marker={"size": 6 + part["n_hidden"].clip(0, 30) / 2},
        )
    return figure.update_layout(
        title="Validation error against goal (marker size: hidden nodes)",
        xaxis_title=f"Learning goal ({unit})",
        yaxis_title=f"Validation MAE ({unit})",
    )
