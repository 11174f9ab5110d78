"""Charts of an experiment: results in, figures of plain values out (no Streamlit here)."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from pages.parts import colours
from pages.parts.charts import WHOLE_NUMBERS
from pages.parts.language import say, told
from pages.parts.live_chart import Figure
from pages.parts.words import amount, phase_name
from plm_engine.experiment.plan import Contender
from plm_engine.experiment.results import MEASURES, MODULES

#: neither is a mode or a module, so neither has a colour of theirs
COMPUTING, TALKING = "#9aa7b6", "#0e7f8c"
IDEAL = "#5f6b7a"
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
    return {"title": {"text": title, "standoff": 8}, "automargin": True, "zeroline": False, **WHOLE_NUMBERS, **more}


def _colour(key: str) -> str:
    return colours.MODES[Contender.parse(key).mode]


def short(key: str) -> str:
    """Return a contender's name where there is little room, such as ``DDP × 2``."""
    contender = Contender.parse(key)
    name = say(f"short.{contender.mode}")
    return f"{name} × {contender.workers}" if ":" in contender.key else name


def _spread(summary: pd.DataFrame, name: str, keys: Any) -> dict[str, Any]:
    """Return error bars from the mean to both ends of the interval; none where there is no interval."""
    mean, low, high = (summary.loc[keys, f"{name}{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
    plus, minus = np.nan_to_num(high - mean), np.nan_to_num(mean - low)
    return {"type": "data", "symmetric": False, "array": plus.tolist(), "arrayminus": minus.tolist(), "thickness": 1.2}


def times_chart(summary: pd.DataFrame, uirevision: str) -> Figure:
    """Return the thesis's three times as grouped bars with 95 % intervals."""
    names = [name for name in MEASURES if name != "mae"]
    traces = []
    for key in summary.index:
        spread = _spread(summary, names[0], [key])
        for end in ("array", "arrayminus"):
            spread[end] = [_spread(summary, name, [key])[end][0] for name in names]
        traces.append(
            {
                "type": "bar",
                "name": short(key),
                "x": [say(f"bars.{name}") for name in names],
                "y": [float(summary.loc[key, name]) for name in names],
                "error_y": spread,
                "marker": {"color": _colour(key)},
                "hovertemplate": say("hover.seconds", what=escape(told(summary.loc[key, "title"])), n="%{y:.4~r}")
                + "<extra></extra>",
            }
        )
    yaxis = _axis(say("bars.seconds"), rangemode="tozero")
    layout = _layout(uirevision=uirevision, barmode="group", xaxis=_axis(""), yaxis=yaxis)
    return {"data": traces, "layout": layout, "log": {"axis": "yaxis", "on": False}}


def _bars(summary: pd.DataFrame, values: Any, unit: str, axis: str, uirevision: str, **more: Any) -> Figure:
    """Return one bar for each contender."""
    trace = {
        "type": "bar",
        "x": [short(key) for key in summary.index],
        "y": [float(value) for value in values],
        "marker": {"color": [_colour(key) for key in summary.index]},
        "hovertemplate": f"%{{x}}: {amount('%{y:.4~r}', escape(unit))}<extra></extra>",
        **more,
    }
    layout = _layout(
        uirevision=uirevision, showlegend=False, xaxis=_axis(""), yaxis=_axis(escape(axis), rangemode="tozero")
    )
    layout["margin"]["t"] = 12
    return {"data": [trace], "layout": layout}


def error_chart(summary: pd.DataFrame, unit: str, uirevision: str) -> Figure:
    """Return the mean absolute error of every contender with its 95 % interval, in the target's unit."""
    spread = _spread(summary, "mae", summary.index)
    return _bars(summary, summary["mae"], unit, say("bars.mae", unit=unit), uirevision, error_y=spread)


def speedup_chart(summary: pd.DataFrame, uirevision: str) -> Figure:
    """Return the speed-up of organizing over the number of workers, beside the ideal line."""
    known = summary.dropna(subset=["organizing_speedup"])
    most = max(2, int(known["workers"].max()) if len(known) else 1)
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": say("speedup.ideal"),
            "x": [1, most],
            "y": [1, most],
            "line": {"color": IDEAL, "dash": "dash", "width": 1.5},
            "hoverinfo": "skip",
        }
    ]
    for key in known.index:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": short(key),
                "x": [int(known.loc[key, "workers"])],
                "y": [float(known.loc[key, "organizing_speedup"])],
                "error_y": _spread(known, "organizing_speedup", [key]),
                "marker": {"color": _colour(key), "size": 10},
                "hovertemplate": say("speedup.times_as_fast", mode=escape(told(known.loc[key, "title"])), n="%{y:.3~r}")
                + "<extra></extra>",
            }
        )
    xaxis = _axis(say("speedup.workers"), range=[0.5, most + 0.5], **({"dtick": 1} if most <= 8 else {}))
    yaxis = _axis(say("speedup.of_organizing"), rangemode="tozero")
    return {"data": traces, "layout": _layout(uirevision=uirevision, xaxis=xaxis, yaxis=yaxis)}


def efficiency_chart(summary: pd.DataFrame, uirevision: str) -> Figure:
    """Return the parallel efficiency, speed-up over workers, of every contender in per cent, and the ideal of 100 %."""
    known = summary.dropna(subset=["organizing_efficiency"])
    values = 100 * known["organizing_efficiency"].to_numpy(dtype=float)
    figure = _bars(known, values, "%", say("speedup.efficiency"), uirevision)
    ideal = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 100, "y1": 100}
    figure["layout"]["shapes"] = [{**ideal, "line": {"color": IDEAL, "dash": "dash", "width": 1.5}}]
    return figure


def modules_chart(summary: pd.DataFrame, uirevision: str) -> Figure:
    """Return the mean seconds in each module, stacked, a bar for each contender."""
    names = [short(key) for key in summary.index]
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": phase_name(module),
            "y": names,
            "x": [float(v) for v in summary[f"module_{module}_s"]],
            "marker": {"color": colours.MODULES[module]},
            "hovertemplate": say("hover.seconds", what=phase_name(module), n="%{x:.3~r}") + "<extra></extra>",
        }
        for module in MODULES
    ]
    layout = _layout(
        uirevision=uirevision,
        barmode="stack",
        legend={**_layout()["legend"], "traceorder": "normal"},
        xaxis=_axis(say("axis.spent"), rangemode="tozero"),
        yaxis=_axis("", autorange="reversed"),
    )
    return {"data": traces, "layout": layout}


def communication_chart(summary: pd.DataFrame, uirevision: str) -> Figure:
    """Return the share of the overall time spent computing and communicating (waiting for others included)."""
    names, share = [short(key) for key in summary.index], summary["communication_share"].to_numpy(dtype=float) * 100
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
            (say("speedup.computing"), 100 - share, COMPUTING),
            (say("speedup.talking"), share, TALKING),
        )
    ]
    layout = _layout(
        uirevision=uirevision,
        barmode="stack",
        legend={**_layout()["legend"], "traceorder": "normal"},
        xaxis=_axis(say("speedup.share"), range=[0, 100]),
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
        "hovertemplate": say("speedup.cell", rows="%{y}", nodes="%{x}", times="%{text}") + "<extra></extra>",
    }
    layout = _layout(
        uirevision=uirevision,
        xaxis=_axis(say("axis.nodes"), type="category"),
        yaxis=_axis(say("axis.rows"), type="category"),
    )
    layout["margin"]["t"] = 12
    return {"data": [trace], "layout": layout}
