"""From a table to arrays: roles, time order, split, horizon, and the copper table's reference figures."""

from __future__ import annotations

import numpy as np
import pytest

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_table
from plm_engine.datasets.roles import suggest_roles
from plm_engine.datasets.samples import SAMPLES, load, resolve, samples
from plm_engine.datasets.split import n_test_rows, split_rows
from plm_engine.errors import DataError

TEXT = "date,a,b,note,y\n" + "".join(
    f"2021-01-{i:02},{(i * i) % 7},{(i * 5) % 11},n{i},{100 + i}\n" for i in range(1, 21)
)


def test_the_copper_table_is_recognised_and_split_376_to_95(copper_csv) -> None:
    table = read_table(copper_csv)
    roles = suggest_roles(table)
    assert (roles.target, roles.latest_price, roles.horizon, roles.copper) == ("y", "x5", 4, True)
    assert roles.drivers == tuple(f"x{i}" for i in range(1, 19))
    by_itself = prepare(table, Config())
    assert (by_itself.horizon, len(by_itself.rows_left_out), len(by_itself.y_train)) == (4, 3, 373)
    prepared = prepare(table, Config(horizon=1))
    assert (prepared.x_train.shape, prepared.x_test.shape) == ((376, 18), (95, 18))
    assert prepared.rows_train.tolist() == list(range(1, 377))
    assert prepared.x_train.dtype == np.float64
    assert np.array_equal(prepared.latest_test, prepared.x_test[:, 4])


def test_columns_of_that_name_without_the_lags_are_no_copper_table(case) -> None:
    roles = suggest_roles(case("00"))
    assert not roles.copper
    assert (roles.latest_price, roles.horizon) == (None, 1)


def test_a_horizon_leaves_out_the_rows_not_known_yet(csv) -> None:
    prepared = prepare(csv(TEXT), Config(test_rows=5, horizon=4))
    assert prepared.rows_train.tolist() == list(range(1, 13))
    assert prepared.rows_left_out.tolist() == [13, 14, 15]
    assert prepared.rows_test.tolist() == [16, 17, 18, 19, 20]
    assert prepared.part.count("left out") == 3
    assert prepared.rows.tolist() == list(range(1, 21))
    # y grows by one a row, so the price known four rows earlier is four less
    assert np.array_equal(prepared.latest_price[4:], prepared.actual[4:] - 4)
    assert np.isnan(prepared.latest_price[:4]).all()
    assert prepared.latest_train is None


def test_the_week_before_stays_the_week_before_where_a_row_falls_out(csv) -> None:
    table = csv(TEXT.replace("2021-01-18,2,2,", "2021-01-18,,2,"))
    prepared = prepare(table, Config(test_rows=2))
    assert prepared.rows_test.tolist() == [19, 20]
    assert prepared.latest_price[-2:].tolist() == [118, 119]


def test_a_latest_price_column_is_the_base_of_persistence(csv) -> None:
    prepared = prepare(csv(TEXT), Config(test_rows=5, latest_price="b", drivers=("a",)))
    assert prepared.features == ("a",)
    assert prepared.latest_test is not None
    assert prepared.latest_test.tolist() == [(i * 5) % 11 for i in range(16, 21)]


def test_text_and_dates_are_no_drivers_and_naming_one_is_an_error(csv) -> None:
    table = csv(TEXT)
    assert suggest_roles(table).drivers == ("a", "b")
    for config, words in [
        (Config(drivers=("note",)), "'note' cannot be the driver: it holds text. Columns with numbers: 'a', 'b', 'y'"),
        (Config(target="date"), "'date' cannot be the target: it holds dates"),
        (Config(drivers=("aa",)), "no column 'aa' for the driver. Did you mean 'a'?"),
        (Config(target="price"), "no column 'price' for the target"),
        (Config(drivers=("a", "y"), target="y"), "'y' is the target: it cannot also be a driver"),
        (Config(date="a"), "'a' cannot be the date: it holds numbers"),
        (Config(latest_price="y"), "'y' is the target"),
    ]:
        with pytest.raises(DataError) as caught:
            prepare(table, config)
        assert words in str(caught.value)


def test_a_random_split_is_seeded_warned_about_and_leaves_nothing_out(csv) -> None:
    table = csv(TEXT)
    first, again, other = (prepare(table, Config(split="random", seed=s, horizon=4)) for s in (1, 1, 2))
    assert first.rows_test.tolist() == again.rows_test.tolist() != other.rows_test.tolist()
    assert len(first.rows_left_out) == 0
    assert sorted([*first.rows_train, *first.rows_test]) == list(range(1, 21))
    assert any(f.kind == "random_split" and f.severity == "warning" for f in first.findings)


@pytest.mark.parametrize(("n", "share", "wanted"), [(471, 20, 95), (60, 20, 12), (10, 30, 3), (7, 0, 0), (100, 7, 7)])
def test_a_share_is_rounded_up_to_whole_rows(n: int, share: float, wanted: int) -> None:
    assert n_test_rows(n, Config(test_share=share)) == wanted


def test_no_test_rows_leave_nothing_out() -> None:
    split = split_rows(10, Config(test_rows=0), 4)
    assert (len(split.train), len(split.test), len(split.left_out)) == (10, 0, 0)


@pytest.mark.parametrize(("n", "given"), [(1, {}), (2, {}), (5, {"test_rows": 4}), (6, {"test_rows": 1, "horizon": 5})])
def test_too_few_rows_are_refused_with_the_number_needed(n: int, given: dict) -> None:
    with pytest.raises(DataError, match=r"Too few rows.*at least \d+ needed"):
        split_rows(n, Config(**given), Config(**given).horizon or 1)


def test_the_number_said_to_be_needed_is_enough() -> None:
    with pytest.raises(DataError, match="at least 7 needed"):
        split_rows(6, Config(test_rows=1), 5)
    assert len(split_rows(7, Config(test_rows=1), 5).train) == 2


def test_two_rows_may_train_without_a_test(csv) -> None:
    prepared = prepare(csv("x,y\n1.5,2\n2,7\n"), Config(test_rows=0))
    assert prepared.x_train.shape == (2, 1)


def test_a_bundled_name_wins_only_as_an_exact_key(tmp_path) -> None:
    assert resolve("copper-sample") == samples()[0]
    path = tmp_path / "mine.csv"
    path.write_text(TEXT, encoding="utf-8")
    assert resolve(str(path)) == path
    with pytest.raises(DataError, match="no file and no table called 'copper'"):
        resolve("copper")
    with pytest.raises(DataError, match="No data was chosen"):
        load(Config())


def test_a_file_in_data_local_is_offered_by_name(tmp_path, monkeypatch) -> None:
    (tmp_path / "mine.csv").write_text(TEXT, encoding="utf-8")
    (tmp_path / "notes.md").write_text("no table", encoding="utf-8")
    monkeypatch.setattr("plm_engine.datasets.samples.LOCAL_DIR", tmp_path)
    assert [s.key for s in samples()] == [*(s.key for s in SAMPLES), "mine.csv"]
    assert load(Config(data="mine.csv")).n_rows_read == 20
