"""Start the app: ``streamlit run app.py``.

The pages themselves begin in ``lab.py``.  What they import takes most of a second, so the server loads it before it
says that it is ready: else the first visitor would wait for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import streamlit as st


@asynccontextmanager
async def ready(_: Any) -> AsyncIterator[None]:
    """Load what every page needs."""
    for name in ("pandas", "pages.parts.run_view", "pages.parts.start_view"):
        import_module(name)
    yield


app = st.App("lab.py", lifespan=ready)
