"""Screenshots of every page and the pages' figures: ``python -m tests.browser.tour FOLDER``.

Starts a server with a store of its own, makes two quick runs and one of 500 rounds, and visits every page wide, as a
phone and dark.  Prints how long each page takes to its first heading (cold: first visit after the server's start; warm:
again), how long the long run takes to open, and how many frames a second its replay makes.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.store import Store
from tests.browser.conftest import ARGUMENTS, Server
from tests.browser.long_run import write_long_run

PAGES = {
    "start": "/",
    "data": "/data",
    "train": "/train",
    "run": "/train?run={0}",
    "replay": "/replay?run={0}",
    "replay_copper": "/replay?run={1}",
    "runs": "/runs",
    "comparison": "/runs?compare={0}&compare={1}",
    "honest_forecasts": "/compare",
    "forecast": "/forecast",
    "speedup": "/speedup",
}
LOOKS = {"wide": (1440, 900, "light"), "phone": (390, 844, "light"), "dark": (1440, 900, "dark")}
#: pages that must look right with nothing in the store
EMPTY = ("start", "replay", "runs")
LONG_MS, SETTLED_MS = 60_000, 2_500


def finished(store: Store, config: Config, name: str) -> str:
    """Train in the background, wait for the end and return the run's id."""
    run_id = start(config, home=store.home, name=name)
    while store.status(run_id).status.active:
        time.sleep(0.2)
    return run_id


def seconds_to_heading(page: Page, url: str) -> float:
    """Return how long a visit takes until the page's first heading is there."""
    began = time.monotonic()
    page.goto(url)
    page.get_by_role("heading").first.wait_for(timeout=LONG_MS)
    return time.monotonic() - began


def shoot(browser: Browser, server: Server, folder: Path, addresses: dict[str, str]) -> None:
    """Take every page in every look."""
    for look, (width, height, scheme) in LOOKS.items():
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        for name, address in addresses.items():
            seconds_to_heading(page, server.url + address)
            page.wait_for_timeout(SETTLED_MS)
            if name.startswith("replay") and page.locator(".rp-slider").count():
                middle = "s => { s.value = Math.round(s.max * 0.55); s.dispatchEvent(new Event('input')) }"
                page.locator(".rp-slider").evaluate(middle)
                page.wait_for_timeout(1_000)
            page.screenshot(path=str(folder / f"{name}_{look}.png"))
        context.close()


def figures(page: Page, server: Server, addresses: dict[str, str], long_run: str) -> list[str]:
    """Return the pages' figures, a line each."""
    lines = []
    for name, address in addresses.items():
        cold, warm = (seconds_to_heading(page, server.url + address) for _ in range(2))
        lines.append(f"{name:18} first {cold:5.2f} s   again {warm:5.2f} s")
    for name, address in (("run view", "/train?run="), ("replay", "/replay?run=")):
        began = time.monotonic()
        page.goto(server.url + address + long_run)
        page.locator(".rp-say, .js-plotly-plot").first.wait_for(timeout=LONG_MS)
        lines.append(f"500 rounds and 100,000 events, {name}: {time.monotonic() - began:.2f} s")
    page.locator(".rp-slider").evaluate("s => { s.value = 1500; s.dispatchEvent(new Event('input')) }")
    page.locator(".rp-play").click()
    count = "() => Number(document.querySelector('.plm-replay').dataset.frames)"
    page.wait_for_timeout(500)
    first, at = page.evaluate(count), time.monotonic()
    page.wait_for_timeout(3_000)
    rate = (page.evaluate(count) - first) / (time.monotonic() - at)
    return [*lines, f"replay with 200 nodes: {rate:.0f} frames a second"]


def main(folder: Path) -> None:
    """Make the runs, the screenshots and the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="plm-tour-"))
    server, store = Server(home), Store(home)
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
            none = {f"{name}_empty": PAGES[name].split("?")[0] for name in EMPTY}
            shoot(browser, server, folder, none)
            teaching = Config.preset("quick", data="two-drivers", target="harvest_t_per_ha", pick=3)
            runs = [
                finished(store, teaching, "Harvests"),
                finished(store, Config.preset("quick", data="copper-sample", target="y", seed=5), "Copper, quick look"),
            ]
            addresses = {name: address.format(*runs) for name, address in PAGES.items()}
            shoot(browser, server, folder, addresses)
            server.kill()
            server.start()
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            print("\n".join(figures(page, server, addresses, write_long_run(store))))
            browser.close()
    finally:
        server.kill()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
