"""What can be done with one run, or with several: open, replay, name, clone, download, compare, delete."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.parts import take_away, words
from pages.parts.client import Lab
from plm_engine.errors import UserError
from plm_engine.experiment.start import is_experiment
from plm_engine.store import RunInfo

MOST_COMPARED = 12


def name_of(client: Lab, run: RunInfo) -> str:
    """Return the name a person gave the run, else that of its table."""
    return run.name or client.title(str(run.config.get("data", "")))


def tags_of(run: RunInfo) -> list[str]:
    """Return the run's tags in the order given."""
    return [tag.strip() for tag in run.labels.get("tags", "").split(",") if tag.strip()]


def show(client: Lab, runs: Sequence[RunInfo]) -> None:
    """Show what can be done with the chosen runs."""
    if not runs:
        st.caption("Choose a run to open it, or several to compare or delete them.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(runs) == 1:
            _one(client, runs[0])
        elif st.button(
            f"Compare {len(runs)} runs",
            type="primary",
            icon=":material/compare_arrows:",
            key="runs:compare",
            disabled=len(runs) > MOST_COMPARED,
            help=f"Up to {MOST_COMPARED} runs: settings that differ, curves over each other, errors and times.",
        ):
            st.query_params.from_dict({"compare": [run.id for run in runs]})
            st.rerun(scope="app")
        _delete(client, runs)


def _one(client: Lab, run: RunInfo) -> None:
    """Show what can be done with a single run."""
    if st.button("Open", type="primary", icon=":material/open_in_new:", key="runs:open"):
        page = "speedup" if is_experiment(run.labels) else "train"
        st.switch_page(f"pages/views/{page}.py", query_params={"run": run.id})
    if not is_experiment(run.labels):
        if st.button(
            "Replay", icon=":material/smart_display:", key="runs:replay", help="How it learned, step by step."
        ):
            st.switch_page("pages/views/replay.py", query_params={"run": run.id})
        clone_button(run, key="runs:clone")
    with st.popover("Name, tags, note …", icon=":material/label:"):
        _labels(client, run)
    downloads(client, run)


def clone_button(run: RunInfo, *, key: str) -> None:
    """Offer the form of the Train page, filled in with the run's table and settings."""
    said = "Opens the form with this run's table and settings, to change what you like and start anew."
    if st.button("Clone with these settings", icon=":material/content_copy:", key=key, help=said):
        st.switch_page("pages/views/train.py", query_params={"like": run.id})


def _labels(client: Lab, run: RunInfo) -> None:
    """Show the form of what people say about a run."""
    with st.form(f"labels:{run.id}", border=False):
        given = {
            "name": st.text_input("Name", run.name, max_chars=200, key=f"label:name:{run.id}"),
            "tags": st.text_input(
                "Tags",
                run.labels.get("tags", ""),
                max_chars=200,
                key=f"label:tags:{run.id}",
                placeholder="thesis, copper",
                help="Several are divided by commas; the list can be filtered by them.",
            ),
            "note": st.text_area("Note", run.labels.get("note", ""), max_chars=200, key=f"label:note:{run.id}"),
        }
        pinned = st.checkbox(
            "Baseline",
            bool(run.labels.get("baseline")),
            key=f"label:baseline:{run.id}",
            help="Comparisons say how much better or worse the other runs are than this one.",
        )
        if st.form_submit_button("Keep", type="primary"):
            try:
                client.set_labels(run.id, **given, baseline="yes" if pinned else "")
            except UserError as error:
                st.error(words.plain(error))
            else:
                st.rerun()


def _delete(client: Lab, runs: Sequence[RunInfo]) -> None:
    """Offer to delete the runs that have ended, and ask first."""
    ended = [run for run in runs if run.status not in words.ACTIVE]
    if len(ended) < len(runs):
        st.caption("A run that still goes cannot be deleted: open it to cancel it.")
    if not ended:
        return
    what = "this run, its network and its predictions" if len(ended) == 1 else f"{len(ended)} runs with all their files"
    with st.popover("Delete …", icon=":material/delete:"):
        st.markdown(f"Delete {what}? This cannot be undone.")
        label = "Yes, delete it" if len(ended) == 1 else f"Yes, delete {len(ended)} runs"
        if st.button(label, key="runs:delete", type="primary"):
            for run in ended:
                try:
                    client.delete(run.id)
                except UserError as error:
                    st.error(words.plain(error))
                    return
            st.rerun()


def downloads(client: Lab, run: RunInfo) -> None:
    """Offer the run's predictions and network, as far as there are any, and the menu of all else."""
    predictions, model = client.predictions(run.id), client.model(run.id)
    st.download_button(
        "Predictions (CSV)",
        predictions or b"",
        f"predictions_{run.id}.csv",
        "text/csv",
        icon=":material/download:",
        disabled=predictions is None,
        help=None if predictions else "There are none before the first round has ended.",
        on_click="ignore",
        key=f"predictions:{run.id}",
    )
    st.download_button(
        "Model (safetensors)",
        model or b"",
        f"model_{run.id}.safetensors",
        "application/octet-stream",
        icon=":material/download:",
        disabled=model is None,
        help=None if model else "There is none before the first round has ended.",
        on_click="ignore",
        key=f"model:{run.id}",
    )
    if run.status not in words.ACTIVE and not is_experiment(run.labels):
        take_away.menu(client, run)
