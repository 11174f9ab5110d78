"""Forms of the Data page for the columns and rows: what each column is for, and how the rows are split.

Each form takes the choice so far and returns the options it sets.  Its fields are keyed by the table, so that another
table starts with its own values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.parts.choice import Choice
from pages.parts.client import Lab
from pages.parts.language import explain, say, told
from plm_engine.datasets.roles import Roles
from plm_engine.datasets.table import Table


def completed(chosen: Choice, table: Table, suggested: Roles) -> Choice:
    """Return the choice with the suggested roles where it names no target, or one that the table has not."""
    if chosen.get("target") in table.names("number"):
        return chosen
    kept = {name: v for name, v in chosen.items() if name not in ("target", "date", "latest_price", "drivers")}
    roles = {"target": suggested.target, "date": suggested.date, "latest_price": suggested.latest_price}
    return {"horizon": suggested.horizon, **kept, **roles}


def roles_form(client: Lab, table: Table, chosen: Choice, guide: dict[str, str]) -> Choice:
    """Show what each column is for, and return target, date, latest price and drivers as options."""
    numbers, dates = table.names("number"), table.names("date")
    scope = chosen["data"]

    def name(column: str) -> str:
        known = told(guide[column]) if column in guide else ""
        return say("roles.means", column=column, means=re.split("[.。:：]", known)[0]) if known else column

    first, second, third = st.columns(3)
    with first:
        target = st.selectbox(
            say("roles.target"),
            numbers,
            _at(numbers, chosen.get("target")),
            format_func=name,
            key=f"role:t:{scope}",
            help=explain("target"),
        )
    with second:
        date = st.selectbox(
            say("roles.date"),
            ["", *dates],
            _at(["", *dates], chosen.get("date")),
            format_func=lambda v: v or say("roles.no_date"),
            key=f"role:d:{scope}",
            help=say("roles.date_help"),
        )
    with third:
        latest = ["", *(c for c in numbers if c != target)]
        price = st.selectbox(
            say("roles.price"),
            latest,
            _at(latest, chosen.get("latest_price")),
            format_func=lambda v: name(v) if v else say("roles.none"),
            key=f"role:p:{scope}",
            help=say("roles.price_help"),
        )
    possible = [c for c in numbers if c != target]
    suggested = [c for c in client.suggested(table, target).drivers if c in possible]
    drivers = st.multiselect(
        say("roles.drivers"),
        possible,
        [c for c in chosen.get("drivers") or suggested if c in possible],
        key=f"role:x:{scope}:{target}",
        placeholder=say("roles.choose"),
        help=explain("driver"),
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
            say("split.kind"),
            _SPLITS,
            _SPLITS.index(chosen.get("split", "chronological")),
            format_func=lambda v: say(f"split.{v}"),
            key=f"split:kind:{scope}",
            help=say("split.kind_help"),
        )
    with second:
        size = _test_size(chosen, scope)
    with third:
        horizon = st.number_input(
            say("split.horizon"),
            1,
            10_000,
            int(chosen.get("horizon", 1)),
            step=1,
            key=f"split:horizon:{scope}",
            help=say("split.horizon_help"),
        )
    given: Choice = {**size, "split": split, "horizon": int(horizon)}
    return {name: value for name, value in given.items() if value != _SPLIT_DEFAULTS.get(name)}


_SPLITS = ("chronological", "random")
_SPLIT_DEFAULTS = {"split": "chronological", "test_share": 20.0}  # the horizon is always told: 1 is a choice too


def _test_size(chosen: Choice, scope: str) -> Choice:
    """Show the size of the test set, as a share or as a number of rows."""
    by_rows = st.radio(
        say("split.size"),
        [False, True],
        int("test_rows" in chosen),
        horizontal=True,
        format_func=lambda v: say("split.by_rows" if v else "split.by_share"),
        key=f"split:by_rows:{scope}",
        help=say("split.size_help"),
    )
    if by_rows:
        rows = st.number_input(
            say("split.rows"),
            0,
            value=int(chosen.get("test_rows", 95)),
            step=1,
            key=f"split:rows:{scope}",
            help=explain("test_rows"),
            label_visibility="collapsed",
        )
        return {"test_rows": int(rows)}
    share = st.number_input(
        say("split.share"),
        0.0,
        95.0,
        float(chosen.get("test_share", 20.0)),
        step=5.0,
        format="%.6g",
        key=f"split:share:{scope}",
        help=explain("test_rows"),
        label_visibility="collapsed",
    )
    return {"test_share": float(share)}
