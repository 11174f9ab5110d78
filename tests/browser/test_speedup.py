"""The Speed-up page in a real browser: an experiment from the form to its charts."""

from __future__ import annotations

from playwright.sync_api import expect

MINUTES = 60_000
CHARTS = 6
MODES = ("Single", "Batched candidates", "DistributedDataParallel × 2", "Candidate-parallel × 2")


def test_an_experiment_runs_from_the_form_to_all_charts(server, page):
    page.goto(f"{server.url}/speedup")
    expect(page.get_by_role("heading", name="Modes to compare")).to_be_visible(timeout=MINUTES)
    repeats = page.get_by_role("spinbutton", name="Repeats of each mode")
    repeats.fill("1")
    repeats.press("Enter")
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Estimate the duration").click()
    expect(page.get_by_text("Rests on")).to_be_visible(timeout=2 * MINUTES)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("Measuring")).to_be_visible(timeout=MINUTES)
    main = page.get_by_test_id("stMainBlockContainer")  # the news of its end says the same beside it
    expect(main.get_by_text("4 of 4 measurements finished.")).to_be_visible(timeout=8 * MINUTES)
    expect(page.get_by_text("On this machine")).to_be_visible()
    for heading in ("The four measures", "Speed-up and parallel efficiency", "Time in each module", "Communication"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(CHARTS, timeout=MINUTES)
    traces = page.evaluate("[...document.querySelectorAll('.js-plotly-plot')].map(e => e.data.length)")
    assert all(traces)
    assert traces[0] == len(MODES)  # one group of bars for each
    page.reload()
    expect(main.get_by_text("4 of 4 measurements finished.")).to_be_visible(timeout=MINUTES)


def test_the_page_fits_a_phone(server, page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/speedup")
    expect(page.get_by_role("button", name="Estimate the duration")).to_be_visible(timeout=MINUTES)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
