"""Baselines on the real copper table reproduce the reference figures."""

from __future__ import annotations

import numpy as np
import pytest

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_bytes, read_table
from plm_engine.evaluation.baselines import baselines, linear_regression, persistence


@pytest.mark.parametrize(
    ("horizon", "left_out", "regression_train", "regression_test"),
    [(1, 0, 1360.5, 2989.6), (4, 3, None, 2792.3)],
)
def test_the_reference_figures_of_the_copper_table(
    copper_csv, horizon: int, left_out: int, regression_train: float | None, regression_test: float
) -> None:
    prepared = prepare(read_table(copper_csv), Config(horizon=horizon, test_rows=95))
    assert len(prepared.rows_left_out) == left_out
    naive, regression = baselines(prepared)
    assert naive.mae_test == pytest.approx(1604.6, abs=0.1)
    assert regression.mae_test == pytest.approx(regression_test, abs=0.1)
    if horizon == 1:
        assert naive.mae_train == pytest.approx(1515.4, abs=0.1)
        assert regression.mae_train == pytest.approx(regression_train, abs=0.1)


def test_a_random_split_of_the_copper_table_flatters(copper_csv) -> None:
    prepared = prepare(read_table(copper_csv), Config(split="random"))
    regression = linear_regression(prepared)
    assert regression is not None
    assert isinstance(regression.mae_test, float)
    # overlapping lags leak: about 1375 where the honest split gives 2990
    assert regression.mae_test < 1800


def test_persistence_looks_back_by_the_horizon_in_time_also_in_a_random_split() -> None:
    text = "date,x,y\n" + "".join(f"2021-01-{i:02},{(i * i) % 7},{100 + i}\n" for i in range(1, 21))
    table = read_bytes(text.encode())
    for config in (Config(horizon=3, test_rows=5), Config(horizon=3, split="random", seed=4)):
        prepared = prepare(table, config)
        naive = persistence(prepared)
        known = ~np.isnan(naive.test)
        assert np.array_equal(naive.test[known], prepared.y_test[known] - 3)
        assert naive.mae_train == 3.0


def test_without_drivers_there_is_persistence_alone() -> None:
    table = read_bytes(("y\n" + "".join(f"{i * i % 13}\n" for i in range(30))).encode())
    prepared = prepare(table, Config(test_rows=6), need_drivers=False)
    assert [b.name for b in baselines(prepared)] == ["persistence"]


def test_collinear_drivers_do_not_upset_the_regression() -> None:
    generator = np.random.default_rng(2)
    a = generator.standard_normal(40).tolist()
    y = [3 * v + e for v, e in zip(a, 0.1 * generator.standard_normal(40), strict=True)]
    text = "a,b,c,y\n" + "".join(f"{v!r},{2 * v!r},{1e6 * v!r},{float(t)!r}\n" for v, t in zip(a, y, strict=True))
    regression = linear_regression(prepare(read_bytes(text.encode()), Config()))
    assert regression is not None
    assert isinstance(regression.mae_test, float)
    assert regression.mae_test < 0.3
