"""What going on saved against training anew: measured in the run itself, said in words, and left out when asked to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from plm_engine import cli, going_on
from plm_engine.config import Config
from plm_engine.learning.outcome import EndReason
from plm_engine.store.sqlite import Store
from tests.test_lesson_start import ROLES, ask, chosen, table, write_rows  # noqa: F401 - fixtures


def result(seconds: float, test_mae: float | None = 2.0, reason: EndReason = EndReason.GOAL_MET, seed: int = 0):
    last = SimpleNamespace(train_mae=1.0, test_mae=test_mae, number=4, n_hidden=3)
    return SimpleNamespace(config=Config(seed=seed), seconds={"total": seconds}, history=[last], reason=reason)


def test_slow_trainings_are_measured_once_and_quick_ones_several_times_in_turns_with_seeds_of_their_own():
    asked: list[tuple[bool, int]] = []

    def once(config, on):
        asked.append((on, config.seed))
        return result((1.0 if on else 4.0) + config.seed, seed=config.seed)

    found = going_on.against_training_anew(result(30.0), lambda config, on: result(60.0))
    assert (found["repeats"], found["going on"]["seconds"]["median"]) == (1, 30.0)
    assert "Going on took 30 s, training anew on the same rows 60 s: 30 s (50%) saved." in found["sentence"]
    assert "from one seed each" in found["sentence"]
    large = going_on.against_training_anew(result(30.0, 42761.3), lambda config, on: result(60.0, 0.123456))
    assert "Test MAE 42,761 going on, 0.123 anew" in large["sentence"]
    found = going_on.against_training_anew(result(1.5), once)
    assert asked == [(False, 0), (False, 0), (True, 0), (True, 1), (False, 1), (False, 2), (True, 2)]
    assert found["going on"]["seconds"]["range"] == [1.0, 3.0]
    assert "Going on took 2 s (median of 3, 1 to 3), training anew" in found["sentence"]


def test_what_saved_nothing_or_ended_early_is_said_to():
    found = going_on.against_training_anew(result(80.0, None), lambda config, on: result(20.0, None))
    assert "nothing saved, 75% longer" in found["sentence"]
    assert "Training MAE 1 going on, 1 anew" in found["sentence"]
    early = EndReason.BUDGET_MINUTES
    found = going_on.against_training_anew(result(80.0), lambda config, on: result(90.0, reason=early))
    assert "Training anew ended before its goal (budget reached: minutes), so its time is no full" in found["sentence"]


def test_a_run_that_is_ended_meanwhile_measured_nothing():
    assert going_on.against_training_anew(result(1.0), lambda c, on: result(1.0, reason=EndReason.STOPPED)) == {}


def test_ranks_repeat_as_often_as_the_first_one_says():
    found = going_on.against_training_anew(result(1.0), lambda c, on: result(1.0), lambda mine: {"repeats": 2})
    assert found["repeats"] == 2


def test_a_run_that_goes_on_trains_anew_too_and_says_what_was_saved(table, home, capsys):  # noqa: F811
    code, first = ask(capsys, "--data", str(table), *ROLES, "--goal", "0.5", "--test-rows", "5")
    assert code == 0
    assert first["continued"] is None
    write_rows(table, 70)
    code, second = ask(capsys, "--continue", first["run_id"], "--data", str(table))
    assert code == 0
    told = second["continued"]
    assert (told["rows_added"], told["repeats"]) == (10, going_on.REPEATS)
    for name in ("going on", "training anew"):
        assert told[name]["seconds"]["n"] == told["repeats"]
        assert told[name]["reasons"] == ["goal met"]
    # the first seed going on is this run again, and training anew is what a run on the longer table does
    code, anew = ask(capsys, "--data", str(table), *ROLES, "--goal", "0.5", "--test-rows", "5")
    low, high = told["training anew"]["test_mae"]["range"]
    assert low <= anew["mae"]["test"] <= high
    low, high = told["going on"]["test_mae"]["range"]
    assert low <= second["mae"]["test"] <= high
    assert cli.main(["show", second["run_id"]]) == 0
    assert told["sentence"] in capsys.readouterr().out


@pytest.fixture(scope="module")
def learned(tmp_path_factory) -> Path:
    """A store with a run that has learned 60 rows."""
    folder = tmp_path_factory.mktemp("learned")
    write_rows(folder / "week.csv", 60)
    words = (*ROLES, "--goal", "0.5", "--test-rows", "5", "--home", str(folder / "home"))
    assert cli.main(["train", "--data", str(folder / "week.csv"), *words]) == 0
    return folder / "home"


@pytest.fixture
def first(learned, home) -> str:
    """The id of that run, in a store of the test's own."""
    shutil.copytree(learned, home)
    return Store(home).runs()[0].id


def test_training_anew_can_be_left_out(first, table, capsys):  # noqa: F811
    write_rows(table, 70)
    _, second = ask(capsys, "--continue", first, "--data", str(table), "--no-train-anew")
    assert second["continued"]["sentence"] == going_on.SKIPPED
    assert "going on" not in second["continued"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["candidate_parallel", "ddp"])
def test_ranks_go_on_and_train_anew_together(first, table, capsys, mode):  # noqa: F811
    shared = ("--mode", mode, "--workers", "2")
    write_rows(table, 70)
    code, second = ask(capsys, "--continue", first, "--data", str(table), *shared)
    assert code == 0, second["sentence"]
    assert second["continued"]["repeats"] in (1, going_on.REPEATS)
    assert "saved" in second["continued"]["sentence"]


@pytest.mark.slow
def test_a_goal_chosen_then_is_kept_with_all_that_was_chosen_with_it(chosen):  # noqa: F811
    home, first = chosen
    settings = going_on.settings_to_go_on(Store(home), first["run_id"])
    best = json.loads(json.dumps(first["choice"]["best"]))
    assert (settings["start"], settings["predict"], settings["goal"]) == (best["start"], best["predict"], best["goal"])
    assert settings["interpreting"] == "two-sided"
    assert settings["goal_auto"] is False
