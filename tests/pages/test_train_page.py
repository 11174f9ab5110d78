"""The Train page: the form, what keeps it from starting, and one run's view in each of its states."""

from typing import Any

import pytest

from pages.parts import client
from pages.parts.run_view import verdict
from plm_engine.config import PRESETS, Config
from plm_engine.errors import RunError
from plm_engine.events import DataPrepared, Notice, Predicted, RoundEnded, RoundStarted, RunEnded, RunStarted, StepKept
from plm_engine.store import Status, Store, new_run_id
from tests.pages.conftest import messages, open_page, page_text


class Recorder(client.Lab):
    """The real door, except that starting only writes down what was asked for."""

    started: list[tuple[str, Config]]

    def __init__(self) -> None:
        super().__init__()
        self.started = []

    def start(self, config: Config, run_id: str) -> str:
        self.started.append((run_id, config))
        self.store.create(run_id, config)
        return run_id


@pytest.fixture
def recorder(app) -> Recorder:
    recorder = Recorder()
    client.use(recorder)
    return recorder


def button(app, label: str):
    return next(button for button in app.button if button.label == label)


def write_run(store: Store, *, status: Status | None = Status.FINISHED, rounds: int = 2, **summary: Any) -> str:
    """Make a run with the real writer; ``status=None`` leaves it running without a process."""
    run_id = new_run_id()
    assert store.create(run_id, Config(data="copper-sample", target="y"), {})
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        writer.emit(
            DataPrepared((1, 2, 3), (10.0, 11.0, 12.0), ("train", "train", "test"), warnings=("Mind <b>this</b>.",))
        )
        writer.emit(RunStarted(2, 1, 1, 1.5, ("a",), "single", 1, "cpu"))
        for number in range(1, rounds + 1):
            writer.emit(RoundStarted(number, number - 1, 2))
            writer.emit(StepKept(number, "understanding", number, 0.5 / number, 1e-3, 4.0 / number, 2))
            writer.emit(Predicted(number, (10.5, 11.5, 13.0)))
            writer.emit(RoundEnded(number, number, 2, "goal met", 1, 4, 2, 1.25, 0.5, 1.0, {"cramming": 0.1}, number))
            writer.put_meta(
                summary={
                    "n_hidden": 2,
                    "rounds": number,
                    "goal": 1.5,
                    "target": "y",
                    "mae": {"train": 0.5, "test": 1.0},
                    **summary,
                }
            )
        writer.emit(Notice("A remark."))
        if status is not None:
            writer.emit(RunEnded("goal met", "Every training row is learned.", rounds, 2, 2, 2, {"cramming": 0.2}))
            writer.set_status(status, f"It is {status}.")
    return run_id


def test_start_hands_over_the_form_and_leads_to_the_run(app, recorder):
    open_page(app, "train")
    next(radio for radio in app.radio if radio.label == "How thoroughly").set_value("standard").run()
    next(field for field in app.number_input if field.label == "Seed").set_value(7).run()
    button(app, "Start").click().run()
    assert not app.exception
    [(run_id, config)] = recorder.started
    assert (config.seed, config.pick, config.max_minutes) == (7, 5, 10.0)
    assert (config.target, config.latest_price, config.horizon) == ("y", "x5", 4)
    assert app.query_params["run"] == run_id


def test_the_goal_can_be_given_in_the_unit_of_the_target(app, recorder):
    open_page(app, "train")
    next(radio for radio in app.radio if radio.label == "Learning goal").set_value(True).run()
    field = next(field for field in app.number_input if "CNY per tonne" in field.label)
    field.set_value(4000.0).run()
    button(app, "Start").click().run()
    [(_, config)] = recorder.started
    assert (config.goal, config.goal_percent) == (4000.0, None)


@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_starts_with_exactly_its_own_settings(app, recorder, preset):
    open_page(app, "train")
    next(radio for radio in app.radio if radio.label == "How thoroughly").set_value(preset).run()
    button(app, "Start").click().run()
    [(_, config)] = recorder.started
    data = {"data", "target", "date", "latest_price", "horizon"}
    learning = {name: v for name, v in config.changed().items() if name not in data}
    assert learning == Config.preset(preset).changed()


def test_a_setting_under_more_reaches_the_run(app, recorder):
    open_page(app, "train")
    next(field for field in app.number_input if field.label.startswith("Longest understanding")).set_value(12).run()
    button(app, "Start").click().run()
    assert recorder.started[0][1].epochs == 12


def test_a_second_press_of_start_asks_for_the_same_run(app, recorder):
    open_page(app, "train")
    button(app, "Start").click().run()
    del app.query_params["run"]
    app.run()
    button(app, "Start").click().run()
    assert len({run_id for run_id, _ in recorder.started}) == 1


def test_a_goal_of_zero_is_refused_in_words_and_start_is_off(app, recorder):
    open_page(app, "train")
    next(field for field in app.number_input if field.label.startswith("Largest error")).set_value(0.0).run()
    assert "goal is 0" in messages(app)
    assert button(app, "Start").disabled


