"""Any number of runs compared: what differs, curves over each other, errors and times; the address is a link to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import comparison, run_actions, take_away, words
from pages.parts.client import Lab, unit_of_run
from pages.parts.live_chart import show_chart
from plm_engine.datasets import export
from plm_engine.errors import UserError
from plm_engine.store import RunInfo

REFRESH_S = 2.0


def show(client: Lab, wanted: Sequence[str]) -> None:
    """Show the runs with these ids, which come from a link; those that are gone are named."""
    st.title("Comparison of runs")
    st.page_link("pages/views/runs.py", label="All runs", icon=":material/arrow_back:", query_params={})
    found: list[RunInfo] = []
    for run_id in list(dict.fromkeys(wanted))[: run_actions.MOST_COMPARED]:
        try:
            found.append(client.run(run_id))
        except UserError as error:
            st.warning(words.plain(error), icon=":material/link_off:")
    if not found:
        return
    names = comparison.titles([(run_actions.name_of(client, run), run.id) for run in found])
    runs = dict(zip(names, found, strict=True))
    units = {title: unit_of_run(run) for title, run in runs.items()}
    active = any(run.status in words.ACTIVE for run in found)
    st.subheader("Settings that differ", anchor=False)
    differing = comparison.settings_that_differ(runs)
    if len(differing):
        st.dataframe(differing, hide_index=True, height="content")
    else:
        st.caption("None: these runs were started with the same settings.")
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, [run.id for run in found], names, units, active)
    st.caption("The address of this page is a link to this comparison.")


def _live(client: Lab, ids: Sequence[str], names: Sequence[str], units: Mapping[str, str], was_active: bool) -> None:
    try:
        runs = {name: client.run(run_id) for name, run_id in zip(names, ids, strict=True)}
        series = {name: client.series(run_id) for name, run_id in zip(names, ids, strict=True)}
    except UserError as error:  # deleted meanwhile
        st.error(words.plain(error), icon=":material/error:")
        return
    if was_active and not any(run.status in words.ACTIVE for run in runs.values()):
        st.rerun()
    st.subheader("Errors, sizes and times", anchor=False)
    pinned = [name for name, run in runs.items() if run.labels.get("baseline")]
    baseline = st.selectbox(
        "Baseline",
        ["", *runs],
        ["", *runs].index(pinned[0]) if pinned else 0,
        format_func=lambda name: name or "none",
        key="compare:baseline",
        help="The test errors are also given relative to this run. Pin one under *Name, tags, note* on the Runs page.",
        width=420,
    )
    table = comparison.results(runs, units, baseline or None)
    st.dataframe(table, hide_index=True, height="content", placeholder="–", column_config=_columns())
    _downloads(table, lambda: take_away.comparison_report(client, runs, baseline or None))
    _curves(series, units)


def _columns() -> dict[str, Any]:
    column = st.column_config
    shown = {name: column.NumberColumn(format="%.5g") for name in ("Goal", "Training MAE", "Test MAE")}
    return {
        **shown,
        "Seconds": column.NumberColumn(format="%.1f", help="From the start of the run to its end, or to now."),
        "Test MAE against baseline (%)": column.NumberColumn(format="%+.1f", help="Negative is better."),
    }


def _downloads(table: pd.DataFrame, report: Callable[[], bytes]) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            report,
            "comparison.html",
            "text/html",
            icon=":material/download:",
            on_click="ignore",
            key="compare:html",
            help="One file that opens in any browser, without a network.",
        )
        st.download_button(
            "Table (CSV)",
            export.csv_bytes(table),
            "comparison.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="compare:csv",
        )
        st.download_button(
            "Table (XLSX)",
            export.xlsx_bytes(table),
            "comparison.xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            icon=":material/download:",
            on_click="ignore",
            key="compare:xlsx",
        )


def _curves(series: Mapping[str, comparison.Series], units: Mapping[str, str]) -> None:
    """Show two curves over each other, of measures that can be chosen."""
    st.subheader("Curves over each other", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by_round = st.radio("Along", [True, False], horizontal=True, key="compare:x", format_func=_along)
        log = st.toggle("Logarithmic", key="compare:log", help="For the curves' values; zero cannot be shown then.")
    for column, start in zip(st.columns(2, gap="medium"), ("test_mae", "largest_residual"), strict=True):
        with column:
            measure = st.selectbox(
                "Curve",
                list(comparison.MEASURES),
                list(comparison.MEASURES).index(start),
                format_func=lambda name: comparison.MEASURES[name],
                key=f"compare:measure:{start}",
            )
            unit = " / ".join(dict.fromkeys(units.values())) if measure in comparison.IN_UNIT else ""
            figure = comparison.curves(series, measure, bool(by_round), unit, log, f"{measure}:{by_round}:{log}")
            alt = f"{comparison.MEASURES[measure]} of {words.counted(len(series), 'run')}, {_along(bool(by_round))}"
            show_chart(figure, key=f"compare:{start}", alt=alt, height=360)


def _along(by_round: bool) -> str:
    return "by round" if by_round else "by time"
