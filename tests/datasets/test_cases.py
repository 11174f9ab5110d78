"""One test per hostile file of ../shared/cases, with the exact values its EXPECTED.md gives."""

from __future__ import annotations

import io

import numpy as np
import openpyxl
import pandas as pd
import pytest

from plm_engine.config import Config
from plm_engine.datasets.checks import best_possible, contradictions, raise_if_contradictory
from plm_engine.datasets.export import csv_bytes, is_formula, xlsx_bytes
from plm_engine.datasets.inspect import describe, examine, lines
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.scale import Scaler
from plm_engine.datasets.table import Table
from plm_engine.errors import ContradictionError, DataError
from plm_engine.evaluation.baselines import linear_regression, persistence
from plm_engine.evaluation.metrics import Undefined, mape, skill


def kinds(table: Table, severity: str | None = None) -> set[str]:
    return {f.kind for f in table.findings if severity in (None, f.severity)}


def sentence(table_or_findings, kind: str) -> str:
    findings = getattr(table_or_findings, "findings", table_or_findings)
    return " ".join(f.sentence for f in findings if f.kind == kind)


def naive(table: Table, n_test: int, **given) -> float:
    prepared = prepare(table, Config(test_rows=n_test, **given), need_drivers=False)
    value = persistence(prepared).mae_test
    assert isinstance(value, float)
    return value


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
    assert kinds(table) == set()


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
    assert [f.sentence for f in table.findings] == ["5 empty rows and 2 nameless empty columns were left out."]


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
    assert "1 row (data rows 21)" in sentence(without, "missing_rows")
    answered = case("15", missing_codes=("-999",))
    assert answered.column("x3").n_missing == 2
    assert kinds(answered, "question") == set()


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


def test_18_leaks_are_named_before_training_and_labelled_after(case) -> None:
    prepared = prepare(case("18"), Config(drivers=("x1", "x2", "x3", "x4")))
    leaks = [f for f in prepared.findings if f.kind == "leak"]
    assert [f.columns for f in leaks] == [("x3",), ("x4",)]
    assert "identical" in leaks[0].sentence
    assert "1.000" in leaks[1].sentence
    regression = linear_regression(prepared)
    assert regression is not None
    assert isinstance(regression.mae_test, float)
    assert regression.mae_test < 1e-6
    assert "leakage" in regression.note


def test_19_contradictory_rows_are_grouped_and_bounded(case) -> None:
    table = case("19")
    frame = table.frame
    x, y, rows = frame[["x1", "x2"]].to_numpy(), frame["y"].to_numpy(), frame.index.to_numpy()
    groups = contradictions(x, y, rows)
    assert [(g.rows, g.targets) for g in groups] == [((3, 11), (100, 140)), ((6, 9, 14), (80, 95, 90))]
    best = best_possible(x, y)
    assert best["max_error"] == 20.0
    assert best["mae"] == 55 / 16
    assert best["rmse"] == pytest.approx(7.5691, abs=5e-5)
    training = slice(0, 12)
    assert [g.rows for g in contradictions(x[training], y[training], rows[training])] == [(3, 11), (6, 9)]
    assert best_possible(x[training], y[training])["mae"] == pytest.approx(4.5833, abs=5e-5)
    with pytest.raises(ContradictionError, match="data rows 3, 11") as caught:
        raise_if_contradictory(x, y, rows, 19.9)
    assert (caught.value.smallest_goal, caught.value.groups) == (20.0, ((3, 11),))
    raise_if_contradictory(x, y, rows, 20.0)
    prepared = prepare(table, Config(test_rows=4))
    assert prepared.features == ("x1", "x2")
    assert "rows 3, 11 (100, 140); data rows 6, 9, 14 (80, 95, 90)" in sentence(prepared, "contradiction")


