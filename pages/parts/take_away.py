"""What people take home: one HTML file of a run or a comparison, tables, the network as ONNX, the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO

import pandas as pd
import streamlit as st

from pages.parts import charts, comparison, replay_spec, run_charts, words
from pages.parts.client import Lab, name_of, unit_of_run
from pages.parts.fields import setting_name
from pages.parts.html_report import Report
from pages.parts.language import chosen, explain, say, speaking, told
from plm_engine.command_line import command_of
from plm_engine.config import Config
from plm_engine.datasets import export
from plm_engine.report import Series, decimate
from plm_engine.store import RunInfo

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def menu(client: Lab, run: RunInfo) -> None:
    """Show the menu of what a run has to take home: something once it has ended, nothing where it has no network."""
    active = run.status in words.ACTIVE
    if active or client.model(run.id) is None:
        why = say("run.when_finished" if active else "download.no_model")
        st.popover(say("take.menu"), icon=":material/redeem:", disabled=True, help=why)
        return
    with st.popover(say("take.menu"), icon=":material/redeem:", help=say("take.menu_help")):
        lang = chosen()

        def report() -> bytes:
            with speaking(lang):  # made when the button is pressed, after this script has ended
                return run_report(client, run)

        _button(say("take.report"), report, f"run_{run.id}.html", "text/html", say("take.report_help"))
        book = f"predictions_{run.id}.xlsx"
        _button(say("take.xlsx"), lambda: predictions_xlsx(client, run), book, XLSX, say("take.xlsx_help"))
        if run.config.get("predict", "level") == "level":
            means = f"{say('take.onnx_help')} {explain('onnx')}"
            file_name, kind = f"model_{run.id}.onnx", "application/octet-stream"
            _button(say("take.onnx"), lambda: client.onnx(run.id), file_name, kind, means)
        st.caption(say("take.command"))
        st.code(command_line(run), language="bash", wrap_lines=True)
        if unknown := _unknown(run):
            st.caption(unknown)


def _button(label: str, make: Callable[[], bytes], file_name: str, kind: str, means: str) -> None:
    st.download_button(
        label,
        make,
        file_name,
        kind,
        icon=":material/download:",
        on_click="ignore",
        key=f"take:{file_name}",
        help=means,
        width="stretch",
    )


def command_line(run: RunInfo) -> str:
    """Return the command that repeats the run."""
    return command_of(Config.from_stored(run.config)[0])


def _unknown(run: RunInfo) -> str:
    """Say which settings of the run this version does not know, so that the command is without them; mostly nothing."""
    _, unknown = Config.from_stored(run.config)
    return say("take.command_partly", unknown=words.shown(" ".join(unknown))) if unknown else ""


def predictions_xlsx(client: Lab, run: RunInfo) -> bytes:
    """Return the run's predictions as a workbook; text that a spreadsheet might run is made harmless."""
    return export.xlsx_bytes(pd.read_csv(BytesIO(client.predictions(run.id) or b"")))


def errors_table(run: RunInfo) -> pd.DataFrame:
    """Return the mean absolute errors of the network and of the simple forecasts."""
    named = {say("baseline.rplm"): run.summary.get("mae") or {}, **(run.summary.get("baselines") or {})}
    rows = [
        {
            say("report.forecast"): words.baseline_name(name),
            say("run.train"): words.number(errors.get("train"), 5),
            say("run.test"): words.number(errors.get("test"), 5),
        }
        for name, errors in named.items()
    ]
    return pd.DataFrame(rows)


