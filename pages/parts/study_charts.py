"""Charts of studies and forecasts: results in, figures of plain values out (no Streamlit here)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Any

import pandas as pd

from pages.parts import charts
from pages.parts.comparison import COLOURS, DASHES
from pages.parts.language import say, told
from pages.parts.live_chart import Figure
from pages.parts.words import amount, capitalised, number
from plm_engine.forecast import Forecasts

#: rows of history shown before the forecasts
HISTORY = 104
#: these often lie over another line, which shows between their dashes
DASHED = ("ridge",)
#: fewer rows of it do not tell which forecasts are out of proportion
TELLING = 12


def _line(place: int, name: str, x: Any, y: Any, value: str, **more: Any) -> dict[str, Any]:
    """Return one series in the colour and dash of its place."""
    dash = DASHES[place // len(COLOURS) % len(DASHES)] if name not in DASHED else "dash"
    style = {"color": COLOURS[place % len(COLOURS)], "dash": dash, "width": 2}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(capitalised(told(name))),
        "x": [float(one) for one in x],
        "y": [None if pd.isna(one) else float(one) for one in y],
        "line": style,
        "hovertemplate": f"{value}<extra>{escape(capitalised(told(name)))}</extra>",
        **more,
    }


def _by_origin(values: Mapping[str, Sequence[Any]], origins: Sequence[int], value: str) -> list[dict[str, Any]]:
    return [_line(place, name, origins, one, value) for place, (name, one) in enumerate(values.items())]


def skill_chart(result: dict[str, Any], uirevision: str) -> Figure:
    """Return the cumulative skill of every model over the origins of a backtest."""
    traces = _by_origin(result["cumulative_skill"], result["origins"], "%{y:.3f}")
    zero = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 0,
        "y1": 0,
        "line": {"color": charts.ACTUAL, "width": 1},
    }
    layout = charts.chart_layout(say("chart.origin"), say("chart.skill"), uirevision, shapes=[zero])
    return {"data": traces, "layout": layout}


def origin_chart(result: dict[str, Any], unit: str, uirevision: str) -> Figure:
    """Return the error of every model at every origin of a backtest, in the target's unit."""
    traces = _by_origin(result["by_origin"], result["origins"], amount("%{y:,.5~r}", escape(unit)))
    layout = charts.chart_layout(
        say("chart.origin"), escape(say("axis.in_unit", what=say("chart.mae"), unit=unit)), uirevision
    )
    return {"data": traces, "layout": layout, "log": {"axis": "yaxis", "on": False}}


def goal_chart(choice: dict[str, Any], unit: str, uirevision: str) -> Figure:
    """Return validation error against goal for every way to begin and to organize."""
    value = amount("%{y:,.5~r}", escape(unit)) + "<br>%{text}"
    return _by_goal(
        choice, "mae", say("axis.in_unit", what=say("chart.validation"), unit=unit), value, unit, uirevision
    )


def nodes_chart(choice: dict[str, Any], unit: str, uirevision: str) -> Figure:
    """Return hidden nodes against goal, the means over the validation folds, in the series of :func:`goal_chart`."""
    figure = _by_goal(choice, "n_hidden", say("chart.nodes_mean"), "%{text}", unit, uirevision)
    figure["layout"]["showlegend"] = False
    return figure


def _by_goal(choice: dict[str, Any], column: str, title: str, value: str, unit: str, uirevision: str) -> Figure:
    # the first runs called organizing "regularizing", which is what they varied of it
    frame, traces = pd.DataFrame(choice["candidates"]).rename(columns={"regularizing": "organizing"}), []
    for place, ((start, how), part) in enumerate(frame.groupby(["start", "organizing"], sort=False)):
        part = part.sort_values("goal")
        traces.append(
            _line(
                place,
                say("chart.goal_series", start=told(start), how=told(how)),
                part["goal"],
                part[column],
                value,
                mode="lines+markers",
                text=[say("chart.goal_nodes", n=f"{one:,.1f}") for one in part["n_hidden"]],
                marker={"size": 6},
            )
        )
    titles = escape(say("axis.in_unit", what=say("chart.goal"), unit=unit)), escape(title)
    return {"data": traces, "layout": charts.chart_layout(*titles, uirevision, hovermode="closest")}


