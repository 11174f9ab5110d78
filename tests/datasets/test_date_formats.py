"""Dates as spreadsheets, ministries and data vendors write them: read for the whole column, or said not to be."""

from __future__ import annotations

import datetime as dt
import io

import openpyxl
import pandas as pd
import pytest

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import ReadOptions, read_bytes
from plm_engine.errors import DataError
from tests.datasets.weeks import WEEKS, X, Y, kinds, sentence

MONTHS = [dt.date(2021 + i // 12, i % 12 + 1, 1) for i in range(14)]
ROC = "year-month-day, years of the Republic of China"
QUARTERS = [dt.date(2018 + i // 4, i % 4 * 3 + 1, 1) for i in range(14)]


def table_of(csv, name: str, texts: list[str], **options: object):
    lines = [f"{t};{x};{y}" for t, x, y in zip(texts, X, Y, strict=True)]
    return csv(f"{name};x1;y\n" + "\n".join(lines) + "\n", **options)


@pytest.mark.parametrize(
    ("name", "write", "days", "note"),
    [
        ("date", lambda d: f"{d:%y-%m-%d}", WEEKS, "year-first"),
        ("日期", lambda d: f"{d.year - 1911}/{d:%m/%d}", WEEKS, ROC),
        ("日期", lambda d: f"民國{d.year - 1911}年{d.month}月{d.day}日", WEEKS, ROC),
        ("date", lambda d: f"{d:%a, %d %b %Y}", WEEKS, "month in words"),
        ("datum", lambda d: f"{d.day}. {['Jan', 'Feb', 'Mär', 'Apr'][d.month - 1]} {d.year}", WEEKS, "month in words"),
        ("日期", lambda d: f"{d:%Y/%m/%d}(週一)", WEEKS, "year-month-day"),
        ("month", lambda d: f"{d:%b-%y}", MONTHS, "month in words, year in two digits"),
        ("month", lambda d: f"{d:%Y%m}", MONTHS, "yearmonth"),
        ("period", lambda d: f"{d.year}Q{(d.month + 2) // 3}", QUARTERS, "quarter"),
        ("季", lambda d: f"{d.year}年第{(d.month + 2) // 3}季", QUARTERS, "quarter"),
        ("date", lambda d: str((d - dt.date(1899, 12, 30)).days), WEEKS, "days as spreadsheets count them"),
        ("timestamp", lambda d: str(int(pd.Timestamp(d).timestamp())), WEEKS, "Unix seconds"),
        ("time", lambda d: str(int(pd.Timestamp(d).timestamp() * 1000)), WEEKS, "Unix milliseconds"),
        ("year", lambda d: str(2000 + (d - WEEKS[0]).days // 7), [dt.date(2000 + i, 1, 1) for i in range(14)], "year"),
    ],
)  # fmt: skip
def test_the_format_is_found_and_rows_newest_first_are_sorted(csv, name, write, days, note) -> None:
    written = [write(d) for d in (WEEKS if name == "year" else days)]
    table = table_of(csv, name, written[::-1])
    assert table.column(name).notes == (f"read {note}",)
    assert [d.date() for d in table.frame[name]] == days[::-1]
    prepared = prepare(table, Config(test_rows=3))
    assert prepared.features == ("x1",)
    assert prepared.rows_test.tolist() == [3, 2, 1]


def test_a_year_of_two_digits_is_asked_about_where_it_may_be_a_day(csv) -> None:
    texts = [f"{1 + 5 * i % 12:02}/{1 + 7 * i % 11:02}/{1 + 3 * i % 10:02}" for i in range(14)]
    table = table_of(csv, "date", texts)
    (question,) = (f for f in table.findings if f.kind == "ambiguous_dates")
    assert question.choices == ("day-first", "month-first", "year-first")
    with pytest.raises(DataError, match="year first"):
        prepare(table, Config())
    settled = table_of(csv, "date", texts, date_format="year-first")
    assert settled.frame["date"].iloc[0] == pd.Timestamp(2001, 1, 1)
    assert settled.frame["date"].iloc[1] == pd.Timestamp(2006, 8, 4)


@pytest.mark.parametrize(
    "write",
    [
        "{d:%Y-%m-%d} {h:02}:30",
        "{d:%Y-%m-%d}T{h:02}:30:00Z",
        "{d:%m/%d/%Y} {k:02}:30 {p}",
        "{d:%Y/%m/%d} {half} {k:02}:30:00",
    ],
)
def test_the_time_of_day_is_kept_so_that_hours_are_no_duplicates(csv, write: str) -> None:
    days = [dt.datetime(2021, 1, 20 + i // 6, 4 * (i % 6), 30) for i in range(14)]
    texts = [
        write.format(d=d, h=d.hour, k=d.hour % 12 or 12, p=f"{d:%p}", half="上午" if d.hour < 12 else "下午")
        for d in days
    ]
    table = table_of(csv, "time", texts)
    assert list(table.frame["time"]) == days
    assert prepare(table, Config(test_rows=2)).dates[-1] == days[-1].isoformat()


@pytest.mark.parametrize(
    ("name", "texts"),
    [("date", [f"{d:%y%m%d}" for d in WEEKS]), ("日期", [f"第{i + 1}週" for i in range(14)])],
)
def test_a_column_named_like_a_date_that_is_none_is_named_and_no_driver(csv, name: str, texts: list[str]) -> None:
    prepared = prepare(table_of(csv, name, texts), Config(test_rows=3))
    assert prepared.features == ("x1",)
    assert kinds(prepared)["no_date"] == "warning"
    assert texts[0] in sentence(prepared, "no_date")
    chosen = prepare(table_of(csv, name, texts), Config(test_rows=3, date=""))
    assert kinds(chosen)["no_date"] == "info"


def test_a_month_from_1_to_12_is_a_driver(csv) -> None:
    table = table_of(csv, "month", [str(1 + i % 12) for i in range(14)])
    assert prepare(table, Config(test_rows=3)).features == ("month", "x1")


def workbook(first: list[object]) -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["date", "x1", "y"])
    for row in zip(first, X, Y, strict=True):
        book.active.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def test_days_counted_in_a_workbook_are_dates() -> None:
    table = read_bytes(workbook([(d - dt.date(1899, 12, 30)).days for d in WEEKS]))
    assert [d.date() for d in table.frame["date"]] == WEEKS


@pytest.mark.parametrize(("form", "order"), [("%d/%m/%Y", "day-first"), ("%m/%d/%Y", "month-first")])
def test_days_and_months_that_a_spreadsheet_swapped_are_asked_about(form: str, order: str) -> None:
    cells = [dt.datetime(d.year, d.day, d.month) if d.day <= 12 else d.strftime(form) for d in WEEKS]
    data = workbook(cells)
    with pytest.raises(DataError, match="swapped day and month"):
        prepare(read_bytes(data), Config())
    right = read_bytes(data, options=ReadOptions(date_format=order))
    assert [d.date() for d in right.frame["date"]] == WEEKS
    assert prepare(right, Config(test_rows=3)).n_used == 14


def test_true_dates_beside_texts_of_any_day_are_not_asked_about() -> None:
    cells = [dt.datetime(d.year, d.month, d.day) if i % 2 else f"{d:%d/%m/%Y}" for i, d in enumerate(WEEKS)]
    table = read_bytes(workbook(cells))
    assert [d.date() for d in table.frame["date"]] == WEEKS
    assert "ambiguous_dates" not in kinds(table)
