"""Forms of the Data page: which table, how its file is read, what its columns are for, how its rows are split.

Each form takes the choice so far and returns the options it sets.  Its fields are keyed by the table, so that another
table starts with its own values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from pages.parts import uploads, words
from pages.parts.choice import Choice
from pages.parts.client import Lab
from plm_engine.config import options
from plm_engine.datasets.roles import Roles
from plm_engine.datasets.table import Finding, Table
from plm_engine.errors import UserError

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "big5", "gb18030", "shift_jis", "cp1252", "latin-1")
SEPARATORS = ("comma", "semicolon", "tab", "bar", "space")
DECIMALS = {".": "point", ",": "comma"}
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
            "Pick a table",
            keys,
            keys.index(current) if current in keys else 0,
            format_func=lambda key: titles.get(key) or _upload_title(client, key),
            key=f"data:pick:{current}",
            help="Tables that came with the app, and files in its folder data/local.",
        )
        if current in titles:
            st.caption(words.plain(client.about(current)))
    with right:
        sent = st.file_uploader(
            "or upload your own",
            type=FILE_TYPES,
            key="data:upload",
            help="CSV, TSV, Excel (xlsx) or Parquet, with one row per point in time.",
        )
    if sent is not None and st.session_state.get("data:last_upload") != sent.file_id:
        st.session_state["data:last_upload"] = sent.file_id
        st.session_state.pop("data:refused", None)
        try:
            return {"data": client.save_upload(sent.name, sent.getvalue())}
        except UserError as error:
            st.session_state["data:refused"] = f"{uploads.shown_name(sent.name)}: {error}"
    if sent is None:
        st.session_state.pop("data:refused", None)
    if "data:refused" in st.session_state:
        st.error(words.plain(st.session_state["data:refused"]), icon=":material/block:")
    return chosen if picked == current else {"data": picked}


def _upload_title(client: Lab, key: str) -> str:
    try:
        return f"{client.title(key)} (uploaded)"  # a file in data/local may have the same name
    except UserError:
        return "an upload that is gone"


READING = ("sheet", "encoding", "separator", "decimal", "date_format", "missing_codes")


def reading_part(chosen: Choice) -> Choice:
    """Return the part of a choice that says how to read the file."""
    return {name: value for name, value in chosen.items() if name == "data" or name in READING}


def completed(chosen: Choice, table: Table, suggested: Roles) -> Choice:
    """Return the choice with the suggested roles where it names no target, or one that the table has not."""
    if chosen.get("target") in table.names("number"):
        return chosen
    kept = {name: v for name, v in chosen.items() if name not in ("target", "date", "latest_price", "drivers")}
    roles = {"target": suggested.target, "date": suggested.date, "latest_price": suggested.latest_price}
    return {"horizon": suggested.horizon, **kept, **roles}


def reading_form(table: Table, chosen: Choice) -> Choice:
    """Show how the file was read, with the parts that can be changed, and return the reading options given."""
    found = table.format
    given: Choice = {}
    columns = st.columns(3)
    if found.sheets:
        with columns[0]:
            given["sheet"] = _found_or_given("sheet", "Sheet", _same(s.name for s in found.sheets), found.sheet, chosen)
    if found.encoding:
        encodings = _same(dict.fromkeys((found.encoding, *ENCODINGS)))
        with columns[0]:
            given["encoding"] = _found_or_given("encoding", "Character encoding", encodings, found.encoding, chosen)
        with columns[1]:
            given["separator"] = _found_or_given(
                "separator", "Between the columns", _same(SEPARATORS), found.separator, chosen
            )
    if found.decimal:
        with columns[2]:
            given["decimal"] = _found_or_given("decimal", "Decimal mark", DECIMALS, found.decimal, chosen)
    with columns[0]:
        given["date_format"] = _found_or_given(
            "date_format", "Order in dates like 03/04/2021", _same(("day-first", "month-first")), "", chosen
        )
    with columns[1]:
        codes = st.text_input(
            "Numbers that mean 'missing'",
            ", ".join(chosen.get("missing_codes", ())),
            key=f"read:codes:{chosen['data']}:{chosen.get('missing_codes')}",
            placeholder="such as -999",
            help="Several are divided by commas.",
        )
        given["missing_codes"] = tuple(code.strip() for code in codes.split(",") if code.strip())
    return given


def _same(values: Iterable[str]) -> dict[str, str]:
    return {value: value for value in values}


def _found_or_given(option: str, label: str, names: dict[str, str], found: str, chosen: Choice) -> str | None:
    """Show a field whose first entry is *found out*, and return what was given, None for found out.

    The field's key holds the value chosen so far, because a question may have been answered elsewhere on the page.
    """
    given = chosen.get(option)
    allowed = [None, *names, *([given] if given is not None and given not in names else [])]
    first = f"found out: {names.get(found, found)}" if found and given is None else "find out"
    return st.selectbox(
        label,
        allowed,
        allowed.index(given),
        format_func=lambda value: first if value is None else names.get(value, value),
        key=f"read:{option}:{chosen['data']}:{given}",
    )


def questions(findings: Sequence[Finding], chosen: Choice) -> Choice:
    """Ask what the table leaves open, such as the order of day and month, and return the answers as options."""
    answers: Choice = {}
    for finding in (f for f in findings if f.severity == "question" and f.option and f.choices):
        several = options()[finding.option].kind is tuple  # such as missing codes: one question for each column
        given = chosen.get(finding.option) or ()
        now = next((c for c in finding.choices if c == given or (several and c in given)), None)
        allowed = [None, *finding.choices]
        answer = st.radio(
            words.plain(finding.sentence),
            allowed,
            allowed.index(now),
            format_func=lambda v: "not answered yet" if v is None else str(v),
            key=f"question:{chosen['data']}:{finding.kind}:{','.join(finding.columns)}",
            horizontal=True,
        )
        if answer is not None and several:
            more = () if answer == "keep" else (answer,)
            answers[finding.option] = tuple(dict.fromkeys((*given, *answers.get(finding.option, ()), *more)))
        elif answer is not None:
            answers[finding.option] = answer
    return answers


def roles_form(client: Lab, table: Table, chosen: Choice, guide: dict[str, str]) -> Choice:
    """Show what each column is for, and return target, date, latest price and drivers as options."""
    numbers, dates = table.names("number"), table.names("date")
    scope = chosen["data"]

    def name(column: str) -> str:
        return f"{column}: {guide[column]}" if column in guide else column

    first, second, third = st.columns(3)
    with first:
        target = st.selectbox(
            "Target: the column to forecast",
            numbers,
            _at(numbers, chosen.get("target")),
            format_func=name,
            key=f"role:t:{scope}",
        )
    with second:
        date = st.selectbox(
            "Date of each row",
            ["", *dates],
            _at(["", *dates], chosen.get("date")),
            format_func=lambda v: v or "none: rows are in time order",
            key=f"role:d:{scope}",
            help="Puts the rows in time order before they are split.",
        )
    with third:
        latest = ["", *(c for c in numbers if c != target)]
        price = st.selectbox(
            "Latest price known",
            latest,
            _at(latest, chosen.get("latest_price")),
            format_func=lambda v: name(v) if v else "none",
            key=f"role:p:{scope}",
            help="The price known when the forecast is made: the simplest forecast repeats it.",
        )
    possible = [c for c in numbers if c != target]
    suggested = [c for c in client.suggested(table, target).drivers if c in possible]
    drivers = st.multiselect(
        "Drivers: the columns to forecast from",
        possible,
        [c for c in chosen.get("drivers") or suggested if c in possible],
        format_func=name,
        key=f"role:x:{scope}:{target}",
        placeholder="Choose columns",
    )
    given = () if drivers == suggested else tuple(drivers)
    return {"target": target, "date": date, "latest_price": price, "drivers": given}


def _at(values: Sequence[Any], value: Any) -> int:
    return list(values).index(value) if value in values else 0


def split_form(chosen: Choice) -> Choice:
    """Show how the rows are divided into training and test rows, and return the options of the split."""
    scope = chosen["data"]
    first, second, third = st.columns(3)
    with first:
        split = st.selectbox(
            "Test on",
            list(_SPLITS),
            list(_SPLITS).index(chosen.get("split", "chronological")),
            format_func=lambda v: _SPLITS[v],
            key=f"split:kind:{scope}",
        )
    with second:
        size = _test_size(chosen, scope)
    with third:
        horizon = st.number_input(
            "Forecast horizon (rows ahead)",
            1,
            10_000,
            int(chosen.get("horizon", 1)),
            step=1,
            key=f"split:horizon:{scope}",
            help="How many rows lie between the latest known target and the row to forecast. "
            "Training rows whose target is not known yet at the split are left out.",
        )
    given: Choice = {**size, "split": split, "horizon": int(horizon)}
    return {name: value for name, value in given.items() if value != _SPLIT_DEFAULTS.get(name)}


_SPLITS = {"chronological": "the newest rows", "random": "rows drawn at random"}
_SPLIT_DEFAULTS = {"split": "chronological", "horizon": 1, "test_share": 20.0}


def _test_size(chosen: Choice, scope: str) -> Choice:
    """Show the size of the test set, as a share or as a number of rows."""
    by_rows = st.segmented_control(
        "Size of the test set",
        [False, True],
        default="test_rows" in chosen,
        required=True,
        format_func=lambda v: "Rows" if v else "% of the rows",
        key=f"split:by_rows:{scope}",
    )
    if by_rows:
        rows = st.number_input(
            "Test rows (rows)",
            0,
            value=int(chosen.get("test_rows", 95)),
            step=1,
            key=f"split:rows:{scope}",
            label_visibility="collapsed",
        )
        return {"test_rows": int(rows)}
    share = st.number_input(
        "Test rows (% of the rows)",
        0.0,
        95.0,
        float(chosen.get("test_share", 20.0)),
        step=5.0,
        format="%.6g",
        key=f"split:share:{scope}",
        label_visibility="collapsed",
    )
    return {"test_share": float(share)}
