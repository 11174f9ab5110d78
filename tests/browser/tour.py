"""Screenshots of every page in every state: ``python -m tests.browser.tour FOLDER [NAME ...]``.

Starts a server with a store of its own and visits the pages wide, as a phone, dark and in Chinese: first with nothing
in the store, then with runs that have ended well and badly, a study and an experiment, then with what fits badly (forty
columns, long names, huge and tiny numbers, no round at all), then while a run, a study and an experiment are under way,
and last with many runs.  ``NAME`` limits the scenes to those whose name contains it.  How long pages
take: ``tests.browser.figures``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, sync_playwright

from pages.parts import uploads
from pages.parts.client import Lab
from plm_engine.config import Config
from plm_engine.experiment import start as experiment
from plm_engine.experiment.plan import TRAIN, Contender, Plan
from plm_engine.launch import start
from plm_engine.store import Status, Store, new_run_id
from plm_engine.store.contract import STATUS_SENTENCES
from plm_engine.studies.plan import COMPARE, Study
from plm_engine.studies.start import start_study
from tests.browser.conftest import ARGUMENTS, PROJECT, Server, _end_runs
from tests.browser.long_run import write_long_run
from tests.browser.test_trouble import tables
from tests.pages.replay_story import write_story

#: name -> width, height, colour scheme, language
LOOKS = {
    "wide": (1440, 900, "light", "en"),
    "phone": (390, 844, "light", "en"),
    "dark": (1440, 900, "dark", "en"),
    "chinese": (1440, 900, "light", "zh"),
}
EMPTY = {name: f"/{name}" for name in ("", "data", "train", "replay", "compare", "forecast", "speedup", "runs")}
TYPED_IN = ".st-key-forecast-source [role=radio] >> nth=-1"
LONG_MS, SETTLED_MS, LIVE_S = 60_000, 2_000, 600.0
MIDDLE = "s => { s.value = Math.round(s.max * 0.55); s.dispatchEvent(new Event('input')) }"


@dataclass
class Scenes:
    """Takes pictures of addresses in every look."""

    browser: Browser
    server: Server
    folder: Path
    wanted: tuple[str, ...]

    def take(self, addresses: dict[str, str], *, whole: bool = False) -> None:
        """Take each address in every look; ``whole`` takes the page down to its end; a phone's always is."""
        chosen = {n: a for n, a in addresses.items() if not self.wanted or any(word in n for word in self.wanted)}
        for look, (width, height, scheme, lang) in LOOKS.items() if chosen else ():
            context = self.browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            page = context.new_page()
            for name, address in chosen.items():
                self._one(page, address + ("&" if "?" in address else "?") + f"lang={lang}")
                if down := whole or look == "phone":  # little of a page is seen on a phone at once
                    _grow(page, width, height)
                page.screenshot(path=str(self.folder / f"{name}_{look}.png"))
                if down:
                    page.set_viewport_size({"width": width, "height": height})
            context.close()

    def _one(self, page: Page, address: str) -> None:
        page.goto(self.server.url + address)
        page.get_by_test_id("stMain").get_by_role("heading").first.wait_for(timeout=LONG_MS)
        page.wait_for_timeout(SETTLED_MS)
        if address.startswith("/train?data"):
            page.get_by_test_id("stExpander").locator("summary").first.click()  # every setting is seen, too
            page.wait_for_timeout(SETTLED_MS)
        if address.startswith("/forecast") and page.locator(TYPED_IN).count():
            page.locator(TYPED_IN).click()  # rows are typed in
            page.locator(".st-key-forecast-fill button").first.dispatch_event("click")  # the newest one first
            page.wait_for_timeout(SETTLED_MS)
        if address.startswith("/replay?run"):
            page.locator(".rp-slider, [data-testid=stAlert]").first.wait_for(timeout=LONG_MS)
        if "&words" in address:
            page.get_by_test_id("stExpandSidebarButton").click()
            page.wait_for_timeout(SETTLED_MS)  # the sidebar slides in
            page.locator(".st-key-glossary-open button").filter(visible=True).first.click()
            page.wait_for_timeout(SETTLED_MS)
        if page.locator(".rp-slider").count():
            page.locator(".rp-slider").evaluate(MIDDLE)
            page.wait_for_timeout(2_500)


def _grow(page: Page, width: int, height: int) -> None:
    """Make the window as high as the page's contents: Streamlit scrolls inside of it."""
    needed = page.get_by_test_id("stMain").evaluate("e => e.scrollHeight")
    page.set_viewport_size({"width": width, "height": min(6_000, max(height, needed + 80))})
    page.wait_for_timeout(800)


