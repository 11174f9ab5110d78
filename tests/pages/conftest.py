"""The app without a browser: Streamlit's AppTest through the entry file, with a store of its own."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import client

PROJECT = Path(__file__).resolve().parents[2]
WAIT_S = 60


@pytest.fixture
def app(home: Path, machine_file: Path) -> Iterator[AppTest]:
    """The app as a first visitor sees it, not run yet."""
    home.mkdir(exist_ok=True)
    shutil.copy(machine_file, home)
    client.use(None)
    yield AppTest.from_file(str(PROJECT / "app.py"), default_timeout=WAIT_S)
    client.use(None)


def messages(app: AppTest) -> str:
    """Everything the page says in boxes, as one text without Markdown's backslashes."""
    boxes = [*app.error, *app.warning, *app.info, *app.success]
    return "\n".join(box.value for box in boxes).replace("\\", "")


def page_text(app: AppTest) -> str:
    """Every text of the page."""
    parts = [*app.title, *app.header, *app.subheader, *app.markdown, *app.caption]
    return "\n".join(str(part.value) for part in parts).replace("\\", "") + "\n" + messages(app)


def open_page(app: AppTest, name: str, **query: str) -> AppTest:
    """Open a page as if by its link."""
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    app.switch_page(f"pages/views/{name}.py").run()
    assert not app.exception, [e.value for e in app.exception]
    return app
