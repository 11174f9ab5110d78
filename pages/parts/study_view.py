"""One study, live or ended: progress, its sentence, the table with the spread, charts, and how the goal was chosen."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import streamlit as st

from pages.parts import cancel_button, goal_charts, news, steady, study_charts, words
from pages.parts.client import Lab, unit_of_run
from pages.parts.language import counted, say, told
from pages.parts.live_chart import show_chart
from pages.parts.study_tables import backtest_frame, column_helps, measures_frame, spread_frame
from plm_engine.config import Config
from plm_engine.errors import UserError
from plm_engine.store import RunInfo, Status
from plm_engine.store.contract import STATUS_SENTENCES
from plm_engine.studies.plan import BACKTEST, Study
from plm_engine.studies.start import result_of_run, start_study, study_of

REFRESH_S = 2.0


def show(client: Lab, run_id: str) -> None:
    """Show the study with this id, which comes from a link and may be anything."""
    try:
        run = client.run(run_id)
        study = study_of(run)
    except UserError as error:
        st.error(words.shown(error), icon=":material/link_off:")
        st.page_link("pages/views/compare.py", label=say("study.all"), icon=":material/arrow_back:", query_params={})
        return
    if study is None:
        st.error(say("study.not_one"), icon=":material/link_off:")
        return
    active = run.status in words.ACTIVE
    with st.container(key="back"):  # above what comes with the study's end
        st.page_link("pages/views/compare.py", label=say("study.all"), icon=":material/arrow_back:", query_params={})
    table = words.plain(client.title(str(run.config.get("data", ""))))
    st.markdown(f"**{say(f'study.{study.kind}')}** · {table}")
    frames = steady.frames(run_id, active)
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, run_id, active, frames)
    result = result_of_run(client.store, run_id)
    if result:
        _result(result, unit_of_run(run))
    if run.status in ("cancelled", "failed", "lost"):
        _go_on(client, run, study)


def _live(client: Lab, run_id: str, was_active: bool, frames: str) -> None:
    try:
        run = client.run(run_id)
    except UserError as error:  # deleted while somebody watches
        st.error(words.shown(error), icon=":material/error:")
        return
    if was_active and run.status not in words.ACTIVE:
        st.rerun()  # declares this fragment anew, without a timer
    with steady.slot("head", horizontal=True, vertical_alignment="center"):
        st.markdown(words.status_badge(run.status), width="content")
        waits = run.status == "running" and run.sentence == STATUS_SENTENCES[Status.RUNNING]
        st.caption(say("study.running") if waits else words.shown(run.sentence), width="stretch")
        if run.status in words.ACTIVE:
            cancel_button.show(client, run, "study:cancel", say("study.cancel_help"))
    progress = {"done": 0, "total": 0, **(run.summary.get("progress") or {})}
    if progress["total"] or frames:
        share = progress["done"] / max(progress["total"], 1)
        st.progress(
            min(1.0, share), text=say("study.progress", k=progress["done"], parts=counted("part", progress["total"]))
        )


def _go_on(client: Lab, run: RunInfo, study: Study) -> None:
    """Offer to start the study anew with the parts that this one finished."""
    if not st.button(say("study.resume"), icon=":material/resume:", key="study:resume", help=say("study.resume_help")):
        return
    run_id = str(st.session_state.setdefault("study:resumed", client.new_run_id()))
    wanted = dataclasses.replace(study, resume_from=run.id)
    try:
        start_study(Config.to_repeat(run.config), wanted, home=client.home, run_id=run_id, name=run.name)
    except UserError as error:
        st.error(words.shown(error), icon=":material/error:")
        return
    del st.session_state["study:resumed"]
    news.follow(run_id)
    st.query_params["run"] = run_id
    st.rerun()


def _result(result: dict[str, Any], unit: str) -> None:
    beside_charts = {choice["sentence"] for choice in result["choices"].values()}
    notes = [note for note in result["notes"] if note not in beside_charts]
    for leak in [note for note in notes if "leak" in note.lower()]:
        st.warning(words.shown(leak), icon=":material/warning:")
    rest = [words.shown(note) for note in notes if "leak" not in note.lower()]
    if rest:
        st.info("\n\n".join(rest), icon=":material/info:")
    frame = backtest_frame(result) if result["kind"] == BACKTEST else spread_frame(result)
    with steady.slot(f"rows-{len(frame)}"):
        st.dataframe(frame, hide_index=True, width="stretch", column_config=column_helps())
    st.caption(say("study.errors_in", unit=unit))
    for name, found in (result.get("over_seeds") or {}).items():
        error = found["mae"]
        shown = {"median": words.number(error["median"]), "range": words.number_range(error["range"])}
        st.markdown(say("study.over_seeds", model=told(name), n=error["n"], unit=words.plain(unit), **shown))
    if result["kind"] != BACKTEST:
        with st.expander(say("study.measures"), expanded=True):
            for part in ("test", "train"):
                st.caption(say(f"study.of_{part}"))
                frame = measures_frame(result, part)
                with steady.slot(f"rows-{len(frame)}-{part}"):
                    st.dataframe(frame, hide_index=True, width="stretch", column_config=column_helps())
    said = [words.capitalised(words.shown(line["sentence"])) for line in result["table"] if line.get("sentence")]
    if said:
        st.caption("  \n".join(said))
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
        with st.expander(say("study.chosen_from", n=name.removeprefix("choice_").lstrip("0") or "0")):
            st.markdown(words.shown(choice["sentence"]))
            goal_charts.show(choice, unit, f"study:{name}")
    st.download_button(
        say("study.download"),
        json.dumps(result),
        "study.json",
        "application/json",
        icon=":material/download:",
        help=say("study.download_help"),
    )


def _drivers(result: dict[str, Any], unit: str) -> None:
    lines = [line for line in result["pieces"][0]["lines"] if line.get("importance")]
    if not lines:
        return
    st.subheader(say("study.drivers"), anchor=False, help=say("study.drivers_help"))
    names = [line["model"] for line in lines]
    picked = st.selectbox(
        say("study.model"),
        names,
        index=len(names) - 1,
        format_func=told,
        key="study:model",
        help=say("study.model_help"),
    )
    found = next(line["importance"] for line in lines if line["model"] == picked)
    figure = study_charts.drivers_chart(found, unit, picked)
    alt = say("study.chart_drivers", model=told(picked))
    show_chart(figure, key="study:drivers", alt=alt, height=max(240, 24 * len(found)))
