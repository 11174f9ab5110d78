"""The log of a run, shown on demand: its newest lines, as they come, and the whole of it as a file."""

from __future__ import annotations

import streamlit as st

from pages.parts import words
from pages.parts.client import Lab
from pages.parts.language import say, told
from plm_engine import run_log
from plm_engine.store import RunInfo

REFRESH_S = 1.0
LINES, HEIGHT = 200, 320


def show(client: Lab, run: RunInfo) -> None:
    """Offer the log; it refreshes while it is shown and the run goes."""
    wanted = st.toggle(say("log.show"), run.status in ("failed", "lost"), key=f"log:{run.id}", help=say("log.help"))
    if wanted:
        active = run.status in words.ACTIVE
        st.fragment(_lines, run_every=REFRESH_S if active else None)(client, run)


def _lines(client: Lab, run: RunInfo) -> None:
    lines = [_line(one) for one in run_log.entries(client.store, run.id, LINES, client.series(run.id).seq)]
    own = client.log(run.id)
    st.caption(say("log.newest", n=len(lines)))
    with st.container(height=HEIGHT, autoscroll=True):
        st.code("\n".join(lines) or say("log.empty"), language=None, wrap_lines=True)
    if own.strip():
        st.caption(say("log.process"))
        with st.container(height=HEIGHT):
            st.code(own, language=None)
    st.download_button(
        say("log.save"),
        lambda: whole(client, run.id),
        f"log_{run.id}.txt",
        "text/plain",
        icon=":material/download:",
        on_click="ignore",
        key=f"log:save:{run.id}",
        help=say("log.save_help"),
    )


def _line(said: run_log.Entry) -> str:
    """Return one line in the language of the session; times stand under each other."""
    where = "" if said.round is None else say("log.round", n=said.round)
    return say("log.line", at=f"{said.at_s:10.3f}", where=where, text=told(said.text))


def whole(client: Lab, run_id: str) -> bytes:
    """Return the run's log as a text file: every line, and what its processes wrote."""
    return "\n".join([*map(_line, run_log.entries(client.store, run_id)), "", client.log(run_id)]).encode("utf-8")
