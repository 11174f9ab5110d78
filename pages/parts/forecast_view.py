"""Forecasts of a finished run for rows without a target: uploaded or typed, with intervals, a chart and a download."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from pages.parts import empty, news, steady, uploads, words
from pages.parts.client import Lab, name_of, trained, unit_of_run
from pages.parts.language import counted, say
from pages.parts.live_chart import show_chart
from pages.parts.study_charts import forecast_chart
from plm_engine.config import Config
from plm_engine.datasets.export import csv_bytes
from plm_engine.datasets.read import read_bytes
from plm_engine.datasets.table import ReadOptions, Table
from plm_engine.errors import UserError
from plm_engine.forecast import Forecasts, forecast_rows, needed_columns, reading_of
from plm_engine.store import RunInfo
from plm_engine.studies.plan import COMPARE, Study
from plm_engine.studies.start import start_study

#: columns whose typical value is at least this are shown with their thousands separated
LARGE = 1_000.0


def show(client: Lab) -> None:
    """Show the page."""
    st.title(say("forecast.title"))
    runs = trained(client)
    if not runs:
        empty.show("forecast", icon=":material/query_stats:", button="link.train", leads_to="train")
        return
    titles = {run.id: f"{name_of(client, run)} · {words.moment(run.created)}" for run in runs}
    asked = st.query_params.get("run")
    if asked in titles:  # the address leads, and follows what is picked
        st.session_state["forecast:run"] = asked
    elif asked:
        st.warning(say("forecast.no_run", run=words.plain(asked[:40])), icon=":material/link_off:")
    picked = st.selectbox(
        say("forecast.run"),
        list(titles),
        format_func=titles.__getitem__,
        key="forecast:run",
        on_change=lambda: st.query_params.update(run=st.session_state["forecast:run"]),
        help=say("forecast.run_help"),
    )
    run = next(run for run in runs if run.id == picked)
    _worth(run)
    try:
        rows = _rows(client, run)
        if rows is None:
            return
        found = forecast_rows(client.store, run.id, rows)
    except UserError as error:
        st.error(words.shown(error), icon=":material/block:")
        return
    _show(client, run, found)


def _worth(run: RunInfo) -> None:
    """Say what the run's forecasts were worth where the truth is known."""
    mae = (run.summary.get("mae") or {}).get("test")
    naive = ((run.summary.get("baselines") or {}).get("persistence") or {}).get("test")
    if isinstance(mae, float) and isinstance(naive, float):
        unit = words.plain(unit_of_run(run))
        st.caption(say("forecast.worth", mae=words.number(mae), unit=unit, naive=words.number(naive)))


def _rows(client: Lab, run: RunInfo) -> pd.DataFrame | Table | None:
    """Return the rows to forecast, from a file or typed in; None if there are none yet."""
    columns = needed_columns(client.store, run.id)
    sources = {"upload": say("forecast.upload"), "type": say("forecast.type")}
    source = st.segmented_control(
        say("forecast.source"),
        list(sources),
        default="upload",
        required=True,
        format_func=sources.__getitem__,
        key="forecast:source",
        help=say("forecast.source_help"),
    )
    if source == "upload":
        return _uploaded(columns, reading_of(client.store, run.id))
    table = _typed(client, run, columns).dropna(how="all")
    if table.empty:
        st.caption(say("forecast.need_rows"))
        return None
    table.index = pd.Index(range(1, len(table) + 1))
    return table


def _uploaded(columns: list[str], reading: ReadOptions) -> Table | None:
    """Return an uploaded table; None if there is none yet."""
    file = st.file_uploader(say("forecast.file"), key="forecast:file", help=say("forecast.file_help"))
    st.caption(say("forecast.columns", columns=words.plain(words.joined(columns))))
    st.download_button(
        say("forecast.template"),
        csv_bytes(pd.DataFrame(columns=columns)),
        "template.csv",
        "text/csv",
        icon=":material/download:",
        key="forecast:template",
        on_click="ignore",
        help=say("forecast.template_help"),
    )
    return None if file is None else read_bytes(file.getvalue(), uploads.shown_name(file.name), reading)


