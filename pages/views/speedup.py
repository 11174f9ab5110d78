"""Speed-up: compare the parallel modes; with ``?run=<id>`` in the address, watch that experiment."""

import streamlit as st

from pages.parts import earlier, speedup_form, speedup_view
from pages.parts.client import lab
from pages.parts.language import say
from plm_engine.experiment.start import is_experiment

client, run_id = lab(), st.query_params.get("run")
st.title(say("speedup.title"))
if run_id:
    speedup_view.show(client, run_id)
else:
    speedup_form.show(client)
    past = [run for run in client.runs() if is_experiment(run.labels)]
    earlier.show(client, past, say("speedup.earlier"), page="speedup", icon=":material/speed:")
