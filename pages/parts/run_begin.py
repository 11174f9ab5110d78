"""What a run began from: a goal that was chosen first, or the network of an earlier run."""

from __future__ import annotations

import streamlit as st

from pages.parts import go_on, goal_charts, words
from pages.parts.language import say
from plm_engine.store import RunInfo


def show(run: RunInfo, unit: str) -> None:
    """Show it, where there is anything to show."""
    choice = run.summary.get("choice")
    if choice:
        st.info(words.shown(choice["sentence"]), icon=":material/target:")
        trained = choice.get("best_trained") or {}
        if isinstance(trained.get("test_mae"), float):
            st.caption(say("begin.best_trained", value=words.number(trained["test_mae"]), unit=words.plain(unit)))
        with st.expander(say("begin.chosen_from")):
            goal_charts.show(choice, unit, "run:choice")
    continued = run.summary.get("continued")
    if continued:
        go_on.saved(continued, unit)
