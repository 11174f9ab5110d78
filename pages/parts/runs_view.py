"""The Runs page: every run in one table that can be searched, and what can be done with the chosen ones.

With ``?compare=<id>&compare=<id>`` in the address it compares those runs instead (see :mod:`compare_view`).
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import compare_view, run_actions, words
from pages.parts.client import Lab, unit_of_run
from plm_engine.store import RunInfo

REFRESH_S = 2.0


def show(client: Lab) -> None:
    """Show all runs, or the comparison that the address names; the table refreshes by itself while one is active."""
    wanted = st.query_params.get_all("compare")
    if wanted:
        compare_view.show(client, wanted)
        return
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
    every = client.runs()
    if was_active and not any(run.status in words.ACTIVE for run in every):
        st.rerun()  # declares this fragment anew, without a timer
    if not every:
        st.rerun()
    runs = _filtered(client, every)
    if not runs:
        st.info(f"None of the {words.counted(len(every), 'run')} fits these filters.", icon=":material/filter_alt_off:")
        return
    picked = st.dataframe(
        table(client, runs),
        hide_index=True,
        key="runs:table",
        placeholder="–",
        on_select="rerun",
        selection_mode="multi-row",
        column_config=_columns(),
        height="content" if len(runs) <= 12 else 460,
    )
    by_id = {run.id: run for run in runs}
    ids = list(by_id)
    rows = picked["selection"]["rows"] if picked else []
    if st.session_state.get("runs:rows", []) != rows:
        st.session_state["runs:picked"] = [ids[row] for row in rows if row < len(ids)]
    st.session_state["runs:rows"] = rows
    kept = [run_id for run_id in st.session_state.get("runs:picked", ids[:1]) if run_id in by_id]
    st.session_state["runs:picked"] = kept
    chosen = st.multiselect(
        "Runs to open, compare or delete",
        ids,
        format_func=lambda i: _label(client, by_id[i]),
        key="runs:picked",
        placeholder="Tick rows of the table, or choose here",
        help="One run can be opened, named, cloned and downloaded; two or more can be compared; all can be deleted.",
    )
    run_actions.show(client, [by_id[run_id] for run_id in chosen])


def _filtered(client: Lab, runs: list[RunInfo]) -> list[RunInfo]:
    """Show search and filters, and return the runs that fit."""
    tags = sorted({tag for run in runs for tag in run_actions.tags_of(run)})
    states = [state for state in words.STATUS_TEXT if any(run.status == state for run in runs)]
    left, middle, right = st.columns([3, 2, 2])
    text = left.text_input(
        "Search",
        key="runs:search",
        icon=":material/search:",
        placeholder="Name, table, target, tag, note, setting or id",
        help="Every word must occur somewhere in the run: in its name, table, target, tags, note, settings or id.",
    )
    wanted = middle.multiselect(
        "State",
        states,
        format_func=lambda state: words.STATUS_TEXT[state][0],
        key="runs:states",
        placeholder="Any",
    )
    tagged = right.multiselect("Tag", tags, key="runs:tags", placeholder="Any" if tags else "No tags yet")
    sought = text.lower().split()
    return [
        run
        for run in runs
        if all(word in _text(client, run) for word in sought)
        and (not wanted or run.status in wanted)
        and set(tagged) <= set(run_actions.tags_of(run))
    ]


def _text(client: Lab, run: RunInfo) -> str:
    """Return all words of a run that a search looks through, in small letters."""
    settings = " ".join(f"{name}={value}" for name, value in run.config.items() if value not in (None, [], ""))
    parts = (run_actions.name_of(client, run), client.title(str(run.config.get("data", ""))), *run.labels.values())
    target = run.summary.get("target") or ""
    return " ".join((*parts, str(target), words.STATUS_TEXT[run.status][0], settings, run.id)).lower()


def _label(client: Lab, run: RunInfo) -> str:
    """Return what the run is called in the list; the id keeps it unique, which the browser goes by."""
    return f"{run_actions.name_of(client, run)} · {words.moment(run.created)} · {_status(run)} · {run.id}"


def table(client: Lab, runs: list[RunInfo]) -> pd.DataFrame:
    """Return one row for each run, in the order given."""
    return pd.DataFrame([_row(client, run) for run in runs])


def _row(client: Lab, run: RunInfo) -> dict[str, Any]:
    summary, config = run.summary, run.config
    mae = summary.get("mae") or {}
    goal = summary.get("goal", config.get("goal"))
    pinned = "★ " if run.labels.get("baseline") else ""
    return {
        "Started": pd.Timestamp(run.started or run.created, unit="s", tz="UTC"),
        "Status": _status(run),
        "Name": pinned + run_actions.name_of(client, run),
        "Tags": run_actions.tags_of(run),
        "Target": f"{summary.get('target') or config.get('target') or '–'} ({unit_of_run(run)})",
        "Goal": goal,
        "Nodes": summary.get("n_hidden"),
        "Training MAE": mae.get("train"),
        "Test MAE": mae.get("test"),
        "Time": words.duration(run.elapsed_s()),
        "Note": run.labels.get("note", ""),
        "Run": run.id,
    }


def _columns() -> dict[str, Any]:
    column = st.column_config
    in_unit = "In the target's unit. "
    return {
        "Started": column.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        "Name": column.TextColumn(help="★ marks the baseline that comparisons are made against."),
        "Tags": column.ListColumn(),
        "Goal": column.NumberColumn(format="%.5g", help=in_unit + "Largest error that a learned row may have."),
        "Nodes": column.NumberColumn("Hidden nodes", format="localized"),
        "Training MAE": column.NumberColumn(format="%.5g", help=in_unit + "Mean absolute error of the training rows."),
        "Test MAE": column.NumberColumn(format="%.5g", help=in_unit + "Mean absolute error of the test rows."),
    }


def _status(run: RunInfo) -> str:
    return words.STATUS_TEXT[run.status][0]
