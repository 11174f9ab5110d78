"""Where a mode pays: one training step over many sizes, as heat maps that fill while a sweep goes."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
import streamlit as st

from pages.parts import speedup_charts, steady, words
from pages.parts.language import counted, explain, say, told
from pages.parts.live_chart import show_chart
from plm_engine.experiment import sweeps
from plm_engine.experiment.plan import Contender, Plan


def show(steps: pd.DataFrame, plan: Plan, run_id: str, failed: Collection[str], frames: str) -> None:
    """Show the sizes measured so far; every map has its place before it has a value (see :func:`steady.frames`)."""
    if steps.empty and not frames:
        st.caption(say("chart.none"))
        return
    reference = plan.contenders[0].key if "single" not in {c.key for c in plan.contenders} else "single"
    name = told(Contender.parse(reference).title)
    st.subheader(say("speedup.where"), anchor=False, help=explain("sweep"))
    st.caption(say("speedup.where_key", mode=name))
    others = [c for c in plan.contenders if c.key != reference]
    said = "" if steps.empty else sweeps.sweep_conclusion(steps, reference)
    with steady.slot(f"pays-{len(others)}"):
        if said:
            st.info(words.shown(said), icon=":material/lightbulb:")
        else:
            st.caption(say("speedup.first_sizes") if frames == say("chart.waiting") else frames)
    disturbed(0 if steps.empty else int((steps["disturbed"] != "").sum()))
    columns = st.columns(2, gap="medium")
    for i, contender in enumerate(others):
        with columns[i % 2]:
            st.markdown(f"**{told(contender.title)}**")
            if steps.empty or contender.key not in set(steps["contender"]):
                missing = say("status.failed") if contender.key in failed else frames or say("chart.none")
                figure = steady.waiting_chart(say("axis.nodes"), say("axis.rows"), missing)
            else:
                figure = speedup_charts.heat_map(steps, contender.key, reference, run_id)
            alt = say("speedup.heat_alt", mode=told(contender.title), reference=name)
            show_chart(figure, key=f"speedup:heat:{contender.key}", alt=alt)
    with st.expander(say("speedup.steps"), key="speedup:steps"):  # it stays open while sizes are added
        if steps.empty:
            st.caption(frames)
            return
        wide = steps.pivot_table(index=["rows", "hidden"], columns="contender", values="step_ms").reset_index()
        names = {c.key: told(c.title) for c in plan.contenders}
        names |= {"rows": say("axis.rows"), "hidden": say("axis.nodes")}
        st.dataframe(wide.rename(columns=names), hide_index=True, placeholder="–")


def disturbed(count: int) -> None:
    """Say whether something else disturbed the results; always, so that nothing moves when it does."""
    with steady.slot("disturbed"):
        if count:
            st.warning(counted("disturbed", count), icon=":material/warning:")
        else:
            st.caption(say("speedup.undisturbed"))
