"""Tables to charts: each function takes plain columns and returns a figure of plain values (no Streamlit here).

One colour stands for one thing on every chart: training blue, test orange, the goal a dashed red line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from pages.parts.axes import decades, whole_steps
from pages.parts.colours import MODULES
from pages.parts.language import say
from pages.parts.live_chart import Figure, packed
from pages.parts.words import amount, duration, phase_name
from plm_engine.report import PHASES

ACTUAL, TRAIN, TEST, GOAL, NODES = "#5f6b7a", "#0b6bc2", "#d1570c", "#b3261e", "#0a7a53"
#: the tuning modules, as the steps of a run name them
TUNING = (
    ("understanding", MODULES["understanding"]),
    ("organizing_regularizing", MODULES["organizing_regularizing"]),
    ("organizing_understanding", MODULES["organizing_understanding"]),
)

#: numbers on an axis as everywhere: 65,000 instead of 65k
WHOLE_NUMBERS = {"separatethousands": True, "exponentformat": "none"}
#: the same for a logarithmic axis, where Plotly would write 2 and 5 between 10,000 and 100,000
LOGARITHMIC = {"type": "log", "tickformat": ",.6~r", "nticks": 6}
#: for numbers that are not read as such: only the powers of ten, which Plotly writes a quarter larger than others
POWERS = {"type": "log", "exponentformat": "power", "dtick": 1, "tickfont": {"size": 10.4}}


def chart_layout(x_title: str, y_title: str, uirevision: str, **more: Any) -> dict[str, Any]:
    """Return the layout that all charts share: quiet axes, the legend in one row above the plot."""
    x_more, y_more = ({**WHOLE_NUMBERS, **more.pop(axis, {})} for axis in ("xaxis", "yaxis"))
    return {
        "uirevision": uirevision,
        "margin": {"l": 10, "r": 10, "t": 34, "b": 10},
        "hovermode": "x unified",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        "showlegend": True,
        "xaxis": {"title": {"text": x_title, "standoff": 8}, "automargin": True, "zeroline": False, **x_more},
        "yaxis": {"title": {"text": y_title, "standoff": 8}, "automargin": True, "zeroline": False, **y_more},
        **more,
    }


def _axis(values: Sequence[Any]) -> Any:
    """Return x values for Plotly: dates as text, numbers packed."""
    return list(values) if len(values) and isinstance(values[0], str) else packed(values)


def nodes_chart(seconds: Any, n_hidden: Any, uirevision: str) -> Figure:
    """Return the number of hidden nodes over elapsed seconds; it holds between two changes, so the line has steps."""
    line = {
        "type": "scatter",
        "mode": "lines" if len(seconds) > 1 else "markers",
        "name": say("axis.nodes"),
        "x": packed(seconds),
        "y": packed(n_hidden),
        "line": {"shape": "hv", "color": NODES, "width": 2},
        "marker": {"color": NODES},
        "hovertemplate": say("hover.nodes", n="%{y:d}") + "<extra></extra>",
    }
    layout = chart_layout(
        say("axis.elapsed"),
        say("axis.nodes"),
        uirevision,
        showlegend=False,
        yaxis={"rangemode": "tozero", **whole_steps(n_hidden)},
    )
    layout["margin"]["t"] = 12
    return {"data": [line], "layout": layout}


def loss_chart(steps: Mapping[str, tuple[Any, Any]], uirevision: str) -> Figure:
    """Return the loss of the kept steps, one series for each tuning module.

    Parameters
    ----------
    steps : mapping
        Module -> (elapsed seconds, loss in standardised units), both of shape (k,).
    uirevision : str
        For how long zoom and legend choices hold.
    """
    traces = [
        _dots(steps[phase], say(f"legend.{phase}"), say(f"hover.{phase}"), colour, "%{y:.4g}")
        for phase, colour in TUNING
        if phase in steps
    ]
    losses = np.concatenate([np.asarray(loss, dtype=float) for _, loss in steps.values()] or [np.empty(0)])
    scale = {**POWERS, **decades(losses)}
    return {
        "data": traces,
        "log": {"axis": "yaxis", "on": True},
        "layout": chart_layout(say("axis.elapsed"), say("axis.loss"), uirevision, hovermode="closest", yaxis=scale),
    }


def _dots(points: tuple[Any, Any], name: str, hover: str, colour: str, value: str) -> dict[str, Any]:
    """Return kept steps as dots, small and see-through where there are many."""
    few = len(points[0]) < 150
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": packed(points[0]),
        "y": packed(points[1]),
        "marker": {"color": colour, "size": 7 if few else 4, "opacity": 0.9 if few else 0.5},
        "hovertemplate": f"{value}<extra>{hover}</extra>",
    }


def residual_chart(
    steps: Mapping[str, tuple[Any, Any]], rounds: tuple[Any, Any], goal: float | None, unit: str, uirevision: str
) -> Figure:
    """Return the largest residual over time against the goal.

    Parameters
    ----------
    steps : mapping
        Tuning module -> (elapsed seconds, largest absolute residual among the picked rows at each kept step).
    rounds : (array (r,), array (r,))
        Elapsed seconds and largest absolute residual of all training rows at each round's end.
    goal : float or None
        Learning goal; None before it is known.
    unit : str
        The target's unit, which all residuals and the goal have.
    uirevision : str
        For how long zoom and legend choices hold.
    """
    value = amount("%{y:,.4~r}", escape(unit))
    traces: list[dict[str, Any]] = [
        _dots(
            steps[phase],
            say("legend.picked", module=say(f"hover.{phase}")),
            say("hover.picked", module=say(f"hover.{phase}")),
            colour,
            value,
        )
        for phase, colour in TUNING
        if phase in steps
    ]
    traces.append(
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": say("legend.all_rows"),
            "x": packed(rounds[0]),
            "y": packed(rounds[1]),
            "line": {"color": ACTUAL, "width": 1.5},
            "marker": {"size": 5, "symbol": "diamond"},
            "hovertemplate": f"{value}<extra>{say('hover.all_rows')}</extra>",
        }
    )
    ends = np.concatenate([np.asarray(x, dtype=float) for x, _ in (*steps.values(), rounds)])
    if goal is not None and len(ends):
        room = (
            0.0 if ends.min() < ends.max() else 0.5
        )  # seconds on both sides: the line of one moment has a length, too
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": say("legend.goal"),
                "x": packed([ends.min() - room, ends.max() + room]),
                "y": packed([goal, goal]),
                "line": {"color": GOAL, "width": 2, "dash": "dash"},
                "hovertemplate": f"{value}<extra>{say('hover.goal')}</extra>",
            }
        )
    title = escape(say("axis.residual", unit=unit))
    scale = POWERS if max(map(float, rounds[1]), default=0.0) >= 1e9 else LOGARITHMIC
    layout = chart_layout(say("axis.elapsed"), title, uirevision, hovermode="closest", yaxis=scale)
    return {"data": traces, "layout": layout, "log": {"axis": "yaxis", "on": True}}


def phases_chart(seconds: Mapping[str, float], uirevision: str) -> Figure:
    """Return the seconds spent in each module as bars, in the order in which a pupil goes through them."""
    parts = "organizing_regularizing" in seconds  # the bar of the whole would count them twice
    names = [phase for phase in PHASES if phase in seconds and not (parts and phase == "organizing")]
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [round(float(seconds[phase]), 4) for phase in names],
        "y": [phase_name(phase) for phase in names],
        "text": [duration(seconds[phase]) for phase in names],
        "textposition": "auto",
        "marker": {"color": [MODULES[phase] for phase in names]},
        "hovertemplate": say("hover.seconds", what="%{y}", n="%{x:.3~r}") + "<extra></extra>",
    }
    layout = chart_layout(
        say("axis.spent"),
        "",
        uirevision,
        showlegend=False,
        hovermode="closest",
        xaxis={"rangemode": "tozero"},
        yaxis={"autorange": "reversed"},
    )
    layout["margin"]["t"] = 12
    return {"data": [bars], "layout": layout, "log": {"axis": "xaxis", "on": False}}


def predictions_chart(
    x: Sequence[Any], actual: Any, predicted: Any | None, part: Sequence[str], target: str, unit: str, uirevision: str
) -> Figure:
    """Return actual and predicted values in time order, training and test rows in colours of their own.

    Parameters
    ----------
    x : sequence of str or int, length n
        ISO dates, or positions in time order where there are no dates.
    actual, predicted : array (n,) of float
        In the target's unit; ``predicted`` is None before the first round has ended.
    part : sequence of str, length n
        ``"train"``, ``"test"`` or ``"left out"``.
    target, unit : str
        The target's name and unit.
    uirevision : str
        For how long zoom and legend choices hold.
    """
    actual, parts = np.asarray(actual, dtype=float), np.asarray(part)
    value = amount("%{y:,.6~r}", escape(unit))
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": say("legend.actual"),
            "x": _axis(x),
            "y": packed(actual),
            "line": {"color": ACTUAL, "width": 1.5},
            "hovertemplate": f"{value}<extra>{say('hover.actual')}</extra>",
        }
    ]
    for name, colour in (("train", TRAIN), ("test", TEST)):
        if predicted is None or not (parts == name).any():
            continue
        inside = np.where(parts == name, np.asarray(predicted, dtype=float), np.nan)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": say(f"legend.predicted_{name}"),
                "x": _axis(x),
                "y": packed(inside),
                "line": {"color": colour, "width": 1},
                "marker": {"size": 4},
                "hovertemplate": f"{value}<extra>{say(f'hover.predicted_{name}')}</extra>",
            }
        )
    layout = chart_layout(
        say("axis.date" if len(x) and isinstance(x[0], str) else "axis.row"),
        escape(_of_target(target, unit)),
        uirevision,
    )
    layout |= _test_band(x, parts)
    low, high = visible_range(actual)
    if predicted is not None and len(outside(actual, predicted)):
        layout["yaxis"]["range"] = [low, high]
    return {"data": traces, "layout": layout}


def _of_target(target: str, unit: str) -> str:
    """Return the title of the target's axis; a unit that is not known only repeats the target's name."""
    return target if unit == say("unit.of", target=target) else say("axis.in_unit", what=target, unit=unit)


def visible_range(actual: np.ndarray) -> tuple[float, float]:
    """Return the lowest and highest value shown at first: the actual ones and as much again."""
    low, high = float(np.nanmin(actual)), float(np.nanmax(actual))
    room = 0.6 * (high - low) or abs(high) or 1.0
    return low - room, high + room


def outside(actual: Any, predicted: Any) -> np.ndarray:
    """Return the positions of predictions so far off that they would flatten everything else."""
    low, high = visible_range(np.asarray(actual, dtype=float))
    values = np.asarray(predicted, dtype=float)
    return np.flatnonzero((values < low) | (values > high))


def split_chart(x: Sequence[Any], actual: Any, part: Sequence[str], target: str, unit: str, uirevision: str) -> Figure:
    """Return the target in time order with the training, left-out and test rows marked (arguments as above)."""
    actual, parts = np.asarray(actual, dtype=float), np.asarray(part)
    scattered = _changes(parts) > 3
    traces = []
    for name, colour in (("train", TRAIN), ("left out", ACTUAL), ("test", TEST)):
        if (parts == name).any():
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers" if scattered else "lines+markers",
                    "name": say(f"legend.{name}"),
                    "x": _axis(x),
                    "y": packed(np.where(parts == name, actual, np.nan)),
                    "line": {"color": colour, "width": 1.5},
                    "marker": {"size": 4},
                    "hovertemplate": amount("%{y:,.6~r}", escape(unit)) + f"<extra>{say(f'hover.{name}')}</extra>",
                }
            )
    layout = chart_layout(
        say("axis.date" if len(x) and isinstance(x[0], str) else "axis.row"),
        escape(_of_target(target, unit)),
        uirevision,
    )
    layout |= _test_band(x, parts)
    return {"data": traces, "layout": layout}


def _changes(parts: np.ndarray) -> int:
    return int((parts[1:] != parts[:-1]).sum())


def _test_band(x: Sequence[Any], parts: np.ndarray) -> dict[str, Any]:
    """Return a shaded band over the test rows where they are one block; a random split has none."""
    where = np.flatnonzero(parts == "test")
    if not len(where) or where[-1] - where[0] + 1 != len(where):
        return {}
    band = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "x0": x[where[0]], "x1": x[where[-1]], "layer": "below"}
    return {"shapes": [{**band, "fillcolor": TEST, "opacity": 0.08, "line": {"width": 0}}]}
