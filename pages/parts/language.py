"""The language of the pages: that of the browser, else as a link's ``?lang=zh`` or the choice in the sidebar says.

``say`` and ``counted`` give the pages' own texts, ``told`` the engine's, ``explain`` a term's hover text (see
:mod:`pages.parts.messages` for how to add one).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.parts.messages import ENGINE, LANGUAGES, MESSAGES, NAMES, TERMS

_KEY = "language"
#: a blank that holds this was a piece of some other sentence
_ENGLISH = re.compile(r"(\b[a-z]{2,} ){3}|[.!?] [A-Z]")
#: a blank of a template that has next to no words of its own must not hold even this
_PHRASE = re.compile(r"\b[a-z]{2,} [a-z]{2,}")
#: letters that a template must have, outside of its blanks, to be known by them
_TELLING = 7
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
#: Chinese letters, and marks that bring room of their own
_FULL = re.compile(r"[\u3001-\u301f\u4e00-\u9fff\uff00-\uff5e]")
_LATIN = re.compile(r"[A-Za-z0-9]")
#: names or numbers divided by commas, which a name of a file is not taken for
_LIST = re.compile(r"[\w-]+(\.\d+)?(, [\w-]+(\.\d+)?)+")
_QUOTED = re.compile(r"'[^']*'(, '[^']*')*")
#: blanks of the engine's sentences that hold numbers only
NUMBERS = ("n", "m", "k")
_PLACE = {lang: place for place, lang in enumerate(LANGUAGES)}
#: a language for what is made outside of a visit, such as a report that is written when its button is pressed
_spoken: ContextVar[str | None] = ContextVar("spoken", default=None)


def text(lang: str, key: str, **values: Any) -> str:
    """Return one text of the catalogue in a language, its blanks filled in; whole numbers get thousands separators."""
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return _filled(MESSAGES[key][_PLACE[lang]], shown)


def _filled(template: str, values: Mapping[str, Any]) -> str:
    """Return a text with its blanks filled in; between Chinese and other letters comes a space, as is usual."""
    said = ""
    for words, name, spec, _ in string.Formatter().parse(template):
        for piece in (words, None if name is None else format(values[name], spec or "")):
            if piece:
                said = _joined(said, piece)
    return said


def _joined(said: str, piece: str) -> str:
    """Return two parts of a text as one: a space between Chinese and other letters, none inside of Chinese."""
    if said.endswith(" ") and _FULL.match(said[-2:-1]) and _FULL.match(piece):
        return said[:-1] + piece
    if piece[0] == " " and _FULL.match(said[-1:]) and _FULL.match(piece[1:2]):
        return said + piece[1:]
    return f"{said} {piece}" if _apart(said[-1:], piece[0]) else said + piece


def _apart(left: str, right: str) -> bool:
    """Return whether a space is due between two letters."""
    one, other = (_CHINESE, _LATIN) if _CHINESE.match(left) else (_LATIN, _CHINESE)
    return bool(one.match(left) and other.match(right))


def count(lang: str, noun: str, n: int) -> str:
    """Return a number of things in words, such as ``1 node`` or ``7,000 rows``."""
    one, _, many = MESSAGES[f"count.{noun}"][_PLACE[lang]].partition("|")
    return (one if n == 1 else many or one).format(n=f"{n:,}")


def chosen() -> str:
    """Return the language of this session: ``en`` or ``zh``; English where nobody visits."""
    spoken = _spoken.get()
    if spoken is not None:
        return spoken
    if get_script_run_ctx(suppress_warning=True) is None:
        return "en"
    lang = st.session_state.get(_KEY) or st.query_params.get("lang") or _of_browser()
    return lang if lang in LANGUAGES else "en"


def _of_browser() -> str:
    """Return the language that the visitor's browser asks for, where the pages speak it; else English."""
    return "zh" if (st.context.locale or "").lower().startswith("zh") else "en"


@contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Have everything inside said in a language: for what is made after the visit's script has ended."""
    token = _spoken.set(lang)
    try:
        yield
    finally:
        _spoken.reset(token)


def say(key: str, **values: Any) -> str:
    """Return one text of the catalogue in the language of this session."""
    return text(chosen(), key, **values)


def counted(noun: str, n: int) -> str:
    """Return a number of things in words, in the language of this session."""
    return count(chosen(), noun, n)


def explain(term: str) -> str:
    """Return a term and what it means, as a hover text, in the language of this session."""
    name, means = TERMS[term][_PLACE[chosen()]]
    return f"**{name}**{': ' if chosen() == 'en' else '：'}{means}"


