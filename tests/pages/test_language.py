"""Two languages from one catalogue: neither lacks a text, and both fill in the same blanks."""

import json
import re
import string
from pathlib import Path

import pytest

from pages.parts import language, replay_spec
from pages.parts.messages import LANGUAGES, MESSAGES, TERMS
from plm_engine import replay
from plm_engine.store import Store
from tests.pages.conftest import open_page, page_text
from tests.pages.replay_story import write_story

PARTS = Path(__file__).resolve().parents[2] / "pages" / "parts"
#: names that are the same in both languages
NAMES = {"GPUs", "RMSE", "DDP", "DataParallel"}


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", sorted(MESSAGES))
def test_neither_language_lacks_a_text_and_both_have_the_same_blanks(key):
    texts = MESSAGES[key]
    assert len(texts) == len(LANGUAGES)
    assert all(texts)
    assert len({frozenset(blanks(text)) for text in texts}) == 1


def test_every_term_is_explained_in_every_language():
    for both in TERMS.values():
        assert len(both) == len(LANGUAGES)
        assert all(name and text for name, text in both)


def test_chinese_texts_are_chinese_and_follow_the_fields_usage():
    for key, (english, chinese) in MESSAGES.items():
        words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\{\w+\}", "", english))
        assert set(words) <= NAMES or re.search(r"[\u4e00-\u9fff]", chinese), key
    said = json.dumps([*MESSAGES.values(), *TERMS.values()], ensure_ascii=False)
    for term in ("學習目標", "隱藏節點", "資料平行"):
        assert term in said


def test_every_key_that_is_asked_for_exists():
    used = set()
    for path in [*PARTS.glob("*.py"), *PARTS.glob("replay*.js")]:
        used |= set(re.findall(r"""\bsay_?\(\s*["']([a-z_]+\.[a-z_]+)["']""", path.read_text(encoding="utf-8")))
    used |= {f"player.{key}" for key in re.findall(r'data-say="([a-z_]+)"', (PARTS / "replay.html").read_text("utf-8"))}
    assert len(used) > 30
    assert used <= set(MESSAGES)


def test_counts_have_a_singular_in_english_and_none_in_chinese():
    assert language.count("en", "node", 1) == "1 node"
    assert language.count("en", "node", 7_000) == "7,000 nodes"
    assert language.count("zh", "node", 1) == "1 個節點"


def test_a_run_is_told_in_chinese(home):
    tape = replay.tape(home, write_story(Store(home)))
    said = [step["s"] for step in json.loads(replay_spec.spec(tape, "t", lang="zh"))["steps"]]
    assert said[1] == "學生挑選還不會的資料中最容易的一列：2015-03-02 當週。"
    assert said[3] == "2015-03-02 當週無法符合，因此專門為它加入三個節點。"
    assert "2 個用不到而消失，留下 2 個節點" in said[7]


def test_the_sidebar_switches_the_language_and_a_page_change_keeps_it(app):
    app.run()
    assert app.title[0].value == "A network that learns like a pupil"
    app.sidebar.selectbox[0].set_value("zh").run()
    assert app.title[0].value == "像學生一樣學習的網路"
    assert "看它學習" in [button.label for button in app.button]
    app.switch_page("pages/views/replay.py").run()
    assert app.title[0].value == "學習過程"
    assert "隱藏節點" not in page_text(app)  # no run, so no player and no terms yet


def test_a_link_gives_the_language(app, home):
    run_id = write_story(Store(home))
    open_page(app, "replay", run=run_id, lang="zh")
    assert app.title[0].value == "學習過程"
    assert "隱藏節點" in page_text(app)


def test_a_link_with_an_unknown_language_is_english(app):
    app.query_params["lang"] = "xx"
    app.run()
    assert app.title[0].value == "A network that learns like a pupil"
