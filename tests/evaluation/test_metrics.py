"""Error measures against scikit-learn and by hand, and what they say where they have no meaning."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mean_squared_error, r2_score

from plm_engine.evaluation.metrics import Undefined, largest_residual, mae, mape, metrics, r2, rmse, skill

ACTUAL = np.array([1.0, 2.0, 4.0, 8.0])
PREDICTED = np.array([1.5, 2.0, 3.0, 10.0])


def test_measures_worked_by_hand() -> None:
    found = metrics(ACTUAL, PREDICTED)
    assert found.n == 4
    assert found.mae == pytest.approx(3.5 / 4)
    assert found.rmse == pytest.approx((5.25 / 4) ** 0.5)
    assert found.mape == pytest.approx((50 + 0 + 25 + 25) / 4)
    assert found.largest_residual == 2.0
    assert found.r2 == pytest.approx(r2_score(ACTUAL, PREDICTED))
    assert found.rmse == pytest.approx(mean_squared_error(ACTUAL, PREDICTED) ** 0.5)


@pytest.mark.parametrize("size", [1e-200, 1.0, 5.7e13, 1e200])
def test_measures_keep_their_unit_at_any_size(size: float) -> None:
    found = metrics(ACTUAL * size, PREDICTED * size)
    assert found.rmse == pytest.approx((5.25 / 4) ** 0.5 * size)
    assert found.r2 == pytest.approx(r2_score(ACTUAL, PREDICTED))


def test_rows_without_a_prediction_do_not_count() -> None:
    predicted = np.array([np.nan, 2.0, 3.0, 10.0])
    assert mae(ACTUAL, predicted) == 1.0
    assert metrics(ACTUAL, predicted).n == 3


def test_what_has_no_meaning_says_why() -> None:
    zeros = np.array([0.0, 1.0, 0.0])
    assert str(mape(zeros, zeros + 1)) == "not defined (2 zero targets)"
    assert str(mape(np.array([0.0, 1.0]), np.array([0.0, 1.0]))) == "not defined (1 zero target)"
    assert str(r2([1.0], [1.0])) == "not defined (1 row)"
    assert str(r2([5.0, 5.0], [4.0, 6.0])) == "not defined (all targets are equal)"
    for measure in (mae, rmse, mape, r2, largest_residual):
        assert isinstance(measure([], []), Undefined)


def test_skill_is_relative_to_persistence() -> None:
    assert skill(50.0, 100.0) == 0.5
    assert skill(150.0, 100.0) == -0.5
    assert str(skill(1.0, 0.0)) == "not defined (persistence makes no error)"
    assert isinstance(skill(Undefined("no rows"), 1.0), Undefined)
