"""Which data are chosen, and how they are read and used: kept in the page's address and in the session.

The choice is a mapping of the configuration's *data* options.  The address brings it back after a refresh and lets a
link name it; the session carries it from page to page, because moving on clears the address.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from plm_engine.config import options
from plm_engine.errors import ConfigError
from plm_engine.options import checked

Choice = dict[str, Any]
DEFAULT_DATA = "copper-sample"
_SESSION_KEY = "data_choice"


def data_options() -> list[str]:
    """Return the names of the options that a choice may hold."""
    return [name for name, described in options().items() if described.group == "data"]


def get() -> Choice:
    """Return the choice of the address, else of the session, else the bundled sample (roles yet to be suggested)."""
    if "data" in st.query_params:
        return from_address()
    return dict(st.session_state.get(_SESSION_KEY, {"data": DEFAULT_DATA}))


def put(choice: Choice) -> None:
    """Keep a choice in the session and in the address; options without a value are left out."""
    kept = cleaned(choice)
    st.session_state[_SESSION_KEY] = kept
    wanted = {name: list(v) if isinstance(v, tuple) else _text(v) for name, v in kept.items()}
    present = {name: st.query_params.get_all(name) for name in st.query_params if name in data_options()}
    if present != {name: v if isinstance(v, list) else [v] for name, v in wanted.items()}:
        for name in present:
            del st.query_params[name]
        st.query_params.update(wanted)


def adopt(choice: Choice) -> None:
    """Take over a run's choice in a session that has none yet, as after a visit by a link to that run."""
    if choice.get("data"):
        st.session_state.setdefault(_SESSION_KEY, cleaned(choice))


def cleaned(choice: Choice) -> Choice:
    """Return the choice without options that have no value; an empty text is one: it means *no such column*."""
    return {name: value for name, value in choice.items() if value is not None and value != ()}


def from_address() -> Choice:
    """Return the choice that the address holds; values that are not allowed are left out, as if not given."""
    choice: Choice = {}
    for name in data_options():
        described = options()[name]
        given = st.query_params.get_all(name)
        if not given:
            continue
        value: Any = tuple(given) if described.kind is tuple else given[-1]
        try:
            if described.kind in (int, float):
                value = float(value)
            choice[name] = checked(name, described, value)
        except (ConfigError, ValueError):
            continue
    return choice


def _text(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
