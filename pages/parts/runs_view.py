"""The Runs page: every run in one table that can be searched, and what can be done with the chosen ones.

With ``?compare=<id>&compare=<id>`` in the address it compares those runs instead (see :mod:`compare_view`).
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import compare_view, empty, run_actions, steady, words
from pages.parts.client import Lab, name_of, unit_of_run
from pages.parts.language import counted, explain, say
from plm_engine.store import RunInfo

REFRESH_S = 2.0
#: of the table: most rows without scrolling; heights of its head and of a row
ROWS, HEAD_PX, ROW_PX = 12, 37, 35
#: runs that cannot be read are named up to so many
NAMED = 5


def show(client: Lab) -> None:
    """Show all runs, or the comparison that the address names; the table refreshes by itself while one is active."""
    wanted = st.query_params.get_all("compare")
    if wanted:
        compare_view.show(client, wanted)
        return
    st.title(say("runs.title"))
    runs = client.runs()
    if not runs:
        empty.show("runs", icon=":material/list_alt:", button="runs.first", leads_to="train")
        _damaged(client)
        return
    active = any(run.status in words.ACTIVE for run in runs)
    st.fragment(_live, run_every=REFRESH_S if active else None)(
        client, active, st.session_state.pop("runs:room", len(runs))
    )
    _damaged(client)


def _damaged(client: Lab) -> None:
    """Name the runs that cannot be read, by their folders' names only: a reader may sit at another machine."""
    ids = client.damaged()
    if ids:
        shown = words.joined(ids[:NAMED]) + (say("runs.damaged_more", n=len(ids) - NAMED) if len(ids) > NAMED else "")
        st.caption(say("runs.damaged", runs=counted("run", len(ids)), ids=shown))


def _live(client: Lab, was_active: bool, room: int) -> None:
    """Show the table and what can be done with its runs; ``room`` is how many rows it has place for.

    Runs that come while somebody looks stand at the top of the table, which then scrolls: it must not push down the
    buttons below it.
    """
    every = client.runs()
    if was_active and not any(run.status in words.ACTIVE for run in every):
        st.session_state["runs:room"] = room
        st.rerun()  # declares this fragment anew, without a timer
    if not every:
        st.rerun()
    runs = _filtered(client, every)
    if not runs:
        st.info(say("runs.none_fits", runs=counted("run", len(every))), icon=":material/filter_alt_off:")
        return
    with steady.slot(f"list-{min(room, ROWS)}"):
        picked = st.dataframe(
            words.spelled(table(client, runs), times=[say("col.time")]),
            hide_index=True,
            key="runs:table",
            placeholder="–",
            on_select="rerun",
            selection_mode="multi-row",
            column_config=_columns(),
            height="content" if len(runs) <= min(room, ROWS) else HEAD_PX + ROW_PX * min(room, ROWS),
        )
    st.caption(say("runs.one_seed"))
    by_id = {run.id: run for run in runs}
    ids = list(by_id)
    rows = picked["selection"]["rows"] if picked else []
    if st.session_state.get("runs:rows", []) != rows:
        st.session_state["runs:picked"] = [ids[row] for row in rows if row < len(ids)]
    st.session_state["runs:rows"] = rows
    kept = [run_id for run_id in st.session_state.get("runs:picked", ids[:1]) if run_id in by_id]
    st.session_state["runs:picked"] = kept
    chosen = st.multiselect(
        say("runs.picked"),
        ids,
        format_func=lambda i: _label(client, by_id[i]),
        key="runs:picked",
        placeholder=say("runs.picked_empty"),
        help=say("runs.picked_help"),
    )
    run_actions.show(client, [by_id[run_id] for run_id in chosen])


def _filtered(client: Lab, runs: list[RunInfo]) -> list[RunInfo]:
    """Show search and filters, and return the runs that fit."""
    tags = sorted({tag for run in runs for tag in run_actions.tags_of(run)})
    states = [state for state in words.STATUSES if any(run.status == state for run in runs)]
    left, middle, right = st.columns([3, 2, 2])
    text = left.text_input(
        say("runs.search"),
        key="runs:search",
        icon=":material/search:",
        placeholder=say("runs.search_empty"),
        help=say("runs.search_help"),
    )
    wanted = middle.multiselect(
        say("runs.state"),
        states,
        format_func=words.status_name,
        key="runs:states",
        placeholder=say("runs.any"),
        help=say("runs.state_help"),
    )
    empty = say("runs.any" if tags else "runs.no_tags")
    tagged = right.multiselect(say("runs.tag"), tags, key="runs:tags", placeholder=empty, help=say("runs.tag_help"))
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
    parts = (name_of(client, run), client.title(str(run.config.get("data", ""))), *run.labels.values())
    target = run.summary.get("target") or ""
    return " ".join((*parts, str(target), words.status_name(run.status), settings, run.id)).lower()


def _label(client: Lab, run: RunInfo) -> str:
    """Return what the run is called in the list; the id keeps it unique, which the browser goes by."""
    return f"{name_of(client, run)} · {words.moment(run.created)} · {_status(run)} · {run.id}"


def table(client: Lab, runs: list[RunInfo]) -> pd.DataFrame:
    """Return one row for each run, in the order given."""
    return pd.DataFrame([_row(client, run) for run in runs])


def _row(client: Lab, run: RunInfo) -> dict[str, Any]:
    summary, config = run.summary, run.config
    mae = summary.get("mae") or {}
    goal = summary.get("goal", config.get("goal"))
    target = summary.get("target") or config.get("target")
    unit = unit_of_run(run)
    shown = target if unit == say("unit.of", target=target) else say("axis.in_unit", what=target, unit=unit)
    pinned = "★ " if run.labels.get("baseline") else ""
    return {
        say("col.started"): pd.Timestamp(run.started or run.created, unit="s", tz="UTC"),
        say("col.status"): _status(run),
        say("col.name"): pinned + name_of(client, run),
        say("col.tags"): run_actions.tags_of(run),
        say("col.target"): shown if target else "–",
        say("col.goal"): goal,
        say("col.nodes"): summary.get("n_hidden"),
        say("col.train_mae"): mae.get("train"),
        say("col.test_mae"): mae.get("test"),
        say("col.time"): run.elapsed_s(),
        say("col.note"): run.labels.get("note", ""),
        say("col.run"): run.id,
    }


def _columns() -> dict[str, Any]:
    column = st.column_config
    return {
        say("col.started"): column.DatetimeColumn(format="YYYY-MM-DD HH:mm", help=say("col.started_help")),
        say("col.status"): column.TextColumn(help=say("col.status_help")),
        say("col.name"): column.TextColumn(width=285, help=say("col.name_help")),
        say("col.tags"): column.ListColumn(width=140, help=say("label.tags_help")),
        say("col.target"): column.TextColumn(width=165, help=explain("target")),
        say("col.goal"): column.NumberColumn(help=say("col.in_unit", means=explain("goal"))),
        say("col.nodes"): column.NumberColumn(say("run.nodes"), help=explain("node")),
        say("col.train_mae"): column.NumberColumn(help=say("col.in_unit", means=explain("mae"))),
        say("col.test_mae"): column.NumberColumn(help=say("col.in_unit", means=explain("mae"))),
        say("col.time"): column.NumberColumn(help=say("run.elapsed_help")),
        say("col.note"): column.TextColumn(width=120, help=say("label.note_help")),
        say("col.run"): column.TextColumn(help=say("col.run_help")),
    }


def _status(run: RunInfo) -> str:
    return words.status_name(run.status)
