"""The chosen table on pages that start something with it: what it is, how to change it, or why it cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from pages.parts import choice, reading_forms, role_forms, words
from pages.parts.choice import Choice
from pages.parts.client import Lab
from pages.parts.language import say
from plm_engine.datasets.prepare import Prepared
from plm_engine.errors import UserError


def show(client: Lab, facts: Callable[[Prepared], Sequence[str]]) -> tuple[Choice, Prepared] | None:
    """Say which table is chosen and return it ready to learn from; None, with the way out, if it is not.

    Parameters
    ----------
    client : Lab
    facts : callable
        The prepared rows -> what to say of them under the table's name.
    """
    chosen = choice.get()
    try:
        table = client.table(client.config(reading_forms.reading_part(chosen)))
        chosen = choice.cleaned(role_forms.completed(chosen, table, client.suggested(table)))
        choice.put(chosen)
        prepared = client.prepared(client.config(chosen))
    except UserError as error:
        st.error(words.shown(error), icon=":material/block:")
        st.page_link("pages/views/data.py", label=say("train.check_data"), icon=":material/table_chart:")
        return None
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="chosen-data"):
        named = f"**{words.plain(client.title(chosen['data']))}**"
        st.markdown(f"{named}  \n{words.plain(' · '.join(facts(prepared)))}", width="stretch")
        st.page_link(
            "pages/views/data.py", label=say("train.change_data"), icon=":material/table_chart:", width="content"
        )
    return chosen, prepared
