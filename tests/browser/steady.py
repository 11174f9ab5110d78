"""How steady a page stays while it refreshes: layout shifts as the browser counts them, and how far its blocks move.

A *block* is a heading, a metric, a chart, a table, a button or an expander of the page, known by its kind and its first
words.  Its place is taken at every animation frame, within the page's contents, so that scrolling is no movement.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.store import Store
from tests.browser.conftest import PROJECT, Server

#: wide and phone: what pages are looked at on
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
#: what is looked at while it is live: name -> the page's address before the run's id
LIVE = {"run": "/train?run=", "replay": "/replay?run=", "speed-up": "/speedup?run=", "study": "/compare?run="}
TABLE = ("--data", "two-drivers", "--target", "harvest_t_per_ha", "--goal-percent", "15", "--pick", "5")
JOBS = {
    "speed-up": ("experiment", *TABLE, "--max-rounds", "2", "--modes", "single,batched", "--repeats", "2"),
    "study": ("compare", *TABLE, "--max-rounds", "2"),
}
#: for the page to open (its own parts are loaded then), and for what follows a run's end
OPENS_MS, ENDS_MS, LONG_S = 1_000, 3_500, 240.0
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
    return kind === 'heading' || kind === 'expander' ? `${kind} ${words(element)}` : `${kind} ${k}`;
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


def look_at(page: Page, server: Server, what: str) -> Steadiness:
    """Start what a page shows live, open the page before it has begun, and look from then until after its end."""
    store = Store(server.home)
    page.goto(f"{server.url}/runs")  # the server is warm, the browser has the pages' scripts
    page.get_by_test_id("stMain").get_by_role("heading").first.wait_for()
    run_id = begin(store, what)
    page.goto(server.url + LIVE[what] + run_id)
    page.get_by_test_id("stMain").get_by_role("heading").first.wait_for()
    page.wait_for_timeout(OPENS_MS)
    watch(page)
    deadline = time.monotonic() + LONG_S
    while store.status(run_id).status.active and time.monotonic() < deadline:
        page.wait_for_timeout(200)
    page.wait_for_timeout(ENDS_MS)
    return found(page)


def begin(store: Store, what: str) -> str:
    """Start a training, an experiment or a study in the background and return its id."""
    if what not in JOBS:
        config = Config(data="two-drivers", target="harvest_t_per_ha", goal_percent=10, pick=2)
        return start(config, home=store.home, name="Steady")
    before = {run.id for run in store.runs()}
    command = [sys.executable, "-m", "plm_engine", *JOBS[what], "--home", str(store.home)]
    subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.DEVNULL)  # ends with the run, which is waited for
    while not (new := [run.id for run in store.runs() if run.id not in before]):
        time.sleep(0.05)
    return new[0]