def test_20_a_single_row_previews_but_does_not_train(case) -> None:
    table = case("20")
    assert (table.size, table.frame["y"].iloc[0]) == ("4 columns, 1 row", 57418.0)
    with pytest.raises(DataError, match=r"Too few rows.*at least 3 needed"):
        prepare(table, Config())
    assert examine(table, Config()).n_usable == 1


def test_21_a_header_alone_is_described(case) -> None:
    table = case("21")
    assert table.size == "4 columns, 0 rows"
    assert "4 columns, 0 rows" in sentence(table, "no_rows")
    report = describe(table, Config())
    assert "4 columns, 0 rows" in report["problem"]
    with pytest.raises(DataError, match="4 columns, 0 rows"):
        prepare(table, Config())


def test_22_an_empty_file_is_called_empty(case) -> None:
    with pytest.raises(DataError, match="file is empty"):
        case("22")


def test_23_a_lone_target_has_persistence_but_no_network(case) -> None:
    table = case("23")
    assert (table.names("number"), table.n_rows_read, table.format.separator) == (["y"], 30, "none")
    assert kinds(table) == set()
    with pytest.raises(DataError, match="No driver columns left"):
        prepare(table, Config())
    assert naive(table, 6) == pytest.approx(195.1667, abs=5e-5)


def test_25_two_thousand_columns_by_five_rows(case) -> None:
    table = case("25")
    assert (len(table.columns), table.n_rows_read) == (2000, 5)
    assert (len(table.names("empty")), len(table.names("number"))) == (1499, 501)
    assert table.frame["y"].iloc[0] == 7
    assert [f.sentence for f in table.findings] == ["1,499 columns are entirely blank and put aside."]
    prepared = prepare(table, Config())
    assert "500 drivers and 4 training rows" in sentence(prepared, "more_drivers_than_rows")


def test_26_huge_magnitudes_stay_finite_and_are_flagged(case) -> None:
    table = case("26")
    prepared = prepare(table, Config(test_rows=5))
    assert prepared.n_used == 24
    assert np.isfinite(prepared.x_train).all()
    huge = [f for f in prepared.findings if f.kind == "huge"]
    assert [(f.columns, f.rows) for f in huge] == [(("x2",), ()), (("x3",), (11,))]
    scaler = Scaler.fit(prepared.x_train, prepared.y_train)
    for part in (prepared.x_train, prepared.x_test):
        assert np.isfinite(scaler.x(part)).all()
        assert np.abs(scaler.x(part)).max() < 100
    assert np.isfinite(scaler.y(prepared.y_test)).all()
    assert persistence(prepared).mae_test == pytest.approx(535907342501.4, abs=0.05)


def test_28_rows_are_sorted_and_a_date_that_occurs_twice_is_asked_about(case) -> None:
    table = case("28")
    assert table.n_rows_read == 26
    with pytest.raises(DataError, match=r"2021-03-15 \(data rows 10, 26, y 59071.7, 59126.7\).*--duplicate-dates"):
        prepare(table, Config())
    (question,) = (f for f in examine(table, Config()).findings if f.severity == "question")
    assert (question.rows, question.choices) == ((10, 26), ("first", "last", "all"))
    kept = {}
    for choice in ("first", "last", "all"):
        prepared = prepare(table, Config(test_rows=5, duplicate_dates=choice))
        kept[choice] = set(prepared.rows.tolist())
        assert (prepared.dates[0], prepared.dates[-1]) == ("2021-01-04", "2021-06-21")
        assert list(prepared.dates) == sorted(prepared.dates)
        assert prepared.dates[-5] == "2021-05-24"
    assert kept["all"] - kept["first"] == {26}
    assert kept["all"] - kept["last"] == {10}


