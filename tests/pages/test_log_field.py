"""The Train page's choice to log a run to another tool: off at first, a name only, a sentence where it is missing."""

import pytest

from pages.parts import client, log_field
from tests.pages.conftest import open_page, page_text


@pytest.fixture
def started(monkeypatch) -> list:
    begun: list = []
    monkeypatch.setattr(client.Lab, "start", lambda self, config, run_id: begun.append(config) or run_id)
    return begun


def press_start(app) -> None:
    next(button for button in app.button if button.label == "Start").click().run()


@pytest.mark.parametrize("tool", ["", "mlflow"])
def test_it_is_off_unless_chosen_and_then_names_the_tool_only(app, started, monkeypatch, tool):
    monkeypatch.setattr(log_field, "installed", lambda kind: True)
    open_page(app, "train", data="copper-sample")
    if tool:
        app.selectbox(key="log_to").set_value(tool).run()
    press_start(app)
    assert started[0].log_to == (tool or None)


def test_a_tool_that_is_not_installed_is_told_and_not_offered(app, monkeypatch):
    monkeypatch.setattr(log_field, "installed", lambda kind: kind == "tensorboard")
    open_page(app, "train", data="copper-sample")
    assert app.selectbox(key="log_to").options == ["No", "TensorBoard"]
    assert "MLflow is not installed on this server: pip install mlflow." in page_text(app)
