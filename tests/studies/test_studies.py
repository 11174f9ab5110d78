"""Studies as runs: from the command line, cancelled, resumed, with the goal chosen."""

from __future__ import annotations

import json
import shutil
import time

import numpy as np
import pytest

from plm_engine import cli
from plm_engine.config import Config
from plm_engine.errors import ConfigError
from plm_engine.store.paths import read_json, write_json
from plm_engine.store.sqlite import Store
from plm_engine.studies.plan import VARIANTS, Study, split_configs
from plm_engine.studies.work import do_part, parts_of


@pytest.fixture
def table(tmp_path):
    """70 weeks of a price that follows two drivers, with the price of the week before."""
    rng = np.random.default_rng(3)
    price = 100 + np.cumsum(rng.normal(size=71))
    lines = ["week,price,a,b,y"]
    for k in range(70):
        a, b = rng.normal(size=2)
        lines.append(f"2020-01-{k % 28 + 1:02d},{price[k]:.4f},{a:.4f},{b:.4f},{price[k + 1] + 0.3 * a:.4f}")
    path = tmp_path / "prices.csv"
    path.write_text("\n".join(line.split(",", 1)[1] for line in lines) + "\n", encoding="utf-8")
    return path


def ask(capsys, *words: str) -> tuple[int, dict]:
    code = cli.main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


ROLES = ("--target", "y", "--latest-price", "price")


def test_a_comparison_is_one_run_with_every_rival(table, home, capsys):
    code, result = ask(capsys, "compare", "--data", str(table), *ROLES, "--goal", "2", "--max-rounds", "2")
    assert code == 0
    names = [line["model"] for line in result["table"]]
    assert names == ["persistence", "linear regression", "ridge", "backpropagation", "RPLM"]
    first = result["pieces"][0]["lines"]
    assert first[1]["interval"]["n_scores"] >= 20
    assert {i["driver"] for i in first[4]["importance"]} == {"price", "a", "b"}
    assert any("one seed" in note for note in result["notes"])
    assert len(Store(home).runs()) == 1
    assert Store(home).status(result["run_id"]).summary["progress"] == {"done": 1, "total": 1}


def test_a_study_that_would_take_too_much_memory_is_refused_before_its_parts(table, home, capsys):
    words = ("--goal", "2", "--jobs", "3", "--max-memory-share", "0.000001")
    assert cli.main(["compare", "--data", str(table), *ROLES, *words]) == 2
    said = capsys.readouterr()
    assert "would take about 1.1 GiB of memory" in said.out + said.err
    (info,) = Store(home).runs()
    assert info.user_error
    assert not list((Store(home).run_dir(info.id)).glob("parts/*"))


def test_a_driver_equal_to_the_target_is_named_and_no_winner_is_announced_without_saying_so(table, home, capsys):
    header, *lines = table.read_text(encoding="utf-8").splitlines()
    table.write_text("\n".join([f"{header},copy", *(f"{ln},{ln.split(',')[-1]}" for ln in lines)]), encoding="utf-8")
    words = ("--goal", "2", "--max-rounds", "1", "--importance", "0", "--jobs", "1")
    code, result = ask(capsys, "compare", "--data", str(table), *ROLES, *words)
    assert code == 0
    assert result["sentence"].startswith("Leakage: no error here says anything")
    assert "copy" in result["notes"][0]


@pytest.mark.slow
def test_repeats_over_random_splits_are_marked_as_leaking_and_have_a_spread(table, home, capsys):
    code, result = ask(
        capsys,
        *("compare", "--data", str(table), *ROLES, "--goal", "2", "--max-rounds", "1"),
        *("--splits", "3", "--seeds", "2", "--importance", "0"),
    )
    assert code == 0
    lines = {line["model"]: line for line in result["table"]}
    assert lines["RPLM"]["repeats"] == 6
    assert lines["persistence"]["repeats"] == 3
    low, high = lines["RPLM"]["test_mae"]["range"]
    assert low < high
    assert any("leakage" in note for note in result["notes"])


def test_a_backtest_that_was_cancelled_goes_on_where_it_stopped(table, home, capsys):
    words = ("backtest", "--data", str(table), *ROLES, "--goal", "2", "--max-rounds", "1")
    plan = ("--first-origin", "50", "--step", "2", "--jobs", "1")
    code, whole = ask(capsys, *words, *plan)
    assert code == 0
    assert (whole["n_origins"], whole["n_forecasts"]) == (10, 20)
    folder = Store(home).run_dir(whole["run_id"]) / "parts"
    for path in sorted(folder.glob("origin_*.json"))[6:]:
        path.unlink()
    for path in folder.glob("origin_*.json"):  # kept parts are taken over, not computed again
        write_json(path, {**read_json(path), "kept": True})
    code, resumed = ask(capsys, "backtest", "--resume", whole["run_id"])
    assert code == 0
    assert sum("kept" in origin for origin in resumed["forecasts"]) == 6
    assert [line["mae"] for line in resumed["table"]] == [line["mae"] for line in whole["table"]]