def test_29_a_market_export_newest_first(case) -> None:
    table = case("29")
    assert (len(table.columns), table.n_rows_read, table.format.bom) == (7, 30, True)
    first = table.frame.iloc[0]
    assert first[["Price", "Vol.", "Change %"]].tolist() == [8514.85, 3450.0, -0.52]
    assert str(first["Date"].date()) == "2023-12-24"
    assert table.frame["Vol."].loc[5] == 1020000.0
    assert np.isnan(table.frame["Vol."].loc[9])
    prepared = prepare(table, Config(target="Price", test_rows=6))
    assert (prepared.dates[0], prepared.target) == ("2023-06-04", "Price")
    assert persistence(prepared).mae_test == pytest.approx(93.3267, abs=5e-5)
    (warning,) = (f for f in prepared.findings if f.kind == "same_week")
    assert {"Open", "High", "Low", "Change %"} <= set(warning.columns)


def test_30_formulas_stay_text_and_are_harmless_in_downloads(case) -> None:
    table = case("30")
    assert table.n_rows_read == 10
    (finding,) = (f for f in table.findings if f.kind == "formula_cells")
    assert finding.rows == (2, 3, 4, 5, 7)
    assert set(finding.columns) == {"note", '=HYPERLINK("x")'}
    assert table.frame["note"].loc[2] == "=cmd|' /C calc'!A0"
    assert table.frame["change"].loc[3] == -0.52
    back = pd.read_csv(io.BytesIO(csv_bytes(table.frame)))
    assert back["change"].iloc[2] == -0.52
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx_bytes(table.frame))).active
    workbook_cells = [c.value for row in sheet.iter_rows() for c in row]
    for cell in [*back.columns, *back["note"], *workbook_cells]:
        assert not is_formula(cell)
    assert -0.52 in workbook_cells
    assert not any(c.data_type == "f" for row in sheet.iter_rows() for c in row)


def test_31_a_zip_archive_is_refused_by_its_first_bytes(case) -> None:
    with pytest.raises(DataError, match="This is a ZIP archive, not a table"):
        case("31")


def test_33_nul_bytes_are_named_and_never_cut_a_number(case) -> None:
    table = case("33")
    assert table.n_rows_read == 12
    assert [(r.row, r.column) for r in table.rejected] == [(3, "x1"), (7, "y")]
    assert np.isnan(table.frame["y"].loc[7])
    prepared = prepare(table, Config())
    assert (prepared.n_used, prepared.n_rejected) == (10, 2)
    assert 58 not in prepared.actual
    assert "64 NUL bytes" in sentence(table, "nul_tail")


def test_35_scaling_knows_only_the_training_rows(case) -> None:
    prepared = prepare(case("35"), Config(test_rows=10))
    scaler = Scaler.fit(prepared.x_train, prepared.y_train)
    assert scaler.x_mean[0] == pytest.approx(20.5)
    assert scaler.x_spread[0] == pytest.approx(11.5434, abs=5e-5)
    assert scaler.x(prepared.x_test).max() == pytest.approx(2.556, abs=5e-4)
    regression = linear_regression(prepared)
    assert regression is not None
    assert isinstance(regression.mae_test, float)
    assert regression.mae_test < 1e-6
    assert persistence(prepared).mae_test == pytest.approx(10.0)


def test_36_persistence_is_the_row_before_not_one_value_held(case) -> None:
    prepared = prepare(case("36"), Config(test_rows=12))
    baseline = persistence(prepared)
    assert baseline.mae_test == pytest.approx(179.5667, abs=5e-5)
    assert baseline.test[0] == 60868.8
    held = np.abs(prepared.y_test - baseline.test[0]).mean()
    assert held == pytest.approx(831.6583, abs=5e-5)
    regression = linear_regression(prepared)
    assert regression is not None
    worse = skill(regression.mae_test, baseline.mae_test)
    assert isinstance(worse, float)
    assert worse < 0


def test_37_mape_is_not_defined_with_zero_targets(case) -> None:
    prepared = prepare(case("37"), Config(test_rows=8))
    baseline = persistence(prepared)
    measure = mape(prepared.y_test, baseline.test)
    assert isinstance(measure, Undefined)
    assert str(measure) == "not defined (3 zero targets)"
    assert baseline.mae_test == pytest.approx(27.4250, abs=5e-5)
