"""axe-core on every page, light, dark and in Chinese: nothing serious or critical."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from plm_engine.store import Store
from tests.browser.settled import settle
from tests.pages.replay_story import write_story

PAGES = {
    "start": "/",
    "data": "/data",
    "train": "/train",
    "run": "/train?run={0}",
    "replay": "/replay?run={0}",
    "runs": "/runs",
    "comparison": "/runs?compare={0}&compare={1}",
    "speed-up": "/speedup",
    "honest forecasts": "/compare",
    "forecast": "/forecast",
}


@pytest.mark.parametrize(("scheme", "lang"), [("light", "en"), ("dark", "en"), ("dark", "zh")])
def test_no_page_has_a_serious_accessibility_fault(server, chromium, scheme, lang):
    runs = [write_story(Store(server.home)) for _ in range(2)]
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    page, found = context.new_page(), []
    for name, address in PAGES.items():
        page.goto(server.url + address.format(*runs) + ("&" if "?" in address else "?") + f"lang={lang}")
        expect(page.get_by_role("heading").first).to_be_visible(timeout=60_000)
        if name == "run":
            page.get_by_test_id("stCheckbox").filter(has_text=re.compile("Live log|即時日誌")).click()
        settle(page)
        result = Axe().run(page)
        assert len(result.response["passes"]) > 5, name
        found += [
            f"{name}: {fault['id']}: {node['html'][:100]}"
            for fault in result.response["violations"]
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]
    context.close()
    assert found == []


def test_the_dark_theme_follows_the_readers_system(server, chromium):
    for scheme, dark in (("light", False), ("dark", True)):
        context = chromium.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(server.url)
        expect(page.get_by_role("button", name="Watch it learn")).to_be_visible(timeout=60_000)
        colour = page.locator(".stApp").evaluate("e => getComputedStyle(e).backgroundColor.match(/\\d+/g).map(Number)")
        assert (max(colour[:3]) < 60) is dark
        context.close()


def test_start_to_replay_by_keyboard_only(server, page):
    page.goto(server.url)
    expect(page.get_by_role("button", name="Watch it learn")).to_be_visible(timeout=60_000)
    for _ in range(20):
        page.keyboard.press("Tab")
        if "Watch it learn" in page.evaluate(
            "(e => e.tagName === 'BUTTON' ? e.innerText : '')(document.activeElement)"
        ):
            break
    page.keyboard.press("Enter")
    expect(page.locator(".rp-play")).to_be_visible(timeout=60_000)
    page.locator(".rp-say").wait_for()
    for _ in range(30):
        page.keyboard.press("Tab")
        if "rp-play" in page.evaluate("document.activeElement.className"):
            break
    page.keyboard.press("Enter")
    expect(page.locator(".rp-play")).to_contain_text("Play")
