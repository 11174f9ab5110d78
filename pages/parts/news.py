"""News of a run's end, on whatever page the reader is: a note that stays until it is closed, and the browser's title.

Only runs that were started in this session are followed.  While one of them goes, a small fragment asks every two
seconds; when it has ended the page is drawn once more, the note appears, and the title says so until the reader does
something.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts import words
from pages.parts.client import Lab, name_of, page_of
from pages.parts.language import say, told
from pages.parts.live_chart import library
from plm_engine.errors import UserError
from plm_engine.store import RunInfo

REFRESH_S = 2.0
_FOLLOWED, _ENDED, _SAID = "news:followed", "news:ended", "news:said"
_MARKS = {"finished": "✓", "cancelled": "■"}
_HERE = Path(__file__).parent


def follow(run_id: str) -> None:
    """Tell of this run's end, in this session."""
    followed = st.session_state.setdefault(_FOLLOWED, [])
    if run_id not in followed:
        followed.append(run_id)


def show(client: Lab) -> None:
    """Show what is new, and look out for more while a run of this session goes; called once on every page."""
    _look(client)
    for run in st.session_state.pop(_ENDED, []):
        st.toast(_note(client, run), icon=words.STATUSES[run.status][1], duration="infinite")
        st.session_state[_SAID] = {"id": run.id, "title": _title(run)}
    with st.container(key="news"):
        if st.session_state.get(_FOLLOWED):
            st.fragment(_wait, run_every=REFRESH_S)(client)
        charts = "run" in st.query_params or "compare" in st.query_params
        data = {**st.session_state.get(_SAID, {}), "library": library(), "charts": charts}
        _element()(key="news:title", data=data)


def _wait(client: Lab) -> None:
    if _look(client):
        st.rerun(scope="app")


def _look(client: Lab) -> bool:
    """Move the followed runs that have ended to those that are to be told of; return whether there are any."""
    ended = []
    for run_id in list(st.session_state.get(_FOLLOWED, [])):
        try:
            run = client.run(run_id)
        except UserError:  # not begun, or deleted meanwhile
            continue
        if run.status not in words.ACTIVE:
            st.session_state[_FOLLOWED].remove(run_id)
            ended.append(run)
    if ended:
        st.session_state[_ENDED] = [*st.session_state.get(_ENDED, []), *ended]
    return bool(ended)


def _note(client: Lab, run: RunInfo) -> str:
    """Return the note's text, with a link to the run."""
    name = words.plain(name_of(client, run))
    sentence = words.plain(told(run.sentence)) if run.sentence else say(f"state.{run.status}")
    said = say("news.ended", name=name, state=say(f"status.{run.status}"), sentence=sentence)
    return f"{said} [{say('news.see')}](/{page_of(run)}?run={run.id})"


def _title(run: RunInfo) -> str:
    return f"{_MARKS.get(run.status, '✗')} {say(f'status.{run.status}')} - PLM Lab"


@cache
def _element() -> Any:
    """Register the element that sets the browser's title."""
    css, js = ((_HERE / f"news.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return st.components.v2.component("plm_news", css=css, js=js, html="<span hidden></span>", isolate_styles=False)
