"""The news of a run's end, on another page than the run's, and how a run's end is seen in the browser's title."""

import re

from playwright.sync_api import expect

from plm_engine.store import Store

LONG = 60_000


def test_the_end_of_a_run_is_told_on_another_page_and_in_the_title_until_the_reader_does_something(server, page):
    page.goto(server.url)
    page.get_by_role("button", name="Watch it draw a surface").click()
    page.wait_for_url(re.compile(r"/replay\?run=[0-9a-f]{12}"), timeout=LONG)
    run_id = page.url[-12:]
    page.get_by_role("link", name="Data", exact=True).click()
    expect(page.get_by_role("heading", name="Data", exact=True)).to_be_visible(timeout=LONG)
    note = page.get_by_test_id("stToast")
    expect(note).to_contain_text("Finished", timeout=LONG)
    assert Store(server.home).status(run_id).status == "finished"
    expect(page).to_have_title("✓ Finished - PLM Lab")
    page.get_by_role("link", name="Runs", exact=True).click()
    page.wait_for_timeout(1_500)
    page.get_by_role("heading", name="Runs").click()
    expect(page).not_to_have_title(re.compile("Finished"))
    assert note.get_by_role("link", name="See it").get_attribute("href").endswith(f"/train?run={run_id}")


def test_who_only_looks_at_a_run_is_told_nothing(server, page, chromium):
    page.goto(server.url)
    page.get_by_role("button", name="Watch it draw a surface").click()
    page.wait_for_url(re.compile(r"/replay\?run=[0-9a-f]{12}"), timeout=LONG)
    other = chromium.new_context()
    visitor = other.new_page()
    visitor.goto(f"{server.url}/runs")
    expect(visitor.get_by_text("Finished").first).to_be_attached(timeout=LONG)
    visitor.wait_for_timeout(4_000)
    expect(visitor.get_by_test_id("stToast")).to_have_count(0)
    other.close()
