"""What can be done with one run, or with several: open, replay, name, clone, download, compare, delete."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts import take_away, words
from pages.parts.client import Lab, page_of
from pages.parts.language import explain, say
from plm_engine.errors import UserError
from plm_engine.store import RunInfo

MOST_COMPARED = 36


def tags_of(run: RunInfo) -> list[str]:
    """Return the run's tags in the order given."""
    return words.listed(run.labels.get("tags", ""))


def show(client: Lab, runs: Sequence[RunInfo]) -> None:
    """Show what can be done with the chosen runs."""
    if not runs:
        st.caption(say("actions.none"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(runs) == 1:
            _one(client, runs[0])
        elif st.button(
            say("actions.compare", n=len(runs)),
            type="primary",
            icon=":material/compare_arrows:",
            key="runs:compare",
            disabled=len(runs) > MOST_COMPARED,
            help=say("actions.compare_help", n=MOST_COMPARED),
        ):
            st.query_params.from_dict({"compare": [run.id for run in runs]})
            st.rerun(scope="app")
        _delete(client, runs)


def _one(client: Lab, run: RunInfo) -> None:
    """Show what can be done with a single run."""
    opened = st.button(
        say("actions.open"),
        type="primary",
        icon=":material/open_in_new:",
        key="runs:open",
        help=say("actions.open_help"),
    )
    if opened:
        st.switch_page(f"pages/views/{page_of(run)}.py", query_params={"run": run.id})
    if page_of(run) == "train":
        if st.button(
            say("actions.replay"),
            icon=":material/smart_display:",
            key="runs:replay",
            help=say("actions.replay_help"),
        ):
            st.switch_page("pages/views/replay.py", query_params={"run": run.id})
        clone_button(run, key="runs:clone")
    with st.popover(say("actions.labels"), icon=":material/label:", help=say("actions.labels_help")):
        _labels(client, run)
    downloads(client, run)


def clone_button(run: RunInfo, *, key: str) -> None:
    """Offer the form of the Train page, filled in with the run's table and settings."""
    said = say("actions.clone_help")
    if st.button(say("actions.clone"), icon=":material/content_copy:", key=key, help=said):
        st.switch_page("pages/views/train.py", query_params={"like": run.id})


def _labels(client: Lab, run: RunInfo) -> None:
    """Show the form of what people say about a run."""
    with st.form(f"labels:{run.id}", border=False):
        given = {
            "name": st.text_input(
                say("label.name"),
                run.name,
                max_chars=200,
                key=f"label:name:{run.id}",
                help=say("label.name_help"),
            ),
            "tags": st.text_input(
                say("label.tags"),
                run.labels.get("tags", ""),
                max_chars=200,
                key=f"label:tags:{run.id}",
                placeholder=say("label.tags_example"),
                help=say("label.tags_help"),
            ),
            "note": st.text_area(
                say("label.note"),
                run.labels.get("note", ""),
                max_chars=200,
                key=f"label:note:{run.id}",
                help=say("label.note_help"),
            ),
        }
        pinned = st.checkbox(
            say("label.baseline"),
            bool(run.labels.get("baseline")),
            key=f"label:baseline:{run.id}",
            help=say("label.baseline_help"),
        )
        if st.form_submit_button(say("label.keep"), type="primary", help=say("label.keep_help")):
            try:
                client.set_labels(run.id, **given, baseline="yes" if pinned else "")
            except UserError as error:
                st.error(words.shown(error))
            else:
                st.rerun()


def _delete(client: Lab, runs: Sequence[RunInfo]) -> None:
    """Offer to delete the runs that have ended, and ask first."""
    ended = [run for run in runs if run.status not in words.ACTIVE]
    if len(ended) < len(runs):
        st.caption(say("delete.active"))
    if not ended:
        return
    one = len(ended) == 1
    with st.popover(say("delete.button"), icon=":material/delete:", help=say("delete.help")):
        st.markdown(say("delete.one") if one else say("delete.several", n=len(ended)))
        label = say("delete.yes_one") if one else say("delete.yes_several", n=len(ended))
        if st.button(label, key="runs:delete", type="primary", help=say("delete.yes_help")):
            for run in ended:
                try:
                    client.delete(run.id)
                except UserError as error:
                    st.error(words.shown(error))
                    return
            st.rerun()


def downloads(client: Lab, run: RunInfo) -> None:
    """Offer the run's predictions and network, as far as there are any, and the menu of all else."""
    predictions, model = client.predictions(run.id), client.model(run.id)
    st.download_button(
        say("download.predictions"),
        predictions or b"",
        f"predictions_{run.id}.csv",
        "text/csv",
        icon=":material/download:",
        disabled=predictions is None,
        help=say("download.predictions_help" if predictions else "download.none"),
        on_click="ignore",
        key=f"predictions:{run.id}",
    )
    st.download_button(
        say("download.model"),
        model or b"",
        f"model_{run.id}.safetensors",
        "application/octet-stream",
        icon=":material/download:",
        disabled=model is None,
        help=explain("safetensors") if model else say("download.no_model"),
        on_click="ignore",
        key=f"model:{run.id}",
    )
    if page_of(run) == "train":
        take_away.menu(client, run)
