"""The Start page: what this is in three sentences, a button that shows it, the ways in, the machine, the runs."""

from __future__ import annotations

import time

import streamlit as st

from pages.parts import role_forms, words
from pages.parts.choice import DEFAULT_DATA, Choice
from pages.parts.client import Lab
from plm_engine.errors import UserError

REFRESH_S = 2.0
SHOWN_RUNS = 4
TEACHING_DATA = "two-drivers"
#: another press within this many seconds means the same run
_SAME_PRESS_S = 5.0


def show(client: Lab) -> None:
    """Show the page."""
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    with left:
        st.title("A network that learns like a pupil", anchor=False)
        st.markdown(
            "PLM Lab trains the *Pupil Learning Mechanism*. It learns a table row by row, the easiest first. "
            "A row that will not fit is **crammed**: three nodes are added for it alone. After each round it "
            "**organizes** what it knows and drops every node it can do without. So the network finds its own size."
        )
    with right, st.container(border=True):
        st.markdown("**See it in 15 seconds**")
        st.caption("Nothing to prepare: it learns a small bundled table while you watch.")
        if st.button(
            "Watch it learn", type="primary", icon=":material/play_arrow:", width="stretch", key="start:watch"
        ):
            watch(client, DEFAULT_DATA)
        if st.button(
            "Watch it draw a surface",
            icon=":material/landscape:",
            width="stretch",
            key="start:surface",
            help="A teaching table with two drivers only: the surface that the network has learned can be drawn.",
        ):
            watch(client, TEACHING_DATA)
    st.header("What would you like to do?", anchor=False)
    _ways()
    _now(client)


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
        st.error(words.plain(error), icon=":material/error:")
        return
    st.switch_page("pages/views/replay.py", query_params={"run": run_id})


def _ways() -> None:
    """Show the ways in, side by side."""
    ways = (
        (
            "Learn my own table",
            "Upload a spreadsheet, say which column to forecast, press Start. Every run is kept and can be replayed.",
            "pages/views/data.py",
            "Choose the data",
            ":material/table_chart:",
        ),
        (
            "Compare speed",
            "The parallel modes side by side on this machine: time, communication, and whether the forecasts agree.",
            "pages/views/speedup.py",
            "Open the speed comparison",
            ":material/speed:",
        ),
        (
            "Make forecasts",
            "Forecast new rows with a trained network, and see honestly whether it beats the simple forecasts.",
            "pages/views/forecast.py",
            "Open the forecasts",
            ":material/query_stats:",
        ),
    )
    for column, (title, text, page, label, icon) in zip(st.columns(3, gap="medium"), ways, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            st.caption(text)
            st.page_link(page, label=label, icon=icon)


def _now(client: Lab) -> None:
    """Show the machine and the newest runs; refreshes while either may still change."""
    active = any(run.status in words.ACTIVE for run in client.runs())
    waiting = active or client.machine().gpus is None
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("This machine", anchor=False)
        st.fragment(_machine, run_every=REFRESH_S if waiting else None)(client)
    with right:
        st.subheader("Newest runs", anchor=False)
        st.fragment(_runs, run_every=REFRESH_S if waiting else None)(client)


def _machine(client: Lab) -> None:
    found = client.machine()
    gpus = ", ".join(f"{gpu.name} ({gpu.memory_bytes / 2**30:.0f} GiB)" for gpu in found.gpus or ())
    asked = "being looked for …" if client.probing() else "not known"
    st.markdown(
        f"- **Cores:** {found.cores:,}\n"
        f"- **Memory:** {found.memory_bytes / 2**30:.1f} GiB\n"
        f"- **GPUs:** {words.plain(gpus) or ('none' if found.gpus is not None else asked)}\n"
        f"- **System:** {words.plain(found.system)}"
    )


def _runs(client: Lab) -> None:
    runs = client.runs()[:SHOWN_RUNS]
    if not runs:
        st.caption("Nothing has run here yet. The button above starts the first run.")
    for run in runs:
        with st.container(horizontal=True, vertical_alignment="center", key=f"start:run:{run.id}"):
            st.markdown(words.status_badge(run.status), width="content")
            st.page_link(
                "pages/views/train.py",
                label=words.plain(run.name or client.title(str(run.config.get("data", "")))),
                query_params={"run": run.id},
                width="stretch",
            )
            st.caption(words.moment(run.created), width="content")
