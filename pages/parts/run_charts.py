"""The charts of one run: a run's columns thinned out, handed to :mod:`charts`, and laid out on the page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts import charts, words
from pages.parts.live_chart import show_chart
from plm_engine.report import Series, decimate

POINTS = 1000


def predictions(series: Series, unit: str, run_id: str) -> None:
    """Show actual and predicted values, training and test rows marked."""
    if not len(series.rows):
        return
    st.subheader("Predictions against actual values", anchor=False)
    x = words.time_axis(series.dates, len(series.rows))
    figure = charts.predictions_chart(x, series.actual, series.predicted, series.part, series.target, unit, run_id)
    if series.predicted is None:
        said = "No predictions yet: the first network comes within seconds."
    else:
        said = f"After round {max(series.predictions):,}. The shaded rows are the test rows, never learned from."
        far = len(charts.outside(series.actual, series.predicted))
        if far:
            cut = words.counted(far, "prediction lies", "predictions lie")
            said += f" {cut} outside the picture: double-click it to see all."
    st.caption(said)
    show_chart(
        figure, key="predictions", alt=f"{series.target}, actual and predicted, in time order. {said}", height=360
    )


def learning(series: Series, unit: str, run_id: str) -> None:
    """Show how the network grew, how the loss and the largest residual fell, and where the time went."""
    if not series.steps or not len(series.nodes):
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Hidden nodes", anchor=False)
        figure = charts.nodes_chart(*decimate(series.nodes[:, 0], series.nodes[:, 1], POINTS), run_id)
        show_chart(figure, key="nodes", alt=f"Number of hidden nodes over time, now {series.n_hidden}")
        st.subheader("Largest residual against the goal", anchor=False)
        steps = by_module(series, "largest_residual")
        rounds = series.rounds
        ends = (rounds["at_s"], rounds["largest_residual"]) if len(rounds) else ((), ())
        figure = charts.residual_chart(steps, ends, series.goal, unit, run_id)
        newest = words.number(series.largest_residual)
        show_chart(
            figure, key="residual", alt=f"Largest residual over time, now {newest} {unit}, and the learning goal"
        )
    with right:
        st.subheader("Loss", anchor=False)
        figure = charts.loss_chart(by_module(series, "loss"), run_id)
        show_chart(figure, key="loss", alt="Loss of the kept tuning steps over time")
        st.subheader("Time in each module", anchor=False)
        figure = charts.phases_chart(series.seconds, run_id)
        total = words.duration(series.seconds.get("total"))
        show_chart(figure, key="phases", alt=f"Seconds spent in each module; {total} in all")


def by_module(series: Series, column: str) -> dict[str, tuple[Any, Any]]:
    """Return tuning module -> (seconds, a column of its kept steps), thinned out."""
    kept = {phase: series.steps_of(phase) for phase, *_ in charts.TUNING}
    return {phase: decimate(k["at_s"], k[column], POINTS) for phase, k in kept.items() if len(k["at_s"])}


def notices(series: Series) -> None:
    """Show what the data's check and the learning itself had to say."""
    said = [*series.warnings, *series.notices]
    if said:
        with st.expander(words.counted(len(said), "remark on this run", "remarks on this run")):
            st.markdown("\n".join(f"- {words.plain(sentence)}" for sentence in said))
