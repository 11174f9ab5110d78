"""The replay element: a player over a run's steps, drawn in the browser by ``replay.js`` and the two files it uses.

It is a component of its own because a film of 500 rounds must move without asking the server: the steps travel once,
or again whenever a live run has grown.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_SCRIPTS = ("replay_draw.js", "replay_surface.js", "replay.js")


@cache
def _element() -> Any:
    """Register the element once; its scripts become one module."""
    return st.components.v2.component(
        "plm_replay",
        html=(_HERE / "replay.html").read_text(encoding="utf-8"),
        css=(_HERE / "replay.css").read_text(encoding="utf-8"),
        js="\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS),
        isolate_styles=False,
    )


def show_replay(film: str, *, ended: bool, key: str) -> None:
    """Show the player.

    Parameters
    ----------
    film : str
        JSON of :func:`pages.parts.replay_spec.spec`.
    ended : bool
        Whether nothing more will come; until then the player waits at the end for more.
    key : str
        One player keeps its place for as long as its key stays.
    """
    _element()(key=key, data={"film": film, "ended": ended})
