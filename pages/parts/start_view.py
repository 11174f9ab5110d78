"""The Start page: what this is in three sentences, a button that shows it, the ways in, the machine, the runs."""

from __future__ import annotations

import time
from html import escape

import streamlit as st

from pages.parts import language, news, role_forms, words
from pages.parts.choice import DEFAULT_DATA, Choice
from pages.parts.client import Lab, name_of, page_of
from pages.parts.colours import MODULES
from pages.parts.language import say
from plm_engine.errors import UserError

REFRESH_S = 2.0
SHOWN_RUNS = 4
#: as wide as the widest badge of a state, so that the names begin under each other
BADGE_PX = 96
TEACHING_DATA = "two-drivers"
#: the modules of a round, as one speaks of them
_STEPS = {"pick": "picking", "understand": "understanding", "cram": "cramming", "organize": "organizing"}
#: another press within this many seconds means the same run
_SAME_PRESS_S = 5.0


def show(client: Lab) -> None:
    """Show the page."""
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    with left:
        st.title(say("start.title"), anchor=False)
        st.markdown(say("start.lead"))
        language.other_button()
    with right, st.container(border=True):
        st.markdown(f"**{say('start.see')}**")
        st.caption(say("start.nothing"))
        if st.button(
            say("start.watch"),
            type="primary",
            icon=":material/play_arrow:",
            width="stretch",
            key="start:watch",
            help=say("start.watch_help"),
        ):
            watch(client, DEFAULT_DATA)
        if st.button(
            say("start.surface"),
            icon=":material/landscape:",
            width="stretch",
            key="start:surface",
            help=say("start.surface_help"),
        ):
            watch(client, TEACHING_DATA)
    st.html(_round())
    st.header(say("start.what"), anchor=False)
    _ways()
    _now(client)


def _round() -> str:
    """Return one round of the learning in four words, each in its module's colour."""
    steps = "".join(
        f"<li style='--module: {MODULES[module]}'><b>{escape(say(f'start.{word}'))}</b> "
        f"<span>{escape(say(f'start.{word}_text'))}</span></li>"
        for word, module in _STEPS.items()
    )
    return f"<section class='plm-round'><p>{escape(say('start.round'))}</p><ol>{steps}</ol></section>"


def watch(client: Lab, data: str) -> None:
    """Start a quick look on a bundled table and go to its replay, once however often the button is pressed."""
    last = st.session_state.get("start:last", {})
    if last.get("data") != data or time.monotonic() - last["at"] > _SAME_PRESS_S:
        last = {"data": data, "at": time.monotonic(), "run": client.new_run_id()}
        st.session_state["start:last"] = last
    try:
        first: Choice = {"data": data}
        table = client.table(client.config(first))
        chosen = role_forms.completed(first, table, client.suggested(table))
        more = {"pick": 3} if data == TEACHING_DATA else {}
        run_id = client.start(client.config(chosen, "quick", **more), last["run"])
    except UserError as error:
        st.session_state.pop("start:last", None)
        st.error(words.shown(error), icon=":material/error:")
        return
    news.follow(run_id)
    st.switch_page("pages/views/replay.py", query_params={"run": run_id})


def _ways() -> None:
    """Show the ways in, side by side."""
    ways = (
        ("mine", "data", ":material/table_chart:"),
        ("speed", "speedup", ":material/speed:"),
        ("forecast", "forecast", ":material/query_stats:"),
    )
    for column, (way, page, icon) in zip(st.columns(3, gap="medium"), ways, strict=True):
        with column, st.container(border=True, height="stretch", gap="small"):
            st.markdown(f"**{say(f'start.{way}')}**")
            st.caption(say(f"start.{way}_text"))
            st.page_link(f"pages/views/{page}.py", label=say(f"start.{way}_link"), icon=icon)


def _now(client: Lab) -> None:
    """Show the machine and the newest runs; refreshes while either may still change."""
    active = any(run.status in words.ACTIVE for run in client.runs())
    waiting = active or client.machine().gpus is None
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader(say("start.machine"), anchor=False)
        st.fragment(_machine, run_every=REFRESH_S if waiting else None)(client)
    with right:
        st.subheader(say("start.newest"), anchor=False)
        st.fragment(_runs, run_every=REFRESH_S if waiting else None)(client)


def _machine(client: Lab) -> None:
    found = client.machine()
    gpus = ", ".join(f"{gpu.name} ({gpu.memory_bytes / 2**30:.0f} GiB)" for gpu in found.gpus or ())
    asked = say("start.asking" if client.probing() else "start.unknown")
    none = say("start.none") if found.gpus is not None else asked
    facts = {
        "cores": f"{found.cores:,}",
        "memory": f"{found.memory_bytes / 2**30:.1f} GiB",
        "gpus": words.plain(gpus) or none,
        "system": words.plain(found.system),
    }
    facts = {say(f"start.{name}"): value for name, value in facts.items()}
    st.markdown("  \n".join(say("start.fact", name=name, value=value) for name, value in facts.items()))


def _runs(client: Lab) -> None:
    runs = client.runs()[:SHOWN_RUNS]
    if not runs:
        st.caption(say("start.no_run"))
        return
    for run in runs:
        with st.container(horizontal=True, vertical_alignment="center", key=f"start:run:{run.id}"):
            st.markdown(words.status_badge(run.status), width=BADGE_PX)
            st.page_link(
                f"pages/views/{page_of(run)}.py",
                label=words.plain(name_of(client, run)),
                query_params={"run": run.id},
                width="stretch",
            )
            st.caption(words.moment(run.created), width="content")
    st.page_link("pages/views/runs.py", label=say("start.all_runs"), icon=":material/list_alt:", width="content")
