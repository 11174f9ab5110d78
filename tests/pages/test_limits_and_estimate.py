"""Limits that the pages hold to, and the estimate before training."""

from __future__ import annotations

import pytest

from plm_engine import estimate
from plm_engine.errors import RunError
from plm_engine.estimate import Estimate
from plm_engine.store.paths import write_json
from tests.pages.conftest import messages, open_page
from tests.pages.test_data_page import upload


def press(app, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, [e.value for e in app.exception]


def test_the_estimate_is_shown_until_a_setting_changes(app, monkeypatch):
    asked = []

    def ask(config, seconds=4.0, home=None):
        asked.append(config)
        return Estimate(60.0, 540.0, 80, 400_000_000, "373 training rows: between 1 and 9 minutes.")

    monkeypatch.setattr(estimate, "ask", ask)
    open_page(app, "train")
    assert "between 1 and 9 minutes" not in messages(app)
    press(app, "Estimate the time")
    assert "between 1 and 9 minutes" in messages(app)
    app.run()
    assert "between 1 and 9 minutes" in messages(app)
    next(field for field in app.number_input if field.label == "Seed").set_value(7).run()
    assert "between 1 and 9 minutes" not in messages(app)
    assert [config.seed for config in asked] == [0]


def test_an_estimate_that_fails_is_said_and_training_stays_possible(app, monkeypatch):
    def ask(config, seconds=4.0, home=None):
        raise RunError("The duration cannot be estimated.")

    monkeypatch.setattr(estimate, "ask", ask)
    open_page(app, "train")
    press(app, "Estimate the time")
    assert "cannot be estimated" in messages(app)
    assert "Start" in [button.label for button in app.button if not button.disabled]


@pytest.mark.parametrize(
    ("limits", "said"),
    [({"upload_mb": 1e-4}, "MB are allowed here"), ({"rows": 50}, "60 rows, and 50 are allowed here")],
)
def test_a_table_beyond_the_limits_is_refused_on_the_data_page(app, home, cases_dir, limits, said):
    home.mkdir(exist_ok=True)
    write_json(home / "settings.json", {"limits": limits})
    upload(app, "table.csv", (cases_dir / "00_control_clean_18x.csv").read_bytes())
    assert said in messages(app)
    assert len(app.error) == 1


def test_a_training_beyond_the_memory_cannot_be_started(app, home):
    home.mkdir(exist_ok=True)
    write_json(home / "settings.json", {"limits": {"memory_share": 1e-6}})
    open_page(app, "train")
    assert "GiB of memory" in messages(app)
    assert all(button.disabled for button in app.button if button.label == "Start")
