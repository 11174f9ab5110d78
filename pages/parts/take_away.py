"""What people take home: one HTML file of a run or a comparison, tables, the network as ONNX, the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import charts, comparison, replay_spec, run_charts, words
from pages.parts.client import Lab, unit_of_run
from pages.parts.html_report import Report
from plm_engine.command_line import command_of
from plm_engine.config import Config
from plm_engine.datasets import export
from plm_engine.report import Series, decimate
from plm_engine.store import RunInfo

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BASELINES = {"persistence": "Persistence (the latest known price)", "linear regression": "Linear regression"}


def menu(client: Lab, run: RunInfo) -> None:
    """Show the menu of a run that has something to take home."""
    if client.model(run.id) is None:
        return
    with st.popover("Take away …", icon=":material/redeem:"):
        report = "One file that opens in any browser, without a network: charts and replay work in it."
        _button("Report (HTML)", lambda: run_report(client, run), f"run_{run.id}.html", "text/html", report)
        _button("Predictions (XLSX)", lambda: predictions_xlsx(client, run), f"predictions_{run.id}.xlsx", XLSX)
        if run.config.get("predict", "level") == "level":
            told = "For other programs: the drivers in, in their units; the forecast out, in the target's unit."
            _button(
                "Model (ONNX)", lambda: client.onnx(run.id), f"model_{run.id}.onnx", "application/octet-stream", told
            )
        st.caption("The command that repeats this run:")
        st.code(command_line(run), language="bash", wrap_lines=True)


def _button(label: str, make: Callable[[], bytes], file_name: str, kind: str, told: str | None = None) -> None:
    st.download_button(
        label,
        make,
        file_name,
        kind,
        icon=":material/download:",
        on_click="ignore",
        key=f"take:{file_name}",
        help=told,
        width="stretch",
    )


def command_line(run: RunInfo) -> str:
    """Return the command that repeats the run."""
    return command_of(Config.from_mapping(run.config))


def predictions_xlsx(client: Lab, run: RunInfo) -> bytes:
    """Return the run's predictions as a workbook; text that a spreadsheet might run is made harmless."""
    return export.xlsx_bytes(pd.read_csv(BytesIO(client.predictions(run.id) or b"")))


def errors_table(run: RunInfo) -> pd.DataFrame:
    """Return the mean absolute errors of the network and of the simple forecasts."""
    named = {"RPLM (this run)": run.summary.get("mae") or {}, **(run.summary.get("baselines") or {})}
    rows = [
        {
            "Forecast": BASELINES.get(name, name),
            "Training rows": words.number(errors.get("train"), 5),
            "Test rows": words.number(errors.get("test"), 5),
        }
        for name, errors in named.items()
    ]
    return pd.DataFrame(rows)


def run_report(client: Lab, run: RunInfo) -> bytes:
    """Return a run as one HTML file."""
    series, unit = client.series(run.id), unit_of_run(run)
    name = run.name or client.title(str(run.config.get("data", "")))
    made = f"{words.STATUS_TEXT[run.status][0]}, {words.moment(run.started or run.created)}."
    report = Report(name, f"{made} {words.worded(run.sentence)}")
    if run.labels.get("note"):
        report.text(run.labels["note"])
    report.facts(
        [
            ("Rows learned", f"{series.n_learned:,} of {series.n_train:,}"),
            ("Rounds", f"{series.round:,}"),
            ("Hidden nodes", words.number(series.n_hidden)),
            (f"Learning goal ({unit})", words.number(series.goal)),
            ("Time", words.duration(run.elapsed_s())),
        ]
    )
    _charts(report, series, unit)
    report.heading(f"Mean absolute errors ({unit})")
    report.table(errors_table(run))
    _film(client, run, report, unit)
    report.heading("How to repeat it")
    report.code(command_line(run))
    report.table(_settings(run))
    return report.html()


def _charts(report: Report, series: Series, unit: str) -> None:
    if not len(series.rows):
        return
    report.heading("Predictions against actual values")
    x = words.time_axis(series.dates, len(series.rows))
    chart = charts.predictions_chart(x, series.actual, series.predicted, series.part, series.target, unit, "report")
    report.chart(chart, "Actual and predicted values in time order", 400)
    if not len(series.nodes):
        return
    report.heading("Hidden nodes")
    report.chart(
        charts.nodes_chart(*decimate(series.nodes[:, 0], series.nodes[:, 1]), "report"), "Hidden nodes over time"
    )
    steps, rounds = run_charts.by_module(series, "largest_residual"), series.rounds
    ends = (rounds["at_s"], rounds["largest_residual"]) if len(rounds) else ((), ())
    if steps or len(rounds):
        report.heading("Largest residual against the goal")
        report.chart(charts.residual_chart(steps, ends, series.goal, unit, "report"), "Largest residual over time")
    report.heading("Time in each module")
    report.chart(charts.phases_chart(series.seconds, "report"), "Seconds spent in each module")


def _film(client: Lab, run: RunInfo, report: Report, unit: str) -> None:
    tape = client.tape(run.id)
    if tape.goal is not None and tape.frames:
        report.heading("How it learned, step by step")
        report.replay(replay_spec.spec(tape, unit, client.two_drivers(run, tape)))


def _settings(run: RunInfo) -> pd.DataFrame:
    """Return settings, data fingerprint and versions, each as text."""
    data = run.extra.get("data") or {}
    known: dict[str, Any] = {name: value for name, value in run.config.items() if value not in (None, [], "")}
    known["data"] = data.get("name") or known.get("data")
    known["data sha256"] = data.get("sha256") or "–"
    known["network sha256"] = run.summary.get("network_sha256") or "–"
    known |= {f"version of {name}": value for name, value in (run.extra.get("versions") or {}).items()}
    known["run"] = run.id
    return pd.DataFrame({"Setting": list(known), "Value": [str(value) for value in known.values()]})


def comparison_report(client: Lab, runs: Mapping[str, RunInfo], baseline: str | None) -> bytes:
    """Return a comparison as one HTML file; the runs are given by what they are called."""
    units = {title: unit_of_run(run) for title, run in runs.items()}
    report = Report("Comparison of runs", ", ".join(runs))
    report.heading("Settings that differ")
    report.table(comparison.settings_that_differ(runs))
    report.heading("Errors, sizes and times")
    report.table(comparison.results(runs, units, baseline))
    series = {title: client.series(run.id) for title, run in runs.items()}
    for measure, title in comparison.MEASURES.items():
        unit = " / ".join(dict.fromkeys(units.values())) if measure in comparison.IN_UNIT else ""
        report.heading(title)
        report.chart(comparison.curves(series, measure, True, unit, False, "report"), f"{title} by round")
    report.heading("How to repeat them")
    for title, run in runs.items():
        report.text(title)
        report.code(command_line(run))
    return report.html()
