"""No text of a page outside of the catalogue, a hover text on every control, and the engine's sentences in Chinese."""

import ast
import os
import re
from pathlib import Path

import pytest

from pages.parts import glossary, language, words
from pages.parts.fields import GROUPS, label
from pages.parts.messages import ENGINE, ENGINE_PARTS, MESSAGES, PARTS, TERMS
from pages.parts.messages.terms import GROUPS as TERM_GROUPS
from pages.parts.messages.terms import OF_GROUP, OF_THE_REPLAY
from plm_engine.config import PRESET_TEXT, Config, options
from plm_engine.datasets import samples
from plm_engine.learning.outcome import EndReason, Outcome
from plm_engine.limits import one_copy
from plm_engine.machine import Machine
from plm_engine.modes import MODES
from plm_engine.parallel import calibrate
from plm_engine.worker import NO_ROOM

PROJECT = Path(__file__).resolve().parents[2]
SOURCES = [path for path in sorted((PROJECT / "pages").rglob("*.py")) if "messages" not in path.parts]
CONTROLS = {
    "button", "checkbox", "download_button", "file_uploader", "form_submit_button", "metric", "multiselect",
    "number_input", "popover", "radio", "selectbox", "slider", "text_area", "text_input", "toggle",
}  # fmt: skip
#: calls of Streamlit whose first argument is read by people
SHOWN = CONTROLS | {
    "caption", "error", "expander", "header", "info", "markdown", "spinner", "subheader", "success", "tab", "title",
    "toast", "warning", "write",
}  # fmt: skip
READ_BY_PEOPLE = {"label", "help", "placeholder", "text", "alt"}
#: two words with a blank between them: a phrase
PHRASE = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}")
#: phrases that no page shows: markup, names that the engine gives, file names; and the choice of the language itself
NOT_SHOWN = {"left out", "goal met", "linear regression", "uploaded file", "PLM Lab", " - PLM Lab", "Language / 語言"}
#: raised, not shown: the pages translate errors where they show them
RAISED = {"There is no table ", " here: pick one on the Data page, or upload it there."} | {
    "The uploaded file of this link is not on this server: upload it again on the Data page."
}
#: what an option's value may be is told by its unit, or is the same in every language
SAME = {"%", "MB", "float64", "float32", "cpu", "cuda", ".", ",", ""}


def literals(tree: ast.AST):
    """Every text written in a file that is not a docstring."""
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node


def calls(tree: ast.AST, names: set[str]):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            yield node


def in_chinese(sentence: str) -> str:
    with language.speaking("zh"):
        return language.told(sentence)


