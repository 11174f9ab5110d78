"""Charts of an experiment: results in, figures of plain values out (no Streamlit here)."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from pages.parts.live_chart import Figure
from pages.parts.words import PHASE_NAMES
from plm_engine.experiment.plan import Contender
from plm_engine.experiment.results import MEASURES, MODULES

#: one colour for each mode on every chart
COLOURS = {
    "single": "#5f6b7a",
    "batched": "#0b6bc2",
    "data_parallel": "#7a5c00",
    "ddp": "#d1570c",
    "row_parallel": "#0a7a53",
    "model_parallel": "#8a4fbf",
    "candidate_parallel": "#b3261e",
}
MODULE_COLOURS = ("#9aa5b1", "#c9d2dc", "#0b6bc2", "#d1570c", "#0a7a53", "#8a4fbf")
COMPUTING, TALKING = "#0b6bc2", "#d1570c"
#: beyond this many times faster or slower a cell has the full colour
FULL_COLOUR = 8.0


def _layout(**more: Any) -> dict[str, Any]:
    return {
        "margin": {"l": 10, "r": 10, "t": 40, "b": 10},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        **more,
    }


def _axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": 8}, "automargin": True, "zeroline": False, **more}


def _colour(key: str) -> str:
    return COLOURS[Contender.parse(key).mode]


def _short(summary: pd.DataFrame) -> list[str]:
    """Return the contenders' names, in two lines where they are long."""
    return [str(title).replace(" × ", "<br>× ").replace("-parallel", "-<br>parallel") for title in summary["title"]]


def _spread(summary: pd.DataFrame, name: str, keys: Any) -> dict[str, Any]:
    """Return error bars from the mean to both ends of the interval; none where there is no interval."""
    mean, low, high = (summary.loc[keys, f"{name}{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
    plus, minus = np.nan_to_num(high - mean), np.nan_to_num(mean - low)
    return {"type": "data", "symmetric": False, "array": plus.tolist(), "arrayminus": minus.tolist(), "thickness": 1.2}


def measures_chart(summary: pd.DataFrame, unit: str, uirevision: str) -> Figure:
    """Return the thesis's four measures as grouped bars with 95 % intervals; the error has an axis of its own."""
    traces = []
    for key in summary.index:
        row = summary.loc[key]
        for x, y, names, show in (("x", "y", list(MEASURES)[:3], True), ("x2", "y2", ["mae"], False)):
            spreads = [_spread(summary, name, [key]) for name in names]
            traces.append(
                {
                    "type": "bar",
                    "name": row["title"],
                    "legendgroup": key,
                    "showlegend": show,
                    "x": [MEASURES[name][0].replace(" inside ", "<br>inside ") for name in names],
                    "y": [float(row[name]) for name in names],
                    "error_y": {
                        **spreads[0],
                        "array": [s["array"][0] for s in spreads],
                        "arrayminus": [s["arrayminus"][0] for s in spreads],
                    },
                    "marker": {"color": _colour(key)},
                    "xaxis": x,
                    "yaxis": y,
                    "hovertemplate": f"{escape(row['title'])}: %{{y:.4~g}}<extra></extra>",
                }
            )
    layout = _layout(
        uirevision=uirevision,
        barmode="group",
        xaxis=_axis("", domain=[0, 0.7]),
        yaxis=_axis("Seconds, mean of the repeats", rangemode="tozero"),
        xaxis2=_axis("", domain=[0.82, 1.0], anchor="y2"),
        yaxis2=_axis(escape(unit), rangemode="tozero", anchor="x2"),
    )
    return {"data": traces, "layout": layout}


def speedup_chart(summary: pd.DataFrame, uirevision: str) -> Figure:
    """Return speed-up over the number of workers with the ideal line, and parallel efficiency."""
    known = summary.dropna(subset=["organizing_speedup"])
    most = int(known["workers"].max()) if len(known) else 1
    ideal = {
        "type": "scatter",
        "mode": "lines",
        "name": "Ideal",
        "x": [1, max(2, most)],
        "y": [1, max(2, most)],
        "line": {"color": "#5f6b7a", "dash": "dash", "width": 1.5},
        "hoverinfo": "skip",
    }
    traces: list[dict[str, Any]] = [ideal]
    for key in known.index:
        row = known.loc[key]
        shared = {"name": row["title"], "legendgroup": key, "marker": {"color": _colour(key), "size": 10}}
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [int(row["workers"])],
                "y": [float(row["organizing_speedup"])],
                "error_y": _spread(known, "organizing_speedup", [key]),
                "hovertemplate": f"{escape(row['title'])}: %{{y:.3~g}} times as fast<extra></extra>",
                **shared,
            }
        )
        traces.append(
            {
                "type": "bar",
                "x": [_short(known.loc[[key]])[0]],
                "y": [100 * float(row["organizing_efficiency"])],
                "xaxis": "x2",
                "yaxis": "y2",
                "hovertemplate": f"{escape(row['title'])}: %{{y:.3~g}} %<extra></extra>",
                **shared,
                "showlegend": False,
            }
        )
    layout = _layout(
        uirevision=uirevision,
        xaxis=_axis("Workers", domain=[0, 0.44], dtick=1 if most <= 8 else None, range=[0.5, max(2, most) + 0.5]),
        yaxis=_axis("Speed-up of organizing", rangemode="tozero"),
        xaxis2=_axis("", domain=[0.58, 1], anchor="y2", tickfont={"size": 11}),
        yaxis2=_axis("Parallel efficiency (%)", rangemode="tozero", anchor="x2"),
    )
    return {"data": traces, "layout": layout}


