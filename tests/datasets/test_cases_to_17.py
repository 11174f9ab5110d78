"""One test per hostile file of ../shared/cases up to 17, with the exact values its EXPECTED.md gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from plm_engine.config import Config
from plm_engine.datasets.inspect import describe, lines
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.scale import Scaler
from plm_engine.errors import DataError
from plm_engine.evaluation.baselines import persistence
from tests.datasets.weeks import kinds, sentence


def test_00_a_clean_file_raises_no_alarm(case) -> None:
    table = case("00")
    config = Config(test_rows=12)
    prepared = prepare(table, config)
    assert (prepared.n_read, len(prepared.features), prepared.n_rejected) == (60, 18, 0)
    assert prepared.findings == []
    assert persistence(prepared).mae_test == pytest.approx(123.3250, abs=5e-5)


def test_01_semicolons_decimal_commas_and_dotted_thousands(case) -> None:
    table = case("01")
    assert (table.format.separator, table.format.decimal) == ("semicolon", ",")
    assert table.names() == ["Datum", "Lager", "USD-Index", "y"]
    assert (table.n_rows_read, table.rejected) == (12, [])
    assert table.frame.iloc[0].tolist() == [pd.Timestamp("2021-01-04"), 101755.9, 94.574, 57418.50]


def test_03_big5_is_told_from_gb18030_and_can_be_changed(case) -> None:
    table = case("03")
    assert table.format.encoding == "big5"
    assert table.names() == ["日期", "倫敦銅價", "庫存", "美元指數", "上海銅價"]
    assert (table.n_rows_read, table.frame["上海銅價"].iloc[0]) == (8, 57655.0)
    assert "big5" in sentence(table, "encoding")
    assert case("03", encoding="gb18030").names()[0] == "ら戳"
    with pytest.raises(DataError, match=r"not utf-8"):
        case("03", encoding="utf-8")


def test_05_utf16_with_tabs_is_not_refused_for_its_nul_bytes(case) -> None:
    table = case("05")
    assert (table.format.encoding, table.format.bom, table.format.separator) == ("utf-16-le", True, "tab")
    assert table.names() == ["日期", "x1", "x2", "y"]
    assert (table.n_rows_read, table.frame["x1"].iloc[0]) == (8, 8421.3)


def test_06_quoted_thousands_and_two_named_unreadable_cells(case) -> None:
    table = case("06")
    prepared = prepare(table, Config())
    assert table.frame["price"].iloc[0] == 57418.0
    assert (prepared.n_read, prepared.n_used, prepared.n_rejected) == (42, 40, 2)
    assert [(r.row, r.line, r.column, r.text) for r in table.rejected] == [
        (17, 18, "price", "5741B"),
        (33, 34, "price", "see note"),
    ]
    assert table.column("price").type == "number"
    assert np.isnan(table.frame["price"].loc[17])


def test_09_one_date_format_for_the_whole_column(case) -> None:
    table = case("09")
    dates = table.frame["date"]
    assert table.column("date").notes == ("read day-first",)
    assert [str(d.date()) for d in (dates.iloc[0], dates.iloc[1], dates.iloc[-1])] == [
        "2021-01-04",
        "2021-01-11",
        "2021-05-17",
    ]
    assert len(dates) == 20
    assert set(dates.diff().dropna().dt.days) == {7}
    assert table.findings == []


def test_11_a_messy_workbook(case) -> None:
    table = case("11")
    assert [(s.name, s.header_row) for s in table.format.sheets] == [("說明", None), ("Data", 5)]
    assert (table.format.sheet, table.format.header_row, table.n_rows_read) == ("Data", 5, 12)
    assert (table.lines[1], table.lines[12]) == (6, 17)
    first = table.frame.iloc[0]
    assert (first["y"], first["spread"], first["Month"]) == (57767.0, 114.91, "Jan")
    assert "ratio" in sentence(table, "formula_without_result")
    assert "G6:G17" in sentence(table, "formula_without_result")
    assert "Line 21" in sentence(table, "footer")
    assert [c.name for c in table.columns if c.hidden] == ["x3"]
    assert table.frame["Month"].tolist() == ["Jan"] * 4 + ["Feb"] * 4 + ["Mar"] * 4
    prepared = prepare(table, Config())
    assert prepared.n_used == 12
    assert "ratio" not in prepared.features
    with pytest.raises(DataError, match="holds no table"):
        case("11", sheet="說明")
    with pytest.raises(DataError, match=r"no sheet 'Daten'.*Data"):
        case("11", sheet="Daten")


def test_13_empty_rows_and_nameless_columns_are_dropped_with_one_line(case) -> None:
    table = case("13")
    assert (table.names(), table.n_rows_read) == (["date", "x1", "x2", "y"], 10)
    assert table.frame["y"].iloc[-1] == 57763.3
    assert [f.sentence for f in table.findings] == ["5 empty rows and 2 nameless empty columns left out."]


def test_14_duplicate_names_stay_reachable(case) -> None:
    table = case("14")
    assert "'x2' occurs twice (columns 3, 4)" in sentence(table, "duplicate_columns")
    third, fourth = (c.name for c in table.columns if c.original == "x2")
    first = table.frame.iloc[0]
    assert (first[third], first[fourth], first["x2.1"]) == (1.50, 9.50, 4.25)
    assert len(set(table.names())) == 6
    assert "x2.1" in "\n".join(lines(describe(table, Config())))


def test_15_spellings_of_missing_and_a_possible_sentinel(case) -> None:
    table = case("15")
    assert table.n_rows_read == 24
    x1 = table.column("x1")
    assert (x1.type, x1.n_missing) == ("number", 12)
    assert table.frame.index[table.frame["x1"].isna()].tolist() == list(range(1, 24, 2))
    assert table.column("x2").n_missing == 0
    assert (table.frame["x2"].loc[4], table.frame["x2"].loc[6]) == (0.0, -5.2)
    (question,) = (f for f in table.findings if f.kind == "sentinel")
    assert (question.severity, question.columns, question.rows) == ("question", ("x3",), (8, 10))
    assert question.option == "missing_codes"
    assert table.frame["x3"].loc[8] == -999
    with_x1 = prepare(table, Config())
    assert with_x1.rows.tolist() == list(range(2, 25, 2))
    without = prepare(table, Config(drivers=("x2", "x3")))
    assert without.n_used == 23
    assert 21 not in without.rows
    assert sentence(without, "missing_rows") == "1 row without a value in a used column, left out: data row 21."
    answered = case("15", missing_codes=("-999",))
    assert answered.column("x3").n_missing == 2
    assert "question" not in kinds(answered).values()


def test_17_a_constant_column_is_not_used_and_would_scale_to_zero(case) -> None:
    table = case("17")
    prepared = prepare(table, Config())
    assert (prepared.n_read, prepared.features) == (48, ("x1",))
    assert sentence(prepared, "constant") == "x2 is constant, not used."
    x = table.frame[["x1", "x2"]].to_numpy()
    assert 0 < np.std(x[:, 1]) < 1e-16
    scaled = Scaler.fit(x, table.frame["y"]).x(x)
    assert (scaled[:, 1] == 0.0).all()
    assert np.isfinite(scaled).all()
