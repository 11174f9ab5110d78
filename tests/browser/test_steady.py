"""Live pages keep still: no block jumps, nothing scrolls, and what the reader opened or chose stays."""

import pytest
from playwright.sync_api import expect

from plm_engine.config import Config
from plm_engine.store import Status, Store, new_run_id
from tests.browser import steady
from tests.browser.figures import GOALS
from tests.browser.scenes import REPLAY, RUN, SCENES, SPEEDUP, STUDY, slow
from tests.browser.steady import View
from tests.pages.replay_story import write_story

LONG = 60_000
#: web vitals call a cumulative layout shift of 0.1 good
MOST_SHIFT, MOST_PX = GOALS["shift"], GOALS["moved"]


# some pages at one size, as many as can be looked at at once: ``python -m tests.browser.figures`` looks at all, at both
LOOKED_AT = {
    "run": (View(RUN, "wide"), View(REPLAY, "phone"), View("/", "phone"), View("/runs", "wide")),
    "cancelled early": (View(RUN, "wide"), View(RUN, "phone")),
    "experiment": (View(SPEEDUP, "wide"),),
    "study": (View(STUDY, "phone"),),
}


@pytest.mark.parametrize("what", LOOKED_AT)
def test_no_block_jumps_from_before_a_run_begins_until_after_its_end(server, chromium, what):
    views = LOOKED_AT[what]
    for view, seen in zip(views, steady.look_at(chromium, server, SCENES[what], views), strict=True):
        print(f"{what}, {view}: shift {seen.shift:.4f}, {seen.moved_px:.1f} px ({seen.mover})")
        assert seen.frames > 50
        assert seen.shift < MOST_SHIFT, (view, seen.shifts)
        assert seen.moved_px < MOST_PX, (view, seen.moves)
        assert seen.scrolled_px == 0, view


@pytest.mark.parametrize("view", [View("/", "wide"), View("/runs", "phone"), View(RUN, "wide")], ids=str)
def test_a_page_is_laid_out_once_when_it_opens(server, chromium, view):
    store, failed = Store(server.home), new_run_id()
    for _ in range(2):
        write_story(store)
    store.create(failed, Config(data="copper-sample", target="y"))
    with store.writer(failed) as writer:  # before it said anything: its buttons stand where others have a chart
        writer.set_status(Status.FAILED, "It ended without a word.")
    shift = steady.opening(chromium, server, View(view.address.format(failed), view.size))
    print(f"{view}: {shift:.4f}")
    assert shift < GOALS["opening"]


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
    (run_id,) = slow(Store(server.home), 9, goal_auto=True)  # its goal is chosen while it is looked at
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
    steady.watch(page)
    expect(page.get_by_test_id("stAlert").filter(has_text="Chosen inside the training rows")).to_be_attached(
        timeout=LONG
    )
    badge = page.locator("p", has_text="Finished").first
    expect(badge).to_be_attached(timeout=LONG)
    page.wait_for_timeout(2_500)
    for details in (settings, remarks):
        assert details.evaluate("e => e.open")
    assert switch.evaluate("e => e === document.activeElement")
    assert page.get_by_test_id("stMain").evaluate("e => e.scrollTop") == before
    seen = steady.found(page)
    assert seen.shift < MOST_SHIFT, seen.shifts
    assert seen.moved_px < MOST_PX, seen.moves