def modules_chart(summary: pd.DataFrame, uirevision: str) -> Figure:
    """Return the mean seconds in each module, stacked, a bar for each contender."""
    names = _short(summary)
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": PHASE_NAMES[module],
            "y": names,
            "x": [float(v) for v in summary[f"module_{module}_s"]],
            "marker": {"color": colour},
            "hovertemplate": f"{PHASE_NAMES[module]}: %{{x:.3~g}} s<extra></extra>",
        }
        for module, colour in zip(MODULES, MODULE_COLOURS, strict=True)
    ]
    layout = _layout(
        uirevision=uirevision,
        barmode="stack",
        xaxis=_axis("Time spent (s)", rangemode="tozero"),
        yaxis=_axis("", autorange="reversed"),
    )
    return {"data": traces, "layout": layout}


def communication_chart(summary: pd.DataFrame, uirevision: str) -> Figure:
    """Return the share of the overall time spent computing and communicating (waiting for others included)."""
    names, share = _short(summary), summary["communication_share"].to_numpy(dtype=float) * 100
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": names,
            "x": [round(float(v), 3) for v in values],
            "marker": {"color": colour},
            "hovertemplate": f"{name}: %{{x:.1f}} %<extra></extra>",
        }
        for name, values, colour in (
            ("Computing", 100 - share, COMPUTING),
            ("Communicating, waiting included", share, TALKING),
        )
    ]
    layout = _layout(
        uirevision=uirevision,
        barmode="stack",
        xaxis=_axis("Share of the overall time (%)", range=[0, 100]),
        yaxis=_axis("", autorange="reversed"),
    )
    return {"data": traces, "layout": layout}


def heat_map(steps: pd.DataFrame, key: str, reference: str, uirevision: str) -> Figure:
    """Return a contender's time of one step as a multiple of the reference's, over rows and hidden nodes.

    Parameters
    ----------
    steps : DataFrame
        Columns contender, rows, hidden, step_ms (missing where a size was left out).
    """
    mine = steps[steps["contender"] == key].pivot(index="rows", columns="hidden", values="step_ms").astype(float)
    theirs = (
        steps[steps["contender"] == reference].pivot(index="rows", columns="hidden", values="step_ms").astype(float)
    )
    times = (mine / theirs.reindex_like(mine)).to_numpy(dtype=float)
    z = np.clip(np.log2(times), -math.log2(FULL_COLOUR), math.log2(FULL_COLOUR))
    text = [["–" if math.isnan(v) else f"{v:.2g}×" for v in line] for line in times]
    trace = {
        "type": "heatmap",
        "x": [f"{p:,}" for p in mine.columns],
        "y": [f"{n:,}" for n in mine.index],
        "z": [[None if math.isnan(v) else round(float(v), 4) for v in line] for line in z],
        "text": text,
        "texttemplate": "%{text}",
        "zmin": -math.log2(FULL_COLOUR),
        "zmax": math.log2(FULL_COLOUR),
        "colorscale": [[0, "#0b6bc2"], [0.5, "#ffffff"], [1, "#d1570c"]],
        "xgap": 2,
        "ygap": 2,
        "showscale": False,
        "hovertemplate": "%{y} rows, %{x} nodes: %{text} the time<extra></extra>",
    }
    layout = _layout(
        uirevision=uirevision, xaxis=_axis("Hidden nodes", type="category"), yaxis=_axis("Rows", type="category")
    )
    layout["margin"]["t"] = 12
    return {"data": [trace], "layout": layout}