@pytest.mark.slow
def test_only_the_same_study_on_the_same_data_is_taken_over(table, home, capsys):
    words = ("backtest", "--data", str(table), *ROLES, "--max-rounds", "1", "--first-origin", "66")
    _, first = ask(capsys, *words)
    code, told = ask(capsys, "backtest", "--resume", first["run_id"], "--step", "3")
    assert code == 2
    assert "was another study" in told["sentence"]
    code, told = ask(capsys, "compare", "--resume", first["run_id"])
    assert code == 2
    assert "is no compare" in told["error"]


@pytest.mark.slow
def test_the_goal_is_chosen_again_from_earlier_rows(table, home, capsys):
    code, result = ask(
        capsys,
        *("backtest", "--data", str(table), *ROLES, "--goal", "auto", "--pick", "10"),
        *("--first-origin", "60", "--step", "2", "--rechoose-every", "3"),
    )
    assert code == 0
    assert sorted(result["choices"]) == ["choice_000060", "choice_000066"]
    trained = next(line for line in result["table"] if line["model"] == "RPLM that trained")
    assert trained["least_rounds"] >= 1
    assert set(result["ratio_to_best_rival"]) == {"RPLM", "RPLM that trained", "RPLM that trained and organized"}
    notes = " ".join(result["notes"])
    assert "chosen anew every 3 origins, each time from the rows known then" in notes
    ratio = result["ratio_to_best_rival"]["RPLM that trained"]
    assert f"RPLM that trained {ratio:.3f} (shortest training: {trained['least_rounds']} round" in notes


def test_a_backtest_over_seeds_gives_median_and_range(table, home, capsys):
    words = ("backtest", "--data", str(table), *ROLES, "--goal", "1", "--max-rounds", "1", "--jobs", "1")
    code, result = ask(capsys, *words, "--first-origin", "60", "--step", "5", "--seeds", "2")
    assert code == 0
    errors = [line["mae"] for line in result["table"] if line["model"].startswith("RPLM (seed")]
    assert len(errors) == 2
    assert result["over_seeds"]["RPLM"]["mae"]["range"] == [min(errors), max(errors)]
    assert result["over_seeds"]["RPLM"]["mae"]["median"] == pytest.approx(sum(errors) / 2)
    best = min(line["mae"] for line in result["table"][:3])
    assert result["ratio_to_best_rival"] == {"RPLM": pytest.approx(sum(errors) / 2 / best)}


@pytest.mark.slow
def test_an_ablation_switches_off_one_module_at_a_time(table, home, capsys):
    code, result = ask(
        capsys, "ablate", "--data", str(table), *ROLES, "--goal", "1.5", "--pick", "8", "--seeds", "2", "--splits", "2"
    )
    assert code == 0
    assert [line["model"] for line in result["table"]] == list(VARIANTS)
    assert all(line["repeats"] == 4 and line["n_hidden"]["n"] == 4 for line in result["table"])
    hidden = {line["model"]: line["n_hidden"]["mean"] for line in result["table"]}
    assert hidden["no reorganizing"] > hidden["all modules"]


def test_a_part_is_the_same_in_any_process(table, tmp_path):
    config = Config(data=str(table), target="y", latest_price="price", goal=2, max_rounds=1)
    study = Study("backtest", first_origin=60, step=5)
    made = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        for part in parts_of(study, config):
            do_part(folder, config, study, part)
        made.append([read_json(path) for path in sorted((folder / "parts").glob("*.json"))])
        shutil.rmtree(folder)
    for one, other in zip(*made, strict=True):
        for name in one["models"]:
            assert one["models"][name]["predicted"] == other["models"][name]["predicted"]


def test_a_study_that_is_cancelled_ends_and_says_how_to_go_on(table, home):
    import sys

    from plm_engine.launch import start

    config = Config(data=str(table), target="y", latest_price="price", goal_percent=1, pick=1)
    study = Study("ablate", seeds=40, splits=10)
    command = [sys.executable, "-m", "plm_engine.studies.conduct"]
    store = Store(home)
    run_id = start(config, home=home, command=command, job=study.to_mapping())
    deadline = time.monotonic() + 60
    while not store.status(run_id).summary.get("progress") and time.monotonic() < deadline:
        time.sleep(0.1)
    store.request_cancel(run_id)
    while store.status(run_id).status.active and time.monotonic() < deadline:
        time.sleep(0.1)
    info = store.status(run_id)
    assert info.status == "cancelled"
    assert info.summary["progress"]["total"] == 2000


def test_random_splits_have_seeds_of_their_own():
    configs = split_configs(Study("compare", splits=3), Config(seed=9))
    assert [(c.split, c.seed) for c in configs] == [("random", 0), ("random", 1), ("random", 2)]
    assert split_configs(Study("compare"), Config(seed=9)) == [Config(seed=9)]


@pytest.mark.parametrize(
    "values",
    [{"kind": "compare", "seeds": 0}, {"kind": "dance"}, {"kind": "compare", "level": 90}, {"kind": "x", "y": 1}],
)
def test_a_study_that_makes_no_sense_is_refused(values):
    with pytest.raises(ConfigError, match="give"):
        Study.from_mapping(values)
