"""One experiment, live or ended: progress, the table so far, four charts, heat maps, the conclusion and the CSV."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import speedup_charts, words
from pages.parts.client import Lab, unit_of_run
from pages.parts.live_chart import show_chart
from plm_engine.errors import UserError
from plm_engine.experiment import results as outcomes
from plm_engine.experiment import start as experiments
from plm_engine.experiment import sweeps
from plm_engine.experiment.plan import SWEEP, Contender, Plan
from plm_engine.experiment.trials import read_trials
from plm_engine.store import RunInfo

REFRESH_S = 2.0


def show(client: Lab, run_id: str) -> None:
    """Show the experiment with this id, which comes from a link and may be anything."""
    try:
        run = client.run(run_id)
    except UserError as error:
        st.error(words.plain(error), icon=":material/link_off:")
        st.page_link("pages/views/speedup.py", label="Start an experiment", icon=":material/speed:")
        return
    if not experiments.is_experiment(run.labels):
        st.error("This run is a training, not an experiment.", icon=":material/link_off:")
        return
    active = run.status in words.ACTIVE
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, run_id, active)
    _foot(client, run)


def _live(client: Lab, run_id: str, was_active: bool) -> None:
    run = client.run(run_id)
    if was_active and run.status not in words.ACTIVE:
        st.rerun()  # declares this fragment anew, without a timer
    _head(client, run)
    if not run.summary.get("plan"):
        return
    plan = Plan.from_mapping(run.summary["plan"])
    for sentence in (run.summary.get("failed") or {}).values():
        st.warning(words.plain(sentence), icon=":material/warning:")
    if plan.kind == SWEEP:
        _sweep(client, run_id, plan)
    else:
        _results(outcomes.load(client.store.run_dir(run_id)), unit_of_run(run), run_id)


def _head(client: Lab, run: RunInfo) -> None:
    """Show status, what is being done, progress and Cancel."""
    summary, active = run.summary, run.status in words.ACTIVE
    said = summary.get("doing") if active and not run.cancel_requested else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.status_badge(run.status).replace("Learning", "Measuring"), width="content")
        st.caption(words.plain(said or run.sentence), width="stretch")
        if active and st.button(
            "Cancelling …" if run.cancel_requested else "Cancel",
            icon=":material/stop_circle:",
            disabled=run.cancel_requested,
            key="speedup:cancel",
            help="Ends within 5 seconds; finished measurements are kept and can be continued.",
        ):
            try:
                client.cancel(run.id)
            except UserError as error:
                st.toast(words.plain(error))
            st.rerun()
    finished, total = summary.get("finished", 0), summary.get("total", 0)
    if total and active:
        elapsed = run.elapsed_s() or 0.0
        left = f", about {words.duration(elapsed / finished * (total - finished))} left" if finished else ""
        st.progress(min(1.0, finished / total), text=f"{finished} of {words.counted(total, 'measurement')}{left}")


def _results(results: outcomes.Results, unit: str, run_id: str) -> None:
    summary = results.summary
    if summary.empty:
        st.caption("The first results come when every mode has warmed up.")
        return
    if results.conclusion:
        st.info(f"**{words.plain(results.conclusion)}**", icon=":material/lightbulb:")
    if results.mae_sentence:
        st.markdown(words.plain(results.mae_sentence))
    _disturbed(results.disturbed)
    st.subheader("Results", anchor=False)
    st.dataframe(table(summary), hide_index=True, placeholder="–", key="speedup:table")
    rows = results.trials["mae_rows"].iloc[0]
    st.subheader("The four measures, with 95 % intervals", anchor=False)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        show_chart(speedup_charts.times_chart(summary, run_id), key="speedup:times", alt="Times of every mode")
    with right:
        figure = speedup_charts.error_chart(summary, f"{rows} rows, {unit}", run_id)
        show_chart(figure, key="speedup:errors", alt="Mean absolute error of every mode")
    if "organizing_speedup" in summary:
        st.subheader("Speed-up and parallel efficiency", anchor=False)
        left, right = st.columns(2, gap="medium")
        with left:
            figure = speedup_charts.speedup_chart(summary, run_id)
            show_chart(figure, key="speedup:speedup", alt="Speed-up over workers beside the ideal line")
        with right:
            figure = speedup_charts.efficiency_chart(summary, run_id)
            show_chart(figure, key="speedup:efficiency", alt="Parallel efficiency of every mode")
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Time in each module", anchor=False)
        figure = speedup_charts.modules_chart(summary, run_id)
        show_chart(figure, key="speedup:modules", alt="Seconds in each module, stacked, for every mode")
    with right:
        st.subheader("Communication", anchor=False)
        figure = speedup_charts.communication_chart(summary, run_id)
        show_chart(figure, key="speedup:talk", alt="Share of the time spent communicating, for every mode")


def _disturbed(count: int) -> None:
    """Mark results that something else disturbed."""
    if count:
        many = words.counted(count, "measurement was", "measurements were")
        st.warning(
            f"{many} made while something else used this machine: the times are less sure than they look.",
            icon=":material/warning:",
        )


def table(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the results as a table for people."""
    return pd.DataFrame(
        [
            {
                "Mode": row["title"],
                "Repeats": int(row["repeats"]),
                "Organizing (s)": _interval(row, "organizing_s"),
                "Times Single": _interval(row, "organizing_ratio"),
                "Understanding inside (s)": _interval(row, "understanding_s"),
                "Overall (s)": _interval(row, "total_s"),
                "MAE": _interval(row, "mae"),
                "Efficiency (%)": words.number(_percent(row.get("organizing_efficiency")), 3),
                "Communicating (%)": words.number(_percent(row["communication_share"]), 3),
                "Peak memory (MiB)": words.number(float(round(row["peak_memory_all_mib"]))),
            }
            for _, row in summary.iterrows()
        ]
    )


