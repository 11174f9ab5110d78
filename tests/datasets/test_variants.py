"""Further files of each hostile kind, made here: what is fixed is the kind, not the file."""

from __future__ import annotations

import datetime as dt
import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from plm_engine.config import Config
from plm_engine.datasets.checks import contradictions, leaks, near_duplicates, smallest_goal
from plm_engine.datasets.export import csv_bytes, safe_cell
from plm_engine.datasets.inspect import describe, examine, inspect
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_bytes, read_table
from plm_engine.errors import DataError

WEEKS = [dt.date(2021, 1, 4) + dt.timedelta(weeks=i) for i in range(14)]
#: no straight line, so that no column gives another away
Y = [57000 + (37 * i * i) % 101 for i in range(14)]
X = [400 + (23 * i * i) % 89 for i in range(14)]


def rows(template: str) -> str:
    """Fill one line per week: d date, x, y, i."""
    return "".join(
        template.format(d=d, x=x, y=y, i=i) + "\n" for i, (d, x, y) in enumerate(zip(WEEKS, X, Y, strict=True))
    )


def kinds(table) -> dict[str, str]:
    return {f.kind: f.severity for f in table.findings}


# separators, decimal marks, thousands


@pytest.mark.parametrize(
    ("separator", "word"), [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar")], ids=str
)
def test_the_separator_is_found(csv, separator: str, word: str) -> None:
    table = csv(f"date,x1,y\n{rows('{d},{x},{y}')}".replace(",", separator))
    assert table.format.separator == word
    assert table.frame["y"].tolist() == Y


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("57.418,50", 57418.5),
        ("57\u00a0418,50", 57418.5),
        ("57 418,50", 57418.5),
        ("57'418,50", 57418.5),
        ("-57.418,50", -57418.5),
        ("1.257.418,5", 1257418.5),
        ("(57.418,50)", -57418.5),
        ("57.418,50 €", 57418.5),
        ("\u221257.418,50", -57418.5),
    ],
)
def test_decimal_commas_in_all_their_dresses(csv, cell: str, value: float) -> None:
    table = csv("date;x;y\n" + rows("{d};{x},25;" + cell))
    assert table.frame["y"].tolist() == [value] * 14


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('"57,418"', 57418.0),
        ('"1,257,418.25"', 1257418.25),
        ('"5,74,180"', 574180.0),
        ('"$57,418"', 57418.0),
        ('"-$57,418"', -57418.0),
        ("５７４１８", 57418.0),
        ("5.7418E4", 57418.0),
        ("+57418", 57418.0),
        (".5", 0.5),
    ],
)
def test_decimal_points_in_all_their_dresses(csv, cell: str, value: float) -> None:
    table = csv("date,x,y\n" + rows("{d},{x}.25," + cell))
    assert table.frame["y"].tolist() == [value] * 14


def test_a_lone_column_with_decimal_commas_is_not_two_columns(csv) -> None:
    table = csv("y\n" + rows("{y},5"))
    assert table.names() == ["y"]
    assert table.frame["y"].iloc[0] == Y[0] + 0.5


def test_numbers_that_can_be_read_in_two_ways_are_asked_about_and_the_answer_is_taken(csv) -> None:
    text = "date;x;y\n" + rows("{d};{x};57,418")
    table = csv(text)
    assert kinds(table)["ambiguous_decimal"] == "question"
    with pytest.raises(DataError, match="--decimal"):
        prepare(table, Config())
    assert csv(text, decimal=",").frame["y"].iloc[0] == 57.418
    assert csv(text, decimal=".").frame["y"].iloc[0] == 57418.0


def test_a_wrong_thousands_group_is_an_unreadable_cell(csv) -> None:
    table = csv("date,x,y\n" + rows('{d},{x},"{y}"').replace(f'"{Y[3]}"', '"57,41"').replace(f'"{Y[5]}"', '"1_000"'))
    assert [(r.row, r.column) for r in table.rejected] == [(4, "y"), (6, "y")]


def test_a_unit_suffix_counts_only_where_the_column_has_it(csv) -> None:
    table = csv("date,volume,change,y\n" + rows("{d},{i}.5K,{i}.25%,{y}").replace("57037", "57037M"))
    assert table.frame["volume"].tolist() == [i * 1000 + 500 for i in range(14)]
    assert table.frame["change"].tolist() == [i + 0.25 for i in range(14)]
    assert table.column("change").notes == ("in percent",)
    assert [(r.row, r.text) for r in table.rejected] == [(2, "57037M")]


