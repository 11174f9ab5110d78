"""From a table to the predictions of new rows and their download, in a real browser."""

import io
import re
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from plm_engine.forecast import forecast_rows
from plm_engine.store import Store
from tests.test_lesson_start import write_rows

LONG = 60_000


def train(page: Page, url: str, table: Path) -> str:
    """Upload a table, train on it to the end and return the run's id."""
    page.goto(f"{url}/data")
    page.locator("input[type=file]").set_input_files(str(table))
    expect(page.get_by_role("heading", name=table.name)).to_be_visible(timeout=LONG)
    page.get_by_role("button", name="Train on this table").click()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(re.compile(r"/train\?run=[0-9a-f]{12}$"), timeout=LONG)
    run_id = page.url[-12:]
    expect(page.locator("p", has_text=re.compile(r"(^|\s)Finished$"))).to_be_visible(timeout=LONG)
    return run_id


def downloaded(page: Page) -> pd.DataFrame:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the forecasts").click()
    return pd.read_csv(io.BytesIO(Path(waiting.value.path()).read_bytes()), keep_default_na=False)


@pytest.fixture
def table(tmp_path) -> Path:
    write_rows(tmp_path / "weeks.csv", 60)
    return tmp_path / "weeks.csv"


def test_a_table_is_uploaded_trained_and_its_new_rows_forecast_and_downloaded(server, page, table, tmp_path):
    run_id = train(page, server.url, table)
    page.get_by_role("link", name="Forecast", exact=True).click()
    expect(page.get_by_text("On this run's test rows its mean absolute error is")).to_be_visible(timeout=LONG)
    known = pd.read_csv(table)
    new = known.tail(3).drop(columns="y").assign(note="?")
    new.iloc[1, new.columns.get_loc("a")] = 99.0
    new.to_csv(tmp_path / "new.csv", index=False)
    page.locator("input[type=file]").set_input_files(str(tmp_path / "new.csv"))
    expect(page.get_by_role("heading", name="Forecasts")).to_be_visible(timeout=LONG)
    expect(page.get_by_text("some driver (open diamonds):")).to_be_visible()
    expect(page.get_by_text("the run did not learn from them: note")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^a lies outside the range learned from .* in row 2: "))).to_be_visible()
    found = downloaded(page)
    new.index = pd.Index([1, 2, 3])
    told = forecast_rows(Store(server.home), run_id, new).table
    assert found["prediction"].tolist() == pytest.approx(told["prediction"].tolist())
    assert ["a" in outside for outside in found["outside"]][1]
    # a renamed column is suggested, and nothing is forecast
    new.rename(columns={"price": "Price."}).to_csv(tmp_path / "renamed.csv", index=False)
    page.locator("input[type=file]").set_input_files(str(tmp_path / "renamed.csv"))
    expect(page.get_by_text("Is 'Price.' the column 'price', renamed?")).to_be_visible(timeout=LONG)
    expect(page.get_by_role("button", name="Download the forecasts")).to_have_count(0)
    # rows that are typed in: the newest one is filled in and forecast
    page.get_by_role("radio", name="Type rows in").click()
    page.get_by_role("button", name="Fill in the newest row").click()
    expect(page.get_by_role("button", name="Download the forecasts")).to_be_visible(timeout=LONG)
    found = downloaded(page)
    newest = forecast_rows(Store(server.home), run_id, known.tail(1)).table
    assert found["prediction"].tolist() == pytest.approx(newest["prediction"].tolist())
