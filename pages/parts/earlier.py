"""Links to the newest studies or experiments of the past."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts import words
from pages.parts.client import Lab, name_of
from plm_engine.store import RunInfo

#: how many are listed; all are among the runs
NEWEST = 10


def show(client: Lab, runs: Sequence[RunInfo], title: str, *, page: str, icon: str) -> None:
    """List the newest of ``runs`` under a title, with links to the page of this name; nothing if there are none."""
    if not runs:
        return
    st.subheader(title, anchor=False)
    with st.container(key="earlier"):
        for run in runs[:NEWEST]:
            label = f"{words.moment(run.created)} · {name_of(client, run)} · {words.status_name(run.status)}"
            st.page_link(f"pages/views/{page}.py", label=words.plain(label), icon=icon, query_params={"run": run.id})
