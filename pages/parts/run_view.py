"""One run, live or ended: where it stands, its errors beside simple forecasts, its charts, Cancel and downloads.

The live part is one fragment on a timer.  When the run ends the page is drawn once more, without the timer.
"""

from __future__ import annotations

import math
import time
from typing import Any

import streamlit as st

from pages.parts import (
    cancel_button,
    choice,
    go_on,
    resume_button,
    run_actions,
    run_begin,
    run_charts,
    run_log,
    seeds,
    steady,
    words,
)
from pages.parts.client import Lab, name_of, unit_of_run
from pages.parts.fields import setting_name
from pages.parts.language import counted, explain, say, told
from plm_engine.config import Config
from plm_engine.errors import UserError
from plm_engine.going_on import MEASURING
from plm_engine.pace import remaining
from plm_engine.report import Series
from plm_engine.store import RunInfo

REFRESH_S = 1.0
#: errors that differ by less are the same forecast: a network that learned nothing beyond its start
SAME = 1e-6
#: as wide as their widest texts: what stands beside them must not move when the time changes
ELAPSED_PX, REMAINING_PX = 125, 200
#: simple forecasts that every training is compared with; their lines wait for their errors
AWAITED: dict[str, dict[str, float]] = {"persistence": {}, "linear regression": {}}


def show(client: Lab, run_id: str) -> None:
    """Show the run with this id, which comes from a link and may be anything."""
    try:
        run = client.run(run_id)
    except UserError as error:
        st.title(say("train.title"))
        st.error(words.shown(error), icon=":material/link_off:")
        st.page_link("pages/views/runs.py", label=say("run.see_all"), icon=":material/list_alt:")
        return
    choice.adopt(client.choice_of(Config.from_stored(run.config)[0].to_mapping()))
    active = run.status in words.ACTIVE
    st.title(words.plain(name_of(client, run)))
    with st.container(key="way"):
        st.page_link(
            "pages/views/replay.py",
            label=say("run.replay"),
            icon=":material/smart_display:",
            query_params={"run": run.id},
        )
    frames = steady.frames(run_id, active)
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, run_id, active, frames)
    seeds.show(client, run, unit_of_run(run), frames)
    go_on.show(client, run, frames)
    _foot(client, run, frames)


def _live(client: Lab, run_id: str, was_active: bool, frames: str) -> None:
    try:
        run = client.run(run_id)
        series = client.series(run_id)
    except UserError as error:
        st.error(words.shown(error), icon=":material/error:")
        return
    if was_active and run.status not in words.ACTIVE:
        st.rerun()  # declares this fragment anew, without a timer
    unit, active = unit_of_run(run), run.status in words.ACTIVE
    _head(client, run, series)
    _progress(run, series, unit, frames)
    run_charts.predictions(series, unit, run_id, active, frames)
    _errors(run, unit, frames)
    run_begin.show(run, unit, frames)
    run_charts.learning(series, unit, run_id, frames)
    run_charts.notices(series, frames)


def _head(client: Lab, run: RunInfo, series: Series) -> None:
    """Show status, what it means, and Cancel or, in its place, New run."""
    with steady.slot("head", horizontal=True, vertical_alignment="center"):
        st.markdown(words.status_badge(run.status), width="content")
        said = words.plain(_sentence(run, series))
        (st.markdown if run.status in ("failed", "lost") else st.caption)(said, width="stretch")
        if run.status not in words.ACTIVE:
            if st.button(say("run.again"), icon=":material/replay:", key="again", help=say("run.again_help")):
                st.query_params.clear()
                st.rerun()
        else:
            cancel_button.show(client, run, "cancel", say("run.cancel_help"))


def _sentence(run: RunInfo, series: Series) -> str:
    if run.cancel_requested:
        return say("run.being_cancelled")
    if run.status == "running" and run.summary.get("sentence") == MEASURING:
        return say("go_on.measuring")
    if run.status == "running":
        now = say("run.now", n=series.round, module=words.phase_name(series.phase)) if series.phase else ""
        return f"{now}{say('state.running')}"
    if run.status == "queued" and run.position is not None:
        ahead = run.position - 1
        return say("run.next") if ahead <= 0 else say("run.ahead", runs=counted("run", ahead))
    return told(run.sentence) or say(f"state.{run.status}")


