"""How long the training will take: asked for with a button, because the answer takes some seconds of training."""

from __future__ import annotations

import json

import streamlit as st

from pages.parts import words
from pages.parts.client import Lab
from pages.parts.language import say
from plm_engine.config import Config
from plm_engine.errors import UserError

_KEPT = "train:estimate"


def offer() -> bool:
    """Offer the estimate, and return whether it is asked for now."""
    return st.button(say("estimate.button"), icon=":material/timer:", key="estimate", help=say("estimate.help"))


def show(client: Lab, config: Config, pressed: bool) -> None:
    """Make the estimate where it is asked for; one that was made stays until a setting changes."""
    asked = json.dumps(config.to_mapping(), sort_keys=True)
    if pressed:
        try:
            with st.spinner(say("estimate.trying")):
                st.session_state[_KEPT] = (asked, client.estimate(config).sentence)
        except UserError as error:
            st.warning(words.shown(error), icon=":material/timer_off:")
    kept = st.session_state.get(_KEPT)
    if kept is not None and kept[0] == asked:
        st.info(words.shown(kept[1]), icon=":material/timer:")
