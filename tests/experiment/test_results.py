import io
import json
import math

import numpy as np
import pandas as pd
import pytest

from plm_engine.experiment.plan import SWEEP, Plan, parse_contenders
from plm_engine.experiment.results import csv_of, interval, load, ratio, results
from plm_engine.experiment.sweeps import sweep_conclusion, sweep_table
from plm_engine.experiment.trials import add_trial, read_trials
from tests.experiment.made import trial

PLAN = Plan(parse_contenders(["single", "batched", "ddp:2"]), repeats=3)


def test_an_interval_is_students():
    found = interval([1.0, 2.0, 3.0])
    assert found.mean == 2
    assert found.high - found.mean == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)  # t(0.975, 2), worked by hand
    assert math.isnan(interval([1.0]).low)


def test_a_ratio_is_taken_pair_by_pair():
    base = np.array([1.0, 10.0, 100.0])
    found = ratio(2 * base, base)
    assert (found.mean, found.low, found.high) == pytest.approx((2, 2, 2))


def test_speed_up_and_efficiency_come_from_the_ratio_to_single():
    trials = [trial("single", r, 1.0 + r) for r in range(3)]
    trials += [trial("ddp:2", r, 2 * (1.0 + r), communicating_s=1.0) for r in range(3)]
    row = results(PLAN, trials).summary.loc["ddp:2"]
    assert row["organizing_ratio"] == pytest.approx(2)
    assert row["organizing_speedup"] == pytest.approx(0.5)
    assert row["organizing_efficiency"] == pytest.approx(0.25)
    assert row["communication_share"] == pytest.approx(np.mean([1 / (2.5 + 2 * r) for r in range(3)]))


def test_a_repeat_that_single_has_not_yet_is_not_compared():
    trials = [trial("single", 0, 1.0), trial("ddp:2", 0, 3.0), trial("ddp:2", 1, 300.0)]
    assert results(PLAN, trials).summary.loc["ddp:2", "organizing_ratio"] == pytest.approx(3)


def test_the_conclusion_names_the_fastest_the_slowest_and_why():
    trials = [trial("single", r, 1.0) for r in range(3)] + [trial("batched", r, 0.5) for r in range(3)]
    trials += [trial("ddp:2", r, 4.0, communicating_s=3.0) for r in range(3)]
    said = results(PLAN, trials, "2 cores").conclusion
    assert said.startswith(
        "On this machine (2 cores), Batched candidates took 0.50 times as long for organizing as Single"
    )
    assert "DistributedDataParallel with 2 processes took 4.00 times as long" in said
    assert "computes for 1 ms and communicates for 3 ms" in said
    assert "Single needs 1 ms in all" in said


def test_the_errors_are_compared_seed_by_seed():
    trials = [trial("single", r, 1.0, mae=100.0 + 10 * r) for r in range(3)]
    trials += [trial("batched", r, 1.0, mae=100.0 + 10 * r) for r in range(3)]
    trials += [trial("ddp:2", r, 1.0, mae=101.0 + 10 * r + 0.01 * r, network_sha256=f"x{r}") for r in range(3)]
    said = results(PLAN, trials).mae_sentence
    assert "Batched candidates ended with the very network of Single" in said
    assert "DistributedDataParallel with 2 processes: the mean absolute errors differ (difference 1.01" in said


def test_errors_that_agree_to_rounding_are_called_so():
    trials = [trial("single", r, 1.0) for r in range(3)]
    trials += [trial("ddp:2", r, 1.0, mae=100.0 * (1 + 1e-12), network_sha256=f"x{r}") for r in range(3)]
    assert "agree to 1e-12 of their size" in results(PLAN, trials).mae_sentence


def test_nothing_is_said_before_there_is_something_to_say():
    empty = results(PLAN, [])
    assert empty.summary.empty
    assert (empty.conclusion, empty.mae_sentence) == ("", "")
    assert results(PLAN, [trial("ddp:2", 0, 1.0)]).conclusion == ""


def test_disturbed_trials_are_counted():
    trials = [trial("single", r, 1.0, disturbed=["Another run trained meanwhile."] * (r == 1)) for r in range(3)]
    assert results(PLAN, trials).disturbed == 1


def test_the_csv_has_every_repeat_with_the_machine(tmp_path):
    for r in range(2):
        add_trial(tmp_path, trial("single", r, 1.0))
    (tmp_path / "plan.json").write_text(json.dumps(PLAN.to_mapping()))
    about = {"machine": {"system": "Linux", "sentence": "2 cores"}, "environment": {"versions": {"torch": "2.13"}}}
    (tmp_path / "summary.json").write_text(json.dumps(about))
    table = pd.read_csv(io.BytesIO(csv_of(tmp_path)))
    assert table["repeat"].tolist() == [1, 2]
    assert set(table["machine"]) == {"Linux; 2 cores"}
    assert len(load(tmp_path).trials) == 2


def test_a_line_cut_off_by_a_crash_is_left_out(tmp_path):
    add_trial(tmp_path, trial("single", 0, 1.0))
    with (tmp_path / "trials.jsonl").open("a") as file:
        file.write('{"contender": "sing')
    assert len(read_trials(tmp_path)) == 1


def test_a_sweep_is_a_table_of_steps_with_what_was_left_out():
    plan = Plan(parse_contenders(["single"]), SWEEP)
    assert plan.kind == SWEEP
    table = sweep_table(
        [
            {"contender": "single", "rows": 471, "hidden": 4, "step_ms": 0.2, "disturbed": []},
            {"contender": "single", "rows": 10**6, "hidden": 256, "step_ms": None, "left_out": "no time left"},
        ]
    )
    assert table["step_ms"].isna().tolist() == [False, True]
    assert table["left_out"].tolist() == ["", "no time left"]


def test_one_repeat_cannot_tell_whether_errors_differ():
    trials = [trial("single", 0, 1.0, mae=100.0), trial("ddp:2", 0, 1.0, mae=103.0, network_sha256="x")]
    assert "one repeat cannot tell whether the errors differ (by 3 in it)" in results(PLAN, trials).mae_sentence


def test_figures_have_thousands_separators_and_no_exponents():
    trials = [trial("single", r, 1.0, mae=1e5 + 10 * r) for r in range(3)]
    trials += [trial("ddp:2", r, 1.0, mae=112_345.6 + 10 * r + r, network_sha256=f"x{r}") for r in range(3)]
    assert "errors differ (difference 12,347, 95 % interval 12,344 to 12,349)" in results(PLAN, trials).mae_sentence


def test_a_sweep_says_at_which_sizes_a_mode_pays():
    cells = [("single", 500, 1.0), ("ddp:2", 500, 3.0), ("single", 9000, 10.0), ("ddp:2", 9000, 6.0)]
    cells += [("single", 10**6, 100.0), ("ddp:2", 10**6, 55.0), ("batched", 500, 2.0)]
    steps = sweep_table([{"contender": c, "rows": n, "hidden": 4, "step_ms": ms} for c, n, ms in cells])
    assert sweep_conclusion(steps, "single") == (
        "It pays at 2 of 3 sizes to use DistributedDataParallel with 2 processes, the smallest of them 9,000 rows and "
        "4 nodes; at best (1,000,000 rows, 4 nodes) a step takes 0.55 times as long as with Single. It pays at none of "
        "these sizes to use Batched candidates."
    )
    assert sweep_conclusion(steps, "row_parallel:2") == ""
