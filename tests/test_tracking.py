"""Logging a run to other tools: what arrives there, and that their failures never reach a training."""

import subprocess
import sys
import time

import pytest

from plm_engine import tracking
from plm_engine.config import Config
from plm_engine.errors import ConfigError
from plm_engine.events import ListSink, RoundEnded, RunEnded, RunStarted, StepKept
from plm_engine.launch import start
from plm_engine.store import Store
from plm_engine.store.paths import PROJECT
from plm_engine.trackers import tracked
from plm_engine.tracking import Place, TrackingSink, numbers_of, place_of

TIMES = {"cramming": 0.5, "total": 1.0}
STORY = (
    RunStarted(3, 1, 2, 2.0, ("a", "b"), "single", 1, "cpu"),
    StepKept(1, "understanding", 7, 0.25, 1e-3, 5.0, 4),
    RoundEnded(1, 2, 3, "goal met", 1, 4, 4, 6.0, 2.5, None, TIMES, 7),
    RunEnded("goal met", "Every row is learned.", 1, 4, 3, 3, TIMES),
)


class Broken:
    """A tool that fails at the first number."""

    def begin(self, settings):
        pass

    def measure(self, values, step):
        raise ConnectionError("the server is gone")

    def end(self, finished):
        pass


class Slow(Broken):
    def measure(self, values, step):
        time.sleep(60)


def test_what_is_logged_of_an_event():
    values, step = numbers_of(STORY[1])
    assert step == 7
    assert values == {"step/loss": 0.25, "step/step_size": 1e-3, "step/largest_residual": 5.0, "step/n_hidden": 4.0}
    values, step = numbers_of(STORY[2])
    assert step == 1
    assert values["round/train_mae"] == 2.5
    assert values["seconds/total"] == 1.0
    assert "round/test_mae" not in values
    assert numbers_of(STORY[0]) == ({}, 0)


def test_without_the_option_there_is_no_place_and_an_unknown_tool_is_told_in_a_sentence(tmp_path):
    assert place_of(None, tmp_path) is None
    assert Config().log_to is None
    with pytest.raises(ConfigError, match="'wandb:x', which names no tool that is known"):
        place_of("wandb:x", tmp_path)


def test_a_tool_that_is_not_installed_is_told_before_the_run_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(tracking, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="MLflow is not installed"):
        start(Config(data="copper-sample", target="y", log_to="mlflow"), home=tmp_path)
    assert Store(tmp_path).runs() == []


def test_places_have_defaults_in_the_store(tmp_path, monkeypatch):
    monkeypatch.setattr(tracking, "find_spec", lambda name: object())
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert place_of("tensorboard", tmp_path) == Place("tensorboard", str(tmp_path / "tensorboard"))
    assert place_of("mlflow", tmp_path) == Place("mlflow", (tmp_path / "mlruns").as_uri())
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://host:5000")
    assert place_of("mlflow", tmp_path).address == "http://host:5000"
    assert place_of("mlflow:http://other:1", tmp_path).address == "http://other:1"


@pytest.mark.parametrize("tool", [Broken, Slow])
def test_a_tool_that_fails_or_hangs_ends_nothing_and_is_told_once(tool, monkeypatch):
    monkeypatch.setattr(tracking, "CLOSE_S", 0.3)
    inner = ListSink()
    sink = TrackingSink(inner, "MLflow", tool, {})
    began = time.monotonic()
    for event in STORY:
        sink.emit(event)
    sink.close()
    assert time.monotonic() - began < 2
    assert [event for event in inner.events if event.kind != "Notice"] == list(STORY)
    [notice] = [event for event in inner.events if event.kind == "Notice"]
    assert notice.sentence.startswith("Logging to MLflow stopped: ")
    assert notice.sentence.endswith("The training is not affected.")


def test_a_tool_that_cannot_be_opened_ends_nothing():
    def open_it():
        raise OSError("no such address")

    inner = ListSink()
    sink = TrackingSink(inner, "MLflow", open_it, {})
    for event in STORY:
        sink.emit(event)
    sink.close()
    assert "no such address" in next(event for event in inner.events if event.kind == "Notice").sentence


def scalars(folder) -> dict[str, list[tuple[int, float]]]:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    events = accumulator.EventAccumulator(str(folder))
    events.Reload()
    return {tag: [(one.step, one.value) for one in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_tensorboard_reads_what_was_logged(tmp_path):
    pytest.importorskip("tensorboard", reason="the optional package tensorboard is not installed")
    sink = tracked(ListSink(), Place("tensorboard", str(tmp_path)), "run1", Config(goal=2.0))
    for event in STORY:
        sink.emit(event)
    sink.close()
    found = scalars(tmp_path / "run1")
    assert found["step/loss"] == [(7, 0.25)]
    assert found["round/train_mae"] == [(1, 2.5)]


def test_mlflow_reads_what_was_logged(tmp_path):
    pytest.importorskip("mlflow", reason="the optional package mlflow (or mlflow-skinny) is not installed")
    address = (tmp_path / "mlruns").as_uri()
    sink = tracked(ListSink(), Place("mlflow", address), "run1", Config(goal=2.0))
    for event in STORY:
        sink.emit(event)
    sink.close()
    from mlflow.tracking import MlflowClient

    client = MlflowClient(address)
    [run] = client.search_runs([client.get_experiment_by_name("PLM Lab").experiment_id])
    assert (run.info.run_name, run.info.status) == ("run1", "FINISHED")
    assert run.data.params["goal"] == "2.0"
    assert [(one.step, one.value) for one in client.get_metric_history(run.info.run_id, "round/train_mae")] == [
        (1, 2.5)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("mode", [[], ["--mode", "row_parallel", "--workers", "2"]], ids=["one process", "two ranks"])
def test_a_run_logs_every_round_once_while_it_trains(tmp_path, mode):
    pytest.importorskip("tensorboard", reason="the optional package tensorboard is not installed")
    words = ["train", "--data", "two-drivers", "--target", "harvest_t_per_ha", "--max-rounds", "2", *mode]
    place = f"tensorboard:{tmp_path / 'boards'}"
    command = [sys.executable, "-m", "plm_engine", *words, "--log-to", place, "--home", str(tmp_path / "home")]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    store = Store(tmp_path / "home")
    [run] = store.runs()
    ended = [event.payload for event in store.events(run.id, kinds=["RoundEnded"])]
    found = scalars(tmp_path / "boards" / run.id)
    assert [step for step, _ in found["round/n_learned"]] == [one["round"] for one in ended]
    assert [value for _, value in found["round/train_mae"]] == pytest.approx([one["train_mae"] for one in ended])
    assert len(list((tmp_path / "boards").rglob("events.out.*"))) == 1
    assert not [event for event in store.events(run.id, kinds=["Notice"]) if "Logging" in event.payload["sentence"]]
