"""Runs side by side as tables and charts of plain values (no Streamlit here)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd

from pages.parts import charts, words
from pages.parts.live_chart import Figure, packed
from plm_engine.report import Series, decimate
from plm_engine.store import RunInfo

#: Okabe and Ito's colours, told apart with every kind of colour vision; then the same ones with other dashes
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9")
DASHES = ("solid", "dash", "dot")
POINTS = 800
#: what the curves can show: column of the rounds' table -> title
MEASURES = {
    "largest_residual": "Largest residual",
    "test_mae": "Test MAE",
    "train_mae": "Training MAE",
    "n_hidden": "Hidden nodes",
    "n_learned": "Rows learned",
}

#: measures in the target's unit; the others are counts
IN_UNIT = ("largest_residual", "test_mae", "train_mae")


def settings_that_differ(runs: Mapping[str, RunInfo]) -> pd.DataFrame:
    """Return one row for each setting in which the runs differ, one column for each run.

    Parameters
    ----------
    runs : mapping
        What a run is called -> the run.
    """
    names = sorted({name for run in runs.values() for name in run.config})
    rows = []
    for name in names:
        values = {title: _text(run.config.get(name)) for title, run in runs.items()}
        if len(set(values.values())) > 1:
            rows.append({"Setting": name.replace("_", " ").capitalize(), **values})
    return pd.DataFrame(rows, columns=["Setting", *runs])


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    return "–" if value in (None, "") else f"{value:g}" if isinstance(value, float) else str(value)


def results(runs: Mapping[str, RunInfo], units: Mapping[str, str], baseline: str | None) -> pd.DataFrame:
    """Return one row for each run: errors, size and time; with a baseline also how the test error compares with it."""
    rows = []
    base = _error(runs[baseline]) if baseline else None
    for title, run in runs.items():
        mae, summary = run.summary.get("mae") or {}, run.summary
        row = {
            "Run": title,
            "State": words.STATUS_TEXT[run.status][0],
            "Unit": units[title],
            "Goal": summary.get("goal"),
            "Training MAE": mae.get("train"),
            "Test MAE": mae.get("test"),
            "Hidden nodes": summary.get("n_hidden"),
            "Rounds": summary.get("rounds"),
            "Seconds": run.elapsed_s(),
            "Seed": run.config.get("seed"),
        }
        if baseline:
            own = _error(run)
            same = units[title] == units[baseline]
            row["Test MAE against baseline (%)"] = 100 * (own / base - 1) if same and own is not None and base else None
        rows.append(row)
    return pd.DataFrame(rows)


def _error(run: RunInfo) -> float | None:
    value = (run.summary.get("mae") or {}).get("test")
    return float(value) if isinstance(value, int | float) else None


def curves(series: Mapping[str, Series], measure: str, by_round: bool, unit: str, log: bool, uirevision: str) -> Figure:
    """Return one curve for each run: a measure at the rounds' ends, by round or by elapsed time."""
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
                "name": escape(title),
                "x": packed(x),
                "y": packed(y),
                "line": {"color": COLOURS[k % len(COLOURS)], "dash": DASHES[k // len(COLOURS) % 3], "width": 2},
                "marker": {"size": 5},
                "hovertemplate": "%{y:,.5~g} " + escape(unit) + f"<extra>{escape(title)}</extra>",
            }
        )
    shown = f"{MEASURES[measure]} ({unit})" if unit else MEASURES[measure]
    axis = {"type": "log", "nticks": 6} if log else {}
    return {
        "data": traces,
        "layout": charts.chart_layout(
            "Round" if by_round else "Elapsed (s)", escape(shown), uirevision, hovermode="closest", yaxis=axis
        ),
    }


def titles(names: Sequence[tuple[str, str]]) -> list[str]:
    """Return what runs are called side by side: their names, with the start of the id where names repeat."""
    plain = [name for name, _ in names]
    return [name if plain.count(name) == 1 else f"{name} · {run_id[:4]}" for name, run_id in names]
