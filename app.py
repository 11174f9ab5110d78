"""Entry file of the app: names the pages and runs the one asked for.  Start it with ``streamlit run app.py``."""

import streamlit as st

from pages.parts import login

st.set_page_config(page_title="PLM Lab", page_icon="pages/parts/icon.svg", layout="wide")
login.require()
st.navigation(
    [
        st.Page("pages/views/start.py", title="Start", icon=":material/school:", default=True),
        st.Page("pages/views/data.py", title="Data", icon=":material/table_chart:", url_path="data"),
        st.Page("pages/views/train.py", title="Train", icon=":material/model_training:", url_path="train"),
        st.Page("pages/views/replay.py", title="How it learns", icon=":material/smart_display:", url_path="replay"),
        st.Page("pages/views/compare.py", title="Honest forecasts", icon=":material/balance:", url_path="compare"),
        st.Page("pages/views/forecast.py", title="Forecast", icon=":material/query_stats:", url_path="forecast"),
        st.Page("pages/views/speedup.py", title="Speed-up", icon=":material/speed:", url_path="speedup"),
        st.Page("pages/views/runs.py", title="Runs", icon=":material/list_alt:", url_path="runs"),
    ],
    position="top",
).run()
