"""Arrays and tables that callers of the library hand over: found by name, never reordered or cut down in silence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from plm_engine import Config, train
from plm_engine.datasets.arrays import as_numbers, driver_matrix
from plm_engine.errors import DataError

RNG = np.random.default_rng(3)
X = RNG.normal(size=(20, 3))
Y = X @ [1.0, -2.0, 3.0] + np.abs(X[:, 0])
TABLE = pd.DataFrame(X, columns=list("abc"))


@pytest.mark.parametrize("names", [list("abc"), list("cab")])
def test_columns_are_found_by_name(names: list[str]) -> None:
    assert np.array_equal(driver_matrix(TABLE[names].assign(other="text"), ("a", "b", "c")), X)


def test_columns_with_numbers_for_names_and_equal_names_keep_their_order() -> None:
    assert np.array_equal(driver_matrix(pd.DataFrame(X)[[1, 0, 2]], ("0", "1", "2")), X)
    twice = pd.DataFrame(X, columns=["a", "a", "b"])
    assert np.array_equal(driver_matrix(twice, ("a", "a", "b")), X)
    with pytest.raises(DataError, match="more than one column 'a'"):
        driver_matrix(twice, ("a", "b"))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (TABLE[["a", "b"]], "needs the driver 'c'"),
        (TABLE.rename(columns={"a": "A"}), "needs the driver 'a'"),
        (X[:, :2], "needs 3 drivers"),
        (X[0], "needs 3 drivers"),
        (np.where(X[4, 1] == X, np.nan, X), "Driver 'b' is missing or not finite in row 5"),
        ([["a", "b", "c"]], "not numbers"),
        (TABLE.astype("Float64").where(TABLE > -9, pd.NA).mask(X[2, 0] == TABLE), "'a' is missing|not numbers"),
    ],
)
def test_rows_that_cannot_be_forecast_are_refused_in_a_sentence(rows: object, sentence: str) -> None:
    result = train(TABLE, Y, Config(goal=2.0, max_rounds=1))
    with pytest.raises(DataError, match=sentence):
        result.predict(rows)


def test_a_result_forecasts_columns_in_any_order_alike() -> None:
    result = train(TABLE, Y, Config(goal=0.5, max_rounds=3), x_test=TABLE[list("cba")], y_test=Y)
    assert np.array_equal(result.predict(TABLE[list("bca")]), result.predict(TABLE))
    assert result.predict(X) == pytest.approx(result.predict(TABLE))
    last = result.history[-1]
    assert last.test_mae == pytest.approx(last.train_mae)


def test_what_is_no_real_number_is_not_cut_down_to_one() -> None:
    with pytest.raises(DataError, match="complex"):
        as_numbers(X + 1j, "training data")
    assert np.isnan(as_numbers(np.ma.masked_array(X, X > 1), "training data")).sum() == (X > 1).sum()
    with pytest.raises(DataError, match="is nan"):
        train(np.ma.masked_array(X, X > 1), Y, Config(goal=1.0))
    whole = np.ma.masked_array([1, 2], [False, True])
    assert np.isnan(as_numbers(whole, "training data")).tolist() == [False, True]


def test_numbers_of_numpy_configure_a_run_like_any_others() -> None:
    given = Config(goal=np.float32(0.5), seed=np.int64(3), pick=np.uint8(5), test_rows=np.int32(4))
    assert given == Config(goal=0.5, seed=3, pick=5, test_rows=4)
    assert type(given.seed) is int
    assert type(given.goal) is float
