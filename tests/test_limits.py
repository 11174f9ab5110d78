"""Limits of an installation, and what a training is expected to take."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

from plm_engine import training
from plm_engine.config import Config
from plm_engine.errors import ConfigError, DataError
from plm_engine.estimate import ask
from plm_engine.launch import start
from plm_engine.limits import PROCESS_BYTES, Limits, memory_needed, one_copy
from plm_engine.store import Store
from plm_engine.store.paths import PROJECT, write_json
from plm_engine.store.queueing import max_running
from tests.scenes.processes import wait_for_end


def limited(home, **limits):
    home.mkdir(exist_ok=True)
    write_json(home / "settings.json", {"max_running": 2, "limits": limits})
    return home


def test_limits_come_from_the_settings_of_the_home_folder(home):
    assert Limits.of(home) == Limits()
    assert Limits.of(limited(home, rows=10, upload_mb=0.5)) == Limits(rows=10, upload_mb=0.5)
    for wrong in ({"rows": 0}, {"rows": "many"}, {"rows": True}, {"lines": 5}):
        with pytest.raises(ConfigError, match="give positive numbers for columns, memory_share, rows, upload_mb"):
            Limits.of(limited(home, **wrong))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{bad", "cannot be read"),
        ("[]", "cannot be read .no mapping"),
        ('{"limit": {"rows": 10}}', "hold 'limit', which is not known"),
        ('{"max_running": 0}', "'max_running' in .* is 0: give a whole number from 1 to 64"),
        ('{"max_running": "2"}', "is '2'"),
        ('{"limits": 3}', "give positive numbers"),
    ],
)
def test_settings_that_would_not_hold_are_refused(home, text, sentence):
    home.mkdir()
    (home / "settings.json").write_text(text)
    with pytest.raises(ConfigError, match=sentence):
        Limits.of(home)


def test_settings_from_an_editor_that_marks_its_files_hold(home):
    home.mkdir()
    (home / "settings.json").write_text(json.dumps({"max_running": 3, "limits": {"rows": 7}}), "utf-8-sig")
    assert Limits.of(home).rows == 7
    assert max_running(home) == 3


def test_what_is_too_large_is_refused_with_both_numbers():
    limits = Limits(upload_mb=1, rows=100, columns=5)
    limits.check_file("fits.csv", 1_000_000)
    limits.check_table(100, 5)
    limits.check_memory(7 * 2**30, 10 * 2**30)
    with pytest.raises(DataError, match=r"'big\.csv' has 1\.5 MB, and 1 MB are allowed"):
        limits.check_file("big.csv", 1_500_000)
    with pytest.raises(DataError, match="101 rows, and 100 are allowed here: leave out rows"):
        limits.check_table(101, 5)
    with pytest.raises(DataError, match="6 columns, and 5 are allowed"):
        limits.check_table(100, 6)
    with pytest.raises(DataError, match=r"about 9\.0 GiB of memory, and 8\.0 GiB are allowed"):
        limits.check_memory(9 * 2**30, 10 * 2**30)


def test_a_run_can_lower_the_limits_and_not_raise_them(home, tmp_path):
    ours = Limits(upload_mb=2, rows=100, columns=5, memory_share=0.5)
    assert ours.within(Config()) == ours
    lower = Config(max_rows=10, max_upload_mb=0.5, max_columns=5, max_memory_share=0.25)
    assert ours.within(lower) == Limits(upload_mb=0.5, rows=10, columns=5, memory_share=0.25)
    with pytest.raises(ConfigError, match=r"--max-rows is 1,000, and this installation allows 100 at most: lower it"):
        ours.within(Config(max_rows=1000))
    with pytest.raises(ConfigError, match=r"--max-memory-share is 0\.9, and this installation allows 0\.5"):
        start(Config(data="copper-sample", max_memory_share=0.9), home=limited(home, memory_share=0.5))
    path = tmp_path / "run.toml"
    path.write_text("max_rows = 470\n")
    words = ["train", "--data", "copper-sample", "--config", str(path), "--max-columns", "30", "--json"]
    done = subprocess.run([sys.executable, "-m", "plm_engine", *words], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "The table has 471 rows, and 470 are allowed here" in done.stderr + done.stdout
    (info,) = Store(home).runs()
    assert info.config["max_rows"] == 470
    assert info.extra["limits"] == {"upload_mb": 200.0, "rows": 470, "columns": 30, "memory_share": 0.5}


@pytest.mark.parametrize(
    ("limit", "words"),
    [({"max_rows": 400}, "471 rows, and 400"), ({"max_memory_share": 1e-6}, "GiB of memory, and 0.0")],
)
def test_what_the_limits_refuse_the_estimate_refuses(home, limit, words):
    with pytest.raises(DataError, match=words):
        ask(Config(data="copper-sample", goal_percent=30, pick=20, **limit), seconds=1, home=home)


def test_a_file_too_large_never_becomes_a_run(home, tmp_path):
    data = tmp_path / "wide.csv"
    data.write_text("x,y\n" + "1,2\n" * 4000)
    with pytest.raises(DataError, match=r"'wide\.csv' has 0\.0 MB, and 0\.001 MB are allowed"):
        start(Config(data=str(data)), home=limited(home, upload_mb=0.001))
    assert Store(home).runs() == []


@pytest.mark.parametrize(
    ("limits", "words"), [({"rows": 470}, "471 rows, and 470"), ({"memory_share": 1e-6}, "GiB of memory")]
)
def test_a_table_too_large_ends_before_training(home, limits, words):
    run_id = start(Config(data="copper-sample"), home=limited(home, **limits))
    info = wait_for_end(Store(home), run_id)
    assert info.user_error
    assert words in info.sentence


def test_the_memory_expected_is_near_what_a_training_takes(home, tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(50_000, 21))
    path = tmp_path / "large.csv"
    np.savetxt(path, table, delimiter=",", header=",".join(f"c{k}" for k in range(21)), comments="", fmt="%.6g")
    config = Config(data=str(path), target="c20", goal_percent=49, max_minutes=0.02, test_rows=100)
    run_id = start(config, home=home)
    info = wait_for_end(Store(home), run_id)
    (peak,) = info.summary["peak_memory_bytes"]
    expected = memory_needed(50_000, 20)
    assert 0.6 * peak < expected < 2.5 * peak
    assert memory_needed(50_000, 20, workers=3) == 3 * expected
    assert memory_needed(2, 1) > PROCESS_BYTES


def test_auto_is_one_process_whose_helpers_share_its_pages_and_ranks_count_those_of_their_machine(monkeypatch):
    from plm_engine import limits
    from plm_engine.machine import own_cores
    from plm_engine.parallel import calibrate, crew

    assert limits.HELPED_ROWS == -(-crew.CROSS_OVER // calibrate.NODES)
    assert own_cores() == calibrate.cores()
    monkeypatch.setattr(limits, "own_cores", lambda: 4)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("RANK", raising=False)
    auto, ranked = Config(mode="auto", workers=16), Config(mode="row_parallel", workers=16)
    assert limits.processes_here(auto, 376) == (1, 3)
    assert limits.processes_here(auto.replace(workers=2), limits.HELPED_ROWS - 1) == (1, 1)
    assert limits.processes_here(auto, limits.HELPED_ROWS) == (1, 0)
    assert limits.processes_here(ranked, 376) == (16, 0)
    for where in ("always", "never"):
        million = [limits.place_rows(Config(rows_on_disk=where, mode=m), 10**6, 18).needed for m in ("auto", "single")]
        assert limits.place_rows(auto.replace(rows_on_disk=where), 10**6, 18).needed == million[0] == million[1]
        small = [
            limits.place_rows(Config(rows_on_disk=where, mode="auto", workers=k), 376, 18, nodes=50).needed
            for k in (2, 3, 4, 16)
        ]
        assert PROCESS_BYTES < small[0] < small[1] < small[2] == small[3] < 1.5 * PROCESS_BYTES
    monkeypatch.setattr("sys.platform", "darwin")
    assert limits.processes_here(auto, 376) == (16, 0)
    monkeypatch.setenv("RANK", "8")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    assert limits.processes_here(ranked, 376) == limits.processes_here(auto, 376) == (8, 0)


def test_the_memory_of_one_copy_of_the_rows_is_told_beside_that_of_several():
    once = memory_needed(1_000_000, 18, nodes=50) / 2**30
    said = one_copy(1_000_000, 18, 2, "float64")
    assert f"about {once:.1f} GiB of memory), 2 processes once each ({2 * once:.1f} GiB)" in said


def test_a_short_training_is_estimated_by_doing_it():
    found = ask(Config(data="copper-sample", goal_percent=30, pick=20), seconds=20)
    assert found.seconds_low == found.seconds_high < 20
    assert "373 training rows with 18 drivers: about" in found.sentence


def test_a_long_training_is_estimated_as_a_range_and_never_beyond_its_budget():
    hard = Config(data="copper-sample", goal_percent=2, pick=5)
    found = ask(hard, seconds=2)
    assert 2 < found.seconds_low < found.seconds_high
    assert found.seconds_high > 60
    assert "between" in found.sentence
    assert ask(hard.replace(max_minutes=0.5), seconds=2).seconds_high <= 30


@pytest.mark.parametrize(("mode", "threads"), [("auto", 3), ("single", 3), ("row_parallel", 1)])
def test_the_estimate_trains_on_the_threads_of_the_run(mode, threads, home, monkeypatch):
    from plm_engine import estimate_probe

    given = []
    chosen = estimate_probe.choose_threads(Config(mode="single"), 100, 3)
    monkeypatch.setattr(estimate_probe, "choose_threads", lambda *_: dataclasses.replace(chosen, threads=3))

    def train(*rows, threads, **details):
        given.append(threads)
        return training.train(*rows, threads=threads, **details)

    monkeypatch.setattr(estimate_probe, "train", train)
    config = Config(data="copper-sample", goal_percent=30, pick=20, mode=mode, workers=2 if threads == 1 else 1)
    estimate_probe.estimate(config, 1.0, home)
    assert given == [threads]


def test_what_training_would_refuse_the_estimate_refuses():
    with pytest.raises(DataError, match="'nix'"):
        ask(Config(data="copper-sample", target="nix"))


def test_the_estimate_is_a_command():
    words = ["estimate", "--data", "copper-sample", "--goal-percent", "30", "--pick", "20", "--json"]
    done = subprocess.run([sys.executable, "-m", "plm_engine", *words], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["nodes"] > 0