def _percent(share: Any) -> float | None:
    return None if share is None or math.isnan(share) else 100 * float(share)


def _interval(row: pd.Series, name: str) -> str:
    """Return ``1.23 (1.20 to 1.26)``; the mean alone where there is no interval."""
    mean, low, high = (float(row.get(f"{name}{end}", math.nan)) for end in ("", "_low", "_high"))
    if math.isnan(low) or low == high:
        return words.number(mean, 3)
    return f"{words.number(mean, 3)} ({words.number(low, 3)} to {words.number(high, 3)})"


def _sweep(client: Lab, run_id: str, plan: Plan) -> None:
    steps = sweeps.sweep_table(read_trials(client.store.run_dir(run_id)))
    if steps.empty:
        st.caption("The first sizes come within seconds.")
        return
    reference = plan.contenders[0].key if "single" not in {c.key for c in plan.contenders} else "single"
    name = Contender.parse(reference).title
    st.subheader("Where does it pay?", anchor=False)
    st.caption(
        f"Time of one training step on synthetic rows, as a multiple of {name}: blue pays, orange does not. "
        "A dash is a size that was left out, for lack of time or memory."
    )
    said = sweeps.sweep_conclusion(steps, reference)
    if said:
        st.info(words.plain(said), icon=":material/lightbulb:")
    _disturbed(int((steps["disturbed"] != "").sum()))
    others = [c for c in plan.contenders if c.key != reference]
    columns = st.columns(2, gap="medium")
    for i, contender in enumerate(others):
        with columns[i % 2]:
            st.markdown(f"**{contender.title}**")
            figure = speedup_charts.heat_map(steps, contender.key, reference, run_id)
            alt = f"Time of one step of {contender.title} as a multiple of {name}, over rows and hidden nodes"
            show_chart(figure, key=f"speedup:heat:{contender.key}", alt=alt)
    with st.expander("Milliseconds of every step"):
        wide = steps.pivot_table(index=["rows", "hidden"], columns="contender", values="step_ms").reset_index()
        st.dataframe(wide.rename(columns={"rows": "Rows", "hidden": "Hidden nodes"}), hide_index=True, placeholder="–")


def _foot(client: Lab, run: RunInfo) -> None:
    """Offer the CSV, going on, a new experiment, and the log."""
    run_dir = client.store.run_dir(run.id)
    with st.container(horizontal=True, vertical_alignment="center"):
        if run.status not in words.ACTIVE:
            if st.button("New experiment", icon=":material/replay:", key="speedup:again"):
                st.query_params.clear()
                st.rerun()
            if run.status != "finished" and st.button("Continue it", icon=":material/resume:", key="speedup:continue"):
                try:
                    again = experiments.continue_(run.id, home=client.home)
                except UserError as error:
                    st.error(words.plain(error))
                else:
                    st.query_params.from_dict({"run": again})
                    st.rerun()
        if run.summary.get("plan") and read_trials(run_dir):
            st.download_button(
                "Every measurement (CSV)",
                outcomes.csv_of(run_dir),
                f"experiment_{run.id}.csv",
                "text/csv",
                icon=":material/download:",
                on_click="ignore",
                key="speedup:csv",
            )
    machine = (run.summary.get("machine") or {}).get("sentence", "")
    st.caption(words.plain(f"Experiment {run.id} · started {words.moment(run.started or run.created)} · {machine}"))
    if run.status in ("failed", "lost"):
        with st.expander("Log of this experiment"):
            st.code(client.log(run.id) or "The log is empty.", language=None)
