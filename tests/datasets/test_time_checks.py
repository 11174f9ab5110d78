"""Rows in time: gaps, changes of step, dates to come, columns of another time, copies and totals."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from plm_engine.config import Config
from plm_engine.datasets.checks import _copies
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.roles import Roles
from plm_engine.datasets.split import Split
from plm_engine.datasets.time_checks import check_time
from tests.datasets.weeks import X, Y, kinds, rows, sentence

N = 60
RNG = np.random.default_rng(5)
DRIVER, TARGET = RNG.normal(size=N).round(3), (57000 + np.cumsum(RNG.normal(size=N))).round(2)


def found(dates: pd.DatetimeIndex, today: dt.date = dt.date(2026, 1, 1)) -> dict[str, str]:
    n = len(dates)
    frame = pd.DataFrame({"date": dates, "x1": DRIVER[:n], "y": TARGET[:n]}, index=range(1, n + 1))
    return {f.kind: f.sentence for f in check_time(frame, Roles("y", ("x1",), "date"), today)}


@pytest.mark.parametrize("step", ["7D", "B", "MS", "QS", "YS", "h", "15min"])
def test_even_steps_weekends_and_months_are_no_gaps(step: str) -> None:
    dates = pd.date_range("1950-01-04" if step in ("QS", "YS") else "2021-01-04", periods=N, freq=step)
    assert found(dates) == {}


def test_the_longest_holidays_of_daily_prices_are_no_gap() -> None:
    dates = pd.date_range("2021-01-04", periods=90, freq="B")
    assert found(dates[(dates < "2021-02-10") | (dates > "2021-02-17")][:N]) == {}


def test_a_gap_is_named_with_the_row_behind_it() -> None:
    dates = pd.date_range("2021-01-04", periods=N + 8, freq="7D").delete(range(10, 18))
    sentence = found(dates)["gaps"]
    assert "1 gap" in sentence
    assert "7 days apart" in sentence
    assert "63 days before data row 11" in sentence


def test_weeks_that_become_days_are_named() -> None:
    weekly = pd.date_range("2021-01-04", periods=30, freq="7D")
    sentence = found(weekly.append(pd.date_range(weekly[-1] + pd.Timedelta(days=1), periods=30, freq="B")))[
        "mixed_steps"
    ]
    assert "7 days apart in the first half and 1 day in the second" in sentence


def test_dates_to_come_are_named() -> None:
    dates = pd.date_range("2021-01-04", periods=N, freq="7D")
    today = dates[-3].date()
    assert "2 rows dated after today" in found(dates, today)["dates_to_come"]
    assert found(dates, dates[-1].date()) == {}


@pytest.mark.parametrize(
    ("shift", "horizon", "leaks"),
    [(1, 1, True), (4, 1, True), (-1, 1, False), (-1, 4, True), (-3, 4, True), (-4, 4, False)],
)
def test_the_target_of_a_row_that_is_not_known_yet_is_a_leak(shift: int, horizon: int, leaks: bool) -> None:
    frame = pd.DataFrame({"x1": DRIVER, "y": TARGET}, index=range(1, N + 1))
    frame["other"] = frame["y"].shift(-shift)
    said = check_time(frame.dropna(), Roles("y", ("x1", "other"), horizon=horizon))
    assert [f.columns for f in said] == ([("other",)] if leaks else [])
    assert all(("later" if shift > 0 else "earlier") in f.sentence for f in said)


def test_a_target_that_rests_gives_no_false_leak() -> None:
    y = np.where(np.arange(N) % 30 == 29, 1.0, 2.0)
    frame = pd.DataFrame({"x1": y, "y": np.roll(y, 7)}, index=range(1, N + 1))
    assert check_time(frame, Roles("y", ("x1",))) == []


def test_test_rows_that_are_copies_of_training_rows_are_named(csv) -> None:
    lines = [f"{x},{x * x % 97},{y}" for x, y in zip(X, Y, strict=True)]
    clean = prepare(csv("x1,x2,y\n" + "\n".join(lines)), Config(test_rows=4))
    assert "test_copies" not in kinds(clean)
    copied = prepare(csv("x1,x2,y\n" + "\n".join([*lines[:-3], *lines[:3]])), Config(test_rows=4))
    assert sentence(copied, "test_copies").startswith("3 of 4 test rows are copies")
    assert "data row 12 of data row 1:" in sentence(copied, "test_copies")


def test_copies_are_found_as_one_looks_for_them_where_targets_have_few_values() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 6, size=(400, 3)).astype(float)
    y, numbers = rng.integers(0, 2, size=400).astype(float), np.arange(1, 401)
    split = Split(np.arange(300), np.arange(300, 400), np.arange(0))
    (found,) = _copies(x, y, numbers, split)
    first: dict[tuple[float, ...], int] = {}
    for i in range(300):
        first.setdefault((*x[i], y[i]), int(numbers[i]))
    copies = [int(numbers[i]) for i in range(300, 400) if (*x[i], y[i]) in first]
    assert found.rows == tuple(copies)
    assert f"data row {copies[0]} of data row {first[(*x[copies[0] - 1], y[copies[0] - 1])]}:" in found.sentence


def test_a_total_below_the_rows_is_named(csv) -> None:
    prepared = prepare(csv("x1,y\n" + rows("{x},{y}") + f"{sum(X)},{sum(Y)}\n"), Config(test_rows=3))
    assert "Data row 15 holds the sums" in sentence(prepared, "total_row")


def test_a_column_that_alone_costs_many_rows_is_named(csv) -> None:
    prepared = prepare(csv("date,x1,x2,y\n" + rows("{d},{x},{i},{y}").replace(",1,", ",,")), Config(test_rows=3))
    assert "costly_column" not in kinds(prepared)
    text = "date,x1,x2,y\n" + "".join(
        f"{dt.date(2021, 1, 4) + dt.timedelta(7 * i)},{'' if i < 6 else X[i]},{i * i % 11},{Y[i]}\n" for i in range(14)
    )
    assert "'x1' alone costs 6 of 14" in sentence(prepare(csv(text), Config(test_rows=3)), "costly_column")


@pytest.mark.parametrize(
    ("name", "aside"),
    [("", True), ("Unnamed: 0", True), ("order_id", True), ("__index_level_0__", True), ("valid", False)],
)
def test_keys_and_indices_are_no_drivers(csv, name: str, aside: bool) -> None:
    step = 7 if name == "order_id" else 1
    lines = "".join(
        f"{100 - step * i if name != 'valid' else 3 * i},{x},{y}\n" for i, (x, y) in enumerate(zip(X, Y, strict=True))
    )
    prepared = prepare(csv(f"{name},x1,y\n" + lines), Config(test_rows=3))
    assert (prepared.features == ("x1",)) is aside
    assert ("set_aside" in kinds(prepared)) is aside
