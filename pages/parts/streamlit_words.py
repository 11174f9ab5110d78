"""Streamlit's own words in the language of the session; it has no setting for them (see ``streamlit_words.js``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.language import chosen
from pages.parts.messages.streamlit import PLACES

_HERE = Path(__file__).parent
_CSS = ".st-key-streamlit-words { position: absolute; width: 0; height: 0; overflow: hidden; }"
#: tags of the languages, for the page itself
_TAGS = {"en": "en", "zh": "zh-Hant-TW"}


def translate() -> None:
    """Have Streamlit's words said in the language chosen; called once on every page."""
    lang = chosen()
    with st.container(key="streamlit-words"):
        _element()(key="streamlit:words", data={"lang": _TAGS[lang], "places": PLACES, "back": lang == "en"})


@cache
def _element() -> Any:
    js = (_HERE / "streamlit_words.js").read_text(encoding="utf-8")
    return st.components.v2.component(
        "plm_streamlit_words", css=_CSS, js=js, html="<span hidden></span>", isolate_styles=False
    )
