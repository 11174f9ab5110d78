"""Train: set a goal and start; or, with ``?run=<id>`` in the address, watch that run."""

import streamlit as st

from pages.parts import run_view, train_form
from pages.parts.client import lab

run_id = st.query_params.get("run")
if run_id:
    run_view.show(lab(), run_id)
else:
    train_form.show(lab())
