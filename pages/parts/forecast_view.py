"""Forecasts of a finished run for rows without a target: uploaded or typed, with intervals, a chart and a download."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.parts import uploads, words
from pages.parts.client import Lab, unit_of_run
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
    st.title("Forecast")
    runs = [run for run in client.runs() if run.status == "finished" and not run.extra.get("job")]
    if not runs:
        st.info("No finished run yet: train one first.")
        st.page_link("pages/views/train.py", label="Train", icon=":material/model_training:")
        return
    titles = {run.id: f"{run.name or run.config.get('data', '')} · {words.moment(run.created)}" for run in runs}
    picked = st.selectbox("Run", list(titles), format_func=titles.__getitem__, key="forecast:run")
    run = next(run for run in runs if run.id == picked)
    try:
        frame = _rows(client, run)
        if frame is None:
            return
        found = forecast_rows(client.store, run.id, frame)
    except UserError as error:
        st.error(words.plain(error), icon=":material/block:")
        return
    _show(client, run, found)


def _rows(client: Lab, run: RunInfo) -> pd.DataFrame | None:
    """Return the rows to forecast, from a file or typed in; None if there are none yet."""
    columns = needed_columns(client.store, run.id)
    upload, typed = st.tabs(["Upload a table", "Type rows in"])
    with upload:
        file = st.file_uploader(f"Table with the columns {', '.join(columns)}", key="forecast:file")
    with typed:
        empty = pd.DataFrame({name: pd.Series([None], dtype="float64") for name in columns})
        table = st.data_editor(empty, num_rows="dynamic", hide_index=True, key=f"forecast:rows:{run.id}")
    if file is not None:
        return read_bytes(file.getvalue(), uploads.shown_name(file.name)).frame
    table = table.dropna(how="all")
    if table.empty:
        st.caption("Upload a table, or type at least one row.")
        return None
    table.index = pd.Index(range(1, len(table) + 1))
    return table


def _show(client: Lab, run: RunInfo, found: Forecasts) -> None:
    for note in found.notes:
        st.warning(words.plain(note), icon=":material/info:")
    unit = unit_of_run(run)
    if found.interval is None:
        st.caption("No interval yet: *Compare models* of this run on the page *Honest forecasts* calibrates one.")
    else:
        covered = found.interval.get("test_coverage")
        told = f"; on the test rows it covered {covered:.0%}" if isinstance(covered, float) else ""
        st.caption(f"Interval: {found.interval['level']:.0%} stated, {found.interval['n_scores']} scores{told}.")
    figure, alt = (
        forecast_chart(client.predictions(run.id), found, unit, run.id),
        say("forecast.chart", target=found.target),
    )
    show_chart(figure, key="forecast:chart", alt=alt, height=340)
    st.dataframe(found.table, hide_index=True, width="stretch")
    st.download_button(
        "Download the forecasts", csv_bytes(found.table), "forecasts.csv", "text/csv", icon=":material/download:"
    )
