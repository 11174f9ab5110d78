"""Any number of runs compared: what differs, curves over each other, errors and times; the address is a link to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import comparison, run_actions, steady, take_away, words
from pages.parts.client import Lab, name_of, unit_of_run
from pages.parts.language import chosen, counted, explain, say, speaking
from pages.parts.live_chart import show_chart
from plm_engine.datasets import export
from plm_engine.errors import UserError
from plm_engine.store import RunInfo

REFRESH_S = 2.0


def show(client: Lab, wanted: Sequence[str]) -> None:
    """Show the runs with these ids, which come from a link; those that are gone are named."""
    st.title(say("compare.title"))
    with st.container(key="back"):
        st.page_link("pages/views/runs.py", label=say("compare.all"), icon=":material/arrow_back:", query_params={})
    found: list[RunInfo] = []
    for run_id in list(dict.fromkeys(wanted))[: run_actions.MOST_COMPARED]:
        try:
            found.append(client.run(run_id))
        except UserError as error:
            st.warning(words.shown(error), icon=":material/link_off:")
    if not found:
        return
    names = comparison.titles([(name_of(client, run), run.id) for run in found])
    runs = dict(zip(names, found, strict=True))
    units = {title: unit_of_run(run) for title, run in runs.items()}
    active = any(run.status in words.ACTIVE for run in found)
    st.subheader(say("compare.differ"), anchor=False)
    differing = comparison.settings_that_differ(runs, client.title)
    if len(differing):
        widths = {name: st.column_config.TextColumn(width="medium") for name in names}
        widths[say("run.setting")] = st.column_config.TextColumn(pinned=True)
        with steady.slot(f"rows-{len(differing)}"):
            st.dataframe(differing, hide_index=True, height="content", column_config=widths)
    else:
        st.caption(say("compare.same"))
    st.fragment(_live, run_every=REFRESH_S if active else None)(client, [run.id for run in found], names, units, active)
    st.caption(say("compare.link"))


def _live(client: Lab, ids: Sequence[str], names: Sequence[str], units: Mapping[str, str], was_active: bool) -> None:
    try:
        runs = {name: client.run(run_id) for name, run_id in zip(names, ids, strict=True)}
        series = {name: client.series(run_id) for name, run_id in zip(names, ids, strict=True)}
    except UserError as error:  # deleted meanwhile
        st.error(words.shown(error), icon=":material/error:")
        return
    if was_active and not any(run.status in words.ACTIVE for run in runs.values()):
        st.rerun()
    st.subheader(say("compare.results"), anchor=False)
    pinned = [name for name, run in runs.items() if run.labels.get("baseline")]
    baseline = st.selectbox(
        say("label.baseline"),
        ["", *runs],
        ["", *runs].index(pinned[0]) if pinned else 0,
        format_func=lambda name: name or say("compare.none"),
        key="compare:baseline",
        help=say("compare.baseline_help"),
        width=420,
    )
    if len(set(units.values())) > 1:
        st.warning(say("compare.targets"), icon=":material/straighten:")
    repeated = comparison.over_seeds(client.store, runs)
    table = comparison.results(runs, units, baseline or None, repeated)
    with steady.slot(f"rows-{len(table)}-results"):
        st.dataframe(
            words.spelled(table, times=[say("compare.seconds")]),
            hide_index=True,
            height="content",
            placeholder="–",
            column_config=_columns(),
        )
    st.caption(say("compare.one_seed"))
    lang = chosen()

    def report() -> bytes:
        with speaking(lang):  # made when the button is pressed, after this script has ended
            return take_away.comparison_report(client, runs, baseline or None)

    _downloads(table, report)
    _curves(series, units)


def _columns() -> dict[str, Any]:
    column = st.column_config
    in_unit = {"col.goal": "goal", "col.train_mae": "mae", "col.test_mae": "mae"}
    shown = {
        say(name): column.NumberColumn(help=say("col.in_unit", means=explain(term))) for name, term in in_unit.items()
    }
    counts = {"compare.nodes": "node", "compare.rounds": "round", "compare.seed": "seed"}
    shown |= {say(name): column.NumberColumn(help=explain(term)) for name, term in counts.items()}
    return {
        **shown,
        say("col.run"): column.TextColumn(width="medium", pinned=True),
        say("compare.state"): column.TextColumn(help=say("col.status_help")),
        say("compare.unit"): column.TextColumn(help=say("compare.unit_help")),
        say("compare.seconds"): column.NumberColumn(say("col.time"), help=say("compare.seconds_help")),
        say("compare.repeated"): column.TextColumn(help=say("compare.repeated_help")),
        say("compare.against"): column.NumberColumn(format="%+.1f", help=say("compare.against_help")),
    }


def _downloads(table: pd.DataFrame, report: Callable[[], bytes]) -> None:
    with st.container(horizontal=True):
        st.download_button(
            say("take.report"),
            report,
            "comparison.html",
            "text/html",
            icon=":material/download:",
            on_click="ignore",
            key="compare:html",
            help=say("compare.report_help"),
        )
        st.download_button(
            say("compare.csv"),
            export.csv_bytes(table),
            "comparison.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="compare:csv",
            help=say("compare.table_help"),
        )
        st.download_button(
            say("compare.xlsx"),
            export.xlsx_bytes(table),
            "comparison.xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            icon=":material/download:",
            on_click="ignore",
            key="compare:xlsx",
            help=say("compare.table_help"),
        )


def _curves(series: Mapping[str, comparison.Series], units: Mapping[str, str]) -> None:
    """Show two curves over each other, of measures that can be chosen."""
    st.subheader(say("compare.curves"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by_round = st.radio(
            say("compare.along"),
            [True, False],
            horizontal=True,
            key="compare:x",
            format_func=_along,
            help=say("compare.along_help"),
        )
        several = len(set(units.values())) > 1  # the largest would flatten all others
        log = st.toggle(say("compare.log"), several, key="compare:log", help=say("compare.log_help"))
    for column, start in zip(st.columns(2, gap="medium"), ("test_mae", "largest_residual"), strict=True):
        with column:
            measure = st.selectbox(
                say("compare.curve"),
                comparison.MEASURES,
                comparison.MEASURES.index(start),
                format_func=lambda name: say(f"measure.{name}"),
                key=f"compare:measure:{start}",
                help=say("compare.curve_help"),
            )
            figure = comparison.curves(series, measure, bool(by_round), units, log, f"{measure}:{by_round}:{log}")
            runs, along = counted("run", len(series)), _along(bool(by_round))
            alt = say("compare.curves_alt", what=say(f"measure.{measure}"), runs=runs, along=along)
            show_chart(figure, key=f"compare:{start}", alt=alt, height=360)


def _along(by_round: bool) -> str:
    return say("compare.by_round" if by_round else "compare.by_time")