def test_rows_that_contradict_each_other_are_named_before_the_start(app, recorder, cases_dir):
    key = recorder.save_upload("19.csv", (cases_dir / "19_contradictory_duplicates.csv").read_bytes())
    open_page(app, "train", data=key, target="y")
    assert "3, 11" in messages(app)
    assert button(app, "Start").disabled


def test_a_table_without_drivers_leads_back_to_the_data_page(app, recorder, cases_dir):
    key = recorder.save_upload("23.csv", (cases_dir / "23_one_column.csv").read_bytes())
    open_page(app, "train", data=key)
    assert "No driver columns left" in messages(app)
    assert not [b for b in app.button if b.label == "Start"]


def test_an_error_while_starting_is_one_sentence(app, recorder, monkeypatch):
    def refuse(config, run_id):
        raise RunError("The disk is full: free some space.")

    monkeypatch.setattr(recorder, "start", refuse)
    open_page(app, "train")
    button(app, "Start").click().run()
    assert messages(app) == "The disk is full: free some space."


@pytest.mark.parametrize("run", ["0123456789ab", "../../../etc", "<b>x</b>", "0" * 500])
def test_a_link_to_no_run_says_so_and_leads_to_the_runs(app, run):
    open_page(app, "train", run=run)
    assert len(app.error) == 1
    assert not app.metric


def test_a_finished_run_shows_its_numbers_with_units_and_its_downloads(app, home):
    store = Store(home)
    run_id = write_run(
        store, baselines={"persistence": {"train": 0.7, "test": 0.6}, "linear regression": {"test": "not defined"}}
    )
    (store.run_dir(run_id) / "predictions.csv").write_text("row,predicted\n1,10.5\n")
    open_page(app, "train", run=run_id)
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Largest residual (units of y)"] == "1.25"
    assert shown["Learning goal (units of y)"] == "1.5"
    assert shown["Hidden nodes"] == "2"
    text = page_text(app)
    assert "Finished" in text
    assert "2 of 2 training rows" in text.replace("**", "") or app.get("progress")
    assert "persistence is better than this run" in text
    assert "not defined" in text
    assert "Mind <b>this</b>" in text
    downloads = {element.proto.label: element.proto.disabled for element in app.get("download_button")}
    assert downloads == {"Predictions (CSV)": False, "Model (safetensors)": True}


@pytest.mark.parametrize(
    ("status", "badge"),
    [(Status.FAILED, "Failed"), (Status.CANCELLED, "Cancelled"), (None, "Lost")],
)
def test_every_end_is_named_and_explained(app, home, status, badge):
    run_id = write_run(Store(home), status=status)
    open_page(app, "train", run=run_id)
    assert badge in page_text(app)
    assert "Cancel" not in [b.label for b in app.button]


def test_a_run_that_forecasts_what_persistence_does_is_told_to_be_as_good_and_no_better():
    others = {"persistence": 1483.58, "linear regression": 2685.3}
    assert "as good as persistence, and no better" in verdict(1483.58 * (1 + 1e-9), others)
    assert "persistence is better" in verdict(1484.0, others)
    assert "beats both" in verdict(1400.0, others)


def test_a_run_that_said_nothing_yet_is_shown_without_charts(app, home):
    store = Store(home)
    run_id = new_run_id()
    store.create(run_id, Config(data="copper-sample"), {})
    with store.hold(run_id):
        open_page(app, "train", run=run_id)
    assert "Waiting" in page_text(app)
    assert not app.exception


def test_cancel_asks_the_store_for_the_end(app, home):
    store = Store(home)
    run_id = write_run(store, status=None)
    with store.hold(run_id):
        open_page(app, "train", run=run_id)
        button(app, "Cancel").click().run()
        assert store.cancel_requested(run_id)
        assert button(app, "Cancelling …").disabled


def predict_box(app):
    return next(box for box in app.selectbox if box.label == "What is learned")


def test_what_is_learned_of_the_target_reaches_the_run(app, recorder):
    open_page(app, "train")
    assert not predict_box(app).disabled
    predict_box(app).set_value("change").run()
    button(app, "Start").click().run()
    assert recorder.started[0][1].predict == "change"


def test_without_a_latest_price_only_the_level_can_be_learned_and_the_page_says_why(app, recorder):
    open_page(app, "train", data="diabetes")
    assert predict_box(app).disabled
    assert "no column is named as the latest price" in page_text(app)
    button(app, "Start").click().run()
    assert recorder.started[0][1].predict == "level"


def test_what_is_learned_is_chosen_with_the_goal(app, recorder):
    open_page(app, "train")
    next(box for box in app.checkbox if box.label == "Choose the goal for me").check().run()
    assert predict_box(app).disabled
    assert "Chosen together with the goal." in page_text(app)
