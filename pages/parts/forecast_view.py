"""Forecasts of a finished run for rows without a target: uploaded or typed, with intervals, a chart and a download."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.parts import uploads, words
from pages.parts.client import Lab, name_of, unit_of_run
from pages.parts.language import say
from pages.parts.live_chart import show_chart
from pages.parts.study_charts import forecast_chart
from plm_engine.datasets.export import csv_bytes
from plm_engine.datasets.read import read_bytes
from plm_engine.errors import UserError
from plm_engine.forecast import Forecasts, forecast_rows, needed_columns
from plm_engine.store import RunInfo


def show(client: Lab) -> None:
    """Show the page."""
    st.title(say("forecast.title"))
    runs = [run for run in client.runs() if run.status == "finished" and not run.extra.get("job")]
    if not runs:
        st.info(say("forecast.none"))
        st.page_link("pages/views/train.py", label=say("link.train"), icon=":material/model_training:")
        return
    titles = {run.id: f"{name_of(client, run)} · {words.moment(run.created)}" for run in runs}
    picked = st.selectbox(
        say("forecast.run"),
        list(titles),
        format_func=titles.__getitem__,
        key="forecast:run",
        help=say("forecast.run_help"),
    )
    run = next(run for run in runs if run.id == picked)
    try:
        frame = _rows(client, run)
        if frame is None:
            return
        found = forecast_rows(client.store, run.id, frame)
    except UserError as error:
        st.error(words.shown(error), icon=":material/block:")
        return
    _show(client, run, found)


def _rows(client: Lab, run: RunInfo) -> pd.DataFrame | None:
    """Return the rows to forecast, from a file or typed in; None if there are none yet."""
    columns = needed_columns(client.store, run.id)
    upload, typed = st.tabs([say("forecast.upload"), say("forecast.type")])
    with upload:
        file = st.file_uploader(
            say("forecast.file", columns=", ".join(columns)), key="forecast:file", help=say("forecast.file_help")
        )
    with typed:
        empty = pd.DataFrame({name: pd.Series([None], dtype="float64") for name in columns})
        table = st.data_editor(empty, num_rows="dynamic", hide_index=True, key=f"forecast:rows:{run.id}")
    if file is not None:
        return read_bytes(file.getvalue(), uploads.shown_name(file.name)).frame
    table = table.dropna(how="all")
    if table.empty:
        st.caption(say("forecast.need_rows"))
        return None
    table.index = pd.Index(range(1, len(table) + 1))
    return table


def _show(client: Lab, run: RunInfo, found: Forecasts) -> None:
    for note in found.notes:
        st.warning(words.shown(note), icon=":material/info:")
    unit = unit_of_run(run)
    if found.interval is None:
        st.caption(say("forecast.no_interval"))
    else:
        covered = found.interval.get("test_coverage")
        seen = say("forecast.covered", share=f"{covered:.0%}") if isinstance(covered, float) else ""
        level, scores = f"{found.interval['level']:.0%}", found.interval["n_scores"]
        st.caption(say("forecast.interval", level=level, scores=scores, covered=seen))
    figure, alt = (
        forecast_chart(client.predictions(run.id), found, unit, run.id),
        say("forecast.chart", target=found.target),
    )
    show_chart(figure, key="forecast:chart", alt=alt, height=340)
    st.dataframe(found.table, hide_index=True, width="stretch")
    st.download_button(
        say("forecast.download"),
        csv_bytes(found.table),
        "forecasts.csv",
        "text/csv",
        icon=":material/download:",
        help=say("forecast.download_help"),
    )
