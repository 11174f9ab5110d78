"""One test per hostile file of ../shared/cases from 18 on, with the exact values its EXPECTED.md gives."""

from __future__ import annotations

import io

import numpy as np
import openpyxl
import pandas as pd
import pytest

from plm_engine.config import Config
from plm_engine.datasets.checks import best_possible, contradictions, raise_if_contradictory
from plm_engine.datasets.export import csv_bytes, is_formula, xlsx_bytes
from plm_engine.datasets.inspect import describe, examine
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.scale import Scaler
from plm_engine.errors import ContradictionError, DataError
from plm_engine.evaluation.baselines import linear_regression, persistence
from plm_engine.evaluation.metrics import Undefined, mape, skill
from tests.datasets.weeks import naive, sentence


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
    assert "data rows 3, 11 (100, 140); data rows 6, 9, 14 (80, 95, 90)" in sentence(prepared, "contradiction")


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
    assert table.findings == []
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
