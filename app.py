"""The entry: ``streamlit run app.py``.

Streamlit imports this file once as the server (``app``), and runs it as ``__main__`` for every visit: then it names the
pages and runs the one asked for.  What the pages import takes most of a second, so the server loads it before it says
that it is ready: else the first visitor would wait for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import streamlit as st

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


@asynccontextmanager
async def ready(_: Any) -> AsyncIterator[None]:
    """Load what every page needs."""
    from streamlit.runtime.pages_manager import PagesManager

    # the folder pages/ is a package of ours.  Until st.navigation has run once, Streamlit takes it for its own list of
    # pages: then the fields of a server's very first visit are other fields at the next run, and a press is lost
    PagesManager.uses_pages_directory = False
    for name in ("pandas", "pages.parts.run_view", "pages.parts.start_view"):
        import_module(name)
    yield


def visit() -> None:
    """Show the page asked for."""
    from pages.parts import glossary, language, login, news, streamlit_words
    from pages.parts.client import lab

    st.set_page_config(
        page_title="PLM Lab", page_icon="pages/parts/icon.svg", layout="wide", initial_sidebar_state="collapsed"
    )
    login.require()
    language.choose()
    glossary.button()
    streamlit_words.translate()
    news.show(lab())
    pages = [
        st.Page(
            f"pages/views/{name}.py",
            title=language.say(f"nav.{name}"),
            icon=icon,
            url_path=None if name == "start" else name,
            default=name == "start",
        )
        for name, icon in PAGES.items()
    ]
    st.navigation(pages, position="top").run()


if __name__ == "__main__":
    visit()
else:
    from starlette.middleware import Middleware

    from pages.parts.first_paint import FirstPaint

    app = st.App(__file__, lifespan=ready, middleware=[Middleware(FirstPaint)])
