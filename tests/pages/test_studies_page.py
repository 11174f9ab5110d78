"""Honest forecasts and Forecast: what is shown of studies and of rows without a target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pages.parts import study_charts
from plm_engine import cli
from plm_engine.config import Config
from plm_engine.forecast import Forecasts
from plm_engine.store import Status, new_run_id
from plm_engine.store.sqlite import Store
from plm_engine.studies.plan import Study
from tests.pages.conftest import messages, open_page, page_text
from tests.pages.test_train_page import write_run


@pytest.fixture
def studied(tmp_path, home) -> dict[str, str]:
    """A finished run, a comparison and a backtest of it."""
    rng = np.random.default_rng(0)
    price = 100 + np.cumsum(rng.normal(size=51))
    frame = pd.DataFrame({"price": price[:-1], "a": rng.normal(size=50), "y": price[1:]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ["--data", str(tmp_path / "t.csv"), "--target", "y", "--latest-price", "price", "--goal", "3"]
    assert cli.main(["train", *words, "--max-rounds", "1"]) == 0
    store = Store(home)
    ids = {"run": store.runs()[0].id}
    for kind, more in (("compare", []), ("backtest", ["--first-origin", "44", "--step", "2"])):
        assert cli.main([kind, "--run", ids["run"], "--jobs", "1", *more]) == 0
        ids[kind] = store.runs()[0].id
    return ids


@pytest.mark.slow
def test_studies_are_listed_shown_and_forecasts_made(app, studied):
    open_page(app, "compare")
    assert "Data and settings of the run" in [box.label for box in app.selectbox]
    open_page(app, "compare", run=studied["compare"])
    table = app.dataframe[0].value
    assert list(table["Model"]) == ["Persistence", "Linear regression", "Ridge", "Backpropagation", "RPLM"]
    assert "one seed" in messages(app)
    open_page(app, "compare", run=studied["backtest"])
    assert "Range by origin" in app.dataframe[0].value.columns
    assert "persistence" in page_text(app)
    open_page(app, "compare", run=studied["run"])
    assert "not a study" in messages(app)
    open_page(app, "runs")
    assert len(app.dataframe[0].value) == 3
    open_page(app, "train", run=studied["compare"])  # as the list of runs does


def test_without_runs_both_pages_say_what_to_do(app):
    open_page(app, "compare")
    assert "No finished run yet" in page_text(app)
    open_page(app, "forecast")
    assert "No finished run yet" in page_text(app)


def test_a_link_to_a_runs_forecast_opens_that_run(app, home):
    older, _ = write_run(Store(home)), write_run(Store(home))
    open_page(app, "forecast", run=older)
    assert app.selectbox(key="forecast:run").value == older
    assert "no finished training" not in messages(app)
    open_page(app, "forecast", run="0123456789ab")
    assert "0123456789ab, which is no finished training here" in messages(app)


def test_an_unknown_study_is_told_in_words(app):
    open_page(app, "compare", run="0123456789ab")
    assert "0123456789ab" in messages(app)


def test_forecasts_stand_after_the_history_with_their_interval():
    table = pd.DataFrame({"row": [1, 2], "prediction": [5.0, 6.0], "low": [4.0, 5.0], "high": [6.0, 7.0]})
    history = b"data_row,actual\n9,4.5\n10,4.8\n"
    known, forecast = study_charts.forecast_chart(history, Forecasts(table, "y"), "CNY", "run")["data"]
    assert forecast["x"] == [11, 12]
    assert known["y"] == [4.5, 4.8]
    assert forecast["error_y"]["array"] == [1.0, 1.0]


def test_a_forecast_out_of_all_proportion_is_an_arrow_at_the_edge_and_flattens_nothing():
    table = pd.DataFrame({"row": [1, 2, 3], "prediction": [11.0, 90_000.0, -70.0]})
    history = ("data_row,actual\n" + "".join(f"{k},{k}\n" for k in range(1, 21))).encode()
    figure = study_charts.forecast_chart(history, Forecasts(table, "y"), "CNY", "run")
    low, high = figure["layout"]["yaxis"]["range"]
    assert (low, high) == pytest.approx((1 - 0.6 * 19, 20 + 0.6 * 19))
    beyond = figure["data"][2]
    assert (beyond["x"], beyond["y"]) == ([22, 23], [high, low])
    assert beyond["text"] == ["90,000", "-70"]
    assert beyond["marker"]["symbol"] == ["triangle-up", "triangle-down"]
    near = Forecasts(table.head(1), "y")
    assert "range" not in study_charts.forecast_chart(history, near, "CNY", "run")["layout"]["yaxis"]


def test_the_goal_chart_shows_error_against_goal_with_nodes():
    candidates = [
        {"start": "ridge", "organizing": "off", "goal": g, "mae": m, "n_hidden": h}
        for g, m, h in ((5.0, 2.0, 1.0), (3.0, 1.0, 7.0))
    ]
    (line,) = study_charts.goal_chart({"candidates": candidates}, "CNY", "run")["data"]
    assert line["x"] == [3.0, 5.0]
    assert line["text"][0] == "7.0 hidden nodes"
    (beside,) = study_charts.nodes_chart({"candidates": candidates}, "CNY", "run")["data"]
    assert (beside["x"], beside["y"]) == ([3.0, 5.0], [7.0, 1.0])
    assert beside["line"] == line["line"]
    old = [{"regularizing" if k == "organizing" else k: v for k, v in one.items()} for one in candidates]  # before
    assert study_charts.goal_chart({"candidates": old}, "CNY", "run")["data"] == [line]


def test_rows_that_extrapolate_are_open_diamonds_and_persistence_stands_beside():
    table = pd.DataFrame({"row": [1, 2], "prediction": [5.0, 6.0], "latest": [4.0, 5.0], "outside": ["", "a"]})
    forecast, latest = study_charts.forecast_chart(None, Forecasts(table, "y"), "CNY", "run")["data"]
    assert forecast["marker"]["symbol"] == ["diamond", "diamond-open"]
    assert latest["y"] == [4.0, 5.0]


def test_a_cancelled_study_is_gone_on_with_from_what_it_finished(app, home, monkeypatch):
    from pages.parts import study_view

    started: list[tuple[Config, Study]] = []
    monkeypatch.setattr(study_view, "start_study", lambda config, study, **more: started.append((config, study)))
    store, run_id = Store(home), new_run_id()
    job = Study("backtest", first_origin=280, step=4).to_mapping()
    assert store.create(run_id, Config(data="copper-sample", target="y"), {"job": job})
    with store.writer(run_id) as writer:
        writer.set_status(Status.CANCELLED, "Cancelled.")
    open_page(app, "compare", run=run_id)
    next(button for button in app.button if button.label == "Go on with it").click().run()
    config, study = started[0]
    assert (study.resume_from, study.first_origin, config.target) == (run_id, 280, "y")


def test_the_goal_can_be_left_to_the_program(app, monkeypatch):
    from pages.parts import client

    started = []
    monkeypatch.setattr(client.Lab, "start", lambda self, config, run_id: started.append(config) or run_id)
    open_page(app, "train", data="copper-sample")
    app.checkbox(key="goal:auto").check().run()
    assert not app.exception, [e.value for e in app.exception]
    next(button for button in app.button if button.label == "Start").click().run()
    assert started[0].goal_auto
    assert (started[0].goal, started[0].goal_percent) == (None, None)


def test_a_chosen_goal_is_told_with_the_best_network_that_trained(app, home):
    store = Store(home)
    run_id = write_run(store)
    with store.writer(run_id) as writer:
        candidate = {"start": "ridge", "organizing": "off", "goal": 5.0, "mae": 2.0, "n_hidden": 1.0}
        choice = {
            "sentence": "Chosen inside the training rows: goal 5. This network learned nothing beyond its start.",
            "best_trained": {**candidate, "test_mae": 2.5},
            "candidates": [candidate],
        }
        writer.put_meta(summary={**store.status(run_id).summary, "choice": choice})
    open_page(app, "train", run=run_id)
    assert "learned nothing beyond its start" in messages(app)
    assert "best network that trained has a test MAE of 2.5" in page_text(app)