def test_infinity_is_no_number(csv) -> None:
    table = csv("date,x,y\n" + rows("{d},{x},{y}").replace(f",{X[2]},", ",inf,").replace(f",{X[4]},", ",1e400,"))
    assert [r.row for r in table.rejected] == [3, 5]


# encodings


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("big5", ("日期", "銅庫存", "銅收盤價")),
        ("big5", ("週", "匯率", "目標")),
        ("gb18030", ("日期", "铜库存", "铜收盘价")),
        ("gb18030", ("时间", "汇率", "目标")),
        ("shift_jis", ("日付", "在庫", "終値")),
        ("euc_kr", ("날짜", "재고", "종가")),
        ("cp1252", ("Année", "Größe", "Préço")),
        ("cp1252", ("Fecha", "Año", "Cotización")),
    ],
)
def test_old_encodings_are_told_apart(csv, encoding: str, names: tuple[str, ...]) -> None:
    table = csv((";".join(names) + "\n" + rows("{d};{x};{y}")).encode(encoding))
    assert (table.format.encoding, tuple(table.names())) == (encoding, names)
    assert kinds(table)["encoding"] == "warning"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_is_never_in_doubt(csv, encoding: str) -> None:
    table = csv(("日期\tx1\ty\n" + rows("{d}\t{x}\t{y}")).encode(encoding))
    assert table.names() == ["日期", "x1", "y"]
    assert table.findings == []


def test_one_damaged_byte_in_utf8_costs_one_row_not_the_names(csv) -> None:
    data = ("日期,x1,y\n" + rows("{d},{x},{y}")).encode()
    table = csv(data[:-2] + b"\xff\n")
    assert table.names() == ["日期", "x1", "y"]
    assert [r.row for r in table.rejected] == [14]


def test_an_unknown_encoding_is_one_sentence(csv) -> None:
    for name in ("klingon", "rot13", "zip", ""):
        with pytest.raises(DataError, match="not known"):
            csv("a,b\n1,2\n", encoding=name)


# dates


@pytest.mark.parametrize(
    ("form", "notes"),
    [
        ("%d/%m/%Y", "read day-first"),
        ("%m/%d/%Y", "read month-first"),
        ("%d.%m.%y", "read day-first"),
        ("%m-%d-%y", "read month-first"),
        ("%Y/%m/%d", "read year-month-day"),
        ("%Y-%m-%d %H:%M:%S", "read year-month-day"),
        ("%Y%m%d", "read yearmonthday"),
        ("%d %b %Y", "read month in words"),
        ("%B %d, %Y", "read month in words"),
        ("%G-W%V", "read ISO week"),
        ("%Y年%m月%d日", "read year month day"),
    ],
)
def test_one_format_per_column_of_dates(csv, form: str, notes: str) -> None:
    text = "date;x1;y\n" + "".join(f"{d.strftime(form)};{x};{y}\n" for d, x, y in zip(WEEKS, X, Y, strict=True))
    table = csv(text)
    assert [d.date() for d in table.frame["date"]] == WEEKS
    assert table.column("date").notes == (notes,)


def test_ambiguous_dates_are_asked_about_and_the_answer_is_taken(csv) -> None:
    text = "date,x1,y\n" + "".join(f"01/{i:02}/2021,{X[i]},{Y[i]}\n" for i in range(1, 13))
    table = csv(text)
    (question,) = (f for f in table.findings if f.severity == "question")
    assert (question.choices, question.option) == (("day-first", "month-first"), "date_format")
    with pytest.raises(DataError, match="--date-format"):
        prepare(table, Config())
    assert prepare(table, Config(date="")).n_used == 12
    for answer, last in (("day-first", "2021-12-01"), ("month-first", "2021-01-12")):
        assert prepare(csv(text, date_format=answer), Config(date_format=answer)).dates[-1] == last


def test_a_date_that_fits_no_calendar_rejects_its_row(csv) -> None:
    text = "date,x1,y\n" + rows("{d:%d/%m/%Y},{x},{y}").replace("25/01/2021", "31/02/2021")
    table = csv(text)
    assert [(r.row, r.column, r.text) for r in table.rejected] == [(4, "date", "31/02/2021")]
    assert prepare(table, Config()).n_rejected == 1


