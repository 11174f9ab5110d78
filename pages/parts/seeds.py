"""How far a run's errors depend on its seed: the spread over several, where it was measured, and the button for it."""

from __future__ import annotations

import streamlit as st

from pages.parts import news, words
from pages.parts.client import Lab
from pages.parts.language import say
from plm_engine.config import Config
from plm_engine.errors import UserError
from plm_engine.store import RunInfo
from plm_engine.studies.plan import COMPARE, Study
from plm_engine.studies.start import network_over_seeds, start_study

FIRST = 5


def show(client: Lab, run: RunInfo, unit: str, frames: str) -> None:
    """Show the spread of a finished run, or that its figures are of one seed, and offer to repeat it.

    While the run learns, the same stands here and waits, so that its end moves nothing (see :func:`steady.frames`).
    """
    usable = run.status == "finished" and bool(run.summary.get("mae"))
    if run.extra.get("job") or not (frames or usable):
        return
    st.subheader(say("seeds.title"), anchor=False)
    found = network_over_seeds(client.store, run) if usable else None
    if found is None:
        st.caption(say("seeds.one", seed=str(run.config.get("seed", 0))))
    else:
        error, nodes = found["test_mae"], found["n_hidden"]
        shown = words.number(error["median"]), words.number_range(error["range"])
        said = say(
            "seeds.many",
            n=error["n"],
            median=shown[0],
            unit=words.plain(unit),
            range=shown[1],
            nodes=words.number_range(nodes["range"]),
        )
        st.markdown(said)
        query = {"run": found["study"]}
        st.page_link("pages/views/compare.py", label=say("seeds.link"), icon=":material/balance:", query_params=query)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = st.number_input(say("seeds.number"), 2, 100, FIRST, key="seeds:n", help=say("seeds.number_help"), width=140)
        pressed = st.button(
            say("seeds.button"),
            icon=":material/repeat:",
            disabled=not usable,
            key="seeds:start",
            help=say("seeds.button_help" if usable else "run.when_finished"),
        )
        if pressed:
            _start(client, run, int(n))


def _start(client: Lab, run: RunInfo, n: int) -> None:
    run_id = str(st.session_state.setdefault("seeds:id", client.new_run_id()))
    study = Study(COMPARE, seeds=n, importance=0)
    try:
        start_study(Config.to_repeat(run.config), study, home=client.home, run_id=run_id, name=say("seeds.title"))
    except UserError as error:
        st.error(words.shown(error), icon=":material/error:")
        return
    del st.session_state["seeds:id"]
    news.follow(run_id)
    st.switch_page("pages/views/compare.py", query_params={"run": run_id})
