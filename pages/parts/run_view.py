"""One run, live or ended: where it stands, its errors beside simple forecasts, its charts, Cancel and downloads.

The live part is one fragment on a timer.  When the run ends the page is drawn once more, without the timer.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts import choice, resume_button, run_actions, run_begin, run_charts, words
from pages.parts.client import Lab, unit_of_run
from plm_engine.errors import UserError
from plm_engine.report import Series
from plm_engine.store import RunInfo

REFRESH_S = 1.0


def show(client: Lab, run_id: str) -> None:
    """Show the run with this id, which comes from a link and may be anything."""
    try:
        run = client.run(run_id)
    except UserError as error:
        st.title("Train")
        st.error(words.plain(error), icon=":material/link_off:")
        st.page_link("pages/views/runs.py", label="See all runs", icon=":material/list_alt:")
        return
    choice.adopt(client.choice_of(run.config))
    active = run.status in words.ACTIVE
    st.title(words.plain(run.name or client.title(str(run.config.get("data", "")))))
    st.page_link(
        "pages/views/replay.py",
        label="How it learns: replay this run step by step",
        icon=":material/smart_display:",
        query_params={"run": run.id},
    )
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, run_id, active)
    _foot(client, run)


def _live(client: Lab, run_id: str, was_active: bool) -> None:
    try:
        run = client.run(run_id)
        series = client.series(run_id)
    except UserError as error:
        st.error(words.plain(error), icon=":material/error:")
        return
    if was_active and run.status not in words.ACTIVE:
        st.rerun()  # declares this fragment anew, without a timer
    unit = unit_of_run(run)
    _head(client, run, series)
    _progress(run, series, unit)
    run_charts.predictions(series, unit, run_id)
    _errors(run, unit)
    run_begin.show(run, unit)
    run_charts.learning(series, unit, run_id)
    run_charts.notices(series)


def _head(client: Lab, run: RunInfo, series: Series) -> None:
    """Show status, what it means, and Cancel or Start another."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.status_badge(run.status), width="content")
        st.caption(words.plain(_sentence(run, series)), width="stretch")
        if run.status in words.ACTIVE:
            pressed = st.button(
                "Cancelling …" if run.cancel_requested else "Cancel",
                icon=":material/stop_circle:",
                disabled=run.cancel_requested,
                key="cancel",
                help="Ends the run within 5 seconds and keeps the network of the last complete round.",
            )
            if pressed:
                try:
                    client.cancel(run.id)
                except UserError as error:
                    st.toast(words.plain(error))
                st.rerun()


def _sentence(run: RunInfo, series: Series) -> str:
    if run.cancel_requested:
        return "Being cancelled; the network of the last complete round is kept."
    if run.status == "running":
        module = words.PHASE_NAMES.get(series.phase, series.phase.capitalize())
        now = f"Round {series.round:,}, {module}. " if series.phase else ""
        return f"{now}{words.STATUS_TEXT['running'][3]}"
    if run.status == "queued" and run.position is not None:
        ahead = run.position - 1
        return "Next in the queue." if ahead <= 0 else f"Waits for {words.counted(ahead, 'run')} before it."
    return run.sentence or words.STATUS_TEXT[run.status][3]


def _progress(run: RunInfo, series: Series, unit: str) -> None:
    """Show how much is learned, and the newest numbers."""
    if series.n_train:
        share = series.n_learned / series.n_train
        st.progress(
            min(1.0, share),
            text=f"Rows learned: **{series.n_learned:,} of {words.counted(series.n_train, 'training row')}**",
        )
    elif run.status in words.ACTIVE:
        st.progress(0.0, text="Learning has not begun yet.")
    largest = series.rounds["largest_residual"].iloc[-1] if len(series.rounds) else None
    with st.container(horizontal=True, gap="medium"):
        st.metric("Elapsed", words.duration(run.elapsed_s()), width="content")
        st.metric("Rounds", f"{series.round:,}", width="content")
        st.metric("Hidden nodes", words.number(series.n_hidden), width="content")
        st.metric(f"Learning goal ({unit})", words.number(series.goal), width="content")
        st.metric(
            f"Largest residual ({unit})",
            words.number(largest),
            width="content",
            help="Of all training rows, at the end of the newest round.",
        )


def _errors(run: RunInfo, unit: str) -> None:
    """Compare the network's mean absolute errors with those of the two simple forecasts."""
    mae = run.summary.get("mae")
    if not mae:
        return
    named = {"RPLM (this run)": mae}
    baselines = run.summary.get("baselines") or {}
    names = {"persistence": "Persistence (the latest known price)", "linear regression": "Linear regression"}
    named |= {names.get(name, name): errors for name, errors in baselines.items()}
    st.subheader("Errors beside simple forecasts", anchor=False)
    lines = [f"| Mean absolute error ({words.plain(unit)}) | Training rows | Test rows |", "|:--|--:|--:|"]
    for name, errors in named.items():
        lines.append(f"| {name} | {words.number(errors.get('train'), 5)} | {words.number(errors.get('test'), 5)} |")
    st.markdown("\n".join(lines))
    st.caption(verdict(mae.get("test"), {name: e.get("test") for name, e in baselines.items()}))


def verdict(test: Any, others: dict[str, Any]) -> str:
    """Say honestly which forecast is best on the test rows; an error that is not defined is a text or None."""
    known = {name: value for name, value in others.items() if isinstance(value, int | float)}
    if not isinstance(test, int | float):
        return "There are no test rows, so nothing is said about how well it forecasts."
    if not known:
        return ""
    best = min(known, key=lambda name: known[name])
    if test < known[best]:
        return "On the test rows this run beats both simple forecasts. One run proves little: the seed alone moves it."
    return (
        f"On the test rows {best} is better than this run. That is common for prices: "
        "a forecast is only worth using where it beats the simple ones."
    )


def _foot(client: Lab, run: RunInfo) -> None:
    """Offer downloads, the settings and the log."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if run.status not in words.ACTIVE:
            if st.button("New run", icon=":material/replay:", key="again", help="Back to the form."):
                st.query_params.clear()
                st.rerun()
            resume_button.show(client, run)
            run_actions.clone_button(run, key="clone")
            run_actions.downloads(client, run)
    with st.expander("Settings of this run"):
        shown = {name: value for name, value in run.config.items() if value not in (None, [], "")}
        shown["data"] = client.title(str(run.config.get("data", "")))
        st.dataframe(
            {"Setting": list(shown), "Value": [str(value) for value in shown.values()]}, hide_index=True, height=300
        )
        st.caption(f"Run {run.id} · started {words.moment(run.started or run.created)}")
    if run.status in ("failed", "lost"):
        with st.expander("Log of this run"):
            st.code(client.log(run.id) or "The log is empty.", language=None)
