"""What keeps a page still while it refreshes: slots whose room is reserved, and charts that wait for their data.

A block that comes later must not push down what somebody reads.  So a page that is live shows all its blocks from the
start, empty where nothing is known yet; texts of changing length stand in slots with room for the longest usual one.
What ends before it has filled them keeps them empty for the reader who saw it live, and shows none to later ones.
``tests/browser/test_steady.py`` measures how far blocks move.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts.charts import chart_layout
from pages.parts.language import say
from pages.parts.live_chart import Figure

_SEEN = "steady:seen"


def slot(name: str, **container: Any) -> Any:
    """Return a container whose room is reserved by ``steady.css``."""
    return st.container(key=f"slot-{name}", **container)


def frames(run_id: str, active: bool) -> str:
    """Return what empty frames of a run say; nothing if it shows none: it ended before this session looked at it."""
    if active:
        st.session_state[_SEEN] = run_id
        return say("chart.waiting")
    return say("chart.none") if st.session_state.get(_SEEN) == run_id else ""


def waiting_chart(x_title: str, y_title: str, said: str) -> Figure:
    """Return the frame of a chart that has no data, with what :func:`frames` says in it."""
    note = {"text": said, "showarrow": False, "x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper"}
    empty = {"showticklabels": False, "range": [0, 1], "fixedrange": True}
    return {
        "data": [],
        "layout": chart_layout(
            x_title,
            y_title,
            "waiting",
            showlegend=False,
            annotations=[{**note, "opacity": 0.75}],
            xaxis=empty,
            yaxis=empty,
        ),
    }
