"""Numbers with a unit: read in that unit, which is shown; other units are not mixed in, other texts are named."""

from __future__ import annotations

import pytest

from plm_engine.config import Config
from plm_engine.datasets.numbers import without_unit
from plm_engine.datasets.prepare import prepare
from tests.datasets.weeks import Y, kinds, rows, sentence


@pytest.mark.parametrize(
    ("cell", "unit"),
    [
        ("{y} CNY", "CNY"),
        ("NT${y}", "NT$"),
        ("USD {y}", "USD"),
        ("{y}元", "元"),
        ("{y} 元/噸", "元/噸"),
        ("US$ {y}", "US$"),
        ('"{y:,} USD/t"', "USD/t"),
        ("{y}kt", "kt"),
        ("{y}bn", "bn"),
        ("{y} points", "points"),
    ],
)
def test_a_unit_that_all_cells_carry_is_taken_off_and_shown(csv, cell: str, unit: str) -> None:
    table = csv("date,x1,y\n" + rows("{d},{x}," + cell))
    assert table.frame["y"].tolist() == Y
    assert table.column("y").notes == (f"in {unit}",)
    assert prepare(table, Config(test_rows=3)).target == "y"


def test_a_cell_in_another_unit_is_rejected_and_named(csv) -> None:
    table = csv(
        "date,x1,y\n" + rows("{d},{x},{y} CNY").replace(f"{Y[3]} CNY", "8100 USD").replace(f"{Y[5]} CNY", "n/a")
    )
    (rejected,) = table.rejected
    assert rejected.row == 4
    assert "is not in CNY" in rejected.reason
    assert table.column("y").n_missing == 1


def test_a_unit_does_not_hide_what_decides_the_decimal_mark(csv) -> None:
    table = csv("date;x1;y\n" + rows("{d};{x};{y},25 EUR"))
    assert table.frame["y"].tolist() == [v + 0.25 for v in Y]
    assert kinds(csv("date;x1;y\n" + rows("{d};{x};57.4{i:02} EUR")))["ambiguous_decimal"] == "question"


@pytest.mark.parametrize(
    "text",
    [
        "2021年",
        "Q1 2021",
        "A 100",
        "HSC 12",
        "10:30",
        "5741B",
        "1.2 M",
        "5 AM",
        "12%",
        "1e5",
        "x2.1",
        "3 2021",
        "$5",
        "7",
    ],
)
def test_names_times_and_factors_are_no_units(text: str) -> None:
    assert without_unit(text) == (text, "")


def test_a_minus_behind_the_number_is_a_minus(csv) -> None:
    assert csv("x1,y\n" + rows("{x}.5-,{y}")).frame["x1"].max() < 0


def test_numbers_that_are_not_read_are_named_before_another_column_becomes_the_target(csv) -> None:
    table = csv("date,x1,y\n" + rows("{d},{x},≈{y}"))
    assert table.column("y").type == "text"
    assert "'y'" in sentence(table, "numbers_as_text")
    assert f"≈{Y[0]}" in sentence(table, "numbers_as_text")
    mixed = csv("date;x1;x2;y\n" + rows("{d};{x},5;0.{x};{y}.25"))
    assert "'x1'" in sentence(mixed, "numbers_as_text")
    assert "numbers_as_text" not in kinds(csv("code,x1,y\n" + rows("c{i},{x},{y}")))
