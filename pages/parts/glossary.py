"""The glossary: every technical term of the pages in a sentence, opened from the sidebar of any page."""

from __future__ import annotations

import streamlit as st

from pages.parts.language import chosen, explain, say
from pages.parts.messages import LANGUAGES
from pages.parts.messages.terms import GROUPS, OF_GROUP


def button() -> None:
    """Show the button that opens it, in the sidebar."""
    with st.sidebar:
        pressed = st.button(
            say("glossary.open"),
            icon=":material/dictionary:",
            key="glossary:open",
            width="stretch",
            help=say("glossary.help"),
        )
    if pressed:
        st.dialog(say("glossary.open"), width="large")(_show)()


def _show() -> None:
    """Show the terms that contain what is sought, by group."""
    sought = st.text_input(
        say("glossary.search"), key="glossary:search", icon=":material/search:", help=say("glossary.search_help")
    )
    place, found = list(LANGUAGES).index(chosen()), False
    for group, terms in OF_GROUP.items():
        lines = [f"- {explain(term)}" for term in terms if sought.strip().lower() in explain(term).lower()]
        if lines:
            found = True
            st.markdown(f"**{GROUPS[group][place]}**\n\n" + "\n".join(lines))
    if not found:
        st.caption(say("glossary.none"))
