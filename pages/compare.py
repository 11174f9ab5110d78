"""Stands in for ``app.py`` on the very first visit to ``/compare`` after a start of the server.

Streamlit looks for pages in a folder of this name until ``st.navigation`` has run once.  Without a file here that
first visitor is told "Page not found"; with it, this file runs, and hands over to the entry file.
"""

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).parent.parent / "app.py"))
