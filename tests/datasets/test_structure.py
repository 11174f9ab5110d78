"""Further files of each hostile kind: headers, notes, rows out of step, other formats, downloads."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from plm_engine.config import Config
from plm_engine.datasets.export import csv_bytes, safe_cell
from plm_engine.datasets.inspect import inspect
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_bytes, read_table
from plm_engine.errors import DataError
from tests.datasets.weeks import WEEKS, X, Y, kinds, rows


def test_title_lines_and_notes_around_a_text_table(csv) -> None:
    table = csv("Weekly prices\nUnit: CNY/t\n\ndate,x1,y\n" + rows("{d},{x},{y}") + "\nSource: me,,\n")
    assert (table.format.header_row, table.n_rows_read, table.lines[1]) == (4, 14, 5)
    assert kinds(table) == {"footer": "info"}


def test_a_table_without_a_header_gets_names_and_keeps_its_first_row(csv) -> None:
    table = csv(rows("{d},{x},{y}"))
    assert (table.names(), table.n_rows_read) == (["column 1", "column 2", "column 3"], 14)
    assert kinds(table)["no_header"] == "warning"


def test_years_may_head_columns(csv) -> None:
    table = csv("country,2019,2020\nChile,5,6\nPeru,7,8\nChina,9,10\n")
    assert (table.names(), table.n_rows_read) == (["country", "2019", "2020"], 3)


def test_rows_out_of_step_are_rejected_by_line(csv) -> None:
    text = "date,x1,y\n" + rows("{d},{x},{y}").replace(f",{Y[3]}\n", f",{Y[3]},9\n", 1) + "2022-01-01,5\n"
    table = csv(text)
    assert [(r.row, r.line, r.column) for r in table.rejected] == [(4, 5, ""), (15, 16, "")]
    assert prepare(table, Config()).n_used == 13


def test_line_numbers_survive_cells_with_line_breaks_and_blank_lines(csv) -> None:
    text = "date,x1,y,note\n\n" + rows('{d},{x},{y},"two\nlines"').replace(f",{Y[5]},", ",oops,")
    table = csv(text)
    assert [(r.row, r.line) for r in table.rejected] == [(6, 13)]


def test_a_quotation_mark_never_closed_is_not_swallowed_in_silence(csv) -> None:
    text = "date,x1,y\n" + rows("{d},{x},{y}").replace(f",{X[6]},", f',"{X[6]},')
    with pytest.raises(DataError, match="quotation mark is never closed: the row in line 8"):
        csv(text)


def test_duplicate_names_never_collide_with_existing_ones(csv) -> None:
    table = csv("x,x,x (2),x,y\n" + rows("1,{x},3,4,{y}"))
    assert len(set(table.names())) == 5
    assert table.frame["x (2)"].iloc[0] == 3
    assert [c.original for c in table.columns] == ["x", "x", "x (2)", "x", "y"]


def test_a_nameless_column_with_values_keeps_them(csv) -> None:
    table = csv("date,,y\n" + rows("{d},{x},{y}"))
    assert table.frame["column 2"].tolist() == X
    assert kinds(table)["nameless_columns"] == "warning"


@pytest.mark.parametrize("code", ["-999", "-9999", "9999", "-99"])
def test_sentinels_are_asked_about_and_kept_until_answered(csv, code: str) -> None:
    text = "date,x1,y\n" + rows("{d},{i}.5,{y}").replace(",4.5,", f",{code},").replace(",7.5,", f",{code}.0,")
    table = csv(text)
    (question,) = (f for f in table.findings if f.kind == "sentinel")
    assert (question.rows, question.choices[0]) == ((5, 8), code)
    assert prepare(table, Config()).n_used == 14
    assert csv(text, missing_codes=(code,)).column("x1").n_missing == 2


def test_a_price_near_999_is_no_sentinel(csv) -> None:
    table = csv("date,x1,y\n" + "".join(f"{d},{990 + i},{y}\n" for i, (d, y) in enumerate(zip(WEEKS, Y, strict=True))))
    assert table.findings == []


def test_blank_text_and_binary_content_are_refused_in_words(csv) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as z:
        z.writestr("data.csv", "a,b\n1,2\n")
    for data, words in [
        (b" \r\n\t\n", "only blank space"),
        (b"\0" * 300, "only blank space"),
        (archive.getvalue(), "ZIP archive"),
        (archive.getvalue()[:40], "damaged ZIP"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\x1f\x8b\x08abc", "gzip"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Excel"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b'{"a": 1}', "JSON"),
        (b"PAR1nonsensePAR1", "Parquet file is damaged"),
        (bytes(range(1, 32)) * 20, "binary"),
    ]:
        with pytest.raises(DataError, match=words):
            csv(data)


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path) -> None:
    with pytest.raises(DataError, match="no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(DataError, match="folder"):
        read_table(tmp_path)
    with pytest.raises(DataError, match="no file and no table"):
        inspect("neither\0file")


def test_an_xlsx_named_csv_is_read_as_what_it_is() -> None:
    table = read_bytes(_workbook([["date", "y"], *[[d, y] for d, y in zip(WEEKS, Y, strict=True)]]), "prices.csv")
    assert (table.format.kind, table.frame["y"].tolist()) == ("xlsx", Y)


def _workbook(cells: list[list[object]], change=None) -> bytes:
    book = openpyxl.Workbook()
    for row in cells:
        book.active.append(row)
    if change:
        change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_workbook_text_numbers_and_bad_cells() -> None:
    cells = [["when", "x1", "y"], *[[d, f"{x},5", y] for d, x, y in zip(WEEKS, X, Y, strict=True)]]
    cells[4][2] = "n/a"
    cells[6][2] = "see note"
    table = read_bytes(_workbook(cells))
    assert table.frame["x1"].tolist() == [x + 0.5 for x in X]
    assert table.column("y").n_missing == 1
    assert [(r.row, r.line, r.column) for r in table.rejected] == [(6, 7, "y")]


def test_a_hidden_span_and_a_second_table_are_told() -> None:
    def change(book: openpyxl.Workbook) -> None:
        book.active.title = "First"
        book.active.column_dimensions.group("B", "C", hidden=True)
        other = book.create_sheet("Second")
        other.append(["a", "b"])
        other.append([1, 2])

    data = _workbook([["date", "x1", "x2", "y"], *[[d, x, -x, y] for d, x, y in zip(WEEKS, X, Y, strict=True)]], change)
    table = read_bytes(data)
    assert [c.name for c in table.columns if c.hidden] == ["x1", "x2"]
    assert [s.header_row for s in table.format.sheets] == [1, 1]
    from plm_engine.datasets.read import ReadOptions

    assert read_bytes(data, options=ReadOptions(sheet="Second")).names() == ["a", "b"]
    assert prepare(table, Config(drivers=("x1",))).features == ("x1",)
    with pytest.raises(DataError, match="No driver"):
        prepare(table, Config())


def test_formulas_never_computed_are_named_by_cell() -> None:
    cells = [["date", "x1", "y"], *[[d, x, f"=B{i}*2"] for i, (d, x) in enumerate(zip(WEEKS, X, strict=True), 2)]]
    table = read_bytes(_workbook(cells))
    (finding,) = (f for f in table.findings if f.kind == "formula_without_result")
    assert "C2:C15" in finding.sentence
    assert table.column("y").type == "empty"


def test_a_workbook_without_any_table_is_refused() -> None:
    with pytest.raises(DataError, match="No sheet"):
        read_bytes(_workbook([]))


def test_parquet_keeps_types_and_rejects_infinity() -> None:
    frame = pd.DataFrame({"date": pd.to_datetime(WEEKS), "x1": X, "y": np.array(Y, dtype=float)})
    frame.loc[2, "y"] = np.inf
    frame.loc[3, "y"] = np.nan
    out = io.BytesIO()
    frame.to_parquet(out)
    table = read_bytes(out.getvalue())
    assert [c.type for c in table.columns] == ["date", "number", "number"]
    assert [r.row for r in table.rejected] == [3]
    assert table.column("y").n_missing == 1
    assert prepare(table, Config()).n_used == 12


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1"])
def test_whatever_a_spreadsheet_would_run_is_written_behind_an_apostrophe(text: str) -> None:
    assert safe_cell(text) == "'" + text


@pytest.mark.parametrize("value", [-0.52, 0, "plain", "", None, "a=b", "2021-01-04"])
def test_harmless_cells_are_left_alone(value: object) -> None:
    assert safe_cell(value) == value


def test_downloads_neutralise_duplicate_and_dangerous_names_too() -> None:
    frame = pd.DataFrame([["=1", -2.5]], columns=["=a", "=a"])
    assert csv_bytes(frame).decode("utf-8-sig") == "'=a,'=a\r\n'=1,-2.5\r\n"


def test_html_in_names_stays_text(csv) -> None:
    table = csv("<b>date</b>,x1,y\n" + rows("{d},{x},{y}"))
    assert table.names()[0] == "<b>date</b>"
