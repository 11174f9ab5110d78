"""How steady a page stays while it refreshes: layout shifts as the browser counts them, and how far its blocks move.

A *block* is a heading, a metric, a chart, a table, a button or an expander of the page, known by its kind and its first
words.  Its place is taken at every animation frame, within the page's contents, so that scrolling is no movement.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Page

from plm_engine.store import Store
from tests.browser.conftest import Server
from tests.browser.scenes import Scene

#: wide and phone: what pages are looked at on
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
#: for the page to open (its own parts are loaded then), before something is done, and for what follows the end
OPENS_MS, MEANWHILE_MS, ENDS_MS, LONG_S = 1_000, 2_500, 3_500, 240.0
SETTLES_MS = 2_500
#: Streamlit has loaded what draws the page's fields
DRAWN = "() => !document.querySelector('[data-testid=stMain] [data-testid=stSkeleton]')"
OPENING = """() => {
  window.plmOpening = [];
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.plmOpening.push(entry.value);
  }).observe({type: 'layout-shift', buffered: true});
}"""
WATCH = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  const kinds = {
    heading: '[data-testid=stHeading]', metric: '[data-testid=stMetric]', chart: '.plm-chart',
    table: '[data-testid=stDataFrame], [data-testid=stMarkdown] table', replay: '.plm-replay',
    button: '[data-testid=stButton]', expander: '[data-testid=stExpander]', progress: '[data-testid=stProgress]',
    note: '[data-testid=stAlert]',
  };
  const steady = window.plmSteady = {shifts: [], moves: {}, scrolled: 0, frames: 0, began: performance.now(), on: true};
  const words = element => (element.textContent || '').trim().replace(/[0-9.,:–-]+/g, '#').slice(0, 24);
  const named = (kind, element, k) => {
    const keyed = element.closest('[class*="st-key-"]');
    const key = keyed && [...keyed.classList].find(one => one.startsWith('st-key-'));
    if (kind === 'chart' || kind === 'button') return `${kind} ${key ? key.slice(7) : words(element)}`;
    if (kind === 'metric') return `metric ${words(element.querySelector('[data-testid=stMetricLabel]'))}`;
    return ['heading', 'expander', 'note'].includes(kind) ? `${kind} ${words(element)}` : `${kind} ${k}`;
  };
  const places = () => {
    const found = new Map();
    if (!main.isConnected) return found;
    const box = main.getBoundingClientRect();
    for (const [kind, selector] of Object.entries(kinds)) {
      let k = 0;
      for (const element of main.querySelectorAll(selector)) {
        const at = element.getBoundingClientRect();
        if (at.height < 1 || element.closest('details:not([open])')) continue; // nobody sees it
        found.set(named(kind, element, k++), [at.left, at.top - box.top + main.scrollTop, at.width, at.height]);
      }
    }
    return found;
  };
  let before = places();
  let top = main.scrollTop;
  const step = () => {
    if (!steady.on) return;
    const now = places();
    steady.frames += 1;
    for (const [name, at] of now) {
      const was = before.get(name);
      if (!was) continue;
      const moved = Math.max(Math.abs(at[0] - was[0]), Math.abs(at[1] - was[1]));
      if (moved >= 1) (steady.moves[name] ??= []).push([Math.round(performance.now() - steady.began), moved]);
    }
    steady.scrolled = Math.max(steady.scrolled, Math.abs(main.scrollTop - top));
    before = now;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
  steady.observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput || entry.startTime < steady.began) continue;
      const of = entry.sources.map(s => s.node?.nodeType === 1
        ? `${s.node.dataset?.testid || s.node.className || s.node.tagName}: ${words(s.node)} `
          + `${Math.round(s.previousRect.y)}+${Math.round(s.previousRect.height)}>`
          + `${Math.round(s.currentRect.y)}+${Math.round(s.currentRect.height)}` : '?');
      steady.shifts.push({value: entry.value, at: Math.round(entry.startTime - steady.began), of});
    }
  });
  steady.observer.observe({type: 'layout-shift', buffered: true});
}"""
FOUND = """() => {
  const s = window.plmSteady;
  s.on = false;
  s.observer.disconnect();
  return {shifts: s.shifts, moves: s.moves, scrolled: s.scrolled, frames: s.frames};
}"""


