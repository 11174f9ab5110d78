"""One experiment, live or ended: progress, the table so far, four charts, heat maps, the conclusion and the CSV."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import cancel_button, speedup_charts, steady, sweep_view, words
from pages.parts.client import Lab, name_of, unit_of_run
from pages.parts.language import counted, explain, say, told
from pages.parts.live_chart import Figure, show_chart
from plm_engine.errors import UserError
from plm_engine.experiment import results as outcomes
from plm_engine.experiment import start as experiments
from plm_engine.experiment import sweeps
from plm_engine.experiment.plan import SWEEP, Plan
from plm_engine.experiment.trials import read_trials
from plm_engine.store import RunInfo

REFRESH_S = 2.0
#: as wide as a mean with its interval: a table that is live keeps the widths that its first numbers gave it
WIDTH_PX = 136
#: of the table of results, in their order
COLUMNS = (
    "mode",
    "repeats",
    "organizing",
    "ratio",
    "understanding",
    "total",
    "mae",
    "efficiency",
    "talk",
    "memory",
)


def show(client: Lab, run_id: str) -> None:
    """Show the experiment with this id, which comes from a link and may be anything."""
    try:
        run = client.run(run_id)
    except UserError as error:
        st.error(words.shown(error), icon=":material/link_off:")
        st.page_link("pages/views/speedup.py", label=say("speedup.start_one"), icon=":material/speed:")
        return
    if not experiments.is_experiment(run.labels):
        st.error(say("speedup.not_one"), icon=":material/link_off:")
        return
    active = run.status in words.ACTIVE
    name = name_of(client, run)
    if name != say("speedup.where"):  # a heading below says so, too
        st.markdown(f"**{words.plain(name)}**")
    frames = steady.frames(run_id, active)
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, run_id, active, frames)
    _foot(client, run)


def _live(client: Lab, run_id: str, was_active: bool, frames: str) -> None:
    try:
        run = client.run(run_id)
    except UserError as error:  # deleted while somebody watches
        st.error(words.shown(error), icon=":material/error:")
        return
    if was_active and run.status not in words.ACTIVE:
        st.rerun()  # declares this fragment anew, without a timer
    _head(client, run, frames)
    with steady.slot("results") if frames else st.container():
        if not run.summary.get("plan"):
            st.caption(say("speedup.warming") if run.status in words.ACTIVE else frames)
            return
        plan, failed = Plan.from_mapping(run.summary["plan"]), run.summary.get("failed") or {}
        if plan.kind == SWEEP:
            steps = sweeps.sweep_table(read_trials(client.store.run_dir(run_id)))
            sweep_view.show(steps, plan, run_id, failed, frames)
        else:
            _results(client, run, failed, frames)
        for sentence in failed.values():  # below all that would move; the table names the mode
            st.warning(words.shown(sentence), icon=":material/warning:")


def _head(client: Lab, run: RunInfo, frames: str) -> None:
    """Show status, what is being done, progress and Cancel."""
    summary, active = run.summary, run.status in words.ACTIVE
    said = summary.get("doing") if active and not run.cancel_requested else ""
    with steady.slot("head", horizontal=True, vertical_alignment="center"):
        measuring = say("status.measuring") if run.status == "running" else ""
        st.markdown(words.status_badge(run.status, measuring), width="content")
        st.caption(words.shown(said or run.sentence), width="stretch")
        if active:
            cancel_button.show(client, run, "speedup:cancel", say("speedup.cancel_help"))
    finished, total = summary.get("finished", 0), summary.get("total", 0)
    if total or frames:
        elapsed = run.elapsed_s() or 0.0
        rest = words.duration(elapsed / finished * (total - finished)) if active and finished else ""
        left = say("speedup.left", time=rest) if rest else ""
        done = say("speedup.progress", k=finished, measurements=counted("measurement", total), left=left)
        st.progress(min(1.0, finished / max(total, 1)), text=done)


def _results(client: Lab, run: RunInfo, failed: dict[str, str], frames: str) -> None:
    """Show the results so far; while an experiment goes, everything has its place before it has a value."""
    results, active = outcomes.load(client.store.run_dir(run.id)), run.status in words.ACTIVE
    summary = results.summary
    if summary.empty and not frames:
        st.caption(say("chart.none"))
        return
    with steady.slot("conclusion") if frames else st.container():
        if summary.empty:
            st.caption(say("speedup.warming") if active else frames)
        if results.conclusion:
            st.info(f"**{words.shown(results.conclusion)}**", icon=":material/lightbulb:")
        if results.mae_sentence:
            st.markdown(words.shown(results.mae_sentence))
        if active and not summary.empty and not results.mae_sentence:
            st.caption(say("speedup.one_so_far"))
    st.subheader(say("speedup.results"), anchor=False)
    shown = table(summary, results.plan, failed, waiting=bool(frames))
    with steady.slot(f"rows-{len(shown)}"):
        st.dataframe(shown, hide_index=True, placeholder="–", key="speedup:table", column_config=_columns())
    sweep_view.disturbed(results.disturbed)
    _charts(results, unit_of_run(run), run.id, frames)


def _charts(results: outcomes.Results, unit: str, run_id: str, frames: str) -> None:
    """Show the measures as charts, or the frames of charts that wait for the first results."""
    summary = results.summary

    def chart(name: str, make: Callable[..., Figure], *more: str) -> None:
        figure = steady.waiting_chart("", "", frames) if summary.empty else make(summary, *more, run_id)
        show_chart(figure, key=f"speedup:{name}", alt=say(f"speedup.{name}_alt"))

    rows = "test" if summary.empty else results.trials["mae_rows"].iloc[0]
    st.subheader(say("speedup.measures"), anchor=False, help=explain("interval95"))
    left, right = st.columns([2, 1], gap="medium")
    with left:
        chart("times", speedup_charts.times_chart)
    with right:
        chart("errors", speedup_charts.error_chart, say(f"speedup.{rows}_unit", unit=unit))
    if "organizing_speedup" in summary or (summary.empty and len(results.plan.contenders) > 1):
        said = f"{explain('speedup')} {explain('efficiency')}"
        st.subheader(say("speedup.speedup"), anchor=False, help=said)
        left, right = st.columns(2, gap="medium")
        with left:
            chart("speedup", speedup_charts.speedup_chart)
        with right:
            chart("efficiency", speedup_charts.efficiency_chart)
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader(say("speedup.modules"), anchor=False)
        chart("modules", speedup_charts.modules_chart)
    with right:
        st.subheader(say("speedup.communication"), anchor=False, help=explain("communication"))
        chart("communication", speedup_charts.communication_chart)


def table(summary: pd.DataFrame, plan: Plan, failed: Collection[str] = (), *, waiting: bool = False) -> pd.DataFrame:
    """Return the results as a table for people; modes without any have lines of their own if they failed or wait."""
    missing = [contender for contender in plan.contenders if contender.key not in summary.index]
    lost = {say("speedup.col_organizing"): say("status.failed")}
    return pd.DataFrame(
        [
            {
                say("speedup.col_mode"): told(row["title"]),
                say("speedup.col_repeats"): int(row["repeats"]),
                say("speedup.col_organizing"): _interval(row, "organizing_s"),
                say("speedup.col_ratio"): _interval(row, "organizing_ratio"),
                say("speedup.col_understanding"): _interval(row, "understanding_s"),
                say("speedup.col_total"): _interval(row, "total_s"),
                say("speedup.col_mae"): _interval(row, "mae"),
                say("speedup.col_efficiency"): words.number(_percent(row.get("organizing_efficiency")), 3),
                say("speedup.col_talk"): words.number(_percent(row["communication_share"]), 3),
                say("speedup.col_memory"): words.number(float(round(row["peak_memory_all_mib"]))),
            }
            for _, row in summary.iterrows()
        ]
        + [
            {say("speedup.col_mode"): told(contender.title), **(lost if contender.key in failed else {})}
            for contender in missing
            if waiting or contender.key in failed
        ],
        columns=[say(f"speedup.col_{name}") for name in COLUMNS],
    )


def _columns() -> dict[str, Any]:
    """Return what every column of the table means, as hover texts."""
    helps = {
        "mode": explain("mode"),
        "repeats": say("speedup.repeats_help"),
        "organizing": explain("organizing"),
        "ratio": say("speedup.col_ratio_help"),
        "understanding": say("speedup.col_understanding_help"),
        "total": say("speedup.col_total_help"),
        "mae": explain("mae"),
        "efficiency": explain("efficiency"),
        "talk": explain("communication"),
        "memory": say("speedup.col_memory_help"),
    }
    sides: dict[str, Any] = {"mode": {"pinned": True}}
    sides |= {name: {"alignment": "right", "width": WIDTH_PX} for name in ("organizing", "ratio", "total", "mae")}
    return {
        say(f"speedup.col_{name}"): st.column_config.Column(help=means, **sides.get(name, {"alignment": "right"}))
        for name, means in helps.items()
    }


def _percent(share: Any) -> float | None:
    return None if share is None or math.isnan(share) else 100 * float(share)


def _interval(row: pd.Series, name: str) -> str:
    """Return ``1.23 (1.20 to 1.26)``; the mean alone where there is no interval."""
    mean, low, high = (float(row.get(f"{name}{end}", math.nan)) for end in ("", "_low", "_high"))
    if math.isnan(low) or low == high:
        return words.number(mean, 3)
    around = say("number.range", low=words.number(low, 3), high=words.number(high, 3))
    return f"{words.number(mean, 3)} ({around})"


def _foot(client: Lab, run: RunInfo) -> None:
    """Offer the CSV, going on, a new experiment, and the log."""
    run_dir = client.store.run_dir(run.id)
    with st.container(horizontal=True, vertical_alignment="center"):
        if run.status not in words.ACTIVE:
            if st.button(
                say("speedup.again"), icon=":material/replay:", key="speedup:again", help=say("speedup.again_help")
            ):
                st.query_params.clear()
                st.rerun()
            if run.status != "finished" and st.button(
                say("speedup.continue"),
                icon=":material/resume:",
                key="speedup:continue",
                help=say("speedup.continue_help"),
            ):
                try:
                    again = experiments.continue_(run.id, home=client.home)
                except UserError as error:
                    st.error(words.shown(error))
                else:
                    st.query_params.from_dict({"run": again})
                    st.rerun()
        if run.summary.get("plan") and read_trials(run_dir):
            st.download_button(
                say("speedup.csv"),
                outcomes.csv_of(run_dir),
                f"experiment_{run.id}.csv",
                "text/csv",
                icon=":material/download:",
                on_click="ignore",
                key="speedup:csv",
                help=say("speedup.csv_help"),
            )
    machine = (run.summary.get("machine") or {}).get("sentence", "")
    when = words.moment(run.started or run.created)
    st.caption(words.plain(say("speedup.foot", run=run.id, when=when, machine=told(machine))))
    if run.status in ("failed", "lost"):
        with st.expander(say("speedup.log")):
            st.code(client.log(run.id) or say("log.empty"), language=None)