def test_several_dates_twice_are_counted(csv) -> None:
    text = "date,x1,y\n" + rows("{d},{x},{y}") + "2021-01-04,1,2\n2021-01-11,3,4\n2021-01-04,5,6\n"
    table = csv(text)
    with pytest.raises(DataError, match=r"2 dates occur more than once"):
        prepare(table, Config())
    last = prepare(table, Config(duplicate_dates="last"))
    assert last.n_used == 14
    assert {17, 16} <= set(last.rows.tolist())
    assert last.rows[0] == 17


# structure


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


# workbooks and Parquet


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


# numbers that read well and still mislead


@pytest.mark.parametrize("value", [0.1, 1e-300, 1e200, -7.0, 0.0, 1 / 3])
def test_constant_drivers_are_not_used_whatever_their_size(csv, value: float) -> None:
    prepared = prepare(csv("date,x1,c,y\n" + rows("{d},{x}," + repr(value) + ",{y}")), Config())
    assert prepared.features == ("x1",)
    assert "c is constant, not used." in [f.sentence for f in prepared.findings]


def test_a_leak_is_found_whatever_its_sign_size_and_offset() -> None:
    generator = np.random.default_rng(0)
    y = generator.standard_normal(50)
    x = np.c_[-y * 1e200, y + 1e6, y + generator.standard_normal(50) * 0.05, y]
    found = leaks(x, y, ("minus", "offset", "close", "same"), "y")
    assert [f.columns[0] for f in found] == ["minus", "offset", "same"]


def test_conflicts_respect_the_goal_and_minus_zero() -> None:
    x = np.array([[0.0, 1], [-0.0, 1], [2, 2], [2, 2]])
    y = np.array([1.0, 5, 7, 7.5])
    numbers = np.array([4, 2, 9, 11])
    groups = contradictions(x, y, numbers)
    assert [(g.rows, g.targets) for g in groups] == [((2, 4), (5.0, 1.0)), ((9, 11), (7.0, 7.5))]
    assert smallest_goal(groups) == 2.0
    assert [g.rows for g in contradictions(x, y, numbers, goal=0.25)] == [(2, 4)]
    assert contradictions(x, y, numbers, goal=2.0) == []


def test_almost_equal_rows_with_far_targets_are_named() -> None:
    generator = np.random.default_rng(1)
    x = generator.standard_normal((30, 3))
    x[7] = x[3] + 1e-9
    y = generator.standard_normal(30)
    y[7] = y[3] + 10
    (finding,) = near_duplicates(x, y, np.arange(1, 31), goal=1.0)
    assert finding.rows == (4, 8)
    assert near_duplicates(x, y, np.arange(1, 31), goal=6.0) == []


def test_market_columns_are_recognised_in_chinese_too(csv) -> None:
    prepared = prepare(csv("日期,收盤價,開盤價,最高價,銀\n" + rows("{d},{y},{x},{i},{x}.5")), Config(target="收盤價"))
    (warning,) = (f for f in prepared.findings if f.kind == "same_week")
    assert warning.columns == ("開盤價", "最高價")


# downloads


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


# what inspect says


def test_inspect_is_plain_json_and_names_the_line_of_each_bad_cell(tmp_path) -> None:
    import json

    path = tmp_path / "p.csv"
    path.write_text("date,x1,y\n" + rows("{d},{x},{y}").replace(f",{Y[2]}\n", ",bad\n", 1), encoding="utf-8")
    report = inspect(path)
    json.dumps(report, allow_nan=False)
    assert report["rows"] == {"read": 14, "usable": 13, "rejected": 1, "missing": 0}
    assert report["rejected"][0]["line"] == 4
    assert report["first_row"] == {"date": "2021-01-04", "x1": float(X[0]), "y": float(Y[0])}
    assert report["date_range"] == ["2021-01-04", "2021-04-05"]
    assert (report["trainable"], report["problem"]) == (True, None)


def test_inspect_counts_usable_rows_even_while_a_question_is_open(csv) -> None:
    table = csv("date,x1,y\n" + rows("{d},{x},{y}") + f"{WEEKS[0]},1,2\n")
    assert examine(table, Config()).n_usable == 15
    report = describe(table, Config())
    assert not report["trainable"]
    assert report["findings"][0]["option"] == "duplicate_dates"
