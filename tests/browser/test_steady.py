"""Live pages keep still: no block jumps, nothing scrolls, and what the reader opened or chose stays."""

import sys

import pytest
from playwright.sync_api import expect

from plm_engine.config import Config
from plm_engine.launch import start
from tests.browser import steady
from tests.browser.figures import GOALS

LONG = 60_000
#: web vitals call a cumulative layout shift of 0.1 good
MOST_SHIFT, MOST_PX = GOALS["shift"], GOALS["moved"]


# each at one size: ``python -m tests.browser.figures`` looks at all of them at both
@pytest.mark.parametrize(("what", "size"), list(zip(steady.LIVE, 2 * list(steady.SIZES), strict=True)))
def test_no_block_jumps_from_before_a_run_begins_until_after_its_end(server, chromium, what, size):
    width, height = steady.SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height})
    seen = steady.look_at(context.new_page(), server, what)
    context.close()
    print(f"{what}, {size}: shift {seen.shift:.4f}, {seen.moved_px:.1f} px ({seen.mover})")
    assert seen.frames > 100
    assert seen.shift < MOST_SHIFT, seen.shifts
    assert seen.moved_px < MOST_PX, seen.moves
    assert seen.scrolled_px == 0


def test_a_jump_would_be_seen(server, page):
    page.goto(f"{server.url}/runs")
    page.get_by_role("heading").first.wait_for()
    page.wait_for_timeout(steady.OPENS_MS)
    steady.watch(page)
    page.get_by_test_id("stMainBlockContainer").evaluate("e => { e.style.paddingTop = '300px'; }")
    page.wait_for_timeout(1_000)
    seen = steady.found(page)
    assert seen.shift > MOST_SHIFT
    assert seen.moved_px > 100


def test_what_a_reader_opened_and_where_the_keyboard_stands_outlast_refreshes_and_the_runs_end(server, page):
    command = [sys.executable, "-m", "tests.browser.slow_worker", "9"]
    run_id = start(Config(data="copper-sample", target="y"), home=server.home, name="Slow run", command=command)
    page.goto(f"{server.url}/train?run={run_id}")
    switch = page.locator(".st-key-loss").get_by_role("button", name="Logarithmic axis")
    expect(switch).to_be_visible(timeout=LONG)
    settings, remarks = (
        page.get_by_test_id("stExpander").filter(has_text=name).locator("details") for name in ("Settings", "remark")
    )
    for details in (settings, remarks):
        details.locator("summary").click()
    page.wait_for_timeout(500)
    switch.focus()
    before = page.get_by_test_id("stMain").evaluate("e => e.scrollTop")
    badge = page.locator("p", has_text="Finished").first
    expect(badge).to_be_attached(timeout=LONG)
    page.wait_for_timeout(2_500)
    for details in (settings, remarks):
        assert details.evaluate("e => e.open")
    assert switch.evaluate("e => e === document.activeElement")
    assert page.get_by_test_id("stMain").evaluate("e => e.scrollTop") == before
