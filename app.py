"""Entry file of the app: names the pages and runs the one asked for.  Start it with ``streamlit run app.py``."""

import streamlit as st

st.set_page_config(page_title="PLM Lab", page_icon="pages/parts/icon.svg", layout="wide")
st.navigation(
    [
        st.Page("pages/views/data.py", title="Data", icon=":material/table_chart:", default=True),
        st.Page("pages/views/train.py", title="Train", icon=":material/model_training:", url_path="train"),
        st.Page("pages/views/runs.py", title="Runs", icon=":material/list_alt:", url_path="runs"),
    ],
    position="top",
).run()
