"""Honest forecasts: compare models, backtest, ablate; with ``?run=<id>`` in the address, watch that study."""

import streamlit as st

from pages.parts import study_form, study_view
from pages.parts.client import lab
from pages.parts.language import say

client, run_id = lab(), st.query_params.get("run")
st.title(say("study.title"))
if run_id:
    study_view.show(client, run_id)
else:
    study_form.show(client)
