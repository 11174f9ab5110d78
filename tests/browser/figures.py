"""The pages' figures in a real Chromium: ``python -m tests.browser.figures [--json] [--repeats N]``.

*Cold*: the first visit to the page after the server has started (a server of its own for each figure, a browser without
any cache).  *Warm*: the median of later visits by the same browser.  *First paint* is the browser's own "first
contentful paint"; *heading* is when the page's own heading can be read, which the goals are checked against.

*Chart*: from the moment an event was emitted by a training process (its wall time in the store) to the moment the
browser has drawn it, for a run with a round every half second.  *Long run*: 500 rounds and 100,000 events, to the first
chart drawn, by a server that has not read it yet.  *Replay*: frames a second at 200 nodes.

*Steady*: the pages on which something is live, from before it begins until after its end, however it ends: the summed
layout shift that no input of the reader caused, and the furthest that a block moved between two animation frames.
*Opening*: the layout shift of opening each page, from before its first paint until it has settled.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from plm_engine.benchmarks.turns import table
from plm_engine.config import Config
from plm_engine.experiment.start import is_experiment
from plm_engine.launch import start
from plm_engine.store import Store
from tests.browser import steady
from tests.browser.conftest import ARGUMENTS, Server
from tests.browser.long_run import write_long_run
from tests.browser.scenes import SCENES

PAGES = {
    "Start": "/",
    "Data": "/data",
    "Train": "/train",
    "How it learns": "/replay",
    "Honest forecasts": "/compare",
    "Forecast": "/forecast",
    "Speed-up": "/speedup",
    "Runs": "/runs",
}
#: what is asked for: seconds, frames a second, layout shift, pixels
GOALS = {
    "cold": 2.0,
    "warm": 1.0,
    "chart": 1.5,
    "long": 3.0,
    "frames": 20.0,
    "shift": 0.02,
    "moved": 16.0,
    "opening": 0.1,
}
LONG_MS, LIVE_S, EVENTS = 60_000, 25.0, 12
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime / 1000"
#: notes, at every drawing, when how many rounds were on the chart of the residuals
WATCH = """chart => {
  window.plmDrawn = [];
  chart.on('plotly_afterplot', () => {
    const ends = chart._fullData.find(trace => trace.name === 'All training rows');
    if (ends) window.plmDrawn.push([ends.x.length, Date.now() / 1000]);
  });
}"""


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    """A server that has just started."""
    server = Server(home)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def new_page(browser: Browser) -> Page:
    """Return a page of a browser that has no cache."""
    return browser.new_context(viewport={"width": 1440, "height": 900}).new_page()


def visit(page: Page, url: str) -> tuple[float, float]:
    """Return the seconds of a visit to the first paint and to the page's heading."""
    began = time.monotonic()
    page.goto(url)
    page.get_by_test_id("stMain").get_by_role("heading").first.wait_for(timeout=LONG_MS)
    return float(page.evaluate(PAINT)), time.monotonic() - began


def page_lines(browser: Browser, home: Path, repeats: int) -> list[dict[str, Any]]:
    """Measure the first and later visits to every page."""
    lines = []
    for name, address in PAGES.items():
        with serving(home) as server:
            page = new_page(browser)
            cold = visit(page, server.url + address)
            warm = [visit(page, server.url + address) for _ in range(repeats)]
            page.context.close()
        paint, heading = (statistics.median(one[k] for one in warm) for k in (0, 1))
        met = cold[1] < GOALS["cold"] and heading < GOALS["warm"]
        lines.append(
            {
                "what": name,
                "cold_paint_s": cold[0],
                "cold_s": cold[1],
                "warm_paint_s": paint,
                "warm_s": heading,
                "warm_most_s": max(one[1] for one in warm),
                "met": met,
            }
        )
    return lines


def chart_line(browser: Browser, home: Path) -> dict[str, Any]:
    """Measure how long after their events a live chart shows them."""
    command = [sys.executable, "-m", "tests.browser.slow_worker", str(LIVE_S)]
    run_id = start(Config(data="copper-sample", target="y"), home=home, name="Live", command=command)
    with serving(home) as server:
        page = new_page(browser)
        page.goto(f"{server.url}/train?run={run_id}")
        chart = page.locator(".js-plotly-plot[aria-label^='Largest residual']")
        chart.wait_for(timeout=LONG_MS)
        chart.evaluate(WATCH)
        page.wait_for_timeout(EVENTS * 1_000)
        drawn: list[list[float]] = page.evaluate("() => window.plmDrawn")
        page.context.close()
    ends = [event.wall for event in Store(home).events(run_id, kinds=["RoundEnded"])]
    first = min(int(n) for n, _ in drawn)
    shown = {k: min(at for n, at in drawn if n >= k) for k in range(first + 1, max(int(n) for n, _ in drawn) + 1)}
    late = sorted(at - ends[k - 1] for k, at in shown.items())
    found = {"events": len(late), "median_s": statistics.median(late), "most_s": late[-1]}
    return {"what": "live chart after its event", **found, "met": late[-1] < GOALS["chart"]}


