"""Speed-up: compare the parallel modes; with ``?run=<id>`` in the address, watch that experiment."""

import streamlit as st

from pages.parts import speedup_form, speedup_view, words
from pages.parts.client import lab, name_of
from pages.parts.language import say
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
        with st.container(key="earlier"):
            for run in earlier[:10]:
                label = f"{words.moment(run.created)} · {name_of(client, run)} · {words.status_name(run.status)}"
                st.page_link(
                    "pages/views/speedup.py",
                    label=words.plain(label),
                    icon=":material/speed:",
                    query_params={"run": run.id},
                )
