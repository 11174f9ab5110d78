"""Speed-up: compare the parallel modes; with ``?run=<id>`` in the address, watch that experiment."""

import streamlit as st

from pages.parts import speedup_form, speedup_view, words
from pages.parts.client import lab
from pages.parts.language import named, say
from plm_engine.experiment.start import is_experiment

client, run_id = lab(), st.query_params.get("run")
st.title(say("speedup.title"))
if run_id:
    speedup_view.show(client, run_id)
else:
    speedup_form.show(client)
    earlier = [run for run in client.runs() if is_experiment(run.labels)]
    if earlier:
        st.subheader(say("speedup.earlier"), anchor=False)
        for run in earlier[:10]:
            st.page_link(
                "pages/views/speedup.py",
                label=words.plain(f"{words.moment(run.created)} · {named(run.name)} · {words.status_name(run.status)}"),
                icon=":material/speed:",
                query_params={"run": run.id},
            )
