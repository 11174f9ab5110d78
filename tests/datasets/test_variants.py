"""Variants of the hostile kinds of which there is one file only: other formats, other marks, other sizes."""

from __future__ import annotations

import io

import numpy as np
import openpyxl
import pytest

from plm_engine.config import Config
from plm_engine.datasets.inspect import describe, examine
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_bytes
from plm_engine.datasets.scale import Scaler
from plm_engine.errors import DataError
from plm_engine.evaluation.baselines import persistence
from plm_engine.evaluation.metrics import Undefined, mape
from tests.datasets.weeks import WEEKS, X, Y, kinds, naive, rows, sentence


def workbook(lines: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


# empty rows and nameless empty columns
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_empty_rows_and_columns_of_any_separator_are_dropped(csv, mark):
    text = "date,x1,y,,\n" + rows("{d},{x},{y},,") + ",,,,\n , ,,,\n\n\n"
    table = csv(text.replace(",", mark))
    assert (table.names(), table.n_rows_read) == (["date", "x1", "y"], 14)
    assert table.frame["y"].tolist() == Y
    assert not table.rejected
    assert set(kinds(table).values()) <= {"info"}


def test_empty_rows_between_are_no_rows_and_lines_still_count(csv):
    table = csv("date,x1,y\n" + rows("{d},{x},{y}\n,,").replace(f",{Y[5]}\n", ",oops\n", 1))
    assert table.n_rows_read == 14
    assert [(r.row, r.line, r.column) for r in table.rejected] == [(6, 12, "y")]


# one row, no row
@pytest.mark.parametrize("make", ["csv", "tsv", "xlsx"])
def test_a_single_row_and_a_header_alone_in_any_format(make):
    def read(lines: list[list[object]]):
        if make == "xlsx":
            return read_bytes(workbook(lines), "t.xlsx")
        mark = "," if make == "csv" else "\t"
        return read_bytes("".join(mark.join(map(str, line)) + "\n" for line in lines).encode(), f"t.{make}")

    header = ["x1", "x2", "y"]
    one = read([header, [1.5, 2.5, 57418]])
    assert (one.size, one.frame["y"].tolist()) == ("3 columns, 1 row", [57418.0])
    with pytest.raises(DataError, match=r"Too few rows.*at least 3 needed"):
        prepare(one, Config())
    if make == "xlsx":  # a sheet of one line may be a title as well as a header
        with pytest.raises(DataError):
            prepare(read([header]), Config())
        return
    none = read([header])
    assert none.size == "3 columns, 0 rows"
    assert "3 columns, 0 rows" in describe(none, Config())["problem"]


# a lone target
@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.5", "2.5", "4.0"], [1.5, 2.5, 4.0]),
        (["1,5", "2,5", "4,0"], [1.5, 2.5, 4.0]),
        (["-3", "0", "7"], [-3, 0, 7]),
    ],
)
def test_a_lone_target_has_persistence_whatever_its_marks(csv, cells, values):
    table = csv("y\n" + "\n".join(cells * 4) + "\n")
    assert table.frame["y"].tolist() == values * 4
    with pytest.raises(DataError, match="No driver columns left"):
        prepare(table, Config())
    steps = np.abs(np.diff(values * 4))[-3:]
    assert naive(table, 3) == pytest.approx(steps.mean())


def test_a_date_beside_a_lone_target_is_no_driver(csv):
    with pytest.raises(DataError, match="No driver columns left"):
        prepare(csv("date,y\n" + rows("{d},{y}")), Config())


# many columns
def test_more_drivers_than_rows_is_said_in_a_workbook_too():
    names = [f"c{k}" for k in range(300)] + ["y"]
    lines = [names, *[[(i * k) % 17 + 0.5 for k in range(300)] + [y] for i, y in enumerate(Y)]]
    prepared = prepare(read_bytes(workbook(lines), "wide.xlsx"), Config())
    assert "more_drivers_than_rows" in {f.kind for f in prepared.findings}
    assert np.isfinite(prepared.x_train).all()


# magnitudes
@pytest.mark.parametrize("value", ["-1e200", "1e-200", "4.9e-324", "-1e-9", "9223372036854775808"])
def test_one_extreme_value_leaves_everything_finite(csv, value):
    text = "date,x1,y\n" + rows("{d},{x},{y}").replace(f",{X[4]},", f",{value},", 1)
    prepared = prepare(csv(text), Config(test_rows=3))
    assert prepared.n_used == 14
    scaler = Scaler.fit(prepared.x_train, prepared.y_train)
    assert np.isfinite(scaler.x(np.vstack([prepared.x_train, prepared.x_test]))).all()
    assert ("huge" in {f.kind for f in prepared.findings}) == (value == "-1e200")


def test_a_number_beyond_the_largest_is_a_bad_cell_and_not_infinity(csv):
    text = "date,x1,y\n" + rows("{d},{x},{y}").replace(f",{X[4]},", ",1e999,", 1)
    table = csv(text)
    assert [(r.row, r.column) for r in table.rejected] == [(5, "x1")]


