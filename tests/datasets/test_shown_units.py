"""What number formats and leading zeros say about numbers, and tables whose columns are divided by blanks."""

import io

import openpyxl
import pytest

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_bytes
from plm_engine.datasets.roles import suggest_roles
from plm_engine.datasets.shown_units import unit_of
from tests.datasets.weeks import X, Y


@pytest.mark.parametrize(
    ("number_format", "unit"),
    [
        ("0.0%", "percent"),
        ('0.0"%"', "no unit"),
        ("General", "no unit"),
        ("#,##0.00", "no unit"),
        ('#,##0.00 "EUR"', "EUR"),
        ("[$EUR-407] #,##0.00;[Red]-#,##0", "EUR"),
        ('"NT$"#,##0', "NT$"),
        ("$#,##0.00", "$"),
        ("[$€-2] #,##0", "€"),
    ],
)
def test_a_number_format_names_a_unit(number_format, unit):
    assert unit_of(number_format) == unit


def workbook(*formats: str) -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    page.append(["Week prices"])
    page.append(["rate", "y"])
    for k in range(12):
        page.append([0.12 + k / 100, 57000 + k])
        page.cell(page.max_row, 1).number_format = formats[k % len(formats)]
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_cells_shown_in_percent_keep_their_value_and_it_is_said():
    table = read_bytes(workbook("0%"))
    (said,) = [f for f in table.findings if f.kind == "shown_in_percent"]
    assert said.sentence.startswith("Column 'rate' is shown in percent")
    assert table.frame["rate"].iloc[0] == 0.12


@pytest.mark.parametrize(("formats", "units"), [(("0%", "0.00"), "percent: 6"), (('0 "EUR"', '0 "USD"'), "EUR: 6")])
def test_numbers_in_two_units_are_warned_about(formats, units):
    (said,) = [f for f in read_bytes(workbook(*formats)).findings if f.kind == "mixed_units"]
    assert said.severity == "warning"
    assert units in said.sentence


def test_plain_number_formats_are_nothing_to_say():
    assert not {"mixed_units", "shown_in_percent"} & {f.kind for f in read_bytes(workbook("0.00", "General")).findings}


def test_codes_with_leading_zeros_are_put_aside_and_can_be_chosen():
    lines = [f"{x},{k * 7:04d},{k % 12 + 1:02d}" for k, x in enumerate(X)]
    table = read_bytes(("x1,store,hour\n" + "\n".join(lines)).encode())
    roles = suggest_roles(table, "x1")
    assert (roles.drivers, dict(roles.set_aside)) == (
        ("hour",),
        {"store": "a code, for its numbers have leading zeros"},
    )
    assert suggest_roles(read_bytes(b"y2,store\n3,0071\n4,0072\n5,0100\n")).target == "y2"
    assert table.column("store").type == "number"


@pytest.mark.parametrize("cell", ["0.5", "0", "-007", "00:30"])
def test_zeros_of_amounts_are_no_codes(cell):
    table = read_bytes(f"v,y\n{cell},1\n12,2\n13,3\n14,4\n".encode())
    assert "leading zeros" not in table.column("v").notes


@pytest.mark.parametrize("gap", [" ", "   "])
def test_columns_divided_by_blanks_are_read(gap):
    days = [f"2021-01-{4 + k:02d}" for k in range(len(X))]
    lines = [gap.join((day, f"{x:6.1f}".strip(), str(y))) for day, x, y in zip(days, X, Y, strict=True)]
    table = read_bytes(("date" + gap + "x1" + gap + "y\n" + "\n".join(f" {line}  " for line in lines)).encode())
    assert [c.type for c in table.columns] == ["date", "number", "number"]
    assert table.frame["y"].tolist() == list(Y)
    assert table.format.separator == "space"


@pytest.mark.parametrize(
    "text",
    ["time\n2021-01-04 10:00\n2021-01-05 10:00\n2021-01-06 10:00\n", "price eur\n57 418\nsee note\n57 420\n57 421\n"],
)
def test_blanks_inside_cells_divide_nothing(text):
    assert len(read_bytes(text.encode()).columns) == 1


def findings(text: str, kind: str) -> list[str]:
    return [f.sentence for f in read_bytes(text.encode()).findings if f.kind == kind]


def test_prices_in_two_currencies_are_named_in_one_column_or_beside_a_column_of_currencies():
    mixed = "".join(f"{'EUR' if k % 2 else 'USD'} {y}.5,{k}\n" for k, y in enumerate(Y))
    (said,) = findings("price,x\n" + mixed, "mixed_units")
    assert "Column 'price' is taken as text, for its numbers are in different units (USD: 7, EUR: 7)" in said
    beside = "".join(f"{'EUR' if k == 3 else 'USD'},{y},{k}\n" for k, y in enumerate(Y))
    (said,) = findings("Currency,price,x\n" + beside, "mixed_units")
    assert "rows are in different units (USD: 13, EUR: 1)" in said
    assert findings("Currency,price,x\n" + beside.replace("EUR", "USD"), "mixed_units") == []


def test_quotations_from_to_are_said_to_be_text():
    (said,) = findings("price,x\n" + "".join(f"{y}-{y + 50},{k}\n" for k, y in enumerate(Y)), "numbers_as_text")
    assert "'57000-57050', are not read as numbers" in said


@pytest.mark.parametrize("name", ["Price (USD/t)", "Prix €/t", "Preis CHF", "價格", "preço"])
def test_the_price_is_the_target_in_other_languages_and_with_its_unit(name):
    lines = "".join(f"{y},{x}\n" for x, y in zip(X, Y, strict=True))
    assert suggest_roles(read_bytes(f"{name},x1\n{lines}".encode())).target == name


def test_a_name_that_is_only_a_unit_stands_behind_the_name_above_it():
    book = openpyxl.Workbook()
    page = book.active
    for row in (["Date", "Copper", None, "Freight"], [None, "LME", "Premium", "USD"]):
        page.append(row)
    page.merge_cells("B1:C1")
    for day, (x, y) in enumerate(zip(X, Y, strict=True)):
        page.append([f"2021-01-{day + 4:02d}", y, x, x + 1])
    out = io.BytesIO()
    book.save(out)
    assert [c.name for c in read_bytes(out.getvalue()).columns] == ["Date", "LME", "Premium", "Freight (USD)"]


def test_newest_rows_without_a_target_are_there_to_be_forecast():
    lines = [f"{x},{'' if k in (5, 12, 13) else y}" for k, (x, y) in enumerate(zip(X, Y, strict=True))]
    prepared = prepare(read_bytes(("x1,y\n" + "\n".join(lines)).encode()), Config(test_rows=3))
    (said,) = [f for f in prepared.findings if f.kind == "to_forecast"]
    assert said.rows == (13, 14)