def drivers_chart(importance: Sequence[dict[str, Any]], unit: str, uirevision: str) -> Figure:
    """Return by how much the test error grows when a driver is shuffled, with its spread, in the target's unit."""
    spread = {"type": "data", "array": [float(one["spread"]) for one in importance], "thickness": 1.2}
    bars = {
        "type": "bar",
        "orientation": "h",
        "name": say("chart.importance"),
        "x": [float(one["mean"]) for one in importance],
        "y": [escape(str(one["driver"])) for one in importance],
        "error_x": spread,
        "marker": {"color": charts.TRAIN},
        "hovertemplate": "%{y}: " + amount("%{x:,.5~r}", escape(unit)) + "<extra></extra>",
    }
    more: dict[str, Any] = {"showlegend": False, "hovermode": "closest", "yaxis": {"autorange": "reversed"}}
    layout = charts.chart_layout(
        escape(say("axis.in_unit", what=say("chart.importance"), unit=unit)), "", uirevision, **more
    )
    layout["margin"]["t"] = 12
    return {"data": [bars], "layout": layout}


def forecast_chart(predictions: bytes | None, found: Forecasts, unit: str, uirevision: str) -> Figure:
    """Return the forecasts after the end of the history, with their intervals where there are any."""
    traces: list[dict[str, Any]] = []
    last, history = 0, None
    value = amount("%{y:,.6~r}", escape(unit))
    if predictions is not None:
        history = pd.read_csv(BytesIO(predictions)).tail(HISTORY)
        last = int(history["data_row"].max())
        style = {"color": charts.ACTUAL, "width": 1.5}
        traces.append(_line(0, say("chart.history"), history["data_row"], history["actual"], value, line=style))
    table = found.table
    rows = range(last + 1, last + 1 + len(table))
    far = table["outside"] != "" if "outside" in table else pd.Series(False, index=table.index)
    symbols = ["diamond-open" if one else "diamond" for one in far]
    more: dict[str, Any] = {"mode": "markers", "marker": {"color": charts.TEST, "size": 10, "symbol": symbols}}
    if "low" in table:
        half = [float(one) for one in table["high"] - table["prediction"]]
        more["error_y"] = {"type": "data", "array": half, "thickness": 1.5, "color": charts.TEST}
    traces.append(_line(1, say("chart.forecast"), rows, table["prediction"], value, **more))
    shown: dict[str, Any] = {"hovermode": "closest"}
    if history is not None and len(history) >= TELLING:
        away = charts.outside(history["actual"], table["prediction"])
        if len(away):
            ends = charts.visible_range(history["actual"].to_numpy(dtype=float))
            traces.append(_at_the_edge([(rows[k], float(table["prediction"].iloc[k])) for k in away], ends, unit))
            shown["yaxis"] = {"range": list(ends)}
    if "latest" in table:
        style = {"color": charts.ACTUAL, "size": 7, "symbol": "line-ew", "line": {"color": charts.ACTUAL, "width": 2}}
        name = say("chart.latest")
        traces.append(_line(2, name, rows, table["latest"], value, mode="markers", marker=style))
    layout = charts.chart_layout(
        say("chart.row"), escape(say("axis.in_unit", what=found.target, unit=unit)), uirevision, **shown
    )
    return {"data": traces, "layout": layout}


def _at_the_edge(points: Sequence[tuple[int, float]], ends: tuple[float, float], unit: str) -> dict[str, Any]:
    """Return arrows where forecasts lie so far off that they would flatten everything else, with their values."""
    up = [value > ends[1] for _, value in points]
    said = [number(value, 5) for _, value in points]
    return {
        "type": "scatter",
        "mode": "text+markers",
        "name": say("chart.beyond"),
        "x": [row for row, _ in points],
        "y": [ends[1] if one else ends[0] for one in up],
        "text": said,
        "textposition": [f"{'bottom' if one else 'top'} left" for one in up],
        "marker": {
            "color": charts.TEST,
            "size": 12,
            "symbol": ["triangle-up" if one else "triangle-down" for one in up],
        },
        "cliponaxis": False,
        "hovertemplate": f"{amount('%{text}', escape(unit))}<extra>{say('chart.beyond')}</extra>",
    }
