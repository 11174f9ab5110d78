"""Names above units, groups above names, and files whose names are known without looking for them."""

from __future__ import annotations

import io

import openpyxl
import pandas as pd
import pytest

from plm_engine.datasets.read import read_bytes
from tests.datasets.weeks import WEEKS, X, Y, kinds, rows, sentence


@pytest.mark.parametrize(
    ("header", "names", "line"),
    [
        ("date,x1,y\n-,USD/t,CNY/t\n", ["date", "x1", "y"], 1),
        ("date,x1,y\n,(kt),[元/噸]\n", ["date", "x1", "y"], 1),
        ("指标名称,铜,汇率\n频率,日,日\n单位,元/吨,-\n", ["指标名称", "铜", "汇率"], 1),
        ("Copper,,\ndate,x1,y\n\n", ["date", "x1", "y"], 2),
        ("date,Copper,\n,open,close\n", ["date", "open", "close"], 2),
        ("date,Copper,Zinc\n,close,close\n", ["date", "Copper close", "Zinc close"], 2),
        ("Exchange,LME,Currency\ndate,x1,y\n", ["date", "x1", "y"], 2),
        ("date,USD,EUR\n", ["date", "USD", "EUR"], 1),
    ],
)
def test_names_are_told_from_units_and_groups(csv, header: str, names: list[str], line: int) -> None:
    table = csv(header + rows("{d},{x},{y}"))
    assert table.names() == names
    assert table.format.header_row == line
    assert table.frame[names[2]].tolist() == Y
    assert table.lines[1] == header.count("\n") + 1
    assert not table.rejected


def test_what_was_taken_as_units_or_put_together_is_said(csv) -> None:
    assert "'-, USD/t, CNY/t'" in sentence(csv("date,x1,y\n-,USD/t,CNY/t\n" + rows("{d},{x},{y}")), "units")
    grouped = csv("date,Copper,\n,open,close\n" + rows("{d},{x},{y}"))
    assert "lines 1 and 2" in sentence(grouped, "header_rows")


def test_first_rows_that_miss_their_lags_are_no_header(csv) -> None:
    table = csv("region,grade,lag,y\nnorth,A,,\nsouth,B,,\n" + rows("west,C,{x},{y}"))
    assert table.names() == ["region", "grade", "lag", "y"]
    assert table.frame["region"].tolist()[:3] == ["north", "south", "west"]


def test_merged_titles_of_groups_in_a_workbook_complete_the_names() -> None:
    book = openpyxl.Workbook()
    page = book.active
    page.append(["date", "Copper", None, "y"])
    page.append([None, "price", "volume", None])
    for block in ("B1:C1", "A1:A2", "D1:D2"):
        page.merge_cells(block)
    for row in zip(WEEKS, X, X[::-1], Y, strict=True):
        page.append(row)
    page.row_dimensions[5].hidden = True
    target = io.BytesIO()
    book.save(target)
    table = read_bytes(target.getvalue())
    assert table.names() == ["date", "price", "volume", "y"]
    assert table.frame["y"].tolist() == Y
    assert "1 row hidden" in sentence(table, "hidden_rows")
    assert "(5 of the sheet)" in sentence(table, "hidden_rows")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"0": X, "1": Y}),
        pd.DataFrame({"name": ["a", "b", *["c"] * 12], "y": [None, None, *Y[2:]]}),
        pd.DataFrame({"t": ["kg", "kg", *["t"] * 12], "y": [None, None, *Y[2:]]}),
    ],
)
def test_names_of_a_parquet_file_are_its_own(frame: pd.DataFrame) -> None:
    table = read_bytes(frame.to_parquet())
    assert table.names() == list(frame.columns)
    assert len(table.frame) == len(frame)
    assert not table.rejected
    pd.testing.assert_series_equal(
        table.frame.iloc[:, -1], frame.iloc[:, -1].astype(float), check_names=False, check_index=False
    )
    assert "no_header" not in kinds(table)