# dates
def test_a_date_three_times_is_asked_about_once_and_each_answer_keeps_one(csv):
    text = "date,x1,y\n" + rows("{d},{x},{y}") + f"{WEEKS[3]},1,57999\n{WEEKS[3]},2,58001\n"
    table = csv(text)
    (question,) = (f for f in examine(table, Config()).findings if f.severity == "question")
    assert question.rows == (4, 15, 16)
    kept = {choice: prepare(table, Config(duplicate_dates=choice)) for choice in ("first", "last", "all")}
    assert {choice: data.n_used for choice, data in kept.items()} == {"first": 14, "last": 14, "all": 16}
    assert {4, 15} & set(kept["last"].rows.tolist()) == set()
    assert {15, 16} & set(kept["first"].rows.tolist()) == set()


def test_shuffled_rows_are_split_by_time_and_not_by_place(csv):
    lines = rows("{d},{x},{y}").splitlines()
    mixed = [lines[(5 * i) % 14] for i in range(14)]
    prepared = prepare(csv("date,x1,y\n" + "\n".join(mixed) + "\n"), Config(test_rows=4))
    assert prepared.y_test.tolist() == Y[-4:]
    assert prepared.y_train.tolist() == Y[:10]
    assert naive(csv("date,x1,y\n" + "\n".join(mixed)), 4) == naive(csv("date,x1,y\n" + "\n".join(lines)), 4)


# exports of market sites
@pytest.mark.parametrize(
    ("cell", "value"),
    [("1.2M", 1.2e6), ("3.45K", 3450.0), ("0.5B", 5e8), ("-2.5%", -2.5), ('"1,234.5"', 1234.5), ("-", None)],
)
def test_suffixes_of_market_exports(csv, cell, value):
    # the column's other cells wear the same dress
    kind = cell[-1] if cell[-1] in "MKB%" else ""
    text = "date,v,y\n" + "".join(
        f"{d},{cell if i == 2 else f'{i + 1}.5{kind}'},{y}\n" for i, (d, y) in enumerate(zip(WEEKS, Y, strict=True))
    )
    read = csv(text).frame["v"].iloc[2]
    assert np.isnan(read) if value is None else read == pytest.approx(value)


def test_newest_first_is_put_in_order_whatever_the_language(csv):
    lines = [f"{d:%Y/%m/%d},{x},{y}" for d, x, y in zip(WEEKS, X, Y, strict=True)]
    table = csv(("日期,庫存,收盤價\n" + "\n".join(reversed(lines)) + "\n").encode("utf-8-sig"))
    prepared = prepare(table, Config(target="收盤價", test_rows=4))
    assert prepared.dates[0] == "2021-01-04"
    assert prepared.y_test.tolist() == Y[-4:]


# NUL bytes
@pytest.mark.parametrize("place", ["start", "middle", "end"])
def test_a_nul_in_a_number_never_shortens_it(csv, place):
    digits = str(Y[6])
    bad = {"start": f"\0{digits}", "middle": f"{digits[:2]}\0{digits[2:]}", "end": f"{digits}\0"}[place]
    text = "date,x1,y\n" + rows("{d},{x},{y}").replace(f",{digits}\n", f",{bad}\n", 1)
    table = csv(text)
    assert table.n_rows_read == 14
    value = table.frame["y"].iloc[6]
    assert np.isnan(value) or value == Y[6]
    told = {r.row for r in table.rejected} | {row for f in table.findings for row in f.rows}
    assert 7 in told


# what the scaler knows
@pytest.mark.parametrize("n_test", [1, 5, 9])
def test_scaling_knows_the_training_rows_only_wherever_the_split_is(csv, n_test):
    prepared = prepare(csv("date,x1,y\n" + rows("{d},{i},{y}")), Config(test_rows=n_test))
    scaler = Scaler.fit(prepared.x_train, prepared.y_train)
    train = np.arange(14 - n_test)
    assert scaler.x(prepared.x_test)[-1, 0] == pytest.approx((13 - train.mean()) / train.std())


# persistence
@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_persistence_is_the_row_a_horizon_before(csv, horizon):
    prepared = prepare(csv("date,x1,y\n" + rows("{d},{x},{y}")), Config(test_rows=4, horizon=horizon))
    expected = np.mean([abs(Y[i] - Y[i - horizon]) for i in range(10, 14)])
    assert persistence(prepared).mae_test == pytest.approx(expected)


# relative errors
@pytest.mark.parametrize(("zeros", "words"), [([0.0], "1 zero target"), ([0.0, -0.0, 0.0], "3 zero targets")])
def test_a_relative_error_with_zero_targets_is_not_defined(zeros, words):
    y = np.array([100.0, *zeros, 50.0])
    found = mape(y, y + 1)
    assert isinstance(found, Undefined)
    assert words in str(found)
    assert mape(np.array([100.0, 50.0]), np.array([101.0, 51.0])) == pytest.approx(1.5)


def test_the_reason_a_table_cannot_train_is_one_sentence(csv):
    for text in ("y\n1\n2\n3\n", "x,y\n1,2\n", "x,y\n"):
        problem = describe(csv(text), Config())["problem"]
        assert problem.endswith(".")
        assert "\n" not in problem
    assert sentence(csv("x,y\n"), "no_rows")