def _progress(run: RunInfo, series: Series, unit: str, frames: str) -> None:
    """Show how much is learned, and the newest numbers."""
    if series.n_train:
        share = series.n_learned / series.n_train
        st.progress(
            min(1.0, share),
            text=say("run.rows_learned", k=series.n_learned, rows=counted("training_row", series.n_train)),
        )
    elif frames:
        st.progress(0.0, text=say("run.not_begun" if run.status in words.ACTIVE else "run.never_begun"))
    largest = series.rounds["largest_residual"].iloc[-1] if len(series.rounds) else None
    with st.container(horizontal=True, gap="medium", key="figures"):
        elapsed = words.duration(run.elapsed_s())
        st.metric(say("run.elapsed"), elapsed, width=ELAPSED_PX, help=say("run.elapsed_help"))
        if run.status in words.ACTIVE:
            said = _remaining(run, series)
            st.metric(say("run.remaining"), said, width=REMAINING_PX, help=say("run.remaining_help"))
        else:
            learning = words.duration(series.seconds.get("total"))
            st.metric(say("run.learning"), learning, width=REMAINING_PX, help=say("run.learning_help"))
        st.metric(say("run.rounds"), f"{series.round:,}", width="content", help=explain("round"))
        st.metric(say("run.nodes"), words.number(series.n_hidden), width="content", help=explain("node"))
        st.metric(say("run.goal", unit=unit), words.number(series.goal), width="content", help=explain("goal"))
        st.metric(
            say("run.residual", unit=unit),
            words.number(largest),
            width="content",
            help=say("run.residual_help"),
        )


def _remaining(run: RunInfo, series: Series) -> str:
    """Say how long the run will likely still take, as a range."""
    rounds, minutes = series.rounds, run.config.get("max_minutes")
    if not len(rounds) or run.started is None:
        return say("run.remaining_unknown")
    ends, learned = rounds["at_s"].to_list(), rounds["n_learned"].to_list()
    picked = max(1, len(series.picked.get(series.round, ())))
    budget = None if minutes is None else ends[0] + 60 * minutes
    if series.n_learned >= series.n_train:
        return say("run.remaining_none")
    found = remaining(ends, learned, series.n_train, time.time() - run.started, picked, budget)
    if found is None:
        return say("run.remaining_unknown")
    said = say("number.range", low=words.duration(found.low_s), high=words.duration(found.high_s))
    return said if not found.budget else say("run.remaining_budget", time=words.duration(found.high_s))


def _errors(run: RunInfo, unit: str, frames: str) -> None:
    """Compare the network's mean absolute errors with those of the two simple forecasts."""
    mae = run.summary.get("mae") or {}
    if not mae and not frames:
        return
    named = {say("baseline.rplm"): mae}
    baselines = run.summary.get("baselines") or ({} if mae else AWAITED)
    named |= {words.baseline_name(name): errors for name, errors in baselines.items()}
    st.subheader(say("run.errors"), anchor=False, help=f"{explain('mae')} {explain('persistence')}")
    columns = (say("run.mae", unit=words.plain(unit)), say("run.train"), say("run.test"))
    lines = [f"| {' | '.join(columns)} |", "|:--|--:|--:|"]
    for name, errors in named.items():
        lines.append(f"| {name} | {words.number(errors.get('train'), 5)} | {words.number(errors.get('test'), 5)} |")
    with steady.slot("errors"):
        st.markdown("\n".join(lines))
    with steady.slot("verdict"):
        if mae:
            st.caption(verdict(mae.get("test"), {name: e.get("test") for name, e in baselines.items()}))
        else:
            st.caption(say("verdict.waits" if run.status in words.ACTIVE else "verdict.none"))


def verdict(test: Any, others: dict[str, Any]) -> str:
    """Say honestly which forecast is best on the test rows; an error that is not defined is a text or None."""
    known = {name: value for name, value in others.items() if isinstance(value, int | float)}
    if not isinstance(test, int | float):
        return say("verdict.no_test")
    if not known:
        return ""
    best = min(known, key=lambda name: known[name])
    if math.isclose(test, known[best], rel_tol=SAME):
        return say("verdict.same", best=told(best))
    if test < known[best]:
        return say("verdict.beats")
    return say("verdict.loses", best=told(best))


def _foot(client: Lab, run: RunInfo, frames: str) -> None:
    """Offer downloads, the settings and the log."""
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        run_actions.clone_button(run, key="clone")
        run_actions.downloads(client, run)
        resume_button.show(client, run, keep_place=bool(frames))
    with st.expander(say("run.settings")):
        shown = {name: value for name, value in run.config.items() if value not in (None, [], "")}
        shown["data"] = client.title(str(run.config.get("data", "")))
        st.dataframe(
            {
                say("run.setting"): [setting_name(name) for name in shown],
                say("run.value"): [words.setting(value) for value in shown.values()],
            },
            hide_index=True,
            height=300,
        )
        st.caption(say("run.started", run=run.id, when=words.moment(run.started or run.created)))
    run_log.show(client, run)
