"""The charts of one run: a run's columns thinned out, handed to :mod:`charts`, and laid out on the page."""

from __future__ import annotations

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
        said = f"After round {series.round:,}; the shaded rows are the test rows, never learned from."
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
        steps = decimate(series.steps["at_s"], series.steps["largest_residual"], POINTS)
        rounds = series.rounds
        ends = (rounds["at_s"], rounds["largest_residual"]) if len(rounds) else ((), ())
        figure = charts.residual_chart(steps, ends, series.goal, unit, run_id)
        newest = words.number(series.largest_residual)
        show_chart(
            figure, key="residual", alt=f"Largest residual over time, now {newest} {unit}, and the learning goal"
        )
    with right:
        st.subheader("Loss", anchor=False)
        by_phase = {}
        for phase, *_ in charts.TUNING:
            kept = series.steps_of(phase)
            if len(kept["at_s"]):
                by_phase[phase] = decimate(kept["at_s"], kept["loss"], POINTS)
        show_chart(charts.loss_chart(by_phase, run_id), key="loss", alt="Loss of the kept tuning steps over time")
        st.subheader("Time in each module", anchor=False)
        figure = charts.phases_chart(series.seconds, run_id)
        total = words.duration(series.seconds.get("total"))
        show_chart(figure, key="phases", alt=f"Seconds spent in each module; {total} in all")


def notices(series: Series) -> None:
    """Show what the data's check and the learning itself had to say."""
    said = [*series.warnings, *series.notices]
    if said:
        with st.expander(words.counted(len(said), "remark on this run", "remarks on this run")):
            st.markdown("\n".join(f"- {words.plain(sentence)}" for sentence in said))