def finished(store: Store, config: Config, name: str) -> str:
    """Train in the background, wait for the end and return the run's id."""
    run_id = start(config, home=store.home, name=name)
    while store.status(run_id).status.active:
        time.sleep(0.2)
    return run_id


def ended_badly(store: Store) -> tuple[str, str]:
    """Return a cancelled and a failed run."""
    cancelled, failed = (write_story(store, ended=False) for _ in range(2))
    for run_id, status, said, name in (
        (cancelled, Status.CANCELLED, STATUS_SENTENCES[Status.CANCELLED], "Cancelled early"),
        (
            failed,
            Status.FAILED,
            "The machine's memory ran out: use fewer rows, or float32; what was learned is kept.",
            "Too large",
        ),
    ):
        with store.writer(run_id) as writer:
            writer.set_status(status, said)
        store.set_labels(run_id, name=name)
    return cancelled, failed


def awkward(store: Store) -> dict[str, str]:
    """Return addresses of what fits badly: forty columns, names and notes as long as may be, huge and tiny numbers."""
    generator = np.random.default_rng(0)
    columns = {
        f"a_driver_with_quite_a_long_name_{k:02d}": generator.normal(0, 10.0 ** (k % 9 - 2), 80) for k in range(38)
    }
    frame = pd.DataFrame(
        {"week": pd.date_range("2020-01-06", periods=80, freq="W-MON").strftime("%Y-%m-%d"), **columns}
    )
    frame["huge"] = 3e11 * generator.normal(1, 0.1, 80)
    wide = uploads.save(store.home, f"{'forty columns ' * 8}.csv", frame.to_csv(index=False).encode())
    file = str(uploads.path_of(store.home, wide))
    huge = Config.preset("quick", data=file, target="huge", max_minutes=0.05)
    tiny = Config.preset("quick", data=file, target="a_driver_with_quite_a_long_name_00", goal_percent=100.0)
    many, none = finished(store, huge, ("A name that goes on " * 10)[:200]), finished(store, tiny, "No round at all")
    store.set_labels(
        many, note=("A note as long as a note may be. " * 7)[:200], tags=", ".join(f"tag {k}" for k in range(25))
    )
    return {
        "data_wide_table": f"/data?data={wide}",
        "run_awkward": f"/train?run={many}",
        "run_no_rounds": f"/train?run={none}",
        "comparison_awkward": f"/runs?compare={many}&compare={none}",
    }


def doubtful(store: Store) -> dict[str, str]:
    """Return the pages that warn before a launch: of a leak, too few rows, and rows that contradict each other."""
    lab, found = Lab(store.home), tables()
    keys = {name: lab.save_upload(f"{name}.csv", content) for name, content in found.items()}
    places = {"leak": "train", "few rows": "data", "contradiction": "train"}
    return {f"warn_{name.split()[0]}": f"/{page}?data={keys[name]}&target=y" for name, page in places.items()}


def compound(store: Store, *words: str) -> str:
    """Run a study or an experiment to its end and return its id."""
    before = {run.id for run in store.runs()}
    command = [sys.executable, "-m", "plm_engine", *words, "--home", str(store.home)]
    subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL, timeout=300)
    return next(run.id for run in store.runs() if run.id not in before)


