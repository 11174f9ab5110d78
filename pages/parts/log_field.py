"""The choice to log a run to another tool as it trains: off unless chosen, and only to places the server knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.parts.language import say
from plm_engine.tracking import NAMES, installed


def log_field(start: Mapping[str, Any], scope: str) -> dict[str, str]:
    """Show the choice and return the option ``log_to`` where a tool is chosen.

    A page names no folder and no address: the files go into the store, or where the server's ``MLFLOW_TRACKING_URI``
    says.  Another place is for the command line.

    Parameters
    ----------
    start : mapping
        Settings of a run to start from; may be empty.
    scope : str
        Part of the field's key.
    """
    there = [kind for kind in NAMES if installed(kind)]
    first = str(start.get("log_to") or "").partition(":")[0]
    offered = ["", *there]
    chosen = st.selectbox(
        say("track.field"),
        offered,
        offered.index(first) if first in offered else 0,
        format_func=lambda kind: NAMES.get(kind) or say("track.off"),
        help=say("track.help"),
        key=f"log_to{scope}",
        persist_state="session",
        width=420,
    )
    for kind in NAMES:
        if kind not in there:
            st.caption(say("track.missing", tool=NAMES[kind], package=kind))
    return {"log_to": chosen} if chosen else {}