def is_chinese(text: str) -> bool:
    return bool(re.search(r"[\u4e00-\u9fff]", text)) and not re.search(r"(\b[a-z]{2,} ){2}", text)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_no_phrase_for_people_is_written_outside_of_the_catalogue(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    markup = re.compile(r"[<>{}=]|YYYY|function")
    found = [n.value for n in literals(tree) if PHRASE.search(n.value) and not markup.search(n.value)]
    assert set(found) <= NOT_SHOWN | RAISED


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_no_call_of_streamlit_is_given_a_written_text(path):
    for call in calls(ast.parse(path.read_text(encoding="utf-8")), SHOWN):
        shown = [*call.args[:1], *(k.value for k in call.keywords if k.arg in READ_BY_PEOPLE)]
        for value in shown:
            for piece in ast.walk(value):
                # a text in a nested call is a key of the catalogue or of a mapping, or a mark between pieces
                if isinstance(piece, ast.Constant) and isinstance(piece.value, str) and piece in pieces(value):
                    assert piece.value in NOT_SHOWN or not re.search(r"[A-Za-z]{2,}", stripped(piece.value)), (
                        f"line {call.lineno}: {piece.value!r} belongs to the catalogue"
                    )


def pieces(value: ast.AST) -> list[ast.AST]:
    """The texts that end up on the page as they are written: the value itself, or the parts of its f-string."""
    if isinstance(value, ast.Constant):
        return [value]
    if isinstance(value, ast.JoinedStr):
        return list(value.values)
    if isinstance(value, ast.IfExp):
        return pieces(value.body) + pieces(value.orelse)
    if isinstance(value, ast.BoolOp):
        return [piece for part in value.values for piece in pieces(part)]
    return []


def stripped(text: str) -> str:
    """A text without icons and colours of Streamlit's Markdown."""
    return re.sub(r":[a-z]+(/[a-z_]+)?:|:[a-z]+-badge\[|<[^>]*>", "", text)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_every_control_explains_itself(path):
    for call in calls(ast.parse(path.read_text(encoding="utf-8")), CONTROLS):
        given = {keyword.arg for keyword in call.keywords}
        assert "help" in given or None in given, f"line {call.lineno}: {call.func.attr} has no help"


def test_no_key_is_in_two_modules_of_the_catalogue():
    assert sum(len(part.TEXTS) for part in PARTS) == len(MESSAGES)


def test_no_sentence_of_the_engine_is_translated_twice():
    """Where two templates differ in the names of their blanks only, which of them speaks is luck."""
    shapes = [re.sub(r"\{\w+\}", "{}", one) for part in ENGINE_PARTS for one in part.TEXTS]
    assert sorted({one for one in shapes if shapes.count(one) > 1}) == []


def test_the_glossary_holds_every_term_once_and_in_a_group():
    assert set(TERM_GROUPS) == set(OF_GROUP)
    assert sum(len(terms) for terms in OF_GROUP.values()) == len(TERMS)
    assert set(OF_THE_REPLAY) <= set(TERMS)
    english = {name for (name, _), _ in TERMS.values()}
    assert len(english) == len(TERMS)


def test_a_term_is_explained_in_the_language_spoken():
    assert language.explain("goal").startswith("**Learning goal**: the largest error")
    with language.speaking("zh"):
        assert language.explain("goal").startswith("**學習目標**：")


@pytest.mark.parametrize("name", sorted(options()))
def test_every_option_has_a_name_a_help_a_unit_and_choices_in_chinese(name):
    described = options()[name]
    assert f"option.{name}" in MESSAGES
    assert is_chinese(in_chinese(described.help)), described.help
    for word in (described.unit, *described.choices):
        assert word in SAME or word in MODES or is_chinese(in_chinese(word)), word
    with language.speaking("zh"):
        assert is_chinese(label(name, described))
    assert described.group not in GROUPS or f"group.{described.group}" in MESSAGES


def test_modes_presets_tables_and_endings_are_told_in_chinese():
    said = [mode.text for mode in MODES.values()]
    said += [mode.title for mode in MODES.values()]
    said += [f"N{mode.missing(0)[1:]}." for mode in MODES.values() if mode.missing(0)]
    said += [text.split(":", 1)[1].strip().capitalize() for text in PRESET_TEXT.values()]
    said += [sample.title for sample in samples.SAMPLES] + [sample.text for sample in samples.SAMPLES]
    said += [text for sample in samples.SAMPLES for text in samples.column_guide(sample.key).values()]
    said += [reason.sentence for reason in EndReason] + [outcome.sentence for outcome in Outcome]
    said += [Machine("Linux", 2, 1, 4 * 2**30, gpus, "2").sentence() for gpus in (None, ())]
    assert [one for one in said if not is_chinese(in_chinese(one))] == []


@pytest.mark.parametrize("template", sorted(ENGINE))
def test_a_template_has_no_blank_in_chinese_that_it_lacks_in_english(template):
    def blanks(text: str) -> set[str]:
        return set(re.findall(r"\{(\w+)\}", text))

    assert blanks(ENGINE[template]) <= blanks(template)
    assert {name for name in blanks(template) if not name.startswith("_")} == blanks(ENGINE[template])


def test_the_engine_still_says_what_is_translated():
    """Two neighbouring words of every translated sentence stand in the engine, the pages or the tables' guide."""
    read = [*(PROJECT / "plm_engine").rglob("*.py"), *SOURCES, PROJECT / "data" / "COLUMNS.md"]
    texts = []
    for path in read:
        source = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            texts += [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
        else:
            texts.append(source)
    known = " ".join(text for text in texts if isinstance(text, str)).lower()
    known += " ".join(text for text, _ in MESSAGES.values()).lower()
    known += " ".join(os.strerror(code) for code in NO_ROOM).lower()  # the system's own words stand in a sentence
    known += known.replace("-", " ")  # an order such as day-first is said in words
    for template in ENGINE:
        pairs = re.findall(r"(?=\b([A-Za-z]{3,} [A-Za-z]{3,})\b)", re.sub(r"\{\w+\}", "#", template).lower())
        assert not pairs or any(pair in known for pair in pairs), template


def test_a_sentence_of_the_engine_is_told_with_what_stands_in_its_blanks():
    said = "12 rows without a value in a used column, left out: data rows 4, 5, 6 and 9 more."
    assert in_chinese(said) == "12 列在使用的欄位中缺值，已略過：資料列 4、5、6 及另外 9 個。"
    assert in_chinese("Row-parallel × 2") == "資料列平行 × 2"
    two = "RPLM beats persistence: its test error is 3.1 % smaller. The forecast to beat: the latest known price."
    assert in_chinese(two) == "RPLM 勝過持平預測：測試誤差小 3.1 %。要勝過的預測：最新已知價格。"


@pytest.mark.parametrize(
    ("chosen", "workers", "times", "exchange", "threads"),
    [
        ("single", 1, {"single": 1234.5}, None, 2),
        ("single", 1, {"single": 0.21, "batched": 0.2}, None, 1),
        ("candidate_parallel", 2, {"single": 0.4, "batched": 0.3, "candidate_parallel": 0.2}, None, 1),
        ("row_parallel", 2, {"single": 9.0, "row_parallel": 5.0, "candidate_parallel": 6.0, "batched": 7.0}, 0.031, 1),
    ],
)
def test_what_mode_auto_chose_is_told_in_chinese(chosen, workers, times, exchange, threads):
    said = in_chinese(calibrate.reason(chosen, workers, times, 60_000, exchange, threads))
    assert is_chinese(said), said
    assert "60,000 列、48 個節點" in said
    assert ("1,234 毫秒" in said) == (1234.5 in times.values())
    for mode in times:
        assert in_chinese(MODES[mode].title) in said


def test_the_memory_that_threads_save_is_told_in_chinese():
    said = in_chinese(one_copy(1_000_000, 18, 2, "float64"))
    assert is_chinese(said), said
    assert "2 個行程" in said


def test_the_threads_of_a_step_are_told_in_chinese(monkeypatch):
    config = Config(data="copper-sample")
    monkeypatch.setattr(calibrate, "_single", lambda *_: (1.5, 2))
    for cores, n_rows in ((1, 10**7), (2, 100), (2, 10**7)):
        monkeypatch.setattr(calibrate, "cores", lambda cores=cores: cores)
        said = in_chinese(calibrate.choose_threads(config, n_rows, 3).reason)
        assert is_chinese(said), said
        assert "個執行緒" in said


def test_what_has_no_translation_stays_as_it_was_said():
    said = "Something that nobody has translated yet, and rows of it."
    assert in_chinese(said) == said
    assert language.told(said) == said


def test_times_ranges_and_states_follow_the_language():
    assert (words.duration(72), words.number_range((1200, 3400.5))) == ("1 min 12 s", "1,200 to 3,400.5")
    with language.speaking("zh"):
        assert (words.duration(72), words.number_range((1200, 3400.5))) == ("1 分 12 秒", "1,200 至 3,400.5")
        assert (words.status_name("running"), words.phase_name("cramming")) == ("學習中", "強記")


def test_the_glossary_opens_from_the_sidebar_and_can_be_searched(app):
    app.run()
    next(b for b in app.sidebar.button if b.key == "glossary:open").click().run()
    assert any("Hidden node" in one.value for one in app.markdown)
    app.text_input(key="glossary:search").set_value("tonne of nothing").run()
    assert not any("Hidden node" in one.value for one in app.markdown)
    assert glossary.button.__doc__
