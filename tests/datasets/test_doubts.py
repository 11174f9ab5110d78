"""Numbers and dates that read perfectly and are doubtful: said before anything is trained on them."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plm_engine.config import Config
from plm_engine.datasets.inspect import describe
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_bytes
from plm_engine.errors import DataError

N = 60
DAYS = [dt.date(2022, 1, 3) + dt.timedelta(weeks=i) for i in range(N)]
_RNG = np.random.default_rng(3)
X1, X2 = (np.round(c + _RNG.normal(0, 1, N).cumsum(), 2) for c in (100, 50))
PRICE = np.round(8 * X1 + 3 * X2 + _RNG.normal(0, 3, N) + 57_000, 1)


def _text(names: str, *columns, separator: str = ",") -> bytes:
    rows = [separator.join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([names, *rows, ""]).encode()


def _kinds(data: bytes, **options) -> list[str]:
    return [f["kind"] for f in describe(read_bytes(data), Config(**options))["findings"]]


@pytest.mark.parametrize(
    ("kind", "price"),
    [
        ("other_unit", np.where(np.arange(N) < 30, PRICE * 100, PRICE)),
        ("other_unit", np.where(np.arange(N) == 20, PRICE / 1000, PRICE)),
        ("zeros", np.where(np.isin(np.arange(N), (7, 8, 30)), 0, PRICE)),
        ("repeats", PRICE[np.arange(N) // 4 * 4]),
    ],
)
def test_doubtful_prices_are_named_and_good_ones_are_not(kind: str, price: np.ndarray) -> None:
    assert kind in _kinds(_text("date,x1,x2,price", DAYS, X1, X2, price))
    assert _kinds(_text("date,x1,x2,price", DAYS, X1, X2, PRICE)) == []
    assert _kinds(_text("date,x1,x2,price", DAYS, X1, X2, PRICE - 57_400)) == []  # negative ones, too


def test_parts_that_add_up_to_the_target_are_named() -> None:
    premium = np.round(_RNG.uniform(100, 300, N), 2)
    data = _text("date,base,premium,x1,price", DAYS, np.round(PRICE - premium, 2), premium, X1, PRICE)
    (found,) = [f for f in prepare(read_bytes(data), Config()).findings if f.kind == "parts"]
    assert found.columns == ("base", "premium")


def test_a_price_that_is_text_is_not_passed_over_in_silence() -> None:
    quoted = [f"{p - 5}/{p + 5}" for p in PRICE]
    assert "passed_over" in _kinds(_text("date,x1,x2,price", DAYS, X1, X2, quoted))
    assert "passed_over" not in _kinds(_text("date,x1,x2,price", DAYS, X1, X2, quoted), target="x1")


@pytest.mark.parametrize("names", ["year,month,x1,price", "Jahr,Monat,x1,price", "年,月,x1,price"])
def test_dates_in_parts_put_rows_in_order(names: str) -> None:
    months = np.arange(N)[::-1]  # newest first: as they stand, the past would be forecast from the future
    table = read_bytes(_text(names, 2018 + months // 12, months % 12 + 1, X1, PRICE))
    prepared = prepare(table, Config())
    assert (prepared.dates[0], prepared.dates[-1], prepared.rows[0]) == ("2018-01-01", "2022-12-01", N)
    assert prepared.features == ("x1",)


def test_hours_beside_their_days_are_one_time() -> None:
    hours = [DAYS[0] + dt.timedelta(i // 24) for i in range(N)]
    table = read_bytes(_text("date,time,x1,price", hours, [f"{i % 24:02d}:30" for i in range(N)], X1, PRICE))
    assert prepare(table, Config()).dates[-1] == "2022-01-05T11:30:00"


def test_a_row_that_stands_twice_is_left_out_and_only_another_price_is_asked_about() -> None:
    base = _text("date,x1,price", DAYS, X1, PRICE)
    prepared = prepare(read_bytes(base + base.splitlines()[-1] + b"\n"), Config())
    assert prepared.n_used == N
    assert "repeated_rows" in [f.kind for f in prepared.findings]
    with pytest.raises(DataError, match="more than once"):
        prepare(read_bytes(base + f"{DAYS[-1]},1,2\n".encode()), Config())


def test_a_table_in_long_form_is_called_so() -> None:
    series = np.tile(["LME", "SHFE"], N // 2)
    with pytest.raises(DataError, match="long form: column 'market'"):
        prepare(read_bytes(_text("date,market,x1,price", np.repeat(DAYS[: N // 2], 2), series, X1, PRICE)), Config())


def test_names_that_do_not_fit_the_cells_are_settled_or_refused() -> None:
    commas = [[str(v).replace(".", ",") for v in column] for column in (X1, PRICE)]
    with pytest.raises(DataError, match="decimal commas"):
        read_bytes(_text("date,x1,price", DAYS, *commas))
    table = read_bytes(_text("date,x1,price", range(1, N + 1), DAYS, X1, PRICE))  # as R writes row names
    assert table.frame["price"].iloc[0] == PRICE[0]
    assert table.column("date").type == "date"


def test_names_repeated_between_rows_and_notes_with_commas_are_no_rows() -> None:
    base = _text("date,x1,price,x2", DAYS, X1, PRICE, X2)
    head, *rows = base.splitlines(keepends=True)
    table = read_bytes(b"".join([head, *rows[:30], b"\xef\xbb\xbf" + head, *rows[30:], b"Source: X\n(c) 2024, all\n"]))
    assert (table.n_rows_read, table.rejected) == (N, [])
    assert table.frame["price"].tolist() == PRICE.tolist()


@pytest.mark.parametrize(
    ("name", "cells", "last"),
    [
        ("Woche", [f"KW {d.isocalendar()[1]:02d}/{d.isocalendar()[0]}" for d in DAYS], "2023-02-20"),
        ("period", [f"{2018 + i // 12}M{i % 12 + 1:02d}" for i in range(N)], "2022-12-01"),
        ("quarter", [f"{i % 4 + 1}Q{5 + i // 4:02d}" for i in range(N)], "2019-10-01"),
        ("날짜", [f"{d.year}. {d.month}. {d.day}." for d in DAYS], "2023-02-20"),
        ("mois", [("juin", "juil.", "août", "déc.")[i % 4] + f" {1950 + i // 4}" for i in range(N)], "1964-12-01"),
    ],
)
def test_weeks_months_and_quarters_as_others_write_them(name: str, cells: list[str], last: str) -> None:
    assert prepare(read_bytes(_text(f"{name},x1,price", cells, X1, PRICE)), Config()).dates[-1] == last


def test_russian_names_are_read_as_such() -> None:
    table = read_bytes("Дата;Запасы;Цена\n2021-01-04;1,5;2,5\n2021-01-11;1,6;2,4\n".encode("cp1251"))
    assert (table.format.encoding, table.names()) == ("cp1251", ["Дата", "Запасы", "Цена"])


def test_true_and_false_are_drivers() -> None:
    table = read_bytes(_text("date,holiday,price", DAYS, ["TRUE" if i % 7 == 0 else "false" for i in range(N)], PRICE))
    assert table.frame["holiday"].tolist() == [float(i % 7 == 0) for i in range(N)]


def test_parquet_shows_its_own_clock_and_old_texts(tmp_path) -> None:
    days = pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("Asia/Taipei")
    texts = pa.array([str(d).encode() for d in DAYS])
    pq.write_table(pa.table({"date": pa.array(days), "day": texts, "price": PRICE}), tmp_path / "t")
    table = read_bytes((tmp_path / "t").read_bytes())
    assert table.frame["date"].tolist() == table.frame["day"].tolist() == [pd.Timestamp(d) for d in DAYS]
