"""What a run begins from: a chosen goal, the network of an earlier run, rows that are dropped."""

from __future__ import annotations

import contextlib
import io
import json
import time
from pathlib import Path

import numpy as np
import pytest

from plm_engine import cli
from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_table
from plm_engine.errors import ConfigError, DataError
from plm_engine.launch import start
from plm_engine.lesson_start import without_oldest
from plm_engine.predict import load_model
from plm_engine.store.paths import read_json
from plm_engine.store.sqlite import Store


def write_rows(path, n: int) -> None:
    rng = np.random.default_rng(1)
    price = 100 + np.cumsum(rng.normal(size=200))
    a = rng.normal(size=200)
    y = price + 0.5 * a + 0.2 * rng.normal(size=200)
    lines = [f"{price[k]:.4f},{a[k]:.4f},{y[k]:.4f}" for k in range(n)]
    path.write_text("price,a,y\n" + "\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "week.csv"
    write_rows(path, 60)
    return path


def ask(capsys, *words: str) -> tuple[int, dict]:
    code = cli.main(["train", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


ROLES = ("--target", "y", "--latest-price", "price")
#: a goal is chosen from hundreds of trainings
CHEAP = ("--cramming-draws", "5", "--cramming-ascent", "0", "--epochs", "10", "--regularizing-epochs", "10")


CHOOSES = (*ROLES, "--goal", "auto", "--pick", "5", "--max-rounds", "1", *CHEAP)


@pytest.fixture(scope="module")
def chosen(tmp_path_factory) -> tuple[Path, dict]:
    """A store with a run that has chosen its goal, and what was told of that run."""
    folder = tmp_path_factory.mktemp("chosen")
    write_rows(folder / "week.csv", 60)
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        words = ("--data", str(folder / "week.csv"), *CHOOSES, "--home", str(folder / "home"))
        assert cli.main(["train", *words, "--json"]) == 0
    return folder / "home", json.loads(told.getvalue())


@pytest.mark.slow
def test_a_run_chooses_its_goal_inside_the_training_rows_and_keeps_the_choice(chosen):
    home, result = chosen
    choice = Store(home).status(result["run_id"]).summary["choice"]
    assert result["goal"] == pytest.approx(choice["best"]["goal"])
    assert len(choice["candidates"]) > 20
    if choice["best"]["least_rounds"] == 0:
        assert choice["best_trained"]["test_mae"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["candidate_parallel", "ddp"])
def test_ranks_train_with_the_goal_that_the_first_one_chose(chosen, table, home, capsys, mode):
    _, alone = chosen
    code, ranked = ask(capsys, "--data", str(table), *CHOOSES, "--mode", mode, "--workers", "2")
    assert code == 0, ranked["sentence"]
    assert ranked["choice"]["best"] == alone["choice"]["best"]
    assert ranked["network_sha256"] == alone["network_sha256"]
    # the choice is made once: the other rank has read it, not made its own
    assert sorted(path.name for path in Store(home).run_dir(ranked["run_id"]).glob("choice*")) == ["choice.json"]


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "workers"), [("single", 1), ("ddp", 2)])
def test_a_run_that_is_cancelled_while_its_goal_is_chosen_is_cancelled_and_learned_nothing(home, mode, workers):
    store = Store(home)
    run_id = start(Config(data="copper-sample", goal_auto=True, mode=mode, workers=workers), home=home)
    deadline = time.monotonic() + 90
    while not store.status(run_id).summary.get("progress"):
        assert time.monotonic() < deadline, "the choice did not begin"
        time.sleep(0.1)
    store.request_cancel(run_id)
    while (run := store.status(run_id)).status.active:
        assert time.monotonic() < deadline + 30, "the run did not end"
        time.sleep(0.1)
    assert run.status == "cancelled"
    assert not (store.run_dir(run_id) / "choice.json").exists()


@pytest.mark.parametrize("predict", ["level", "change", "log-change"])
def test_a_run_goes_on_with_a_longer_table(table, home, capsys, predict):
    code, first = ask(capsys, "--data", str(table), *ROLES, "--goal", "0.5", "--test-rows", "5", "--predict", predict)
    assert code == 0
    write_rows(table, 70)
    code, second = ask(capsys, "--continue", first["run_id"], "--data", str(table), "--drop-oldest", "4")
    assert code == 0
    continued = Store(home).status(second["run_id"]).summary["continued"]
    assert continued["rows_added"] == 10 - 4
    assert continued["rounds_before"] == first["rounds"]
    assert second["goal"] == first["goal"]
    assert second["reason"] == "goal met"
    # the network of round 0 is the one that was learned before
    old, store = load_model(Store(home).run_dir(first["run_id"])), Store(home)
    with np.load(store.run_dir(second["run_id"]) / "rounds" / "round_0000.npz") as begun:
        assert np.array_equal(begun["W"], old.hidden_weight)


def test_predictions_and_errors_of_learned_changes_are_levels(table, home, capsys):
    code, result = ask(capsys, "--data", str(table), *ROLES, "--goal", "0.6", "--predict", "log-change")
    assert code == 0
    run_dir = Store(home).run_dir(result["run_id"])
    rows = (run_dir / "predictions.csv").read_text().splitlines()
    named = [dict(zip(rows[0].split(","), row.split(","), strict=True)) for row in rows[1:]]
    assert all(80 < float(row["predicted"]) < 130 for row in named)
    off = [abs(float(row["error"])) for row in named if row["part"] == "test"]
    assert np.mean(off) == pytest.approx(result["mae"]["test"])
    off = [abs(float(row["error"])) for row in named if row["part"] == "train"]
    assert max(off) == pytest.approx(result["max_residual"]["train"])
    frame = read_table(table).frame
    assert load_model(run_dir).predict(frame) == pytest.approx([float(row["predicted"]) for row in named])
    assert read_json(run_dir / "model.json")["predict"] == "log-change"


def test_a_run_with_other_columns_cannot_be_gone_on_with(table, home, capsys):
    _, first = ask(capsys, "--data", str(table), *ROLES, "--goal", "3")
    code, told = ask(capsys, "--continue", first["run_id"], "--drivers", "a")
    assert code == 2
    assert "choose the same columns" in told["sentence"]


def test_dropping_the_oldest_rows_leaves_them_out(table):
    data = prepare(read_table(table), Config(target="y", test_rows=5))
    fewer = without_oldest(data, 7)
    assert fewer.rows_train.tolist() == data.rows_train[7:].tolist()
    assert fewer.rows_left_out.tolist() == data.rows_train[:7].tolist()
    assert fewer.part[:7] == ("left out",) * 7
    assert (fewer.x_test == data.x_test).all()
    with pytest.raises(DataError, match="Of 55 training rows 54 are to be dropped"):
        without_oldest(data, 54)


def test_a_goal_that_is_chosen_and_given_is_refused():
    with pytest.raises(ConfigError, match="is given as well"):
        Config(goal_auto=True, goal=3)
