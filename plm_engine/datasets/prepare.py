"""The one path from a table to arrays, used by command line, worker and pages alike.

Order matters: rows are put in time order first, then the latest known price of each is looked up, then rows that
cannot be used fall out, then the split is made, and only then are the training rows looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plm_engine.config import Config
from plm_engine.datasets.checks import check_frame, check_split
from plm_engine.datasets.roles import Roles, resolve_roles
from plm_engine.datasets.split import Split, split_rows
from plm_engine.datasets.table import Finding, Table, some
from plm_engine.errors import DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass
class Prepared:
    """Arrays ready to learn from, in the units of the file.

    Attributes
    ----------
    x_train, x_test : ndarray of shape (N, m), (N_test, m)
        Drivers, float64.
    y_train, y_test : ndarray of shape (N,), (N_test,)
        Target.
    rows_train, rows_test, rows_left_out : ndarray of int
        1-based data row numbers, in time order.
    features : tuple of str
        Drivers that are really used (constant ones are not).
    target : str
        Name of the target.
    roles : Roles
        The part each column plays.
    rows : ndarray of int
        All usable rows in time order; ``actual``, ``part`` (``"train"``, ``"test"`` or ``"left out"``), ``dates``
        (ISO, or empty texts) and ``latest_price`` (base of persistence; NaN where nothing was known yet) go with it.
    findings : list of Finding
        Of the file and of these roles.
    n_read, n_used, n_rejected, n_missing : int
        Data rows read, usable, with an unreadable cell in a used column, and with a missing one.
    """

    x_train: Floats
    y_train: Floats
    x_test: Floats
    y_test: Floats
    rows_train: Ints
    rows_test: Ints
    rows_left_out: Ints
    features: tuple[str, ...]
    target: str
    roles: Roles
    rows: Ints
    actual: Floats
    part: tuple[str, ...]
    dates: tuple[str, ...]
    latest_price: Floats
    latest_train: Floats | None
    latest_test: Floats | None
    horizon: int
    split: str
    n_read: int
    n_used: int
    n_rejected: int
    n_missing: int
    findings: list[Finding] = field(default_factory=list)


@dataclass
class Usable:
    """Rows that can be used, in time order, before any split."""

    roles: Roles
    frame: pd.DataFrame
    latest_price: pd.Series
    rejected_rows: tuple[int, ...]
    missing_rows: tuple[int, ...]
    duplicate_rows: tuple[int, ...]
    findings: list[Finding]


def prepare(table: Table, config: Config, *, need_drivers: bool = True) -> Prepared:
    """Turn a table into training and test arrays.

    Parameters
    ----------
    table : Table
        As read.
    config : Config
        Roles, split, horizon and answers to questions.
    need_drivers : bool
        If False, a table without drivers gives arrays of shape (N, 0), for baselines that need none.

    Raises
    ------
    DataError
        If a question has to be answered first, a role cannot be played, no driver is left, or rows are too few.
    """
    usable = usable_rows(table, config)
    frame, roles = usable.frame, usable.roles
    features = tuple(n for n in roles.drivers)
    if len(frame) == 0:
        raise DataError(_no_rows_sentence(table, usable))
    split = split_rows(len(frame), config)
    checked = check_frame(frame, roles, config)
    features = tuple(n for n in features if n not in checked.unused)
    if not features and need_drivers:
        raise DataError(
            f"No driver columns left: besides the target '{roles.target}' no numeric column can be used "
            f"({table.size}), so a network cannot be trained. Baselines that need no drivers still work."
        )
    x = frame[list(features)].to_numpy(dtype=np.float64).reshape(len(frame), len(features))
    y = frame[roles.target].to_numpy(dtype=np.float64)
    findings = [*table.findings, *usable.findings, *checked.findings]
    findings += check_split(x, y, frame.index.to_numpy(), split, features, roles, config)
    return _arrays(table, config, usable, split, features, x, y, findings)


def _arrays(
    table: Table,
    config: Config,
    usable: Usable,
    split: Split,
    features: tuple[str, ...],
    x: Floats,
    y: Floats,
    findings: list[Finding],
) -> Prepared:
    rows = usable.frame.index.to_numpy(dtype=np.int64)
    latest = usable.latest_price.to_numpy(dtype=np.float64)
    part = np.full(len(rows), "train", dtype=object)
    part[split.test] = "test"
    part[split.left_out] = "left out"
    given = usable.roles.latest_price is not None
    return Prepared(
        x_train=x[split.train],
        y_train=y[split.train],
        x_test=x[split.test],
        y_test=y[split.test],
        rows_train=rows[split.train],
        rows_test=rows[split.test],
        rows_left_out=rows[split.left_out],
        features=features,
        target=usable.roles.target,
        roles=usable.roles,
        rows=rows,
        actual=y,
        part=tuple(part),
        dates=_iso_dates(usable.frame, usable.roles.date),
        latest_price=latest,
        latest_train=latest[split.train] if given else None,
        latest_test=latest[split.test] if given else None,
        horizon=config.horizon,
        split=config.split,
        n_read=table.n_rows_read,
        n_used=len(rows),
        n_rejected=len(usable.rejected_rows),
        n_missing=len(usable.missing_rows),
        findings=findings,
    )


def _iso_dates(frame: pd.DataFrame, date: str | None) -> tuple[str, ...]:
    if date is None:
        return ("",) * len(frame)
    dates = frame[date]
    midnight = (dates == dates.dt.normalize()).all()
    return tuple(dates.dt.strftime("%Y-%m-%d" if midnight else "%Y-%m-%dT%H:%M:%S"))


def usable_rows(table: Table, config: Config) -> Usable:
    """Return the rows that can be used, in time order, and say what fell out.

    A row falls out if a cell in a used column is unreadable (rejected) or missing.

    Raises
    ------
    DataError
        If dates are ambiguous or occur twice and the configuration does not say what to do, or a role cannot be
        played.
    """
    if table.n_rows_read == 0:
        raise DataError(f"{table.size}: the file holds a header and no data rows.")
    roles = resolve_roles(table, config)
    _refuse_open_questions(table, roles)
    findings: list[Finding] = []
    used = [roles.target, *roles.drivers]
    used += [n for n in (roles.date, roles.latest_price) if n and n not in used]
    rejected = {r.row for r in table.rejected if r.column in used or not r.column}
    frame, duplicate_rows = _in_time_order(table, roles, config, rejected, findings)
    latest = _latest_price(frame, roles, config.horizon)
    missing = frame.index[frame[used].isna().any(axis=1)].difference(pd.Index(sorted(rejected)))
    keep = ~frame.index.isin(rejected) & ~frame.index.isin(missing)
    missing_rows = tuple(int(r) for r in sorted(missing))
    undated = table.frame.index.difference(frame.index).difference(pd.Index(sorted(rejected)))
    missing_rows = tuple(sorted({*missing_rows, *(int(r) for r in undated)} - set(duplicate_rows)))
    if missing_rows:
        n = len(missing_rows)
        sentence = f"{n} row{'s' * (n != 1)} (data rows {some(missing_rows)}) miss a value in a used column: left out."
        findings.append(Finding("missing_rows", "info", sentence, rows=missing_rows))
    if rejected:
        n = len(rejected)
        sentence = f"{n} row{'s' * (n != 1)} (data rows {some(sorted(rejected))}) hold unreadable cells: rejected."
        findings.append(Finding("rejected_rows", "warning", sentence, rows=tuple(sorted(rejected))))
    return Usable(roles, frame[keep], latest[keep], tuple(sorted(rejected)), missing_rows, duplicate_rows, findings)


def _refuse_open_questions(table: Table, roles: Roles) -> None:
    """Refuse where going on would mean to guess: ambiguous dates and decimal marks."""
    for finding in table.findings:
        if finding.kind == "ambiguous_decimal" or (
            finding.kind == "ambiguous_dates" and roles.date is not None and roles.date in finding.columns
        ):
            raise DataError(finding.sentence)


def _in_time_order(
    table: Table, roles: Roles, config: Config, rejected: set[int], findings: list[Finding]
) -> tuple[pd.DataFrame, tuple[int, ...]]:
    """Sort by date (file order where there is none) and settle dates that occur twice."""
    frame = table.frame
    if roles.date is None:
        findings.append(
            Finding("no_date", "info", "No date column: the rows are taken to be in time order, oldest first.")
        )
        return frame, ()
    frame = frame[frame[roles.date].notna()]
    dates = frame[roles.date]
    if not dates.is_monotonic_increasing:
        newest_first = dates.is_monotonic_decreasing
        how = "newest first" if newest_first else "not in time order"
        sentence = (
            f"The rows are {how}: sorted by '{roles.date}', oldest first ({dates.min():%Y-%m-%d}), before any split."
        )
        findings.append(Finding("sorted", "info", sentence, (roles.date,)))
        # newest first also within a day: the last line of a day is its oldest
        frame = (frame.iloc[::-1] if newest_first else frame).sort_values(roles.date, kind="stable")
    return _settle_duplicates(frame, roles, config, findings)


def _settle_duplicates(
    frame: pd.DataFrame, roles: Roles, config: Config, findings: list[Finding]
) -> tuple[pd.DataFrame, tuple[int, ...]]:
    question = duplicate_dates(frame, roles)
    if question is None or config.duplicate_dates == "all":
        return frame, ()
    if config.duplicate_dates is None:
        raise DataError(question.sentence)
    by_file = frame.sort_index()
    gone = by_file.index[by_file[roles.date].duplicated(keep="first" if config.duplicate_dates == "first" else "last")]
    rows = tuple(int(r) for r in gone)
    sentence = f"Of dates that occur twice the {config.duplicate_dates} row was kept; left out: data rows {some(rows)}."
    findings.append(Finding("duplicate_dates_settled", "info", sentence, (roles.date or "",), rows))
    return frame.drop(index=gone), rows


def duplicate_dates(frame: pd.DataFrame, roles: Roles) -> Finding | None:
    """Ask which row to keep where a date occurs more than once; None if none does."""
    if roles.date is None:
        return None
    dates = frame[roles.date]
    twice = frame[dates.duplicated(keep=False) & dates.notna()].sort_index()
    if twice.empty:
        return None
    rows = tuple(int(r) for r in twice.index)
    groups = twice.groupby(roles.date)
    n = groups.ngroups
    day, first = next(iter(groups))
    values = ", ".join(f"{v:g}" if abs(v) < 1e5 and v == round(v, 1) else f"{v!r}" for v in first[roles.target])
    sentence = (
        f"{n} date{'s' * (n != 1)} occur{'s' * (n == 1)} more than once, such as {pd.Timestamp(str(day)):%Y-%m-%d} "
        f"(data rows {some([int(r) for r in first.index])}, {roles.target} {values}): say which row to keep with "
        "--duplicate-dates first, last or all."
    )
    return Finding(
        "duplicate_dates", "question", sentence, (roles.date,), rows, ("first", "last", "all"), "duplicate_dates"
    )


def _latest_price(frame: pd.DataFrame, roles: Roles, horizon: int) -> pd.Series:
    """Return the price known when each row is forecast.

    Looked up before unusable rows fall out, so that "one row earlier" stays one week earlier; where that week's
    target is missing, the latest one before it is the latest known.
    """
    if roles.latest_price is not None:
        return frame[roles.latest_price]
    return frame[roles.target].ffill().shift(horizon)


def _no_rows_sentence(table: Table, usable: Usable) -> str:
    n_missing, n_rejected = len(usable.missing_rows), len(usable.rejected_rows)
    return (
        f"No usable rows: of {table.n_rows_read} read, {n_missing} miss a value and {n_rejected} hold unreadable cells in "
        f"used columns. Choose other drivers, or check the file."
    )