def run_report(client: Lab, run: RunInfo) -> bytes:
    """Return a run as one HTML file."""
    series, unit = client.series(run.id), unit_of_run(run)
    name = name_of(client, run)
    made = say("report.made", status=words.status_name(run.status), when=words.moment(run.started or run.created))
    report = Report(name, f"{made} {words.worded(told(run.sentence))}", chosen())
    if run.labels.get("note"):
        report.text(run.labels["note"])
    report.facts(
        [
            (say("report.learned"), say("report.of", k=series.n_learned, n=series.n_train)),
            (say("run.rounds"), f"{series.round:,}"),
            (say("run.nodes"), words.number(series.n_hidden)),
            (say("run.goal", unit=unit), words.number(series.goal)),
            (say("report.time"), words.duration(run.elapsed_s())),
        ]
    )
    _charts(report, series, unit)
    report.heading(say("report.errors", unit=unit))
    report.table(errors_table(run))
    _film(client, run, report, unit)
    report.heading(say("report.repeat"))
    report.code(command_line(run))
    if unknown := _unknown(run):
        report.text(unknown)
    report.table(_settings(client, run))
    return report.html()


def _charts(report: Report, series: Series, unit: str) -> None:
    if not len(series.rows):
        return
    report.heading(say("run.predictions"))
    x = words.time_axis(series.dates, len(series.rows))
    chart = charts.predictions_chart(x, series.actual, series.predicted, series.part, series.target, unit, "report")
    report.chart(chart, say("report.predictions_alt"), 400)
    if not len(series.nodes):
        return
    report.heading(say("run.nodes"))
    report.chart(
        charts.nodes_chart(*decimate(series.nodes[:, 0], series.nodes[:, 1]), "report"), say("report.nodes_alt")
    )
    steps, rounds = run_charts.by_module(series, "largest_residual"), series.rounds
    ends = (rounds["at_s"], rounds["largest_residual"]) if len(rounds) else ((), ())
    if steps or len(rounds):
        report.heading(say("run.residual_title"))
        report.chart(charts.residual_chart(steps, ends, series.goal, unit, "report"), say("report.residual_alt"))
    report.heading(say("run.phases"))
    report.chart(charts.phases_chart(series.seconds, "report"), say("report.phases_alt"))


def _film(client: Lab, run: RunInfo, report: Report, unit: str) -> None:
    tape = client.tape(run.id)
    if tape.goal is not None and tape.frames:
        report.heading(say("report.film"))
        report.replay(replay_spec.spec(tape, unit, client.two_drivers(run, tape), chosen()))


def _settings(client: Lab, run: RunInfo) -> pd.DataFrame:
    """Return settings, data fingerprint and versions, each as text."""
    data = run.extra.get("data") or {}
    given = {name: value for name, value in run.config.items() if value not in (None, [], "")}
    given["data"] = data.get("name") or given.get("data")
    if given["data"] in client.data_keys():
        given["data"] = client.title(given["data"])
    known = {setting_name(name): words.setting(value) for name, value in given.items()}
    known[say("report.data_hash")] = data.get("sha256") or "–"
    known[say("report.network_hash")] = run.summary.get("network_sha256") or "–"
    known |= {say("report.version", name=name): str(v) for name, v in (run.extra.get("versions") or {}).items()}
    known[say("report.run")] = run.id
    return pd.DataFrame({say("run.setting"): list(known), say("run.value"): list(known.values())})


def comparison_report(client: Lab, runs: Mapping[str, RunInfo], baseline: str | None) -> bytes:
    """Return a comparison as one HTML file; the runs are given by what they are called."""
    units = {title: unit_of_run(run) for title, run in runs.items()}
    report = Report(say("compare.title"), words.joined(runs), chosen())
    report.heading(say("compare.differ"))
    report.table(comparison.settings_that_differ(runs, client.title))
    report.heading(say("compare.results"))
    several = len(set(units.values())) > 1
    if several:
        report.text(say("compare.targets"))
    report.table(comparison.results(runs, units, baseline, comparison.over_seeds(client.store, runs)))
    report.text(say("compare.one_seed"))
    series = {title: client.series(run.id) for title, run in runs.items()}
    for measure in comparison.MEASURES:
        what = say(f"measure.{measure}")
        report.heading(what)
        report.chart(
            comparison.curves(series, measure, True, units, several, "report"), say("report.curve_alt", what=what)
        )
    report.heading(say("report.repeat_all"))
    for title, run in runs.items():
        report.text(title)
        report.code(command_line(run))
    return report.html()
