"""The main job through a real browser, and what only a browser can show."""

import re
import signal
import sys
import time

import pytest
from playwright.sync_api import Page, expect

from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.store import RunInfo, Store
from tests.browser.settled import settle

LONG = 60_000
PHONE_PAGES = [
    *("/", "/data", "/train", "/runs", "/compare", "/forecast", "/speedup"),
    *("/train?run={run}", "/replay?run={run}", "/runs?compare={run}"),
]
CHART = ".js-plotly-plot"


def slow_run(home, seconds: float) -> str:
    command = [sys.executable, "-m", "tests.browser.slow_worker", str(seconds)]
    return start(Config(data="copper-sample", target="y"), home=home, name="Slow run", command=command)


def wait_until(condition, page: Page, seconds: float = 20.0):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        page.wait_for_timeout(100)
    return value


def press_start(page: Page) -> str:
    page.get_by_role("button", name="Train on this table").click()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(re.compile(r"/train\?run=[0-9a-f]{12}$"), timeout=LONG)
    return page.url[-12:]


def status(page: Page, name: str):
    """Return the badge that shows a run's state (an icon's name stands before it)."""
    return page.locator("p", has_text=re.compile(rf"(^|\s){name}$"))


def the_run(server, run_id: str) -> RunInfo:
    return Store(server.home).status(run_id)


def figure_of(page: Page, label: str) -> dict:
    """Return what Plotly really holds for the chart whose description begins with ``label``."""
    return page.locator(f"{CHART}[aria-label^='{label}']").evaluate(
        "e => ({names: e.data.map(t => t.name), visible: e.data.map(t => t.visible ?? true),"
        " range: e.layout.xaxis.range, drawn: e.plmDrawn || 0})"
    )


def test_the_bundled_sample_trains_to_its_goal_in_quick_look_and_the_page_shows_it(server, page):
    page.goto(f"{server.url}/data")
    expect(page.get_by_role("heading", name=re.compile("synthetic"))).to_be_visible()
    run_id = press_start(page)
    expect(status(page, "Finished")).to_be_visible(timeout=LONG)
    told = page.get_by_test_id("stMainBlockContainer").get_by_text("Every training row is within the learning goal")
    expect(told).to_be_visible()
    expect(page.get_by_text("373 of 373 training rows")).to_be_visible()
    run = the_run(server, run_id)
    assert run.summary["max_residual"]["train"] <= run.summary["goal"]
    assert run.elapsed_s() < 20


def test_the_real_copper_table_is_uploaded_trained_refreshed_and_its_predictions_shown(server, page, copper_csv):
    page.goto(f"{server.url}/data")
    page.locator("input[type=file]").set_input_files(str(copper_csv))
    expect(page.get_by_role("heading", name="copper_weekly.csv")).to_be_visible()
    run_id = press_start(page)
    assert the_run(server, run_id).status.active
    page.reload()
    expect(page.get_by_role("heading", name="copper_weekly.csv")).to_be_visible()
    assert page.url.endswith(run_id)
    expect(status(page, "Finished")).to_be_visible(timeout=LONG)
    expect(page.locator(f"{CHART}[aria-label^='y, actual and predicted']")).to_be_visible()
    assert figure_of(page, "y, actual")["names"] == ["Actual", "Predicted, training", "Predicted, test"]
    expect(page.get_by_text("Linear regression", exact=True)).to_be_visible()
    assert len(Store(server.home).runs()) == 1


def test_the_first_visit_by_a_link_to_a_run_on_a_fresh_server_shows_that_run_and_the_navigation(fresh_server, page):
    run_id = slow_run(fresh_server.home, 1.0)
    page.goto(f"{fresh_server.url}/train?run={run_id}")
    expect(page.get_by_role("heading", name="Slow run")).to_be_visible()
    for name in ("Start", "Data", "Train", "How it learns", "Runs"):
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)
    expect(status(page, "Finished")).to_be_visible()
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()


def test_zoom_and_legend_choices_are_kept_while_a_chart_is_live(server, page):
    run_id = slow_run(server.home, 25.0)
    page.goto(f"{server.url}/train?run={run_id}")
    chart = page.locator(f"{CHART}[aria-label^='y, actual and predicted']")
    expect(chart.locator(".legendtoggle")).to_have_count(3, timeout=LONG)
    chart.scroll_into_view_if_needed()
    chart.evaluate("e => { e.plmDrawn = 0; e.on('plotly_afterplot', () => { e.plmDrawn += 1; }); }")
    chart.locator(".legendtoggle").nth(1).click()
    wait_until(lambda: figure_of(page, "y, actual")["visible"][1] == "legendonly", page)
    box = chart.locator(".nsewdrag").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"], steps=5)
    page.mouse.up()
    zoomed = wait_until(lambda: (f := figure_of(page, "y, actual"))["range"][0] > 20 and f, page)
    later = wait_until(lambda: (f := figure_of(page, "y, actual"))["drawn"] > zoomed["drawn"] + 3 and f, page)
    assert later["range"] == zoomed["range"]
    assert later["visible"][1] == "legendonly"


