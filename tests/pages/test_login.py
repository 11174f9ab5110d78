"""The door in front of the pages: there where the server asks for it, and nowhere else."""

from __future__ import annotations

import pytest
from streamlit import user_info
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import PROJECT, open_page


@pytest.mark.parametrize("name", ["start", "data", "train", "runs"])
def test_without_a_login_set_up_every_page_is_open(app, name):
    open_page(app, name)
    assert "Log in" not in [button.label for button in app.button]


def test_whoever_has_not_logged_in_sees_no_page(home, monkeypatch):
    monkeypatch.setattr(user_info, "_get_user_info", lambda: {"is_logged_in": False})
    app = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=60).run()
    assert not app.exception
    assert [button.label for button in app.button] == ["Log in"]
    assert [title.value for title in app.title] == ["PLM Lab"]
    assert not app.selectbox


def test_whoever_has_logged_in_sees_the_pages(app, monkeypatch):
    monkeypatch.setattr(user_info, "_get_user_info", lambda: {"is_logged_in": True, "email": "a@b.example"})
    open_page(app, "data")
    assert "Log in" not in [button.label for button in app.button]
    assert app.selectbox
