"""What a run began from: a goal that was chosen first, or the network of an earlier run."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts import go_on, goal_charts, steady, words
from pages.parts.language import say
from plm_engine.store import RunInfo


def show(run: RunInfo, unit: str, frames: str) -> None:
    """Show it, where there is anything to show; what is still to come has its place (see :func:`steady.frames`)."""
    choice: dict[str, Any] = run.summary.get("choice") or {}
    if choice or (frames and run.config.get("goal_auto")):
        _choice(run, choice, unit)
    if run.summary.get("continued") or (frames and run.config.get("continue_run")):
        go_on.saved(run, unit, frames)


def _choice(run: RunInfo, choice: dict[str, Any], unit: str) -> None:
    """Show which goal and start were chosen, and from what."""
    waits = say("begin.choosing" if run.status in words.ACTIVE else "begin.not_chosen")
    with steady.slot("choice"):
        if choice:
            st.info(words.shown(choice["sentence"]), icon=":material/target:")
            trained = choice.get("best_trained") or {}
            if isinstance(trained.get("test_mae"), float):
                value = words.number(trained["test_mae"])
                st.caption(say("begin.best_trained", value=value, unit=words.plain(unit)))
        else:
            st.info(waits, icon=":material/target:")
    with st.expander(say("begin.chosen_from"), key="run:chosen_from"):  # it stays open when the choice has been made
        if choice:
            goal_charts.show(choice, unit, "run:choice")
        else:
            st.caption(waits)
