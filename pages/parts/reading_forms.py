"""Forms of the Data page for the file: which table, how it is read, and what it leaves open.

Each form takes the choice so far and returns the options it sets.  Its fields are keyed by the table, so that another
table starts with its own values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.parts import uploads, words
from pages.parts.choice import Choice
from pages.parts.client import Lab
from pages.parts.language import say, told
from pages.parts.messages import MESSAGES
from plm_engine.config import options
from plm_engine.datasets.table import Finding, Table
from plm_engine.errors import UserError

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "big5", "gb18030", "shift_jis", "cp1252", "latin-1")
SEPARATORS = ("comma", "semicolon", "tab", "bar", "space")
DECIMALS = {".": "decimal.point", ",": "decimal.comma"}
FILE_TYPES = ["csv", "tsv", "txt", "xlsx", "parquet"]


def picker(client: Lab, chosen: Choice) -> Choice:
    """Show the two ways to a table, and return the choice: the old one, or a fresh one for another table."""
    titles = client.data_keys()
    current = str(chosen.get("data", ""))
    left, right = st.columns(2, gap="large")
    with left:
        keys = list(titles)
        if current not in keys and current:
            keys.append(current)
        picked = st.selectbox(
            say("data.pick"),
            keys,
            keys.index(current) if current in keys else 0,
            format_func=lambda key: told(titles[key]) if key in titles else _upload_title(client, key),
            key=f"data:pick:{current}",
            help=say("data.pick_help"),
        )
        if current in titles:
            st.caption(words.shown(client.about(current)))
    with right:
        sent = st.file_uploader(
            say("data.upload"),
            type=FILE_TYPES,
            key="data:upload",
            help=say("data.upload_help"),
        )
    if sent is not None and st.session_state.get("data:last_upload") != sent.file_id:
        st.session_state["data:last_upload"] = sent.file_id
        st.session_state.pop("data:refused", None)
        try:
            return {"data": client.save_upload(sent.name, sent.getvalue())}
        except UserError as error:
            st.session_state["data:refused"] = say("data.refused", name=uploads.shown_name(sent.name), why=told(error))
    if sent is None:
        st.session_state.pop("data:refused", None)
    if "data:refused" in st.session_state:
        st.error(words.plain(st.session_state["data:refused"]), icon=":material/block:")
    return chosen if picked == current else {"data": picked}


def _upload_title(client: Lab, key: str) -> str:
    try:
        return say("data.uploaded", name=client.title(key))  # a file in data/local may have the same name
    except UserError:
        return say("data.gone")


READING = ("sheet", "encoding", "separator", "decimal", "date_format", "missing_codes")


def reading_part(chosen: Choice) -> Choice:
    """Return the part of a choice that says how to read the file."""
    return {name: value for name, value in chosen.items() if name == "data" or name in READING}


def reading_form(table: Table, chosen: Choice) -> Choice:
    """Show how the file was read, with the parts that can be changed, and return the reading options given."""
    found = table.format
    given: Choice = {}
    columns = st.columns(3)
    if found.sheets:
        with columns[0]:
            given["sheet"] = _found_or_given(
                "sheet", say("read.sheet"), _same(s.name for s in found.sheets), found.sheet, chosen
            )
    if found.encoding:
        encodings = _same(dict.fromkeys((found.encoding, *ENCODINGS)))
        with columns[0]:
            given["encoding"] = _found_or_given("encoding", say("read.encoding"), encodings, found.encoding, chosen)
        with columns[1]:
            given["separator"] = _found_or_given(
                "separator",
                say("read.separator"),
                {name: say(f"separator.{name}") for name in SEPARATORS},
                found.separator,
                chosen,
            )
    if found.decimal:
        with columns[2]:
            given["decimal"] = _found_or_given(
                "decimal",
                say("read.decimal"),
                {mark: say(key) for mark, key in DECIMALS.items()},
                found.decimal,
                chosen,
            )
    with columns[0]:
        given["date_format"] = _found_or_given(
            "date_format",
            say("read.date_format"),
            {order: told(order) for order in ("day-first", "month-first", "year-first")},
            "",
            chosen,
        )
    with columns[1]:
        codes = st.text_input(
            say("read.codes"),
            ", ".join(chosen.get("missing_codes", ())),
            key=f"read:codes:{chosen['data']}:{chosen.get('missing_codes')}",
            placeholder=say("read.codes_example"),
            help=say("read.codes_help"),
        )
        given["missing_codes"] = tuple(words.listed(codes))
    return given


def _same(values: Iterable[str]) -> dict[str, str]:
    return {value: value for value in values}


def _found_or_given(option: str, label: str, names: dict[str, str], found: str, chosen: Choice) -> str | None:
    """Show a field whose first entry is *found out*, and return what was given, None for found out.

    The field's key holds the value chosen so far, because a question may have been answered elsewhere on the page.
    """
    given = chosen.get(option)
    allowed = [None, *names, *([given] if given is not None and given not in names else [])]
    first = say("read.found", name=names.get(found, found)) if found and given is None else say("read.find")
    return st.selectbox(
        label,
        allowed,
        allowed.index(given),
        format_func=lambda value: first if value is None else names.get(value, value),
        key=f"read:{option}:{chosen['data']}:{given}",
        help=told(options()[option].help),
    )


def questions(findings: Sequence[Finding], chosen: Choice) -> Choice:
    """Ask what the table leaves open, such as the order of day and month, and return the answers as options."""
    answers: Choice = {}
    for finding in (f for f in findings if f.severity == "question" and f.option and f.choices):
        several = options()[finding.option].kind is tuple  # such as missing codes: one question for each column
        given = chosen.get(finding.option) or ()
        now = next((c for c in finding.choices if c == given or (several and c in given)), None)
        allowed = [None, *finding.choices]
        with st.container(border=True):
            answer = st.radio(
                f":material/help: {words.shown(finding.sentence)}",
                allowed,
                allowed.index(now),
                format_func=_answer,
                key=f"question:{chosen['data']}:{finding.kind}:{','.join(finding.columns)}",
                horizontal=True,
                help=say("question.help"),
            )
        if answer is not None and several:
            more = () if answer == "keep" else (answer,)
            answers[finding.option] = tuple(dict.fromkeys((*given, *answers.get(finding.option, ()), *more)))
        elif answer is not None:
            answers[finding.option] = answer
    return answers


def _answer(value: str | None) -> str:
    """Return what an answer is called; one that is no word of ours is a number that stands for a missing value."""
    key = f"question.{'none' if value is None else value}"
    return say(key) if key in MESSAGES else say("question.missing", value=value)
