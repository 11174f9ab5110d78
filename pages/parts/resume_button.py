"""Resume: let an interrupted run go on from its newest checkpoint."""

from __future__ import annotations

import streamlit as st

from pages.parts import news, words
from pages.parts.client import Lab
from pages.parts.language import say
from plm_engine import launch
from plm_engine.errors import UserError
from plm_engine.store import RunInfo


def show(client: Lab, run: RunInfo, *, keep_place: bool = False) -> None:
    """Offer to go on with a run that was cancelled, failed or is lost, and say so where equality is not promised.

    A run that goes, or has finished well, has nothing to resume: then no button, or one out of use in its place.
    """
    try:
        launch.refuse_to_resume(run, client.store.run_dir(run.id))
    except UserError:
        if keep_place:
            st.button(
                say("resume.button"),
                icon=":material/resume:",
                disabled=True,
                key="resume:not",
                help=say("resume.not_help"),
            )
        return
    pressed = st.button(
        say("resume.button"),
        icon=":material/resume:",
        key="resume",
        help=say("resume.help"),
    )
    if pressed:
        try:
            launch.resume(run.id, home=client.home)
        except UserError as error:
            st.error(words.shown(error), icon=":material/error:")
            return
        news.follow(run.id)
        st.rerun()
    remark = launch.not_promised(run)
    if remark:
        st.caption(words.shown(remark))
