"""Which column plays which part: target, drivers, date, latest price."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from plm_engine.config import Config
from plm_engine.datasets.dates import ONLY_DATE_NAMES
from plm_engine.datasets.numbers import UNIT
from plm_engine.datasets.table import PADDED, PART_OF_DATE, Column, Table
from plm_engine.errors import DataError

COPPER_DRIVERS = tuple(f"x{i}" for i in range(1, 19))
COPPER_HORIZON = 4
_TARGETS = (
    *("y", "target", "price", "close", "settle", "last", "value"),
    *("價格", "价格", "單價", "单价", "收盤價", "收盘价"),
    *("preis", "prix", "precio", "prezzo", "preço"),
)
_ID_NAMES = re.compile(
    r"(|id|no\.?|nr\.?|#|index|row|rows|row_?(no|id|number)|unnamed: 0|__index_level_\d+__|序號|序号|編號|编号"
    r"|項次|项次)",
    re.IGNORECASE,
)
#: keys of a database, or an index that a program wrote along
_KEY_NAMES = re.compile(
    r"^__index_level_\d+__$|^(id|key)$|[ _.-](id|key|no|nr)\.?$|[a-z](ID|Id|No)$|編號$|编号$|單號$|单号$"
)


@dataclass(frozen=True)
class Roles:
    """The part each column plays.

    Attributes
    ----------
    target : str
        Column to forecast.
    drivers : tuple of str
        Columns to forecast from, in the order of the table.
    date : str or None
        Column that puts the rows in time order.
    latest_price : str or None
        Column with the latest price known at the forecast (base of persistence).
    horizon : int
        Suggested rows between the latest known target and the forecast row.
    copper : bool
        Whether the table was recognised as the thesis's copper table.
    set_aside : tuple of (str, str)
        Numeric columns that are no drivers unless chosen, and why.
    """

    target: str
    drivers: tuple[str, ...]
    date: str | None = None
    latest_price: str | None = None
    horizon: int = 1
    copper: bool = False
    set_aside: tuple[tuple[str, str], ...] = ()


def is_copper(table: Table) -> bool:
    """Return whether a table has the columns x1..x18 and y of the thesis's copper table, and x5 is a price like y."""
    numbers = set(table.names("number"))
    if not numbers.issuperset((*COPPER_DRIVERS, "y")) or len(table.frame) < 10:
        return False
    frame = table.frame[["x2", "x3", "x4", "x5", "y"]]
    # x4 is x5 of the row before: the same names over other numbers are another table
    lag = (frame["x4"].iloc[1:].to_numpy() == frame["x5"].iloc[:-1].to_numpy()).mean()
    return bool(lag > 0.5)


def suggest_roles(table: Table, target: str | None = None) -> Roles:
    """Suggest roles from names and contents.

    Parameters
    ----------
    table : Table
        As read.
    target : str or None
        Target the person already chose.

    Raises
    ------
    DataError
        If no column is numeric, or the chosen target cannot be one.
    """
    numbers = table.names("number")
    if table.n_rows_read == 0:
        raise DataError(f"{table.size}: the file holds a header and no data rows.")
    if target is not None:
        _check_number(table, target, "target")
    elif numbers:
        by_name = {_without_units(name): name for name in reversed(numbers)}
        by_name |= {name.lower().strip(): name for name in reversed(numbers)}
        amounts = [n for n in numbers if PADDED not in table.column(n).notes]
        target = next((by_name[n] for n in _TARGETS if n in by_name), (amounts or numbers)[-1])
    else:
        raise DataError(f"No column holds numbers ({table.size}), so there is nothing to forecast: check the file.")
    copper = is_copper(table) and target == "y"
    dates = table.names("date")
    aside = [(c.name, why) for c in table.columns if (why := _why_aside(table, c)) and c.name != target]
    names_aside = {name for name, _ in aside}
    drivers = COPPER_DRIVERS if copper else tuple(n for n in numbers if n != target and n not in names_aside)
    return Roles(
        target,
        drivers,
        dates[0] if dates else None,
        "x5" if copper else None,
        COPPER_HORIZON if copper else 1,
        copper,
        tuple(aside),
    )


def named_as_target(name: str) -> bool:
    """Return whether a name is one under which a price stands that is to be forecast."""
    return name.lower().strip() in _TARGETS or _without_units(name) in _TARGETS


