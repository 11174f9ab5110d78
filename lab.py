"""The script of the app: names the pages and runs the one asked for.  ``app.py`` serves it."""

import streamlit as st

from pages.parts import glossary, language, login, news
from pages.parts.client import lab

st.set_page_config(
    page_title="PLM Lab", page_icon="pages/parts/icon.svg", layout="wide", initial_sidebar_state="collapsed"
)
login.require()
language.choose()
glossary.button()
news.show(lab())
PAGES = {
    "start": ":material/school:",
    "data": ":material/table_chart:",
    "train": ":material/model_training:",
    "replay": ":material/smart_display:",
    "compare": ":material/balance:",
    "forecast": ":material/query_stats:",
    "speedup": ":material/speed:",
    "runs": ":material/list_alt:",
}
st.navigation(
    [
        st.Page(
            f"pages/views/{name}.py",
            title=language.say(f"nav.{name}"),
            icon=icon,
            url_path=None if name == "start" else name,
            default=name == "start",
        )
        for name, icon in PAGES.items()
    ],
    position="top",
).run()
