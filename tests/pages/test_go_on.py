"""The run page: going on with more rows, what that saved, and how far the figures depend on the seed."""

from typing import Any

import pytest

from pages.parts import client, go_on
from plm_engine import cli
from plm_engine.config import Config
from plm_engine.store import Status, Store, new_run_id
from plm_engine.store.paths import write_json
from plm_engine.studies.start import network_over_seeds
from tests.pages.conftest import messages, open_page, page_text
from tests.test_lesson_start import ROLES, write_rows


class Recorder(client.Lab):
    """The real door, except that starting only writes down what was asked for."""

    started: list[Config]

    def __init__(self) -> None:
        super().__init__()
        self.started = []

    def start(self, config: Config, run_id: str) -> str:
        self.started.append(config)
        self.store.create(run_id, config)
        return run_id


@pytest.fixture
def trained(home, tmp_path, capsys) -> str:
    """A finished run over 60 rows, of which 5 are test rows."""
    write_rows(tmp_path / "week.csv", 60)
    code = cli.main(
        ["train", "--data", str(tmp_path / "week.csv"), *ROLES, "--goal", "0.5", "--test-rows", "5", "--json"]
    )
    assert code == 0
    capsys.readouterr()
    return Store(home).runs()[0].id


def spread(median: float, low: float, high: float) -> dict[str, Any]:
    return {"n": 3, "median": median, "mean": median, "range": [low, high]}


CONTINUED = {
    "run": "0123456789ab",
    "rows_added": 10,
    "repeats": 3,
    "sentence": "Going on took 1 s, training anew 4 s: 3 s (75%) saved.",
    go_on.ON: {key: spread(1.0, 0.5, 2.0) for key in ("seconds", "train_mae", "test_mae", "rounds", "n_hidden")},
    go_on.ANEW: {key: spread(4.0, 4.0, 4.0) for key in ("seconds", "train_mae", "test_mae", "rounds", "n_hidden")},
}


def test_what_going_on_saved_is_a_table_of_medians_with_their_range():
    frame = go_on.saved_frame(CONTINUED, "units of y")
    assert frame["Seconds"].tolist() == ["1 (0.5 to 2)", "4"]
    assert frame["Test MAE (units of y)"].tolist() == ["1 (0.5 to 2)", "4"]


def test_a_longer_table_is_gone_on_with_and_one_that_is_not_longer_is_refused(app, home, trained, tmp_path):
    recorder = Recorder()
    client.use(recorder)
    open_page(app, "train", run=trained)
    button = next(b for b in app.button if b.label == "Go on learning")
    assert button.disabled
    upload = next(u for u in app.get("file_uploader") if "Longer table" in u.label)
    upload.set_value(("same.csv", (tmp_path / "week.csv").read_bytes(), "text/csv")).run()
    assert "there is nothing new to learn" in messages(app)
    write_rows(tmp_path / "long.csv", 72)
    upload = next(u for u in app.get("file_uploader") if "Longer table" in u.label)
    upload.set_value(("long.csv", (tmp_path / "long.csv").read_bytes(), "text/csv")).run()
    assert "67 training rows, 12 more than this run learned from" in page_text(app)
    next(n for n in app.number_input if n.label == "Oldest rows to drop").set_value(3).run()
    next(b for b in app.button if b.label == "Go on learning").click().run()
    asked = recorder.started[0]
    assert (asked.continue_run, asked.drop_oldest, asked.train_anew) == (trained, 3, True)
    assert (asked.target, asked.latest_price, asked.goal) == ("y", "price", 0.5)
    assert app.query_params["run"] == recorder.store.runs()[0].id


def test_one_seed_is_said_to_be_one_until_it_is_repeated(app, home, trained):
    open_page(app, "train", run=trained)
    assert "All figures above are from one seed (0)" in page_text(app)
    store, run = Store(home), Store(home).status(trained)
    study = new_run_id()
    job = {"kind": "compare", "seeds": 3, "splits": 0}
    assert store.create(study, Config.from_mapping(run.config), {**run.extra, "job": job})
    with store.writer(study) as writer:
        writer.set_status(Status.FINISHED)
    line = {"model": "RPLM", "repeats": 3, "test_mae": spread(0.25, 0.125, 0.5), "n_hidden": spread(4, 3, 9)}
    write_json(store.run_dir(study) / "result.json", {"table": [line], "study": job})
    assert network_over_seeds(store, run)["study"] == study
    app.run()
    said = "Over 3 seeds this training has a test MAE of 0.25 units of y (median), 0.1250 to 0.5000 from"
    assert said in page_text(app)
