"""How a run's work is shared out: the modes and counts that this machine really has, and what others would need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.parts.language import counted, explain, say, told
from plm_engine.machine import Machine
from plm_engine.modes import MODES, Mode

#: more worker processes than this are a slip of the finger
MOST = 64


def lacking(mode: Mode, machine: Machine) -> str:
    """Return what the machine lacks for a mode, as a sentence; empty if nothing."""
    missing = mode.missing(len(machine.gpus or ()))
    return told(f"{missing[0].upper()}{missing[1:]}.") if missing else ""


def shares_out(mode: Mode) -> bool:
    """Return whether a mode has a count of workers."""
    return mode.ranked or mode.gpus > 1


def count_field(mode: Mode, machine: Machine, key: str, first: int = 2) -> int:
    """Show the count of GPUs, or of CPU worker processes where there are not two GPUs, and return it."""
    found = len(machine.gpus or ())
    gpus = mode.gpus > 1 or found > 1
    count = int(
        st.number_input(
            say("mode.gpus" if gpus else "mode.workers", mode=told(mode.title)),
            2,
            max(2, found) if gpus else MOST,
            min(max(2, first), max(2, found) if gpus else MOST),
            1,
            key=key,
            persist_state="session",
            help=explain("worker"),
        )
    )
    if not gpus and count > machine.cores:
        st.caption(say("mode.too_many", cores=counted("core", machine.cores)))
    return count


def mode_fields(machine: Machine, start: Mapping[str, Any], scope: str) -> dict[str, Any]:
    """Show the choice of a mode with its count of workers; what the machine lacks is disabled, with what it would need.

    Parameters
    ----------
    start : mapping
        Settings of a run to start from; may be empty.
    scope : str
        Part of the fields' keys.

    Returns
    -------
    dict
        The options ``mode`` and ``workers`` where they are not the defaults.
    """
    st.markdown(f"**{say('group.mode')}**")
    offered = [name for name, mode in MODES.items() if not lacking(mode, machine)]
    first = start.get("mode", "single")
    chosen = st.radio(
        say("mode.title"),
        offered,
        offered.index(first) if first in offered else 0,
        format_func=lambda name: told(MODES[name].title),
        captions=[told(MODES[name].text) for name in offered],
        help=explain("mode"),
        key=f"mode{scope}",
        persist_state="session",
    )
    for mode in MODES.values():
        missing = lacking(mode, machine)
        if missing:
            st.radio(
                told(mode.title),
                [told(mode.title)],
                None,
                captions=[missing],
                disabled=True,
                label_visibility="collapsed",
                help=say("mode.lacks", missing=missing),
            )
    mode = MODES[chosen or "single"]
    workers = 1
    if shares_out(mode):
        workers = count_field(mode, machine, f"workers:{mode.name}{scope}", int(start.get("workers", 2)))
    return {} if mode.name == "single" else {"mode": mode.name, "workers": workers}
