"""Further files of each hostile kind: numbers, encodings and dates in all their dresses."""

from __future__ import annotations

import pytest

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.errors import DataError
from tests.datasets.weeks import WEEKS, X, Y, kinds, rows


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
