"""Going on from a finished run when new rows have arrived, and what that saved."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import news, steady, uploads, words
from pages.parts.client import Lab
from pages.parts.language import counted, say
from plm_engine.config import Config
from plm_engine.errors import DataError, UserError
from plm_engine.going_on import ANEW, ON, settings_to_go_on
from plm_engine.store import RunInfo


def show(client: Lab, run: RunInfo, frames: str) -> None:
    """Offer to go on from this run's network with a longer table, once it is finished."""
    usable = run.status == "finished" and bool(run.summary.get("n_train"))
    if run.extra.get("job") or not (frames or usable):
        return
    with st.expander(say("go_on.title"), icon=":material/add_row_below:", key="go_on"):
        if not usable:  # its place is kept, so that the run's end moves nothing
            st.caption(say("run.when_finished"))
            return
        st.caption(say("go_on.text"))
        left, right = st.columns(2, gap="large")
        with left:
            file = st.file_uploader(say("go_on.file"), key=f"go_on:file:{run.id}", help=say("go_on.file_help"))
        with right:
            drop = st.number_input(say("go_on.drop"), 0, value=0, key="go_on:drop", help=say("go_on.drop_help"))
            anew = st.checkbox(say("go_on.anew"), True, key="go_on:anew", help=say("go_on.anew_help"))
        config = None
        if file is not None:
            try:
                key = client.save_upload(file.name, file.getvalue())
                config = _config(client, run, key, int(drop), anew)
            except UserError as error:
                st.error(words.shown(error), icon=":material/block:")
        pressed = st.button(
            say("go_on.button"),
            icon=":material/play_arrow:",
            disabled=config is None,
            key="go_on:start",
            help=say("go_on.button_help" if config is not None else "go_on.file_help"),
        )
        if pressed and config is not None:
            _start(client, config)


def _config(client: Lab, run: RunInfo, key: str, drop: int, anew: bool) -> Config:
    """Return the settings to go on with; says how many rows are new, or refuses a table that has none."""
    settings: dict[str, Any] = settings_to_go_on(client.store, run.id)
    settings |= {"data": str(uploads.path_of(client.home, key)), "drop_oldest": drop, "train_anew": anew}
    config = Config.from_mapping(settings)
    found, before = len(client.prepared(config).y_train), int(run.summary["n_train"])
    rows = counted("training_row", found)
    if found <= before:
        raise DataError(say("go_on.no_more", rows=rows, before=f"{before:,}"))
    st.caption(say("go_on.rows", rows=rows, more=found - before))
    return config


def _start(client: Lab, config: Config) -> None:
    run_id = str(st.session_state.setdefault("go_on:id", client.new_run_id()))
    try:
        client.start(config, run_id)
    except UserError as error:
        st.error(words.shown(error), icon=":material/error:")
        return
    del st.session_state["go_on:id"]
    news.follow(run_id)
    st.query_params.from_dict({"run": run_id})
    st.rerun()


def saved(run: RunInfo, unit: str, frames: str) -> None:
    """Show what going on took beside training anew, as far as it was measured; until then the table waits for it."""
    continued: dict[str, Any] = run.summary.get("continued") or {}
    with steady.slot("goes-on"):
        rows = continued.get("rows_added") if continued else "…"
        st.caption(words.plain(say("begin.goes_on", run=run.config["continue_run"], rows=rows)))
    st.subheader(say("saved.title"), anchor=False)
    measured, awaited = ANEW in continued, bool(frames and run.config.get("train_anew"))
    with steady.slot("saved") if measured or awaited else st.container():
        if measured or not awaited:
            st.markdown(words.shown(continued["sentence"]) if continued else frames)
        else:
            st.caption(say("saved.waits" if run.status in words.ACTIVE else "chart.none"))
        if measured and continued["repeats"] > 1:
            st.caption(say("saved.median", n=continued["repeats"]))
    if measured or awaited:
        with steady.slot("rows-2"):
            st.dataframe(saved_frame(continued, unit), hide_index=True, width="stretch", placeholder="–")


def saved_frame(continued: dict[str, Any], unit: str) -> pd.DataFrame:
    """Return one row for going on and one for training anew: medians, with their range where there are repeats.

    What has not been measured is left empty.
    """
    titles = {
        "seconds": say("saved.seconds"),
        "test_mae": say("saved.test", unit=unit),
        "train_mae": say("saved.train", unit=unit),
        "rounds": say("saved.rounds"),
        "n_hidden": say("saved.nodes"),
    }
    rows = []
    for name, title in ((ON, say("saved.on")), (ANEW, say("saved.anew"))):
        known = continued.get(name)
        figures = {title: spread_words(known[key]) if known else None for key, title in titles.items()}
        rows.append({say("saved.way"): title, **figures})
    return pd.DataFrame(rows)


def spread_words(found: dict[str, Any]) -> str:
    """Return a median, and its range where there are several repeats that differ."""
    middle, ends = words.number(found["median"]), found["range"]
    return f"{middle} ({words.number_range(ends)})" if found["n"] > 1 and ends[0] != ends[1] else middle
