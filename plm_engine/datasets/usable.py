"""From a table to the rows that can be used, in time order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from plm_engine.config import Config
from plm_engine.datasets.columns import shown
from plm_engine.datasets.doubts import passed_over
from plm_engine.datasets.roles import Roles, claims_dates, resolve_roles
from plm_engine.datasets.table import Finding, Table, counted, data_rows
from plm_engine.errors import DataError


@dataclass
class Usable:
    """Rows that can be used, in time order, before any split."""

    roles: Roles
    frame: pd.DataFrame
    latest_price: pd.Series
    rejected_rows: tuple[int, ...]
    missing_rows: tuple[int, ...]
    findings: list[Finding]


def usable_rows(table: Table, config: Config, *, strict: bool = True) -> Usable:
    """Return the rows that can be used, in time order, and say what fell out.

    A row falls out if a cell in a used column is unreadable (rejected) or missing.

    Raises
    ------
    DataError
        If dates are ambiguous or occur twice and the configuration does not say what to do, or a role cannot be
        played.
    """
    roles = resolve_roles(table, config)
    if strict:
        _refuse_open_questions(table, roles)
    findings = passed_over(table, roles, config)
    used = [roles.target, *roles.drivers]
    used += [n for n in (roles.date, roles.latest_price) if n and n not in used]
    rejected = {r.row for r in table.rejected if r.column in used or not r.column}
    frame, settled = _in_time_order(table, roles, config, findings)
    latest = _latest_price(frame, roles, roles.horizon)
    missing = np.zeros(len(table.frame), dtype=bool)
    for name in used:  # column by column: of a large table no copy is made
        missing |= table.frame[name].isna().to_numpy()
    incomplete = {int(r) for r in table.frame.index[missing]} - rejected - set(settled)
    findings += _left_out("missing_rows", "info", incomplete, "without a value in a used column, left out")
    if 5 * len(incomplete) > len(table.frame):
        findings += _costly(table.frame[used], incomplete)
    findings += _left_out("rejected_rows", "warning", rejected, "with an unreadable cell in a used column, rejected")
    findings += _to_forecast(frame, roles, incomplete)
    if rejected or incomplete:
        keep = ~frame.index.isin(rejected | incomplete)
        frame, latest = frame[keep], latest[keep]
    return Usable(roles, frame, latest, tuple(sorted(rejected)), tuple(sorted(incomplete)), findings)


def _to_forecast(frame: pd.DataFrame, roles: Roles, incomplete: set[int]) -> list[Finding]:
    """Name the newest rows, where nothing but the target is missing: they are there to be forecast."""
    known = frame[roles.target].notna().to_numpy()
    newest = frame.iloc[len(known) - int(known[::-1].argmax()) :] if known.any() else frame.iloc[:0]
    rows = {int(row) for row in newest.index} & incomplete
    if not rows or not roles.drivers or frame.loc[sorted(rows), list(roles.drivers)].isna().any(axis=None):
        return []
    sentence = (
        f"{counted(len(rows), 'row')} at the end with drivers and without '{roles.target}' ({data_rows(rows)}): a "
        "finished run can forecast them."
    )
    return [Finding("to_forecast", "info", sentence, rows=tuple(sorted(rows)))]


def _left_out(kind: str, severity: str, rows: set[int], words: str) -> list[Finding]:
    if not rows:
        return []
    sentence = f"{counted(len(rows), 'row')} {words}: {data_rows(rows)}."
    return [Finding(kind, severity, sentence, rows=tuple(sorted(rows)))]


def _costly(used: pd.DataFrame, incomplete: set[int]) -> list[Finding]:
    """Name the column whose missing values alone cost more than a fifth of the rows."""
    lost = used.loc[sorted(incomplete)].isna()
    alone = lost[lost.sum(axis=1) == 1].sum()
    if alone.empty or alone.max() * 5 <= len(used):
        return []
    name, n = str(alone.idxmax()), int(alone.max())
    sentence = (
        f"Column '{name}' alone costs {n:,} of {len(used):,} rows, for they miss nothing else: without it they could "
        "be used."
    )
    return [Finding("costly_column", "warning", sentence, (name,))]


def _refuse_open_questions(table: Table, roles: Roles) -> None:
    """Refuse where going on would mean to guess: ambiguous dates and decimal marks."""
    for finding in table.findings:
        if finding.kind == "ambiguous_decimal" or (
            finding.kind == "ambiguous_dates" and roles.date is not None and roles.date in finding.columns
        ):
            raise DataError(finding.sentence)


def _in_time_order(
    table: Table, roles: Roles, config: Config, findings: list[Finding]
) -> tuple[pd.DataFrame, tuple[int, ...]]:
    """Sort by date (file order where there is none) and settle dates that occur twice."""
    frame = table.frame
    if roles.date is None:
        findings.append(_no_date(table, config))
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


def _no_date(table: Table, config: Config) -> Finding:
    """Say that the order of the file is taken for the order in time; louder where a column claims to hold dates."""
    for column in table.columns if config.date is None else ():
        if claims_dates(table, column):
            known = table.frame[column.name].dropna()
            example = shown(known.iloc[0] if column.type == "text" else f"{known.iloc[0]:.10g}") if len(known) else ""
            sentence = (
                f"Column '{column.name}' is named like a date, but its cells, such as {example!r}, are not read as "
                "one: the rows are taken to be in time order as they stand, oldest first."
            )
            return Finding("no_date", "warning", sentence, (column.name,))
    return Finding("no_date", "info", "No date column: the rows are taken to be in time order, oldest first.")


def _settle_duplicates(
    frame: pd.DataFrame, roles: Roles, config: Config, findings: list[Finding]
) -> tuple[pd.DataFrame, tuple[int, ...]]:
    question = duplicate_dates(frame, roles)
    if config.duplicate_dates == "all":
        return frame, ()
    if question is None:
        again = _repeated(frame, roles)
        if not len(again):
            return frame, ()
        rows = tuple(sorted(int(r) for r in again))
        sentence = (
            f"{counted(len(rows), 'row')} that repeat{'s' * (len(rows) == 1)} another of the same date in every "
            f"column, left out: {data_rows(rows)}."
        )
        findings.append(Finding("repeated_rows", "info", sentence, (roles.date or "",), rows))
        return frame.drop(index=again), rows
    if config.duplicate_dates is None:
        raise DataError(question.sentence)
    by_file = frame.sort_index()
    gone = by_file.index[by_file[roles.date].duplicated(keep="first" if config.duplicate_dates == "first" else "last")]
    rows = tuple(int(r) for r in gone)
    sentence = f"Of dates that occur twice the {config.duplicate_dates} row was kept; left out: {data_rows(rows)}."
    findings.append(Finding("duplicate_dates_settled", "info", sentence, (roles.date or "",), rows))
    return frame.drop(index=gone), rows


def _repeated(frame: pd.DataFrame, roles: Roles) -> pd.Index:
    """Return rows that repeat an earlier one of the same date in every column."""
    dates = frame[roles.date]
    twice = frame[dates.duplicated(keep=False) & dates.notna()].sort_index()
    return twice.index[twice.duplicated(keep="first")]


def _series_of(frame: pd.DataFrame, date: str) -> str:
    """Return the column of texts that tells rows of one date apart, as in tables in long form; empty if none does."""
    known = frame[frame[date].notna()]
    for name in known.select_dtypes("object").columns:
        kinds = known[name].nunique()
        if 2 <= kinds <= len(known) / 3 and known[name].notna().all() and not known.duplicated([date, name]).any():
            return str(name)
    return ""


def duplicate_dates(frame: pd.DataFrame, roles: Roles) -> Finding | None:
    """Ask which row to keep where a date occurs more than once; None if none does."""
    if roles.date is None:
        return None
    dates = frame[roles.date]
    twice = frame[dates.duplicated(keep=False) & dates.notna()].sort_index()
    twice = twice.drop(index=_repeated(twice, roles))
    twice = twice[twice[roles.date].duplicated(keep=False)]
    if twice.empty:
        return None
    rows = tuple(int(r) for r in twice.index)
    groups = twice.groupby(roles.date)
    n = groups.ngroups
    day, first = next(iter(groups))
    values = ", ".join(f"{v:g}" if abs(v) < 1e5 and v == round(v, 1) else f"{v!r}" for v in first[roles.target][:8])
    values += f" and {len(first) - 8} more" if len(first) > 8 else ""
    series = _series_of(frame, roles.date)
    if series:
        sentence = (
            f"The table is in long form: column '{series}' says what a row is about, and dates occur more than once. "
            "Keep the rows of one thing, or give each a column of its own."
        )
        return Finding(
            "duplicate_dates",
            "question",
            sentence,
            (roles.date, series),
            rows,
            ("first", "last", "all"),
            "duplicate_dates",
        )
    when = str(pd.Timestamp(str(day))).removesuffix(" 00:00:00")
    sentence = (
        f"{n} date{'s' * (n != 1)} occur{'s' * (n == 1)} more than once, such as {when} "
        f"({data_rows(int(r) for r in first.index)}, {roles.target} {values}): say which row to keep with "
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
