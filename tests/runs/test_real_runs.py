"""The real training process in the background: the sample from the command line, cancel, kill, and what is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from plm_engine import report
from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.predict import load_model
from plm_engine.store import Status, Store
from tests.runs.conftest import Scene

PROJECT = Path(__file__).resolve().parents[2]
LONG = Config(data="copper-sample", goal_percent=1.5, pick=1, epochs=200, seed=1)


def command(*words: str, home: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "plm_engine", *words, "--home", str(home)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> tuple[Path, dict]:
    """The bundled sample, trained once from the command line."""
    home = tmp_path_factory.mktemp("home")
    done = command("train", "--data", "copper-sample", "--preset", "quick", "--json", home=home)
    assert done.returncode == 0, done.stderr
    return home, json.loads(done.stdout)


@pytest.fixture
def long_run(scene: Scene) -> str:
    """A run that would go on for minutes, after its first rounds."""
    run_id = start(LONG, home=scene.store.home)
    scene.wait_for(lambda: scene.store.events(run_id, kinds=["RoundEnded"], limit=3)[2:], 60)
    return run_id


def worker_of(scene: Scene, run_id: str) -> int:
    (worker,) = [p.pid for p in scene.processes(run_id) if "plm_engine.worker" in p.cmdline()]
    return worker


def test_the_sample_trains_from_the_command_line_to_a_full_result(trained):
    home, result = trained
    assert result["status"] == "finished"
    assert result["mode"] == "single"
    assert sum(map(len, result["picked"])) > 0
    assert len(result["picked"]) == result["rounds"]
    assert all(seconds is not None for seconds in result["seconds"].values())
    assert result["seconds"]["total"] < 20
    assert result["max_residual"]["train"] <= result["goal"] * (1 + 1e-9)
    assert len(result["network_sha256"]) == 64
    info = Store(home).status(result["run_id"])
    assert info.summary["mae"] == result["mae"]
    assert {"model.safetensors", "predictions.csv", "predictions.parquet", "log.txt"} <= set(
        os.listdir(Store(home).run_dir(info.id))
    )


def test_the_report_of_a_real_run_agrees_with_its_summary(trained):
    home, result = trained
    series = report.series(home, result["run_id"])
    assert (series.n_hidden, series.round, series.n_learned) == (
        result["n_hidden"], result["rounds"], result["n_train"],
    )  # fmt: skip
    assert series.goal == pytest.approx(result["goal"])
    assert {name: series.seconds[name] for name in ("organizing", "cramming")} == pytest.approx(
        {name: result["seconds"][name] for name in ("organizing", "cramming")}, rel=0.01, abs=0.01
    )
    train = np.array(series.part) == "train"
    assert np.abs(series.predicted - series.actual)[train].mean() == pytest.approx(result["mae"]["train"])
    assert sorted(series.predictions) == list(range(result["rounds"] + 1))
    assert series.ended["reason"] == result["reason"]


def test_predict_gives_the_forecasts_of_the_run(trained, tmp_path):
    home, result = trained
    out = tmp_path / "forecasts.csv"
    words = ("--run", result["run_id"], "--data", "copper-sample")
    done = command("predict", *words, "--json", "--out", str(out), home=home)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["predictions"]) == 471
    kept = pd.read_csv(Store(home).run_dir(result["run_id"]) / "predictions.csv").set_index("data_row")["predicted"]
    assert found["predictions"] == pytest.approx(kept.loc[found["rows"]].tolist(), rel=1e-9)
    assert pd.read_csv(out)["prediction"].tolist() == pytest.approx(found["predictions"])


def test_predict_leaves_out_rows_without_a_driver_and_names_a_missing_one(trained, tmp_path):
    home, result = trained
    table = pd.read_csv(PROJECT / "data" / "copper_synthetic_weekly.csv").head(6)
    table.loc[2, "x7"] = np.nan
    table.to_csv(tmp_path / "holes.csv", index=False)
    done = command("predict", "--run", result["run_id"], "--data", str(tmp_path / "holes.csv"), "--json", home=home)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["rows"], found["left_out"]) == ([1, 2, 4, 5, 6], [3])
    table.drop(columns="x7").to_csv(tmp_path / "short.csv", index=False)
    done = command("predict", "--run", result["run_id"], "--data", str(tmp_path / "short.csv"), home=home)
    assert done.returncode == 2
    assert "'x7'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_mistake_found_by_the_training_process_is_one_sentence(tmp_path):
    done = command("train", "--data", "copper-sample", "--target", "nix", "--json", home=tmp_path)
    assert done.returncode == 2
    assert json.loads(done.stdout)["status"] == "failed"
    assert "'nix'" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_cancel_keeps_the_network_of_the_last_complete_round(scene, long_run):
    asked = time.monotonic()
    scene.store.request_cancel(long_run)
    info = scene.wait(long_run, seconds=10)
    assert time.monotonic() - asked < 5.0
    assert info.status is Status.CANCELLED
    assert info.summary["rounds"] >= 2
    model = load_model(scene.store.run_dir(long_run))
    assert len(model.output_weight) == info.summary["n_hidden"]
    scene.nothing_is_left()


def test_a_killed_training_process_is_failed_within_15_s_and_its_last_network_loads(scene, long_run):
    os.kill(worker_of(scene, long_run), signal.SIGKILL)
    info = scene.wait(long_run, seconds=15)
    assert info.status is Status.FAILED
    assert "SIGKILL" in info.sentence
    model = load_model(scene.store.run_dir(long_run))
    newest = scene.store.events(long_run, kinds=["RoundEnded"])[-1].payload
    assert len(model.output_weight) == newest["n_hidden"]
    scene.nothing_is_left()


def test_a_killed_supervisor_leaves_a_lost_run_whose_last_network_loads(scene, long_run):
    scene.supervisor(long_run).kill()
    assert scene.wait(long_run, seconds=15).status is Status.LOST
    assert len(load_model(scene.store.run_dir(long_run)).output_weight) > 0
    scene.nothing_is_left()
