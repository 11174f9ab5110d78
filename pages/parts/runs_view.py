"""The Runs page: every run in one table, and what can be done with the chosen one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import words
from pages.parts.client import Lab, unit_of_run
from plm_engine.errors import UserError
from plm_engine.experiment.start import is_experiment
from plm_engine.store import RunInfo

REFRESH_S = 2.0


def show(client: Lab) -> None:
    """Show all runs; the table refreshes by itself while one is active."""
    st.title("Runs")
    runs = client.runs()
    if not runs:
        st.info(
            "No run yet. Choose a table, set a goal and press Start: the run then appears here.",
            icon=":material/school:",
        )
        st.page_link("pages/views/train.py", label="Start the first run", icon=":material/play_arrow:")
        return
    active = any(run.status in words.ACTIVE for run in runs)
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, active)


def _live(client: Lab, was_active: bool) -> None:
    runs = client.runs()
    if was_active and not any(run.status in words.ACTIVE for run in runs):
        st.rerun()  # declares this fragment anew, without a timer
    if not runs:
        st.rerun()
    picked = st.dataframe(
        table(client, runs),
        hide_index=True,
        key="runs:table",
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
        column_config=_columns(),
        height="content" if len(runs) <= 12 else 460,
    )
    ids = [run.id for run in runs]
    rows = picked["selection"]["rows"] if picked else []
    if rows and st.session_state.get("runs:row") != rows:
        st.session_state["runs:picked"] = ids[min(rows[0], len(ids) - 1)]
    st.session_state["runs:row"] = rows
    if st.session_state.get("runs:picked") not in ids:
        st.session_state["runs:picked"] = ids[0]
    by_id = {run.id: run for run in runs}
    chosen = st.selectbox(
        "Run to open, download or delete",
        ids,
        format_func=lambda i: _label(client, by_id[i]),
        key="runs:picked",
        help="Or pick a row of the table.",
    )
    actions(client, by_id[chosen])


def _label(client: Lab, run: RunInfo) -> str:
    """Return what the run is called in the list; the id keeps it unique, which the browser goes by."""
    return f"{words.moment(run.created)} · {_name(client, run)} · {_status(run)} · {run.id}"


def table(client: Lab, runs: list[RunInfo]) -> pd.DataFrame:
    """Return one row for each run, in the order given."""
    return pd.DataFrame([_row(client, run) for run in runs])


def _row(client: Lab, run: RunInfo) -> dict[str, Any]:
    summary, config = run.summary, run.config
    mae = summary.get("mae") or {}
    goal = summary.get("goal", config.get("goal"))
    return {
        "Started": pd.Timestamp(run.started or run.created, unit="s", tz="UTC"),
        "Status": _status(run),
        "Data": _name(client, run),
        "Target": f"{summary.get('target') or config.get('target') or '–'} ({unit_of_run(run)})",
        "Goal": goal,
        "Nodes": summary.get("n_hidden"),
        "Training MAE": mae.get("train"),
        "Test MAE": mae.get("test"),
        "Time": words.duration(run.elapsed_s()),
        "Run": run.id,
    }


def _columns() -> dict[str, Any]:
    column = st.column_config
    in_unit = "In the target's unit. "
    return {
        "Started": column.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        "Goal": column.NumberColumn(format="%.5g", help=in_unit + "Largest error that a learned row may have."),
        "Nodes": column.NumberColumn("Hidden nodes", format="%d"),
        "Training MAE": column.NumberColumn(format="%.5g", help=in_unit + "Mean absolute error of the training rows."),
        "Test MAE": column.NumberColumn(format="%.5g", help=in_unit + "Mean absolute error of the test rows."),
    }


def _status(run: RunInfo) -> str:
    return words.STATUS_TEXT[run.status][0]


def _name(client: Lab, run: RunInfo) -> str:
    return run.name or client.title(str(run.config.get("data", "")))


def actions(client: Lab, run: RunInfo) -> None:
    """Show what can be done with one run; deleting asks first."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Open", type="primary", icon=":material/open_in_new:", key="runs:open"):
            page = "speedup" if is_experiment(run.labels) else "train"
            st.switch_page(f"pages/views/{page}.py", query_params={"run": run.id})
        downloads(client, run)
        if run.status in words.ACTIVE:
            st.caption("A run that still goes cannot be deleted: open it to cancel it.")
            return
        with st.popover("Delete …", icon=":material/delete:"):
            st.markdown("Delete this run, its network and its predictions? This cannot be undone.")
            if st.button("Yes, delete it", key=f"runs:delete:{run.id}", type="primary"):
                try:
                    client.delete(run.id)
                except UserError as error:
                    st.error(words.plain(error))
                else:
                    st.rerun()


def downloads(client: Lab, run: RunInfo) -> None:
    """Offer the run's predictions and network, as far as there are any."""
    predictions, model = client.predictions(run.id), client.model(run.id)
    st.download_button(
        "Predictions (CSV)",
        predictions or b"",
        f"predictions_{run.id}.csv",
        "text/csv",
        icon=":material/download:",
        disabled=predictions is None,
        help=None if predictions else "There are none before the first round has ended.",
        on_click="ignore",
        key=f"predictions:{run.id}",
    )
    st.download_button(
        "Model (safetensors)",
        model or b"",
        f"model_{run.id}.safetensors",
        "application/octet-stream",
        icon=":material/download:",
        disabled=model is None,
        help=None if model else "There is none before the first round has ended.",
        on_click="ignore",
        key=f"model:{run.id}",
    )
