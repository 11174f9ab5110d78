"""Cancel: ask a run, a study or an experiment to end."""

from __future__ import annotations

import streamlit as st

from pages.parts import words
from pages.parts.client import Lab
from pages.parts.language import say
from plm_engine.errors import UserError
from plm_engine.store import RunInfo


def show(client: Lab, run: RunInfo, key: str, means: str) -> None:
    """Offer to cancel what is under way; ``means`` says what is kept of it."""
    label = say("button.cancelling" if run.cancel_requested else "button.cancel")
    if st.button(label, icon=":material/stop_circle:", disabled=run.cancel_requested, key=key, help=means):
        try:
            client.cancel(run.id)
        except UserError as error:
            st.toast(words.shown(error))
        st.rerun()