def _typed(client: Lab, run: RunInfo, columns: list[str]) -> pd.DataFrame:
    """Show the table to type rows into, empty or with the newest row that the run was given."""
    kept = f"forecast:newest:{run.id}"
    pressed = st.button(
        say("forecast.newest"),
        icon=":material/vertical_align_bottom:",
        key="forecast:fill",
        help=say("forecast.newest_help"),
    )
    if pressed:
        st.session_state[kept] = _newest(client, run, columns)
    empty = pd.DataFrame({name: pd.Series([None], dtype="float64") for name in columns})
    first = st.session_state.get(kept, empty)
    key = f"forecast:rows:{run.id}:{kept in st.session_state}"
    shown = {name: st.column_config.NumberColumn(format="localized") for name in _large(client, run, columns)}
    rows = st.data_editor(first, num_rows="dynamic", hide_index=True, key=key, column_config=shown)
    st.caption(say("forecast.after_history"))
    return rows


def _large(client: Lab, run: RunInfo, columns: list[str]) -> list[str]:
    """Return the columns of large numbers: the browser separates their thousands, and shows three decimals at most."""
    data = client.prepared(Config.from_stored(run.config)[0])
    typical = dict(zip(data.features, np.nanmedian(np.abs(data.x), axis=0), strict=True))
    return [name for name in columns if typical.get(name, 0.0) >= LARGE]


def _newest(client: Lab, run: RunInfo, columns: list[str]) -> pd.DataFrame:
    """Return the newest row of the run's table as a frame of one row; what is not known is left empty."""
    data = client.prepared(Config.from_stored(run.config)[0])
    known = dict(zip(data.features, data.x[-1], strict=True))
    if data.roles.latest_price is not None:
        known.setdefault(data.roles.latest_price, data.latest_price[-1])
    return pd.DataFrame({name: [float(known.get(name, float("nan")))] for name in columns})


def _show(client: Lab, run: RunInfo, found: Forecasts) -> None:
    unit, table = unit_of_run(run), found.table
    far = int((table["outside"] != "").sum())
    st.subheader(say("forecast.result"), anchor=False)
    with steady.slot("far"):
        if far:
            rows = counted("row", len(table))
            st.warning(say("forecast.extrapolates", k=far, rows=rows), icon=":material/open_in_full:")
        else:
            st.caption(say("forecast.within"))
    _interval(client, run, found)
    alt = say("forecast.chart", target=found.target)
    show_chart(
        forecast_chart(client.predictions(run.id), found, unit, run.id), key="forecast:chart", alt=alt, height=340
    )
    shown = shown_table(found, unit)
    outside = say("forecast.outside")
    numbers = {name: st.column_config.Column(alignment="right") for name in shown if name != outside}
    st.dataframe(shown, hide_index=True, width="stretch", column_config=numbers)
    st.download_button(
        say("forecast.download"),
        csv_bytes(table),
        "forecasts.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="forecast:download",
        help=say("forecast.download_help"),
    )
    if found.notes:
        with st.expander(counted("remark_rows", len(found.notes)), expanded=len(found.notes) <= 3):
            st.markdown("\n".join(f"- {words.shown(note)}" for note in found.notes))


def shown_table(found: Forecasts, unit: str) -> pd.DataFrame:
    """Return the forecasts as people read them; columns without a value are left out."""
    table = found.table
    shown = {say("forecast.row"): [f"{row:,}" for row in table["row"]]}
    shown[say("forecast.prediction", unit=unit)] = [words.number(value, 5) for value in table["prediction"]]
    for name in ("low", "high", "latest"):
        if name in table:
            shown[say(f"forecast.{name}")] = [words.number(value, 5) for value in table[name]]
    if (table["outside"] != "").any():
        shown[say("forecast.outside")] = list(table["outside"])
    return pd.DataFrame(shown)


def _interval(client: Lab, run: RunInfo, found: Forecasts) -> None:
    """Say what the interval is worth, or offer to calibrate one."""
    if found.interval is not None:
        covered = found.interval.get("test_coverage")
        seen = say("forecast.covered", share=words.percent(covered)) if isinstance(covered, float) else ""
        level, scores = words.percent(found.interval["level"]), found.interval["n_scores"]
        st.caption(say("forecast.interval", level=level, scores=scores, covered=seen))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(say("forecast.no_interval"), width="content")
        asked = st.button(
            say("forecast.calibrate"),
            icon=":material/straighten:",
            key="forecast:calibrate",
            help=say("forecast.calibrate_help"),
        )
    if asked:
        study_id = str(st.session_state.setdefault("forecast:study", client.new_run_id()))
        name = say("forecast.calibrate")
        try:
            start_study(
                Config.to_repeat(run.config), Study(COMPARE, importance=0), home=client.home, run_id=study_id, name=name
            )
        except UserError as error:
            st.error(words.shown(error), icon=":material/error:")
            return
        del st.session_state["forecast:study"]
        news.follow(study_id)
        st.switch_page("pages/views/compare.py", query_params={"run": study_id})
