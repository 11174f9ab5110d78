"""What is shown to visitors, in a real browser: Watch it learn, the replay, and how quick it stays on a long run."""

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from plm_engine.store import Store
from tests.browser.long_run import write_long_run
from tests.pages.replay_story import write_story

LONG = 60_000


def go_to_step(page: Page, step: int) -> None:
    page.locator(".rp-slider").evaluate(f"s => {{ s.value = {step}; s.dispatchEvent(new Event('input')) }}")


def nodes_shown(page: Page) -> int:
    return int(page.locator(".rp-nodes").inner_text().replace(",", ""))


def test_one_press_on_the_start_page_leads_to_a_replay_that_moves_and_ends(server, page):
    broken = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(server.url)
    page.get_by_role("button", name="Watch it learn").click()
    page.wait_for_url(re.compile(r"/replay\?run=[0-9a-f]{12}"), timeout=LONG)
    expect(page.locator(".rp-say")).to_contain_text("straight line", timeout=LONG)
    expect(page.locator(".rp-say")).to_contain_text("three nodes were added for it alone", timeout=LONG)
    run_id = page.url[-12:]
    deadline = time.monotonic() + 40
    while Store(server.home).status(run_id).status.active and time.monotonic() < deadline:
        page.wait_for_timeout(200)
    page.wait_for_timeout(2_500)
    go_to_step(page, 10_000)
    expect(page.locator(".rp-say")).to_contain_text("Every training row is within the learning goal")
    assert nodes_shown(page) == Store(server.home).status(run_id).summary["n_hidden"]
    assert broken == []


def test_the_replay_is_driven_by_keyboard_alone(server, page):
    write_long_run(Store(server.home))
    run_id = Store(server.home).runs()[0].id
    page.goto(f"{server.url}/replay?run={run_id}")
    play = page.locator(".rp-play")
    expect(play).to_contain_text("Pause", timeout=LONG)
    play.focus()
    page.keyboard.press("Space")
    expect(play).to_contain_text("Play")
    page.locator(".rp-slider").focus()
    page.keyboard.press("Home")
    expect(page.locator(".rp-where")).to_have_text("Step 1 of 2,002")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".rp-module")).to_have_text("Round 1 · understanding")


@pytest.mark.alone
def test_a_run_of_500_rounds_and_100000_events_opens_quickly_and_moves_smoothly(server, page):
    run_id = write_long_run(Store(server.home))
    page.goto(server.url)
    expect(page.get_by_role("button", name="Watch it learn")).to_be_visible(timeout=LONG)
    began = time.monotonic()
    page.goto(f"{server.url}/replay?run={run_id}")
    expect(page.locator(".rp-where")).to_contain_text("of 2,002", timeout=LONG)
    opened = time.monotonic() - began
    go_to_step(page, 1_500)
    page.locator(".rp-play").click()
    page.wait_for_timeout(500)
    frames = "() => Number(document.querySelector('.plm-replay').dataset.frames)"
    first, at = page.evaluate(frames), time.monotonic()
    assert nodes_shown(page) > 150
    page.wait_for_timeout(2_000)
    rate = (page.evaluate(frames) - first) / (time.monotonic() - at)
    print(f"opened in {opened:.1f} s, {rate:.0f} frames a second")
    assert rate >= 20
    assert opened < 6  # the goal is 3 s; on a machine shared with other tests twice that


@pytest.mark.parametrize("of", ["run", "comparison"])
def test_a_report_opens_from_disk_with_the_network_cut_off(tmp_path, chromium, of):
    from pages.parts import client, take_away

    lab = client.Lab(tmp_path / "home")
    runs = {name: lab.run(write_story(lab.store)) for name in ("One", "Two")}
    path = tmp_path / "report.html"
    report = take_away.run_report(lab, runs["One"]) if of == "run" else take_away.comparison_report(lab, runs, "One")
    path.write_bytes(report)
    context = chromium.new_context(offline=True)
    page, asked, broken = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(path.as_uri())
    charts = page.locator(".chart")
    expect(page.locator(".chart .main-svg").first).to_be_visible(timeout=LONG)
    assert charts.count() >= 3
    assert page.locator(".chart.js-plotly-plot").count() == charts.count()
    with page.expect_download() as told:
        page.locator(".plm-save").first.get_by_role("button", name="CSV").click()
    assert len(Path(told.value.path()).read_text("utf-8-sig").splitlines()) > 3
    if of == "run":
        go_to_step(page, 3)
        expect(page.locator(".rp-say")).to_contain_text("three nodes were added for it alone")
        assert nodes_shown(page) == 4
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert broken == []
    context.close()


def test_the_language_is_switched_in_the_sidebar_and_the_replay_follows(server, page):
    run_id = write_story(Store(server.home))
    page.goto(f"{server.url}/replay?run={run_id}")
    expect(page.locator(".rp-play")).to_contain_text("Play", timeout=LONG)  # it has come to its end
    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_timeout(1_000)  # the sidebar slides in, and a click on something that moves goes astray
    page.get_by_role("combobox", name="Language / 語言").click()
    page.wait_for_timeout(500)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="學習過程")).to_be_visible(timeout=LONG)
    expect(page.locator(".rp-play")).to_contain_text(re.compile("暫停|播放"), timeout=LONG)
    go_to_step(page, 3)
    expect(page.locator(".rp-say")).to_have_text("2015-03-02 當週無法符合，因此專門為它加入三個節點。")


def test_two_runs_are_compared_and_the_address_opens_the_same_view_for_somebody_else(server, page, chromium):
    store = Store(server.home)
    for name in ("One", "Two"):
        store.set_labels(write_story(store), name=name)
    page.goto(f"{server.url}/runs")
    picked = page.get_by_role("combobox", name="Runs to open, compare or delete")
    expect(picked).to_be_visible(timeout=LONG)
    picked.click()
    page.get_by_role("option", name=re.compile("^One")).click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Compare 2 runs").click()
    expect(page.get_by_role("heading", name="Comparison of runs")).to_be_visible(timeout=LONG)
    other = chromium.new_context()
    visitor = other.new_page()
    visitor.goto(page.url)
    drawn = visitor.locator(".js-plotly-plot[aria-label='Test MAE of 2 runs, by round']")
    expect(drawn).to_be_visible(timeout=LONG)
    assert sorted(drawn.evaluate("e => e.data.map(t => t.name)")) == ["One", "Two"]
    other.close()
