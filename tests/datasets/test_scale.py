"""Scaling: scikit-learn's numbers where they are right, exact zeros and no overflow where they are not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from plm_engine.datasets.scale import Scaler


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    return generator.normal(50_000, 6_000, (40, 3)) * [1, 1e-6, 1e6], generator.normal(50_000, 6_000, 40)


def test_it_equals_scikit_learn_on_ordinary_numbers(rows) -> None:
    x, y = rows
    scaler = Scaler.fit(x[:30], y[:30])
    assert np.allclose(scaler.x(x), StandardScaler().fit(x[:30]).transform(x), rtol=1e-12, atol=1e-12)
    wanted = StandardScaler().fit(y[:30, None]).transform(y[:, None])[:, 0]
    assert np.allclose(scaler.y(y), wanted, rtol=1e-12, atol=1e-12)


def test_the_target_comes_back_in_its_unit(rows) -> None:
    x, y = rows
    scaler = Scaler.fit(x, y)
    assert np.allclose(scaler.y_back(scaler.y(y)), y, rtol=1e-14)


def test_it_survives_json_bit_for_bit(rows) -> None:
    x, y = rows
    scaler = Scaler.fit(x, y)
    again = Scaler.from_mapping(json.loads(json.dumps(scaler.to_mapping())))
    assert np.array_equal(again.x(x), scaler.x(x))
    assert np.array_equal(again.y(y), scaler.y(y))


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-9, 1.0, 1e39, 1e160, 1e200, 1e300])
def test_the_size_of_the_numbers_does_not_matter(rows, size: float) -> None:
    x, y = rows
    usual = Scaler.fit(x / 1e5, y / 1e5)
    scaler = Scaler.fit(x / 1e5 * size, y / 1e5 * size)
    assert np.allclose(scaler.x(x / 1e5 * size), usual.x(x / 1e5), rtol=1e-9)
    assert np.allclose(scaler.y_back(scaler.y(y / 1e5 * size)), y / 1e5 * size, rtol=1e-12)


@pytest.mark.parametrize("value", [0.1, 0.0, 1e200, -3.0])
def test_a_constant_column_becomes_exactly_zero_in_every_row(value: float) -> None:
    x = np.full((48, 1), value)
    scaler = Scaler.fit(x, np.arange(48.0))
    assert scaler.x_spread[0] == 0.0
    assert (scaler.x(np.array([[value], [value + 5]])) == 0.0).all()


def test_a_column_that_differs_only_by_rounding_is_constant() -> None:
    x = np.array([[0.3], [0.1 + 0.2], [0.3]])
    assert (Scaler.fit(x, np.arange(3.0)).x(x) == 0).all()


def test_a_small_spread_around_a_large_mean_is_not_constant() -> None:
    x = 5.7e13 + np.arange(20.0).reshape(-1, 1)
    assert Scaler.fit(x, x[:, 0]).x_spread[0] == pytest.approx(np.arange(20.0).std(), rel=1e-3)


def test_opposite_giants_do_not_overflow() -> None:
    x = np.array([[-1.7e308], [1.7e308]])
    z = Scaler.fit(x, np.array([0.0, 1.0])).x(x)
    assert np.allclose(z[:, 0], [-1, 1])