def long_lines(browser: Browser, home: Path) -> list[dict[str, Any]]:
    """Measure how a long run opens, and how its replay moves."""
    run_id, lines = write_long_run(Store(home)), []
    for name, address, shown in (
        ("500 rounds, 100,000 events: run view", "/train?run=", ".js-plotly-plot"),
        ("500 rounds, 100,000 events: replay", "/replay?run=", ".rp-say:not(:empty)"),
    ):
        with serving(home) as server:
            page = new_page(browser)
            visit(page, server.url + "/runs")  # the server has started; it has not read this run
            began = time.monotonic()
            page.goto(server.url + address + run_id)
            page.locator(shown).first.wait_for(timeout=LONG_MS)
            took = time.monotonic() - began
            lines.append({"what": name, "opens_s": took, "met": took < GOALS["long"]})
            if "replay" in address:
                rate = frames(page)
                lines.append({"what": "replay, 200 nodes", "frames_a_second": rate, "met": rate >= GOALS["frames"]})
            page.context.close()
    return lines


def frames(page: Page) -> float:
    """Return the frames a second of the replay in its last third, over four seconds."""
    page.locator(".rp-slider").evaluate("s => { s.value = 1500; s.dispatchEvent(new Event('input')) }")
    page.locator(".rp-play").click()
    count = "() => Number(document.querySelector('.plm-replay').dataset.frames)"
    page.wait_for_timeout(500)
    first, at = page.evaluate(count), time.monotonic()
    page.wait_for_timeout(4_000)
    return (page.evaluate(count) - first) / (time.monotonic() - at)


def steady_lines(browser: Browser, home: Path) -> list[dict[str, Any]]:
    """Measure how still the live pages keep, wide and on a phone."""
    lines = []
    with serving(home) as server:
        for what, scene in SCENES.items():
            for size in steady.SIZES:
                views = [steady.View(address, size) for address in scene.pages]
                for view, seen in zip(views, steady.look_at(browser, server, scene, views), strict=True):
                    met = seen.shift < GOALS["shift"] and seen.moved_px < GOALS["moved"] and not seen.scrolled_px
                    found = {"layout_shift": seen.shift, "moved_px": seen.moved_px, "scrolled_px": seen.scrolled_px}
                    where = f"{what}, {view.address.partition('?')[0]}, {size}"
                    lines.append({"what": where, **found, "frames": seen.frames, "met": met})
    return lines


def opening_lines(browser: Browser, home: Path) -> list[dict[str, Any]]:
    """Measure the layout shift of opening every page, with the runs that are in the store by now."""
    store, addresses, lines = Store(home), dict(PAGES), []
    for run in store.runs():  # the newest of each kind
        job = (run.extra.get("job") or {}).get("kind") or ("experiment" if is_experiment(run.labels) else "training")
        page = {"experiment": "speedup", "training": "train"}.get(job, "compare")
        addresses.setdefault(f"{job} {run.status}", f"/{page}?run={run.id}")
    with serving(home) as server:
        for name, address in addresses.items():
            for size in steady.SIZES:
                shift = steady.opening(browser, server, steady.View(address, size))
                lines.append({"what": f"{name}, {size}", "layout_shift": shift, "met": shift < GOALS["opening"]})
    return lines


def measure(repeats: int) -> dict[str, Any]:
    """Measure everything, in a store of its own."""
    home = Path(tempfile.mkdtemp(prefix="plm-figures-"))
    path = os.environ.get("PLM_LAB_CHROMIUM") or shutil.which("chromium")
    before = os.getloadavg()[0]
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
            found = {
                "pages": page_lines(browser, home, repeats),
                "live": [chart_line(browser, home)],
                "long": long_lines(browser, home),
                "steady": steady_lines(browser, home),
                "opening": opening_lines(browser, home),
            }
            version = browser.version
            browser.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)
    machine = {"chromium": version, "cores": os.cpu_count(), "load_before": before, "load_after": os.getloadavg()[0]}
    return {**found, "goals": GOALS, "machine": machine}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The pages' figures in Chromium.")
    parser.add_argument("--json", action="store_true", help="one object instead of tables")
    parser.add_argument("--repeats", type=int, default=5, help="warm visits to each page")
    arguments = parser.parse_args()
    found = measure(arguments.repeats)
    if arguments.json:
        print(json.dumps(found))
        return
    for part in ("pages", "live", "long", "steady", "opening"):
        columns = list(dict.fromkeys(name for line in found[part] for name in line))
        shown = [{**line, "met": "yes" if line["met"] else "NO"} for line in found[part]]
        print("\n".join(table(shown, {name: name.replace("_", " ") for name in columns})), end="\n\n")
    print("goals:", ", ".join(f"{name} {value:g}" for name, value in GOALS.items()))
    print(", ".join(f"{name} {value}" for name, value in found["machine"].items()))


if __name__ == "__main__":
    main()
