"""The language of the pages: chosen in the sidebar, kept for the session, given by ``?lang=zh`` in a link."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.parts.messages import LANGUAGES, MESSAGES

_KEY = "language"


def text(lang: str, key: str, **values: Any) -> str:
    """Return one text of the catalogue in a language, its blanks filled in; whole numbers get thousands separators."""
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return MESSAGES[key][list(LANGUAGES).index(lang)].format(**shown)


def count(lang: str, noun: str, n: int) -> str:
    """Return a number of things in words, such as ``1 node`` or ``7,000 rows``."""
    one, _, many = MESSAGES[f"count.{noun}"][list(LANGUAGES).index(lang)].partition("|")
    return (one if n == 1 else many or one).format(n=f"{n:,}")


def chosen() -> str:
    """Return the language of this session: ``en`` or ``zh``."""
    lang = st.session_state.get(_KEY, st.query_params.get("lang", "en"))
    return lang if lang in LANGUAGES else "en"


def say(key: str, **values: Any) -> str:
    """Return one text of the catalogue in the language of this session."""
    return text(chosen(), key, **values)


def choose() -> None:
    """Show the choice in the sidebar; kept under a key of its own, because a page change forgets the field's."""
    kept, codes = chosen(), list(LANGUAGES)
    with st.sidebar:
        picked = st.selectbox(
            "Language / 語言", codes, codes.index(kept), format_func=LANGUAGES.__getitem__, key="language:field"
        )
        st.session_state[_KEY] = picked
        if say("nav.partly"):
            st.caption(say("nav.partly"))