@dataclass(frozen=True)
class Steadiness:
    """What was seen between :func:`watch` and :func:`found`.

    Attributes
    ----------
    shift : float
        Cumulative layout shift: the sum of all that followed no input of the reader (web vitals call 0.1 good).
    moved_px : float
        The furthest that a block moved from one frame to the next; ``mover`` is that block.
    scrolled_px : float
        The furthest that the page scrolled by itself from one frame to the next.
    frames : int
        Animation frames looked at.
    """

    shift: float
    moved_px: float
    mover: str
    scrolled_px: float
    frames: int
    shifts: list[dict[str, Any]] = field(repr=False)
    moves: dict[str, list[list[float]]] = field(repr=False)


def watch(page: Page) -> None:
    """Begin to look."""
    page.evaluate(WATCH)


def found(page: Page) -> Steadiness:
    """Stop looking, and return what was seen."""
    seen: dict[str, Any] = page.evaluate(FOUND)
    furthest = {name: max(px for _, px in moves) for name, moves in seen["moves"].items()}
    mover = max(furthest, key=lambda name: furthest[name], default="")
    shift = sum(one["value"] for one in seen["shifts"])
    return Steadiness(
        shift, furthest.get(mover, 0.0), mover, seen["scrolled"], seen["frames"], seen["shifts"], seen["moves"]
    )


@dataclass(frozen=True)
class View:
    """A page that is looked at: its address, with the runs' ids in braces, and the window's size."""

    address: str
    size: str


def look_at(browser: Browser, server: Server, scene: Scene, views: Sequence[View]) -> list[Steadiness]:
    """Begin a scene, open the views before it has got far, and look at all of them from then until after its end."""
    store, pages = Store(server.home), []
    for view in views:
        page = open_window(browser, view.size)
        page.goto(f"{server.url}/runs")  # the browser has the pages' scripts
        heading(page)
        pages.append(page)
    runs = scene.begin(store)
    for page, view in zip(pages, views, strict=True):
        page.goto(server.url + view.address.format(*runs))
    for page in pages:
        heading(page)
    pages[-1].wait_for_timeout(OPENS_MS)
    for page in pages:
        page.wait_for_function(DRAWN)
        watch(page)
    if scene.meanwhile is not None:
        pages[0].wait_for_timeout(MEANWHILE_MS)
        scene.meanwhile(store, runs)
    deadline = time.monotonic() + LONG_S
    while any(store.status(run).status.active for run in runs) and time.monotonic() < deadline:
        pages[0].wait_for_timeout(200)
    pages[0].wait_for_timeout(ENDS_MS)
    seen = [found(page) for page in pages]
    for page in pages:
        page.context.close()
    return seen


def opening(browser: Browser, server: Server, view: View) -> float:
    """Return the layout shift of opening a page, from before its first paint until it has settled."""
    page = open_window(browser, view.size)
    page.goto(f"{server.url}/data" if view.address != "/data" else server.url)  # the browser has the scripts
    heading(page)
    page.context.add_init_script(f"({OPENING})()")
    page.goto(server.url + view.address)
    heading(page)
    page.wait_for_timeout(SETTLES_MS)
    shift = sum(page.evaluate("() => window.plmOpening"))
    page.context.close()
    return float(shift)


def open_window(browser: Browser, size: str) -> Page:
    """Open a window of this size, in a context of its own."""
    width, height = SIZES[size]
    return browser.new_context(viewport={"width": width, "height": height}).new_page()


def heading(page: Page) -> None:
    """Wait until the page's heading can be read."""
    page.get_by_test_id("stMain").get_by_role("heading").first.wait_for()
