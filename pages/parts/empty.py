"""What a page shows while there is nothing to show: what will stand here, and the button that leads there."""

from __future__ import annotations

import streamlit as st

from pages.parts.language import say


def show(page: str, *, icon: str, button: str, leads_to: str) -> None:
    """Show it.

    Parameters
    ----------
    page : str
        Prefix of the texts ``<page>.none`` and ``<page>.none_text``.
    icon : str
        The page's icon, as Streamlit writes it.
    button : str
        Key of the button's text.
    leads_to : str
        Name of the page that the button opens.
    """
    with st.container(border=True, horizontal_alignment="center", key="empty"):
        st.markdown(icon, width="content")
        st.markdown(f"**{say(f'{page}.none')}**", text_alignment="center")
        st.caption(say(f"{page}.none_text"), text_alignment="center")
        if st.button(
            say(button), type="primary", icon=":material/arrow_forward:", key=f"empty:{page}", help=say("empty.help")
        ):
            st.switch_page(f"pages/views/{leads_to}.py")