def told(sentence: object) -> str:
    """Return what the engine said in the language of this session; what has no translation stays English."""
    said = str(sentence)
    return said if chosen() == "en" or not said else _told(said)


def named(name: str) -> str:
    """Return what a bundled table or a job is called in the language of this session; other names stay."""
    return name if chosen() == "en" else NAMES.get(name, name)


@lru_cache(maxsize=4096)
def _told(said: str) -> str:
    parts = re.split(r"(?<=[.!?]) +(?=[A-Z])", said)
    shown = [_fitting(part) for part in parts]
    if None in shown:
        whole = _fitting(said) if len(parts) > 1 else None  # some templates are two sentences long
        if whole is not None:
            return whole
    kept = [part if one is None else one for part, one in zip(parts, shown, strict=True)]
    return "".join(part if part.endswith("。") else f"{part} " for part in kept).strip()


def _fitting(said: str) -> str | None:
    """Return a sentence by the first template that it fits; what stands in the blanks is translated likewise."""
    exact = ENGINE.get(said)
    if exact is not None:
        return exact
    for template in _patterns():
        found = template.pattern.fullmatch(said) if said.startswith(template.begins) else None
        if found:
            values = {name: _written(_told(value)) for name, value in found.groupdict().items()}
            if not any(template.forbidden.search(value) for value in values.values()):
                return _filled(template.chinese, values)
    return None


def _written(said: str) -> str:
    """Return names, numbers and options as Chinese divides, quotes and calls them; other texts as they are."""
    option = f"option.{said[2:].replace('-', '_')}"
    if said.startswith("--") and option in MESSAGES:
        return f"「{MESSAGES[option][_PLACE['zh']]}」"
    if _QUOTED.fullmatch(said):
        return re.sub(r"'([^']*)'(, )?", lambda one: f"「{one[1]}」" + ("、" if one[2] else ""), said)
    return said.replace(", ", "、") if _LIST.fullmatch(said) else said


@dataclass(frozen=True)
class _Template:
    """A sentence with blanks: what it begins with, its pattern, what no blank may hold, and the Chinese sentence."""

    begins: str
    pattern: re.Pattern[str]
    forbidden: re.Pattern[str]
    chinese: str


@cache
def _patterns() -> list[_Template]:
    """Return the templates with blanks, those that begin with words before others, then the longest first."""
    blank = re.compile(r"\{(\w+)\}")
    known = sorted(
        (one for one in ENGINE if blank.search(one)), key=lambda one: (one.startswith("{"), -len(blank.sub("", one)))
    )
    made = []
    for one in known:
        seen: set[str] = set()
        pieces = []
        for i, piece in enumerate(blank.split(one)):
            if i % 2 == 0:
                pieces.append(re.escape(piece))
            else:
                kind = r"[\d.,]+" if piece in NUMBERS else r"\w{0,5}" if piece.startswith("_") else ".+?"
                pieces.append(f"(?P={piece})" if piece in seen else f"(?P<{piece}>{kind})")
                seen.add(piece)
        telling = len(re.findall(r"[A-Za-z]", blank.sub("", one))) >= _TELLING
        pattern = re.compile("".join(pieces), re.DOTALL)
        made.append(_Template(one.partition("{")[0], pattern, _ENGLISH if telling else _PHRASE, ENGINE[one]))
    return made


def choose() -> None:
    """Show the choice in the sidebar; kept under a key of its own, because a page change forgets the field's."""
    if "language:field" in st.session_state:  # just changed: this run speaks it already
        st.session_state[_KEY] = st.session_state["language:field"]
    kept, codes = chosen(), list(LANGUAGES)
    with st.sidebar:
        picked = st.selectbox(
            "Language / 語言",
            codes,
            codes.index(kept),
            format_func=LANGUAGES.__getitem__,
            key="language:field",
            help=say("nav.language_help"),
        )
        st.session_state[_KEY] = picked
        st.caption(say("nav.partly"))


def other_button() -> None:
    """Offer the other language, named in itself: who does not read this one finds it."""
    other = next(lang for lang in LANGUAGES if lang != chosen())
    st.button(
        LANGUAGES[other],
        type="tertiary",
        icon=":material/translate:",
        key="language:other",
        help=say("nav.language_help"),
        on_click=_speak,
        args=(other,),
    )


def _speak(lang: str) -> None:
    st.session_state["language:field"] = lang
