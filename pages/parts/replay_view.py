"""The page *How it learns*: which run, what it is, and its replay; a live run is shown as it grows."""

from __future__ import annotations

import streamlit as st

from pages.parts import empty, replay_spec, steady, words
from pages.parts.client import Lab, name_of, page_of, unit_of_run
from pages.parts.language import chosen, explain, say
from pages.parts.messages.terms import OF_THE_REPLAY
from pages.parts.replay import show_replay
from plm_engine.errors import UserError
from plm_engine.replay import Tape
from plm_engine.store import RunInfo

REFRESH_S = 1.5
TEACHING_DATA = "two-drivers"


def show(client: Lab) -> None:
    """Show the run named by the address, else offer the newest ones."""
    run_id = st.query_params.get("run")
    st.title(say("nav.replay"), anchor=False)
    if not run_id:
        _offer(client)
        return
    try:
        run = client.run(run_id)
    except UserError as error:
        st.error(words.shown(error), icon=":material/link_off:")
        _offer(client)
        return
    active = run.status in words.ACTIVE
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{words.plain(name_of(client, run))}**", width="content")
        st.page_link(
            "pages/views/train.py",
            label=say("replay.charts"),
            icon=":material/monitoring:",
            query_params={"run": run.id},
            width="content",
        )
    surface = run.config.get("data") == TEACHING_DATA  # one picture more
    with steady.slot("stage-surface" if surface else "stage"):
        st.fragment(_live, run_every=REFRESH_S if active else None)(client, run_id, active)
    _terms()


def _offer(client: Lab) -> None:
    """Offer the runs that can be replayed."""
    runs = [run for run in client.runs() if page_of(run) == "train"]  # studies and experiments tell no story
    if not runs:
        empty.show("replay", icon=":material/smart_display:", button="replay.first", leads_to="start")
        return
    by_id = {run.id: run for run in runs}

    def name(run_id: str) -> str:
        run = by_id[run_id]
        return f"{words.moment(run.created)} · {name_of(client, run)} · {run.id}"

    chosen = st.selectbox(
        say("replay.pick"), list(by_id), format_func=name, key="replay:pick", help=say("replay.pick_help")
    )
    if st.button(
        say("replay.go"),
        type="primary",
        icon=":material/smart_display:",
        key="replay:go",
        help=say("actions.replay_help"),
    ):
        st.query_params["run"] = chosen
        st.rerun()


def _live(client: Lab, run_id: str, was_active: bool) -> None:
    try:
        run, tape = client.run(run_id), client.tape(run_id)
    except UserError as error:
        st.error(words.shown(error), icon=":material/error:")
        return
    active = run.status in words.ACTIVE
    if was_active and not active:
        st.rerun()  # declares this fragment anew, without a timer
    if tape.goal is None or not tape.frames:
        if run.status == "queued":
            st.info(say("replay.waits"), icon=":material/hourglass_empty:")
        elif active:
            st.info(say("replay.sits"), icon=":material/hourglass_empty:")
        else:
            said = words.shown(run.sentence) or say(f"state.{run.status}")
            st.warning(f"{say('replay.ended_early')} {said}", icon=":material/warning:")
        return
    show_replay(_film(client, run, tape), ended=not active, key=f"replay:{run_id}:{chosen()}")


def _film(client: Lab, run: RunInfo, tape: Tape) -> str:
    """Return the tape for the player; made once for all who watch, until the run has grown."""
    lang = chosen()
    kept = _films.get((run.id, lang))
    if kept is None or kept[0] != tape.version:
        if len(_films) >= KEPT_FILMS:
            _films.clear()
        kept = (tape.version, replay_spec.spec(tape, unit_of_run(run), client.two_drivers(run, tape), lang))
        _films[run.id, lang] = kept
    return kept[1]


KEPT_FILMS = 8
_films: dict[tuple[str, str], tuple[int, str]] = {}


def _terms() -> None:
    with st.expander(say("replay.words")):
        st.markdown("\n".join(f"- {explain(term)}" for term in OF_THE_REPLAY))
