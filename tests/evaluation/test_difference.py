import numpy as np
import pytest

from plm_engine.evaluation.metrics import Undefined
from plm_engine.evaluation.tests_of_difference import Difference, diebold_mariano


def test_a_case_worked_by_hand():
    """d = (1, 1, 2, 0), mean 1, variance 0.5 at h = 1: 1 / sqrt(0.5 / 4), times sqrt(3 / 4) (Harvey, n = 4)."""
    found = diebold_mariano([2, -2, 3, 1], [1, 1, 1, 1], 1)
    assert isinstance(found, Difference)
    assert found.statistic == pytest.approx(1 / np.sqrt(0.5 / 4) * np.sqrt(0.75))
    assert found.mean_difference == 1


def test_autocovariances_up_to_the_horizon_enter():
    """d = 1, 1, 1, -1, -1, -1, 1, 1 (mean 0.25): gamma0 = 0.9375, gamma1 = 0.234375 by hand."""
    d = np.array([1, 1, 1, -1, -1, -1, 1, 1.0])
    centred = d - 0.25
    gamma0, gamma1 = (centred**2).mean(), (centred[1:] * centred[:-1]).sum() / 8
    found = diebold_mariano(d + 5, np.full(8, 5.0), 2)
    assert isinstance(found, Difference)
    harvey = (8 + 1 - 4 + 2 / 8) / 8
    assert found.statistic == pytest.approx(0.25 / np.sqrt((gamma0 + 2 * gamma1) / 8) * np.sqrt(harvey))


def test_swapping_the_forecasts_turns_the_sign_only():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=50), 2 * rng.normal(size=50)
    one, other = diebold_mariano(a, b, 3), diebold_mariano(b, a, 3)
    assert isinstance(one, Difference)
    assert isinstance(other, Difference)
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.p_value == pytest.approx(other.p_value)


def test_it_seldom_finds_a_difference_where_there_is_none():
    rng = np.random.default_rng(2)
    found = [diebold_mariano(rng.normal(size=80), rng.normal(size=80), 1) for _ in range(400)]
    share = np.mean([isinstance(f, Difference) and f.p_value <= 0.05 for f in found])
    assert 0.02 < share < 0.09


def test_its_meaning_is_one_sentence():
    rng = np.random.default_rng(3)
    good, bad = rng.normal(size=100), 3 * rng.normal(size=100)
    found = diebold_mariano(good, bad)
    assert isinstance(found, Difference)
    assert found.sentence("RPLM", "persistence").startswith("RPLM has smaller errors than persistence, by more than")
    unsure = diebold_mariano(good[:12], good[:12] * np.array([1.2, 0.8] * 6))
    assert isinstance(unsure, Difference)
    assert "luck alone could explain it" in unsure.sentence("RPLM", "persistence")


@pytest.mark.parametrize(
    ("first", "second", "horizon", "reason"),
    [([1, 2, 3], [1, 2, 4], 3, "too few"), (np.ones(20), -np.ones(20), 1, "the same")],
)
def test_what_cannot_be_tested_says_why(first, second, horizon, reason):
    found = diebold_mariano(first, second, horizon)
    assert isinstance(found, Undefined)
    assert reason in found.reason
