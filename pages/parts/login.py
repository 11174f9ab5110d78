"""A door in front of every page, where the server has one: Streamlit's own login by OpenID Connect.

It is there as soon as ``.streamlit/secrets.toml`` has a section ``[auth]``, and only then.
"""

from __future__ import annotations

import streamlit as st

from pages.parts.language import say


def require() -> None:
    """Let nobody pass who has not logged in, if the server asks for a login."""
    if st.user.get("is_logged_in") is not False:  # None: no login is set up
        return
    st.title("PLM Lab")
    st.write(say("login.asks"))
    st.button(say("login.button"), type="primary", on_click=st.login, key="login", help=say("login.help"))
    st.stop()