def with_ended_runs(scenes: Scenes, store: Store) -> None:
    """Take the pages of runs, studies and experiments that have ended."""
    teaching = Config.preset("quick", data="two-drivers", target="harvest_t_per_ha", pick=3)
    copper = Config.preset("quick", data="copper-sample", target="y", seed=5)
    a, b = finished(store, teaching, "Harvests"), finished(store, copper, "Copper, quick look")
    cancelled, failed = ended_badly(store)
    words = ("--data", "two-drivers", "--target", "harvest_t_per_ha", "--goal-percent", "15", "--pick", "5")
    study = compound(store, "compare", *words, "--max-rounds", "2")
    backtest = compound(store, "backtest", *words, "--max-rounds", "1", "--first-origin", "120", "--step", "12")
    speed = compound(store, "experiment", *words, "--max-rounds", "2", "--modes", "single,batched", "--repeats", "2")
    sweep = compound(store, "experiment", "--sweep", "--modes", "single,batched", "--minutes", "0.3")
    spread = compound(store, "compare", *words, "--max-rounds", "1", "--seeds", "3")
    store.set_labels(a, tags="teaching, surface", note="The table of the tour.", baseline="yes")
    pages = {
        "start": "/",
        "data": "/data?data=copper-sample",
        "data_random": "/data?data=copper-sample&split=random",
        "train": "/train?data=copper-sample",
        "run_finished": f"/train?run={b}",
        "run_cancelled": f"/train?run={cancelled}",
        "run_failed": f"/train?run={failed}",
        "run_unknown": "/train?run=0123456789ab",
        "study_compare": f"/compare?run={study}",
        "study_backtest": f"/compare?run={backtest}",
        "study_seeds": f"/compare?run={spread}",
        "study_form": "/compare",
        "study_unknown": "/compare?run=0123456789ab",
        "speedup_finished": f"/speedup?run={speed}",
        "comparison": f"/runs?compare={a}&compare={b}",
        "speedup_sweep": f"/speedup?run={sweep}",
        "speedup_form": "/speedup",
        "comparison_gone": f"/runs?compare={a}&compare=0123456789ab",
        "forecast": f"/forecast?run={b}",
        "train_clone": f"/train?like={a}",
        "replay_offer": "/replay",
        "replay_failed": f"/replay?run={failed}",
        **doubtful(store),
    }
    scenes.take(pages, whole=True)
    scenes.take({"replay": f"/replay?run={a}", "replay_copper": f"/replay?run={b}", "runs": "/runs"})
    scenes.take({"glossary": "/?page=start&words"})
    hard = awkward(store)
    scenes.take(hard, whole=True)
    scenes.take(
        {
            "runs_awkward": "/runs",
            "start_awkward": "/",
            "replay_no_rounds": hard["run_no_rounds"].replace("train", "replay"),
        }
    )


def while_learning(scenes: Scenes, store: Store) -> None:
    """Take the pages while one run learns and another waits."""
    command = [sys.executable, "-m", "tests.browser.slow_worker", str(LIVE_S)]
    config = Config(data="copper-sample", target="y")
    running, queued = (start(config, home=store.home, name=n, command=command) for n in ("Learns now", "Waits"))
    time.sleep(8)
    scenes.take({"start_running": "/", "runs_running": "/runs", "replay_running": f"/replay?run={running}"})
    scenes.take({"replay_queued": f"/replay?run={queued}"})
    scenes.take({"run_running": f"/train?run={running}", "run_queued": f"/train?run={queued}"}, whole=True)
    _end_runs(store.home)
    teaching = Config.preset("quick", data="two-drivers", target="harvest_t_per_ha")
    study = start_study(teaching, Study(COMPARE, seeds=20), home=store.home, run_id=new_run_id(), name="A study")
    time.sleep(15)
    scenes.take({"study_running": f"/compare?run={study}"}, whole=True)
    _end_runs(store.home)
    scenes.take({"study_cancelled": f"/compare?run={study}"})
    plan = Plan(tuple(Contender.parse(mode) for mode in ("single", "batched")), TRAIN, 30)
    speed = experiment.start(teaching, plan, home=store.home, run_id=new_run_id())
    time.sleep(15)
    scenes.take({"speedup_running": f"/speedup?run={speed}"}, whole=True)
    _end_runs(store.home)
    scenes.take({"speedup_cancelled": f"/speedup?run={speed}"}, whole=True)


def with_many_runs(scenes: Scenes, store: Store) -> None:
    """Take the pages with sixty runs and a very long one."""
    for k in range(60):
        store.set_labels(write_story(store), name=f"Run number {k}", tags="thesis" if k % 3 else "copper, thesis")
    long = write_long_run(store)
    ids = [run.id for run in store.runs()[1:9]]
    scenes.take({"start_many": "/", "runs_many": "/runs", "replay_long": f"/replay?run={long}"})
    scenes.take(
        {"run_long": f"/train?run={long}", "comparison_of_eight": "/runs?compare=" + "&compare=".join(ids)}, whole=True
    )


def main(folder: Path, wanted: tuple[str, ...]) -> None:
    """Make the runs and the screenshots."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="plm-tour-"))
    server, store = Server(home), Store(home)
    server.start()
    path = os.environ.get("PLM_LAB_CHROMIUM") or shutil.which("chromium")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
            scenes = Scenes(browser, server, folder, wanted)
            scenes.take({f"empty_{name or 'start'}": address for name, address in EMPTY.items()})
            with_ended_runs(scenes, store)
            while_learning(scenes, store)
            with_many_runs(scenes, store)
            browser.close()
    finally:
        _end_runs(home)
        server.kill()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), tuple(sys.argv[2:]))
