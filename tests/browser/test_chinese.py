"""In Chinese nothing on any page is English but proper names: pages, menus, hover texts, charts, refusals, reports."""

import re
from pathlib import Path

import openpyxl
from playwright.sync_api import Page, expect

from pages.parts import client, take_away
from pages.parts.language import speaking
from plm_engine.config import Config
from plm_engine.store import Status, Store
from plm_engine.store.contract import STATUS_SENTENCES
from tests.browser.foreign import english, texts
from tests.browser.settled import settle
from tests.browser.test_browser import slow_run
from tests.browser.tour import compound, finished
from tests.pages.replay_story import write_story

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
LONG = 60_000
TEACHING = ("--data", "two-drivers", "--target", "harvest_t_per_ha", "--goal-percent", "15", "--pick", "5")
COLUMNS = {"date", "rain_mm", "warmth_c", "harvest_t_per_ha", *(f"x{n}" for n in range(19))}


def opened(page: Page, url: str) -> None:
    page.goto(url + ("&" if "?" in url else "?") + "lang=zh")
    expect(page.get_by_test_id("stMain").get_by_role("heading").first).to_be_visible(timeout=LONG)
    settle(page)


def unfold(page: Page) -> None:
    folds = page.get_by_test_id("stMain").get_by_test_id("stExpander").locator("summary").all()
    folds = [fold for fold in folds if fold.is_visible()]
    for fold in folds:
        fold.click()
    switches = page.get_by_test_id("stCheckbox").filter(has_text="即時日誌").all()
    for switch in switches:
        switch.click()
    if folds or switches:
        settle(page)


def in_english(page: Page, allowed: set[str]) -> list[tuple[str, str]]:
    return sorted((kind, said) for kind, said in texts(page) if english(said, allowed))


def test_an_empty_store_says_nothing_in_english(server, page):
    for name in ("", "data", "train", "replay", "compare", "forecast", "speedup", "runs"):
        opened(page, f"{server.url}/{name}")
        unfold(page)
        assert in_english(page, COLUMNS) == [], name


def test_runs_in_every_state_say_nothing_in_english(server, page):
    store = Store(server.home)
    learned = finished(store, Config.preset("quick", data="two-drivers", target="harvest_t_per_ha", pick=3), "收成")
    study = compound(store, "compare", *TEACHING, "--max-rounds", "2")
    ablation = compound(store, "ablate", *TEACHING, "--max-rounds", "1")
    backtest = compound(store, "backtest", *TEACHING, "--max-rounds", "1", "--first-origin", "120", "--step", "12")
    speed = compound(store, "experiment", *TEACHING, "--max-rounds", "2", "--modes", "single,batched", "--repeats", "2")
    badly = {}
    for status in (Status.CANCELLED, Status.FAILED, Status.LOST):
        badly[status] = write_story(store, ended=False)
        store.set_labels(badly[status], name="故事")
        if status is not Status.LOST:  # it is lost as it is: begun, and nobody holds it
            with store.writer(badly[status]) as writer:
                writer.set_status(status, STATUS_SENTENCES[status])
    running, waiting = slow_run(server.home, 120), slow_run(server.home, 1)
    for run_id in (running, waiting):
        store.set_labels(run_id, name="慢")
    page.wait_for_timeout(3_000)
    shown = [
        *(
            f"/train?run={run_id}"
            for run_id in (learned, *badly.values(), running, waiting, "0123456789ab", "nonsense")
        ),
        *(f"/compare?run={run_id}" for run_id in (study, ablation, backtest)),
        f"/speedup?run={speed}",
        *("/", "/runs", f"/runs?compare={learned}&compare={running}", f"/train?like={learned}", "/forecast"),
        *(f"/replay?run={run_id}" for run_id in (learned, running)),
    ]
    for address in shown:
        opened(page, server.url + address)
        unfold(page)
        assert in_english(page, COLUMNS) == [], address


def words_of(path: Path) -> set[str]:
    """Every word that a file holds: what its page shows of it stays as it is."""
    raw = path.read_bytes()
    read = [path.name, *(raw.decode(code, errors="replace") for code in ("utf-8", "big5", "utf-16", "cp1252"))]
    if path.suffix == ".xlsx":
        for sheet in openpyxl.load_workbook(path):
            read += [sheet.title, *(str(cell) for row in sheet.iter_rows(values_only=True) for cell in row)]
    return set(re.findall(r"[A-Za-z][A-Za-z0-9_'’-]*[A-Za-z0-9]", " ".join(read)))


def test_difficult_tables_are_told_of_in_chinese(server, page):
    english_parts = {}
    for path in sorted(CASES.glob("[0-9]*")):
        page.goto(f"{server.url}/data?lang=zh")
        page.locator("input[type=file]").set_input_files(str(path))
        refused = page.get_by_test_id("stAlertContentError")
        expect(page.get_by_role("heading", name=path.name).or_(refused).first).to_be_visible(timeout=LONG)
        settle(page)
        unfold(page)
        found = in_english(page, words_of(path) | COLUMNS | {"column"})
        english_parts[path.stem] = [one for one in found if not one[1].endswith(path.suffix)]  # its name, shortened
    assert len(english_parts) > 20
    assert {name: found for name, found in english_parts.items() if found} == {}


def test_the_menus_of_the_framework_are_chinese_and_english_again(server, page):
    opened(page, f"{server.url}/data")
    assert page.evaluate("document.documentElement.lang") == "zh-Hant-TW"
    uploader = page.get_by_test_id("stFileUploader")
    expect(uploader).to_contain_text("單一檔案上限 100MB")
    expect(uploader.get_by_role("button", name="上傳", exact=True)).to_be_visible()
    page.get_by_test_id("stMainMenuButton").click()
    expect(page.get_by_test_id("stMainMenuPopover")).to_contain_text("跟隨系統")
    page.wait_for_timeout(500)
    assert in_english(page, COLUMNS) == []
    page.keyboard.press("Escape")
    number = page.get_by_test_id("stNumberInput").locator("input").first
    number.fill("7")
    expect(page.get_by_test_id("InputInstructions")).to_have_text("按 Enter 套用")
    number.press("Enter")
    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_timeout(1_000)
    page.get_by_role("combobox", name="Language / 語言").click()
    page.wait_for_timeout(500)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Data")).to_be_visible(timeout=LONG)
    expect(uploader.get_by_role("button", name="Upload", exact=True)).to_be_visible(timeout=LONG)
    settle(page)
    chinese = {said for _, said in texts(page) if re.search(r"[\u4e00-\u9fff]", said)}
    assert {said for said in chinese if "語言" not in said and "繁體中文" not in said} == set()


def test_a_report_is_written_in_the_language_of_who_takes_it_away(tmp_path, page):
    lab = client.Lab(tmp_path / "home")
    runs = {name: lab.run(write_story(lab.store)) for name in ("一", "二")}
    with speaking("zh"):
        written = {"run": take_away.run_report(lab, runs["一"]), "all": take_away.comparison_report(lab, runs, "一")}
    for name, report in written.items():
        path = tmp_path / f"{name}.html"
        path.write_bytes(report)
        page.goto(path.as_uri())
        expect(page.locator(".chart .main-svg").first).to_be_visible(timeout=LONG)
        page.wait_for_timeout(1_000)
        assert page.evaluate("document.documentElement.lang") == "zh-Hant"
        assert in_english(page, COLUMNS) == [], name
