"""Stands in for ``app.py`` on the very first visit to ``/replay`` after a start of the server.

Streamlit looks for pages in a folder of this name until ``st.navigation`` has run once.  Without a file here that
first visitor is told "Page not found"; with it, this file runs, and hands over to the entry file.
"""

import runpy
from pathlib import Path

import streamlit as st

runpy.run_path(str(Path(__file__).parent.parent / "app.py"), run_name="__main__")
if not st.session_state.get("first_visit_over"):
    st.session_state["first_visit_over"] = True
    st.rerun()  # now as Streamlit knows the pages: fields of this first run would lose the first thing entered
