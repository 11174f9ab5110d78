"""Forms of the Data page for the columns and rows: what each column is for, and how the rows are split.

Each form takes the choice so far and returns the options it sets.  Its fields are keyed by the table, so that another
table starts with its own values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.parts.choice import Choice
from pages.parts.client import Lab
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
        return f"{column}: {guide[column].split('.')[0]}" if column in guide else column

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
_SPLIT_DEFAULTS = {"split": "chronological", "test_share": 20.0}  # the horizon is always told: 1 is a choice too


def _test_size(chosen: Choice, scope: str) -> Choice:
    """Show the size of the test set, as a share or as a number of rows."""
    by_rows = st.radio(
        "Size of the test set",
        [False, True],
        int("test_rows" in chosen),
        horizontal=True,
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
