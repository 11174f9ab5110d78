"""Numbers that read perfectly and are doubtful all the same: another unit from a row on, zeros for nothing, repeats."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plm_engine.config import Config
from plm_engine.datasets.roles import Roles, named_as_target
from plm_engine.datasets.scale import centre_and_spread
from plm_engine.datasets.table import Finding, Table, counted, data_rows

Floats = NDArray[np.float64]
#: how near the logarithm of a step must be to that of 10, 100 or 1,000, and how small all other steps are
_NEAR, _USUAL = 0.1, 0.3
#: rows and columns among which a sum that gives the target is looked for
_ROWS, _COLUMNS = 2000, 100


def check_numbers(frame: pd.DataFrame, x: Floats, roles: Roles) -> list[Finding]:
    """Look at the numbers of usable rows, in time order; ``x`` (N, m) holds their drivers."""
    findings = []
    for name in (roles.target, *roles.drivers):
        values = frame[name].to_numpy(dtype=np.float64)
        findings += _other_unit(name, values, frame.index) + _zeros(name, values, frame.index)
    y = frame[roles.target].to_numpy(dtype=np.float64)
    return findings + _repeats(y, roles) + _parts(x, y, roles)


def _other_unit(name: str, values: Floats, index: pd.Index) -> list[Finding]:
    """Name the row from which on a column is 10, 100 or 1,000 times as large or small, as cents are of a euro."""
    if len(values) < 12 or not ((values > 0).all() or (values < 0).all()):
        return []
    steps = np.diff(np.log10(np.abs(values)))
    at = np.flatnonzero(np.abs(steps) > _USUAL)
    powers = np.round(np.abs(steps[at]))
    fits = (powers >= 1) & (powers <= 3) & (np.abs(np.abs(steps[at]) - powers) < _NEAR)
    # one jump, or one and back: more is how the numbers are
    if not 1 <= len(at) <= 2 or not fits.all() or abs(steps[at].sum()) > 3 + _NEAR:
        return []
    row, factor = int(index[at[0] + 1]), 10.0 ** (powers[0] * np.sign(steps[at[0]]))
    before, after = (f"{v:,.1f}" if abs(v) >= 1000 else f"{v:g}" for v in values[at[0] : at[0] + 2])
    sentence = (
        f"'{name}' is about {factor:g} times what it was from data row {row} on ({before}, then {after}), and changes "
        "little elsewhere: another unit or a slipped decimal point? Bring all rows to one unit first."
    )
    return [Finding("other_unit", "warning", sentence, (name,), (row,))]


def _zeros(name: str, values: Floats, index: pd.Index) -> list[Finding]:
    """Name zeros far below all other values of a column, which may stand for "missing"."""
    zero = values == 0
    n = int(zero.sum())
    if not 0 < n <= len(values) / 10:
        return []
    rest = values[~zero]
    if rest.min() <= 0.2 * np.median(rest):
        return []
    rows = tuple(int(row) for row in index[zero])
    sentence = (
        f"'{name}' is 0 in {counted(n, 'row')} ({data_rows(rows)}) and {rest.min():g} to {rest.max():g} elsewhere: if "
        "0 stands for a missing value, leave these cells empty; until then it counts as a number."
    )
    return [Finding("zeros", "warning", sentence, (name,), rows)]


def _repeats(y: Floats, roles: Roles) -> list[Finding]:
    """Say that a target rests in most rows, as monthly prices do that were filled in for each week."""
    changes = int((np.diff(y) != 0).sum())
    if roles.date is None or not 5 <= changes <= 0.4 * (len(y) - 1) or len(np.unique(y)) < 0.8 * changes:
        return []
    sentence = (
        f"'{roles.target}' is new in only {changes:,} of {len(y) - 1:,} rows and repeats the row before in the others: "
        "filled in from a rarer series? Persistence is then exact wherever it repeats."
    )
    return [Finding("repeats", "warning", sentence, (roles.target,))]


def _parts(x: Floats, y: Floats, roles: Roles) -> list[Finding]:
    """Name drivers whose weighted sum is the target in every row, as base and premium make a price."""
    n, m = x.shape
    if not 2 <= m <= _COLUMNS or n < 2 * m + 8:
        return []
    some = slice(None, None, max(1, n // _ROWS))
    z, spread = centre_and_spread(np.column_stack([x[some], y[some]]))
    if spread[-1] == 0 or not np.isfinite(spread).all() or spread.max() > 1e150:
        return []
    moving = np.flatnonzero(spread[:-1])
    scaled = (x[some][:, moving] - z[moving]) / spread[moving]
    wanted = (y[some] - z[-1]) / spread[-1]
    weights, _, rank, _ = np.linalg.lstsq(scaled, wanted, rcond=None)
    heavy = [roles.drivers[moving[k]] for k in np.flatnonzero(np.abs(weights) > 1e-6)]
    if rank < len(moving) or len(heavy) < 2 or np.abs(scaled @ weights - wanted).max() > 1e-9:
        return []
    named = ", ".join(heavy[:5]) + (f" and {len(heavy) - 5} more" if len(heavy) > 5 else "")
    sentence = (
        f"A weighted sum of {named} is the target '{roles.target}' in every row: if they are its parts, they are not "
        "known before it is, and give the answer away."
    )
    return [Finding("parts", "warning", sentence, tuple(heavy))]


def passed_over(table: Table, roles: Roles, config: Config) -> list[Finding]:
    """Say that a column named like the target could not be it, where another was taken unasked."""
    if config.target is not None or named_as_target(roles.target):
        return []
    for column in table.columns:
        if column.type in ("text", "empty") and named_as_target(column.original):
            holds = "text" if column.type == "text" else "no values"
            sentence = (
                f"Column '{column.name}' is named like the target and holds {holds}, so '{roles.target}' was taken "
                "instead: choose the target, or correct the column."
            )
            return [Finding("passed_over", "warning", sentence, (column.name, roles.target))]
    return []