@pytest.mark.alone
def test_a_chart_shows_an_event_within_two_seconds(server, page):
    run_id = slow_run(server.home, 20.0)
    page.goto(f"{server.url}/train?run={run_id}")
    expect(page.locator(CHART).first).to_be_visible(timeout=LONG)
    store, late = Store(server.home), []
    for _ in range(4):
        newest = store.events(run_id, kinds=["RoundEnded"])[-1]
        shown = page.get_by_text(
            re.compile(rf"After round ({newest.payload['round']}|{newest.payload['round'] + 1})\.")
        )
        expect(shown).to_be_visible(timeout=5_000)
        late.append(time.time() - newest.wall)
    assert sorted(late)[len(late) // 2] < 2.0, late


def test_the_page_stops_asking_when_the_run_has_ended(server, page):
    frames = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(time.monotonic())))
    run_id = slow_run(server.home, 4.0)
    page.goto(f"{server.url}/train?run={run_id}")
    expect(status(page, "Finished")).to_be_visible(timeout=LONG)
    assert len(frames) > 5
    page.wait_for_timeout(2_000)
    before = len(frames)
    page.wait_for_timeout(4_000)
    assert len(frames) - before <= 1


def test_a_run_goes_on_while_the_server_is_killed_and_started_again(fresh_server, page):
    run_id = slow_run(fresh_server.home, 25.0)
    page.goto(f"{fresh_server.url}/train?run={run_id}")
    expect(status(page, "Learning")).to_be_visible()
    fresh_server.kill(signal.SIGKILL)
    before = the_run(fresh_server, run_id)
    assert before.status.active
    fresh_server.start()
    expect(status(page, "Learning")).to_be_visible(timeout=LONG)
    after = wait_until(
        lambda: (r := the_run(fresh_server, run_id)).summary["rounds"] > before.summary["rounds"] + 1 and r, page
    )
    assert after.status == "running"
    fresh = page.context.new_page()
    fresh.goto(f"{fresh_server.url}/train?run={run_id}")
    expect(status(fresh, "Learning")).to_be_visible()


@pytest.mark.alone
def test_cancel_ends_the_run_within_five_seconds(server, page):
    run_id = slow_run(server.home, 60.0)
    page.goto(f"{server.url}/train?run={run_id}")
    page.get_by_role("button", name="Cancel").click()
    wait_until(lambda: the_run(server, run_id).status == "cancelled", page, seconds=5.0)
    expect(status(page, "Cancelled")).to_be_visible()


def test_pressing_start_twice_starts_one_run(server, page):
    page.goto(f"{server.url}/train?data=copper-sample")
    page.get_by_role("button", name="Start", exact=True).dblclick()
    page.wait_for_url(re.compile(r"run=[0-9a-f]{12}"), timeout=LONG)
    page.wait_for_timeout(1_500)
    assert len(Store(server.home).runs()) == 1


def test_the_chosen_table_comes_back_after_a_refresh(server, page):
    page.goto(f"{server.url}/data?data=diabetes&test_rows=42")
    expect(page.get_by_text("400 training rows, 42 test rows", exact=False)).to_be_visible()
    page.get_by_role("link", name="Train", exact=True).click()
    expect(page.get_by_text("42 test rows", exact=False)).to_be_visible()
    page.reload()
    expect(page.get_by_text("42 test rows", exact=False)).to_be_visible()


def test_a_finished_run_is_deleted_only_after_asking(server, page):
    slow_run(server.home, 0.5)
    wait_until(lambda: all(not run.status.active for run in Store(server.home).runs()), page)
    page.goto(f"{server.url}/runs")
    page.get_by_role("button", name="Delete …").click()
    assert len(Store(server.home).runs()) == 1
    page.get_by_role("button", name="Yes, delete it").click()
    expect(page.get_by_text("No run yet", exact=False)).to_be_visible()
    assert Store(server.home).runs() == []


@pytest.mark.parametrize("where", PHONE_PAGES)
def test_no_page_scrolls_sideways_on_a_phone(server, page, where):
    run_id = slow_run(server.home, 1.0)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server.url + where.format(run=run_id))
    expect(page.get_by_role("heading").first).to_be_visible()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")


def test_nothing_is_fetched_from_anywhere_but_this_server(server, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server.url}/data")
    expect(page.locator(CHART).first).to_be_visible(timeout=LONG)
    page.goto(f"{server.url}/runs")
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    elsewhere = [url for url in asked if not url.startswith((server.url, "data:", "blob:"))]
    assert elsewhere == []


def test_no_chart_offers_to_send_its_data_away(server, page):
    page.goto(f"{server.url}/data")
    expect(page.locator(f"{CHART} .modebar-btn").first).to_be_attached(timeout=LONG)
    offered = page.locator(f"{CHART} .modebar-btn").evaluate_all("all => all.map(e => e.dataset.title)")
    assert "Reset axes" in offered
    assert not [title for title in offered if "share" in title.lower() or "cloud" in title.lower()]


def test_the_first_press_on_a_server_that_has_just_started_is_not_lost(fresh_server, page):
    page.goto(fresh_server.url)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("button", name="What the words mean").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_browser_in_chinese_is_greeted_in_chinese_and_either_language_is_a_press_away(server, chromium):
    context = chromium.new_context(locale="zh-TW")
    visitor = context.new_page()
    visitor.goto(server.url)
    expect(visitor.get_by_role("link", name="執行紀錄", exact=True)).to_be_visible(timeout=LONG)
    visitor.get_by_role("button", name="English").click()
    expect(visitor.get_by_role("link", name="Runs", exact=True)).to_be_visible(timeout=LONG)
    visitor.get_by_role("link", name="Runs", exact=True).click()  # the choice stays
    expect(visitor.get_by_role("heading", name="Runs")).to_be_visible(timeout=LONG)
    visitor.goto(f"{server.url}/runs?lang=en")  # a link's language goes before the browser's
    expect(visitor.get_by_role("heading", name="Runs")).to_be_visible(timeout=LONG)
    context.close()
