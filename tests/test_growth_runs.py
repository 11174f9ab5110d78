"""The fixed script of growth: its rows are what it says they are, and its lines come from a real run."""

import json
import math
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LinearRegression

from plm_engine.benchmarks import growth_runs, teacher
from plm_engine.benchmarks.turns import table
from plm_engine.cli_bench import _counts
from plm_engine.errors import ConfigError


def test_a_line_leaves_a_fifth_of_the_teachers_rows():
    x, y = teacher.rows(5_000)
    residual = y - LinearRegression().fit(x, y).predict(x)
    share = (np.abs(residual) > teacher.GOAL).mean()
    assert share == pytest.approx(teacher.left_by_regression(x, y))
    assert share > 0.2
    assert y.std() == pytest.approx(1)


def test_noise_is_a_tenth_of_the_targets_spread_and_every_size_has_the_same_teacher(monkeypatch):
    monkeypatch.setattr(teacher, "NOISE", 0.0)
    _, clean = teacher.rows(70_000)
    monkeypatch.undo()
    x, y = teacher.rows(70_000)
    assert np.std(y - clean * np.cov(y, clean)[0, 1] / clean.var()) == pytest.approx(0.1, rel=0.03)
    assert np.array_equal(teacher.rows(100)[0], teacher.rows(100)[0])
    assert x.shape == (70_000, 18)


def test_the_file_holds_the_rows(tmp_path):
    x, y = teacher.rows(50)
    teacher.write(tmp_path / "t.parquet", x, y)
    read = pq.read_table(tmp_path / "t.parquet").to_pandas()
    assert list(read.columns) == [*(f"x{j}" for j in range(1, 19)), "y"]
    assert np.array_equal(read.to_numpy(), np.column_stack([x, y]))


@pytest.mark.parametrize("words", ["", "many", "5", "100,,200", "-100"])
def test_numbers_of_rows_are_checked(words):
    with pytest.raises(ConfigError, match="--rows"):
        _counts(words)


@pytest.mark.slow
def test_a_real_run_gives_a_line_with_rounds_steps_and_memory():
    said = []
    lines = growth_runs.measure((300, 600), 0.5, mode="single", tell=said.append)
    for line in lines:
        assert set(growth_runs.COLUMNS) <= set(line)
        assert line["reason"] == "goal met"
        assert line["n_learned"] == line["rows"]
        assert sum(one["kept_steps"] for one in line["per_round"]) == line["kept_steps"]
        first, second = line["per_round"][:2]
        assert second["picked"] == math.ceil((line["rows"] - first["n_learned"]) * 0.05)
        assert 100 < line["anonymous_mib"] < line["peak_mib"] < 1500
        assert line["where"] == "in memory"
        assert line["predicted_mib"] > 0.5 * line["peak_mib"]
        assert set(growth_runs.ROUND_COLUMNS) <= set(line["per_round"][0])
    assert lines[1]["exponent"] is not None
    assert len(table(lines, growth_runs.COLUMNS)) == 3
    assert any("linear regression leaves" in text for text in said)


@pytest.mark.slow
def test_the_command_takes_rows_budget_and_rounds():
    words = ["bench", "growth", "--rows", "200", "--budget", "0.5", "--rounds", "1", "--mode", "single", "--json"]
    words += ["--rows-on-disk", "always"]
    done = subprocess.run([sys.executable, "-m", "plm_engine", *words], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert [line["rows"] for line in found["results"]] == [200]
    assert found["results"][0]["rounds"] <= 1
    assert found["results"][0]["where"] == "on disk"
    assert [line["rows"] for line in found["steps"]] == [200]
    assert 0.2 < found["steps"][0]["disk_ratio"] < 5
