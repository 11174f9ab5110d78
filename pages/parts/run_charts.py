"""The charts of one run: a run's columns thinned out, handed to :mod:`charts`, and laid out on the page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts import charts, steady, words
from pages.parts.language import counted, say
from pages.parts.live_chart import show_chart
from plm_engine.report import Series, decimate

POINTS = 600  # of a line or of a cloud of dots: about as many as half a page has pixels


def predictions(series: Series, unit: str, run_id: str, active: bool, frames: str) -> None:
    """Show actual and predicted values, training and test rows marked; where there are none, the frame if wanted."""
    if not len(series.rows) and not frames:
        return
    st.subheader(say("run.predictions"), anchor=False)
    if len(series.rows):
        x = words.time_axis(series.dates, len(series.rows))
        figure = charts.predictions_chart(x, series.actual, series.predicted, series.part, series.target, unit, run_id)
    else:
        figure = steady.waiting_chart(say("axis.row"), unit, frames)
    if series.predicted is None:
        said = say("run.no_predictions" if active else "run.never_predicted")
    else:
        said = say("run.after_round", n=max(series.predictions))
        far = len(charts.outside(series.actual, series.predicted))
        if far:
            said += say("run.outside", points=counted("outside", far))
    with steady.slot("after"):
        st.caption(said)
    show_chart(figure, key="predictions", alt=say("run.predictions_alt", target=series.target, said=said), height=360)


def learning(series: Series, unit: str, run_id: str, frames: str) -> None:
    """Show how the network grew, how the loss and the largest residual fell, and where the time went.

    While the run has not begun to learn, the frames of all charts wait for it (see :func:`steady.frames`).
    """
    begun = bool(series.steps) and len(series.nodes) > 0
    if not begun and not frames:
        return

    def waits(x_title: str, y_title: str) -> charts.Figure:
        return steady.waiting_chart(x_title, y_title, frames)

    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader(say("run.nodes"), anchor=False)
        figure = _nodes(series, run_id) if begun else waits(say("axis.elapsed"), say("axis.nodes"))
        show_chart(figure, key="nodes", alt=say("run.nodes_alt", n=series.n_hidden))
        st.subheader(say("run.residual_title"), anchor=False)
        title = say("axis.residual", unit=unit)
        figure = _residuals(series, unit, run_id) if begun else waits(say("axis.elapsed"), title)
        newest = words.number(series.largest_residual)
        show_chart(figure, key="residual", alt=say("run.residual_alt", value=newest, unit=unit))
    with right:
        st.subheader(say("run.loss"), anchor=False)
        losses = by_module(series, "loss")
        if losses:
            show_chart(charts.loss_chart(losses, run_id), key="loss", alt=say("run.loss_alt"))
        else:  # an empty frame, so that the charts below stay side by side
            why = frames or say("run.no_steps")
            empty = steady.waiting_chart(say("axis.elapsed"), say("axis.loss"), why)
            show_chart(empty, key="loss", alt=say("run.loss_alt"))
        st.subheader(say("run.phases"), anchor=False)
        figure = charts.phases_chart(series.seconds, run_id) if begun else waits(say("axis.spent"), "")
        total = words.duration(series.seconds.get("total"))
        show_chart(figure, key="phases", alt=say("run.phases_alt", total=total))


def _nodes(series: Series, run_id: str) -> charts.Figure:
    return charts.nodes_chart(*decimate(series.nodes[:, 0], series.nodes[:, 1], POINTS), run_id)


def _residuals(series: Series, unit: str, run_id: str) -> charts.Figure:
    rounds = series.rounds
    ends = (rounds["at_s"], rounds["largest_residual"]) if len(rounds) else ((), ())
    return charts.residual_chart(by_module(series, "largest_residual"), ends, series.goal, unit, run_id)


def by_module(series: Series, column: str) -> dict[str, tuple[Any, Any]]:
    """Return tuning module -> (seconds, a column of its kept steps), thinned out."""
    kept = {phase: series.steps_of(phase) for phase, *_ in charts.TUNING}
    return {phase: decimate(k["at_s"], k[column], POINTS) for phase, k in kept.items() if len(k["at_s"])}


def notices(series: Series, frames: str) -> None:
    """Show what the data's check and the learning itself had to say; while a run goes there may be more to come."""
    said = [*series.warnings, *series.notices]
    if not said and not frames:
        return
    title = counted("remark", len(said)) if said else say("run.remarks_none")
    with st.expander(title, key="run:remarks"):  # it stays open while remarks are added
        st.markdown("\n".join(f"- {words.shown(sentence)}" for sentence in said) or say("run.no_remark"))
