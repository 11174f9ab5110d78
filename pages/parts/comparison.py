"""Runs side by side as tables and charts of plain values (no Streamlit here)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

import pandas as pd

from pages.parts import charts, words
from pages.parts.axes import whole_steps
from pages.parts.fields import setting_name
from pages.parts.language import say
from pages.parts.live_chart import Figure, packed
from plm_engine.report import Series, decimate
from plm_engine.store import RunInfo, Store
from plm_engine.studies.start import network_over_seeds

#: Okabe and Ito's hues, told apart with every kind of colour vision, dark enough for white ground; then the same ones
#: with other dashes
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#a8528a", "#8a6d00", "#5f6b7a")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
POINTS = 800
#: a longer title does not fit along the axis, and gets a second line
LONG_TITLE = 30
#: letters of a run's name in a legend: it has to fit a phone
LONGEST_NAME = 36
#: what the curves can show: columns of the rounds' table
MEASURES = ("largest_residual", "test_mae", "train_mae", "n_hidden", "n_learned")

#: measures in the target's unit; the others are counts
IN_UNIT = ("largest_residual", "test_mae", "train_mae")


def settings_that_differ(runs: Mapping[str, RunInfo], table: Callable[[str], str]) -> pd.DataFrame:
    """Return one row for each setting in which the runs differ, one column for each run.

    Parameters
    ----------
    runs : mapping
        What a run is called -> the run.
    table : callable
        What a table is called, by its key.
    """
    names = sorted({name for run in runs.values() for name in run.config})
    rows = []
    for name in names:
        values = {title: words.setting(run.config.get(name)) for title, run in runs.items()}
        if name == "data":
            values = {title: table(str(run.config.get(name, ""))) for title, run in runs.items()}
        if len(set(values.values())) > 1:
            rows.append({say("run.setting"): setting_name(name), **values})
    return pd.DataFrame(rows, columns=[say("run.setting"), *runs])


def results(
    runs: Mapping[str, RunInfo], units: Mapping[str, str], baseline: str | None, repeated: Mapping[str, str]
) -> pd.DataFrame:
    """Return one row for each run: errors, size and time; with a baseline also how the test error compares with it.

    ``repeated`` says what :func:`over_seeds` found.
    """
    rows = []
    base = _error(runs[baseline]) if baseline else None
    for title, run in runs.items():
        mae, summary = run.summary.get("mae") or {}, run.summary
        row = {
            say("col.run"): title,
            say("compare.state"): words.status_name(run.status),
            say("compare.unit"): units[title],
            say("col.goal"): summary.get("goal"),
            say("col.train_mae"): mae.get("train"),
            say("col.test_mae"): mae.get("test"),
            say("compare.nodes"): summary.get("n_hidden"),
            say("compare.rounds"): summary.get("rounds"),
            say("compare.seconds"): run.elapsed_s(),
            say("compare.seed"): run.config.get("seed"),
        }
        if baseline:
            own = _error(run)
            same = units[title] == units[baseline]
            against = 100 * (own / base - 1) if same and own is not None and base else None
            row[say("compare.against")] = against
        if repeated:
            row[say("compare.repeated")] = repeated.get(title, "–")
        rows.append(row)
    return pd.DataFrame(rows)


def over_seeds(store: Store, runs: Mapping[str, RunInfo]) -> dict[str, str]:
    """Return median and range of the test error of those runs that were repeated with several seeds, in words."""
    found = {title: network_over_seeds(store, run) for title, run in runs.items() if not run.extra.get("job")}
    said = {}
    for title, one in found.items():
        if one is not None:
            error = one["test_mae"]
            shown = {"median": words.number(error["median"]), "range": words.number_range(error["range"])}
            said[title] = say("compare.over_seeds", n=error["n"], **shown)
    return said


def _error(run: RunInfo) -> float | None:
    value = (run.summary.get("mae") or {}).get("test")
    return float(value) if isinstance(value, int | float) else None


def curves(
    series: Mapping[str, Series], measure: str, by_round: bool, units: Mapping[str, str], log: bool, uirevision: str
) -> Figure:
    """Return one curve for each run: a measure at the rounds' ends, by round or by elapsed time."""
    units = units if measure in IN_UNIT else {}
    unit = words.joined(dict.fromkeys(units.values()))
    traces = []
    for k, (title, one) in enumerate(series.items()):
        if not len(one.rounds) or measure not in one.rounds:
            continue
        values = pd.to_numeric(one.rounds[measure], errors="coerce")
        x, y = decimate(one.rounds["round" if by_round else "at_s"], values, POINTS)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers" if len(x) < 60 else "lines",
                "name": escape(shortened(title)),
                "x": packed(x),
                "y": packed(y),
                "line": {
                    "color": COLOURS[k % len(COLOURS)],
                    "dash": DASHES[k // len(COLOURS) % len(DASHES)],
                    "width": 2,
                },
                "marker": {"size": 5},
                "hovertemplate": words.amount("%{y:,.5~r}", escape(units.get(title, "")))
                + f"<extra>{escape(title)}</extra>",
            }
        )
    what = say(f"measure.{measure}")
    shown = escape(say("axis.in_unit", what=what, unit=unit) if unit else what)
    if len(shown) > LONG_TITLE:
        shown = f"{escape(what)}<br>{escape(unit)}"
    return {
        "data": traces,
        "layout": charts.chart_layout(
            say("axis.round" if by_round else "axis.elapsed"),
            shown,
            uirevision,
            hovermode="closest",
            yaxis=charts.LOGARITHMIC if log else {},
            xaxis=whole_steps([len(one.rounds) for one in series.values()]) if by_round else {},
        ),
    }


def shortened(title: str) -> str:
    """Return a title that fits a legend; hovering over the curve shows all of it."""
    return title if len(title) <= LONGEST_NAME else f"{title[: LONGEST_NAME - 1]}…"


def titles(names: Sequence[tuple[str, str]]) -> list[str]:
    """Return what runs are called side by side: their names, with the start of the id where names repeat."""
    plain = [name for name, _ in names]
    return [name if plain.count(name) == 1 else f"{name} · {run_id[:4]}" for name, run_id in names]
