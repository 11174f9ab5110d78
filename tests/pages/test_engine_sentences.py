"""Every sentence that the engine can utter is told in Chinese: read from its source, so none is forgotten."""

import re

import pytest

from pages.parts import language
from plm_engine import run_log
from plm_engine.config import PRESET_TEXT
from plm_engine.datasets.conflicts import Conflict, contradiction_finding
from plm_engine.datasets.content import _REFUSED
from plm_engine.learning.outcome import EndReason, Outcome
from plm_engine.store.contract import STATUS_SENTENCES, StoredEvent
from tests.pages.engine_sentences import ENGINE, sentences

#: told by the pages in two halves, see test_texts.py
ELSEWHERE = set(PRESET_TEXT.values())
COMMANDS = re.compile(r"pip install \w+|'python -m [^']*'")
SAID = list(sentences())


def in_chinese(sentence: str) -> str:
    with language.speaking("zh"):
        return language.told(sentence)


def is_chinese(text: str) -> bool:
    left = COMMANDS.sub("", text)
    return bool(re.search(r"[\u4e00-\u9fff]", left)) and not re.search(r"\b[a-z]{2,} [a-z]{2,}\b", left)


def test_no_sentence_of_the_engine_stays_english():
    english = [f"{place}: {ways[0]}" for place, ways in SAID if not any(is_chinese(in_chinese(way)) for way in ways)]
    assert [one for one in english if one.partition(": ")[2] not in ELSEWHERE] == []


def test_the_sentences_are_found():
    """A change in how the engine writes its sentences must not empty the list above."""
    assert len(SAID) > 350
    raised = sum(path.read_text("utf-8").count("raise ") for path in ENGINE.rglob("*.py"))
    assert raised > 150
    found = {ways[0] for _, ways in SAID}
    assert "There is no file 'abc': check the path." in found
    assert any(one.startswith("The file is not UTF-8 and was read as 7 (it could also be") for one in found)


@pytest.mark.parametrize("said", [*STATUS_SENTENCES.values(), *EndReason, *Outcome, *(one for _, one in _REFUSED)])
def test_short_words_of_the_engine_are_told_in_chinese(said):
    assert is_chinese(in_chinese(str(said)))


def test_many_groups_of_equal_drivers_are_told_in_chinese():
    groups = [Conflict((k, k + 1), (1.5, 2.5)) for k in range(1, 9)]
    assert is_chinese(in_chinese(contradiction_finding(groups, "y", 0.5).sentence))


NODES = {"nodes": [1, 2, 3], "n_hidden": 7}
ROUND = {"n_learned": 5, "n_train": 9, "largest_residual": 1.5, "train_mae": 0.5, "test_mae": 0.25, **NODES}
STARTED = {"n_train": 9, "n_test": 3, "n_features": 2, "goal": 5.0, "mode": "row_parallel", "workers": 2}
EVENTS = [
    ("DataPrepared", {"rows": [1, 2], "target": "y"}),
    ("RunStarted", {**STARTED, "device": "cpu"}),
    ("RunResumed", {"round": 3, "n_hidden": 7}),
    ("RowsPicked", {"rows": list(range(12)), "round": 1}),
    ("RowsPicked", {"rows": [4], "round": 1}),
    *(
        ("PhaseEnded", {"phase": phase, "seconds": 0.25, "outcome": outcome, "round": 1})
        for phase in ("understanding", "organizing_regularizing", "organizing_understanding")
        for outcome in (*Outcome, "")
    ),
    *(
        ("PhaseEnded", {"phase": phase, "seconds": 1.0, "outcome": "", "round": 1})
        for phase in ("interpreting", "picking", "cramming", "organizing")
    ),
    ("NodesAdded", {"row": None, "round": 0, **NODES}),
    ("NodesAdded", {"row": 17, "round": 2, **NODES}),
    ("NodeTried", {"node": 4, "removed": True, "round": 2, **NODES}),
    ("NodeTried", {"node": 4, "removed": False, "round": 2, **NODES}),
    ("RoundEnded", {"round": 2, **ROUND}),
    ("RoundEnded", {"round": 2, **ROUND, "test_mae": None}),
    ("RunEnded", {"sentence": EndReason.GOAL_MET.sentence}),
]


def test_every_line_of_the_log_is_told_in_chinese():
    assert {kind for kind, _ in EVENTS} | {"Notice"} == set(run_log._LINES)
    for kind, payload in EVENTS:
        entry = run_log.entry(StoredEvent(1, 2.0, 0.0, kind, payload))
        assert is_chinese(in_chinese(entry.text)), entry.text


def test_between_chinese_and_other_letters_comes_a_space():
    with language.speaking("zh"):
        assert language.say("goal.in_unit", unit="kg") == "以 kg 表示"
        assert language.say("goal.in_unit", unit="公噸") == "以公噸表示"
    assert in_chinese("There is no table 'abc' here: pick one on the Data page, or upload it there.").startswith("這裡")
    assert in_chinese("picking took 0.000 s") == "挑選用了 0.000 秒"


def test_names_lists_and_options_are_written_as_chinese_does():
    unknown = "There is no table 'abc' here: pick one on the Data page, or upload it there."
    assert in_chinese(unknown).startswith("這裡沒有資料表「abc」：")
    assert in_chinese("Sheet 'a b' holds no table: choose another of 'x', 'y'.").endswith(
        "請從「x」、「y」選擇其他工作表。"
    )
    assert in_chinese("Option --pick is 0: give at least 1.").startswith("選項「每回合新資料列」的值為 0")
    two = "2 groups of rows have equal drivers and different y: data rows 1, 2 (5, 7); data rows 4, 9 (1, 2)."
    assert "資料列 1、2（5、7）；資料列 4、9（1、2）。" in in_chinese(f"{two} No model can fit them.")
    smaller = "ridge has smaller errors than persistence, by more than luck would explain (p = 0.003, 40 forecasts)."
    assert in_chinese(smaller).startswith("脊迴歸的誤差小於持平預測，")


def test_a_template_with_few_words_of_its_own_takes_no_english_phrase():
    said = "salt is added and stirred in"
    assert in_chinese(said) == said
    assert in_chinese("Row-parallel and Single") == "資料列平行與單一裝置"
