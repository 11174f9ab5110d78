"""What a goal was chosen from: validation error against goal, and the hidden nodes beside it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts.language import say
from pages.parts.live_chart import show_chart
from pages.parts.study_charts import goal_chart, nodes_chart


def show(choice: dict[str, Any], unit: str, key: str) -> None:
    """Show both charts side by side."""
    left, right = st.columns([3, 2])
    for column, name, make in ((left, "goal", goal_chart), (right, "nodes", nodes_chart)):
        with column:
            alt = say(f"study.chart_{name}")
            st.caption(alt)
            show_chart(make(choice, unit, key), key=f"{key}:{name}", alt=alt, height=460)
