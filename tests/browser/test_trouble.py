"""What a visitor is told before a launch that would go wrong, and when a run ends badly, on whatever page."""

import json
import re
import time

import numpy as np
import psutil
import pytest
from playwright.sync_api import Page, expect

from pages.parts.client import Lab
from plm_engine.store import Store

LONG = 60_000


def tables() -> dict[str, bytes]:
    """Return name -> CSV of tables that one should not learn from without being told."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=(60, 2)).round(3)
    y = (10 * x[:, 0] + draw.normal(size=60)).round(2) + 100
    same = x.copy()
    same[1], contradicting = same[0], y.copy()
    contradicting[:2] = 50, 150
    many = draw.normal(size=(14, 30)).round(3)
    return {
        "leak": csv(np.column_stack([x, 2 * y + 1, y]), "a,b,invoice,y"),
        "contradiction": csv(np.column_stack([same, contradicting]), "a,b,y"),
        "few rows": csv(np.column_stack([many, y[:14]]), ",".join([*(f"d{j}" for j in range(30)), "y"])),
        "sound": csv(np.column_stack([x, y]), "a,b,y"),
    }


def csv(values: np.ndarray, head: str) -> bytes:
    return "\n".join([head, *(",".join(map(str, row)) for row in values)]).encode()


def open_table(server, page: Page, name: str, on: str) -> None:
    key = Lab(server.home).save_upload(f"{name}.csv", tables()[name])
    page.goto(f"{server.url}/{on}?data={key}&target=y")
    expect(page.get_by_text(f"{name}.csv").first).to_be_visible(timeout=LONG)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("leak", r"invoice .*the target 'y': it gives the answer away and is probably a leak"),
        ("few rows", r"fitted exactly, which says nothing about forecasts"),
    ],
)
@pytest.mark.parametrize("on", ["data", "train"])
def test_what_makes_a_forecast_worthless_is_said_where_data_are_chosen_and_before_the_start(
    server, page, name, said, on
):
    open_table(server, page, name, on)
    expect(page.get_by_test_id("stAlert").filter(has_text=re.compile(said))).to_be_visible(timeout=LONG)


def test_rows_that_contradict_each_other_are_named_before_the_start_which_is_barred(server, page):
    open_table(server, page, "contradiction", "train")
    note = page.get_by_test_id("stAlert").filter(has_text="cannot be met")
    expect(note).to_contain_text("data rows 1, 2", timeout=LONG)
    expect(note).to_contain_text(
        "smallest goal that can be met is 50"
    )  # half of what the two targets differ by: the smallest goal
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_disabled()


def test_a_table_that_needs_more_memory_than_is_allowed_is_refused_before_the_start(server, page):
    (server.home / "settings.json").write_text(json.dumps({"limits": {"memory_share": 0.0001}}))
    open_table(server, page, "sound", "train")
    expect(page.get_by_test_id("stAlert").filter(has_text="memory")).to_be_visible(timeout=LONG)
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_disabled()


def end_processes(run_id: str, words: tuple[str, ...]) -> None:
    """Kill this run's processes whose command lines hold the words, in their order, as a power cut would."""
    for word in words:
        deadline, ended = time.monotonic() + 20, False
        while not ended and time.monotonic() < deadline:
            for process in psutil.process_iter(["cmdline"]):
                line = " ".join(process.info["cmdline"] or ())
                if run_id in line and word in line:
                    process.kill()
                    ended = True
            time.sleep(0.02)
        assert ended, word


@pytest.mark.parametrize(("killed", "state"), [(("plm_engine.worker",), "Failed"), (("plm_engine.detach",), "Lost")])
def test_a_run_that_ends_badly_is_told_on_another_page_and_in_the_title(server, page, killed, state):
    page.goto(f"{server.url}/train?data=copper-sample")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(re.compile(r"run=[0-9a-f]{12}"), timeout=LONG)
    run_id = page.url[-12:]
    page.get_by_role("link", name="Data", exact=True).click()
    expect(page.get_by_role("heading", name="Data", exact=True)).to_be_visible(timeout=LONG)
    end_processes(run_id, killed)
    note = page.get_by_test_id("stToast")
    expect(note).to_contain_text(state, timeout=LONG)
    expect(page).to_have_title(f"✗ {state} - PLM Lab")
    assert Store(server.home).status(run_id).status == state.lower()
    assert note.get_by_role("link", name="See it").get_attribute("href").endswith(f"/train?run={run_id}")
    page.wait_for_timeout(1_600)
    page.get_by_role("heading", name="Data", exact=True).click()
    expect(page).not_to_have_title(re.compile(state))
    page.goto(f"{server.url}/train?run={run_id}")
    expect(page.locator("p", has_text=re.compile(rf"(^|\s){state}$"))).to_be_visible(timeout=LONG)