def _without_units(name: str) -> str:
    """Return a name in small letters without the units behind it: "price" of "Price (USD/t)"."""
    first, *more = re.split(r"[\s()（）\[\],]+", name.lower().strip())
    return first if all(not word or UNIT.fullmatch(word) for word in more) else name.lower().strip()


def _why_aside(table: Table, column: Column) -> str:
    """Say why a numeric column is no driver unless chosen; empty if it is one."""
    if column.type != "number":
        return ""
    if column.hidden:
        return "hidden in the workbook"
    if column.n_missing and column.n_missing == len(table.frame):
        return "without any value"
    if PADDED in column.notes:
        return "a code, for its numbers have leading zeros"
    if PART_OF_DATE in column.notes:
        return "a part of the date"
    if not column.original and 2 * column.n_missing > len(table.frame):
        return "without a name and mostly blank"
    name = column.original.strip()
    values = table.frame[column.name].to_numpy()
    steps = np.diff(values)
    if _ID_NAMES.fullmatch(name) and len(steps) and (np.all(steps == 1) or np.all(steps == -1)):
        return "a running number"
    if _KEY_NAMES.search(name) and len(steps) and np.all(values % 1 == 0) and (np.all(steps > 0) or np.all(steps < 0)):
        return "a number that names the row"
    if claims_dates(table, column):
        return "named like a date"
    return ""


def claims_dates(table: Table, column: Column) -> bool:
    """Return whether texts or numbers stand below a name that means a date; a month from 1 to 12 claims nothing."""
    if column.type not in ("text", "number") or not ONLY_DATE_NAMES.fullmatch(column.original.strip()):
        return False
    return column.type == "text" or bool(table.frame[column.name].min() > 3000)


def resolve_roles(table: Table, config: Config) -> Roles:
    """Return the roles of a run: what the configuration says, else what is suggested.

    ``date = ""`` and ``latest_price = ""`` mean: none.  The horizon is the configuration's, else the one suggested.

    Raises
    ------
    DataError
        If a named column does not exist or cannot play its part.
    """
    suggested = suggest_roles(table, config.target)
    target = suggested.target
    date = suggested.date
    if config.date is not None:
        date = config.date or None
        if date is not None:
            _check_exists(table, date, "date")
            if table.column(date).type != "date":
                raise DataError(
                    f"Column '{date}' cannot be the date: it holds {_type_words(table.column(date))}. "
                    f"{_columns_that_can(table, 'date')}"
                )
    latest = suggested.latest_price
    if config.latest_price is not None:
        latest = config.latest_price or None
        if latest is not None:
            _check_number(table, latest, "latest price")
            if latest == target:
                raise DataError(f"Column '{latest}' is the target: it cannot also be the latest known price.")
    drivers = config.drivers or suggested.drivers
    for name in drivers:
        _check_number(table, name, "driver")
        if name == target:
            raise DataError(f"Column '{name}' is the target: it cannot also be a driver.")
    drivers = tuple(dict.fromkeys(drivers))
    aside = tuple((n, why) for n, why in suggested.set_aside if n not in drivers and not config.drivers)
    horizon = config.horizon if config.horizon is not None else suggested.horizon
    return Roles(target, drivers, date, latest, horizon, suggested.copper, aside)


def _check_exists(table: Table, name: str, role: str) -> None:
    names = table.names()
    if name in names:
        return
    near = get_close_matches(name, names, 1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    shown = ", ".join(f"'{n}'" for n in names[:20]) + (f" and {len(names) - 20:,} more" if len(names) > 20 else "")
    raise DataError(f"There is no column '{name}' for the {role}.{hint} The columns are {shown}.")


def _check_number(table: Table, name: str, role: str) -> None:
    _check_exists(table, name, role)
    column = table.column(name)
    if column.type != "number":
        raise DataError(
            f"Column '{name}' cannot be the {role}: it holds {_type_words(column)}. "
            + _columns_that_can(table, "number")
        )


def _type_words(column: Column) -> str:
    return {"number": "numbers", "date": "dates", "text": "text", "empty": "no values"}[column.type]


def _columns_that_can(table: Table, type: str) -> str:
    names = table.names(type)
    words = {"number": "numbers", "date": "dates"}[type]
    if not names:
        return f"No column holds {words}."
    shown = ", ".join(f"'{n}'" for n in names[:20]) + (f" and {len(names) - 20:,} more" if len(names) > 20 else "")
    return f"Columns with {words}: {shown}."
