"""Numbers that read well and still mislead, and what inspect says about a file."""

from __future__ import annotations

import numpy as np
import pytest

from plm_engine.config import Config
from plm_engine.datasets.checks import contradictions, leaks, near_duplicates, smallest_goal
from plm_engine.datasets.inspect import describe, examine, inspect, lines
from plm_engine.datasets.prepare import prepare
from tests.datasets.weeks import WEEKS, X, Y, rows


@pytest.mark.parametrize("value", [0.1, 1e-300, 1e200, -7.0, 0.0, 1 / 3])
def test_constant_drivers_are_not_used_whatever_their_size(csv, value: float) -> None:
    prepared = prepare(csv("date,x1,c,y\n" + rows("{d},{x}," + repr(value) + ",{y}")), Config())
    assert prepared.features == ("x1",)
    assert "c is constant, not used." in [f.sentence for f in prepared.findings]


def test_a_leak_is_found_whatever_its_sign_size_and_offset() -> None:
    generator = np.random.default_rng(0)
    y = generator.standard_normal(50)
    x = np.c_[-y * 1e200, y + 1e6, y + generator.standard_normal(50) * 0.05, y]
    found = leaks(x, y, ("minus", "offset", "close", "same"), "y")
    assert [f.columns[0] for f in found] == ["minus", "offset", "same"]


def test_conflicts_respect_the_goal_and_minus_zero() -> None:
    x = np.array([[0.0, 1], [-0.0, 1], [2, 2], [2, 2]])
    y = np.array([1.0, 5, 7, 7.5])
    numbers = np.array([4, 2, 9, 11])
    groups = contradictions(x, y, numbers)
    assert [(g.rows, g.targets) for g in groups] == [((2, 4), (5.0, 1.0)), ((9, 11), (7.0, 7.5))]
    assert smallest_goal(groups) == 2.0
    assert [g.rows for g in contradictions(x, y, numbers, goal=0.25)] == [(2, 4)]
    assert contradictions(x, y, numbers, goal=2.0) == []


def test_almost_equal_rows_with_far_targets_are_named() -> None:
    generator = np.random.default_rng(1)
    x = generator.standard_normal((30, 3))
    x[7] = x[3] + 1e-9
    y = generator.standard_normal(30)
    y[7] = y[3] + 10
    (finding,) = near_duplicates(x, y, np.arange(1, 31), goal=1.0)
    assert finding.rows == (4, 8)
    assert near_duplicates(x, y, np.arange(1, 31), goal=6.0) == []


def test_market_columns_are_recognised_in_chinese_too(csv) -> None:
    prepared = prepare(csv("日期,收盤價,開盤價,最高價,銀\n" + rows("{d},{y},{x},{i},{x}.5")), Config(target="收盤價"))
    (warning,) = (f for f in prepared.findings if f.kind == "same_week")
    assert warning.columns == ("開盤價", "最高價")


def test_inspect_is_plain_json_and_names_the_line_of_each_bad_cell(tmp_path) -> None:
    import json

    path = tmp_path / "p.csv"
    path.write_text("date,x1,y\n" + rows("{d},{x},{y}").replace(f",{Y[2]}\n", ",bad\n", 1), encoding="utf-8")
    report = inspect(path)
    json.dumps(report, allow_nan=False)
    assert report["rows"] == {"read": 14, "usable": 13, "rejected": 1, "missing": 0}
    assert report["rejected"][0]["line"] == 4
    assert report["first_row"] == {"date": "2021-01-04", "x1": float(X[0]), "y": float(Y[0])}
    assert report["date_range"] == ["2021-01-04", "2021-04-05"]
    assert (report["trainable"], report["problem"]) == (True, None)


def test_inspect_counts_usable_rows_even_while_a_question_is_open(csv) -> None:
    table = csv("date,x1,y\n" + rows("{d},{x},{y}") + f"{WEEKS[0]},1,2\n")
    assert examine(table, Config()).n_usable == 15
    report = describe(table, Config())
    assert not report["trainable"]
    assert report["findings"][0]["option"] == "duplicate_dates"


def test_inspect_suggests_the_roles_of_the_copper_table_and_calls_the_sample_synthetic() -> None:
    report = inspect("copper-sample")
    assert report["suggested"] == {"target": "y", "latest_price": "x5", "horizon": 4, "copper": True}
    text = "\n".join(lines(report))
    assert "synthetic" in text.splitlines()[0]
    assert "suggested: latest price x5, horizon 4" in text


def test_near_duplicates_in_training_are_named_with_their_rows(csv) -> None:
    lines = ["a,b,y"] + [f"{k * 7 % 31},{k * 13 % 29},{100 + k}" for k in range(40)]
    lines[12] = "5.0000000,3,900"
    lines[31] = "5.0000001,3,100"
    findings = prepare(csv("\n".join(lines)), Config(test_rows=5, goal=50)).findings
    (near,) = [f for f in findings if f.kind == "near_duplicates"]
    assert near.rows == (12, 31)
    assert "12 and 31" in near.sentence
    wide = prepare(csv("\n".join(lines)), Config(test_rows=5, goal=500)).findings
    assert not [f for f in wide if f.kind == near.kind]
