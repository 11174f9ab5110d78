"""What a run began from: a goal that was chosen first, or the network of an earlier run."""

from __future__ import annotations

import streamlit as st

from pages.parts import words
from pages.parts.study_view import goal_chart
from plm_engine.store import RunInfo


def show(run: RunInfo, unit: str) -> None:
    """Show it, where there is anything to show."""
    choice = run.summary.get("choice")
    if choice:
        st.info(words.plain(choice["sentence"]), icon=":material/target:")
        trained = choice.get("best_trained") or {}
        if isinstance(trained.get("test_mae"), float):
            measured = f"{words.number(trained['test_mae'])} {words.plain(unit)}"
            st.caption(f"The best network that trained has a test MAE of {measured}.")
        with st.expander("What the goal was chosen from"):
            st.plotly_chart(goal_chart(choice, unit), width="stretch", key="run:choice")
    continued = run.summary.get("continued")
    if continued:
        st.caption(words.plain(saved(continued, run.summary)))


def saved(continued: dict[str, object], summary: dict[str, object]) -> str:
    """Say what going on took, beside what learning anew had taken before."""
    seconds = summary.get("seconds")
    now = seconds.get("total") if isinstance(seconds, dict) else None
    before = continued.get("seconds_before")
    said = f"Goes on from run {continued['run']}, with {continued.get('rows_added')} training rows more."
    if isinstance(now, float) and isinstance(before, float):
        said += (
            f" {summary.get('rounds')} rounds in {words.duration(now)}; that run, from the start, took "
            f"{continued.get('rounds_before')} rounds in {words.duration(before)}."
        )
    return said
