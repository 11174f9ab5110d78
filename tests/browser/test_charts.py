"""What a chart offers under its picture, in a real browser: its data, itself as a picture, and the kind of its axis."""

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from plm_engine.report import series
from plm_engine.store import Store
from tests.pages.replay_story import write_story

LONG = 60_000


def chart_and_row(page: Page, label: str) -> tuple[Locator, Locator]:
    chart = page.locator(f".js-plotly-plot[aria-label^='{label}']")
    expect(chart).to_be_visible(timeout=LONG)
    return chart, chart.locator("xpath=following-sibling::*[contains(@class, 'plm-save')]")


def saved(page: Page, button: Locator) -> tuple[str, bytes]:
    with page.expect_download() as told:
        button.click()
    return told.value.suggested_filename, Path(told.value.path()).read_bytes()


def open_run(server, page: Page) -> str:
    run_id = write_story(Store(server.home))
    page.goto(f"{server.url}/train?run={run_id}")
    return run_id


def test_a_charts_data_come_as_csv_with_units_and_every_digit(server, page):
    run_id = open_run(server, page)
    _, row = chart_and_row(page, "y, actual")
    name, content = saved(page, row.get_by_role("button", name="CSV"))
    assert name == "predictions.csv"
    head, *lines = csv.reader(io.StringIO(content.decode("utf-8-sig")))
    found = series(server.home, run_id)
    assert head[0] == "series"
    assert head[2] == "y"  # a unit that is not known would only say the name once more
    actual = [float(y) for kind, _, y in lines if kind == "Actual"]
    assert actual == pytest.approx(found.actual.tolist(), rel=1e-6)
    assert {kind for kind, *_ in lines} >= {"Actual", "Predicted, training"}
    _, row = chart_and_row(page, "Largest residual over time")
    _, content = saved(page, row.get_by_role("button", name="CSV"))
    assert next(csv.reader(io.StringIO(content.decode("utf-8-sig"))))[2] == "Largest residual (units of y)"


def test_a_chart_becomes_a_picture_for_screen_and_print_without_a_network(server, page):
    open_run(server, page)
    _, row = chart_and_row(page, "Number of hidden nodes")
    page.context.set_offline(True)
    name, content = saved(page, row.get_by_role("button", name="PNG"))
    assert name == "nodes.png"
    assert content.startswith(b"\x89PNG")
    name, content = saved(page, row.get_by_role("button", name="SVG"))
    assert name == "nodes.svg"
    assert b"<svg" in content[:200]
    assert b"Hidden nodes" in content


def test_the_axis_of_loss_and_time_is_logarithmic_or_not_as_the_reader_wants(server, page):
    open_run(server, page)
    for label, axis, first in (("Loss", "yaxis", "log"), ("Seconds spent", "xaxis", "linear")):
        chart, row = chart_and_row(page, label)
        kind = f"e => e._fullLayout.{axis}.type"
        assert chart.evaluate(kind) == first
        switch = row.get_by_role("button", name="Logarithmic axis")
        expect(switch).to_have_attribute("aria-pressed", str(first == "log").lower())
        switch.focus()
        page.keyboard.press("Enter")
        assert chart.evaluate(kind) == ("linear" if first == "log" else "log")
        expect(switch).to_have_attribute("aria-pressed", str(first != "log").lower())


def test_the_buttons_speak_the_pages_language(server, page):
    run_id = write_story(Store(server.home))
    page.goto(f"{server.url}/train?run={run_id}&lang=zh")
    button = page.get_by_role("button", name="將此圖表的資料存成 CSV").first
    expect(button).to_be_visible(timeout=LONG)
    _, content = saved(page, button)
    assert content.decode("utf-8-sig").startswith("數列,")


def test_on_a_dark_page_the_series_are_lifted_and_a_picture_is_still_for_paper(server, chromium):
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, color_scheme="dark")
    page = context.new_page()
    open_run(server, page)
    chart, row = chart_and_row(page, "y, actual")
    drawn = chart.locator(".scatterlayer .js-line").first.evaluate("e => getComputedStyle(e).stroke")
    red, green, blue = (int(part) for part in drawn.removeprefix("rgb(").removesuffix(")").split(","))
    assert min(red, green, blue) > 130  # the line of the actual values: #5f6b7a on paper
    _, picture = saved(page, row.get_by_role("button", name="SVG"))
    assert "stroke: rgb(95, 107, 122)" in picture.decode("utf-8")
    context.close()
