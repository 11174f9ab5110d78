"""Everything that reading a file brought to light, as plain values for ``--json`` and as lines for people."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import pandas as pd

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.roles import Roles, resolve_roles, suggest_roles
from plm_engine.datasets.samples import load_named
from plm_engine.datasets.table import Finding, ReadOptions, Table
from plm_engine.datasets.usable import duplicate_dates, usable_rows
from plm_engine.errors import ConfigError, DataError
from plm_engine.evaluation.baselines import persistence

_SHOWN_COLUMNS = 60


@dataclasses.dataclass
class Roled:
    """What a table is worth under given roles.

    ``problem`` is the sentence that stops training, empty where nothing does.
    """

    roles: Roles | None
    n_usable: int
    n_rejected: int
    n_missing: int
    findings: list[Finding]
    problem: str


def examine(table: Table, config: Config) -> Roled:
    """Find out how many rows can be used under a configuration's roles, and what stands in the way of training."""
    try:
        roles = resolve_roles(table, config)
    except DataError as error:
        return Roled(None, 0, 0, 0, list(table.findings), str(error))
    findings = list(table.findings)
    question = duplicate_dates(table.frame, roles) if config.duplicate_dates is None else None
    if question:
        findings.append(question)
    problem = ""
    try:
        prepared = prepare(table, config)
        return Roled(roles, prepared.n_used, prepared.n_rejected, prepared.n_missing, prepared.findings, "")
    except (DataError, ConfigError) as error:
        problem = str(error)
    try:
        # how many rows there would be once the question is answered
        rows = usable_rows(table, config.replace(duplicate_dates=config.duplicate_dates or "all"), strict=False)
    except DataError:
        return Roled(roles, 0, 0, 0, findings, problem)
    findings += rows.findings
    return Roled(roles, len(rows.frame), len(rows.rejected_rows), len(rows.missing_rows), findings, problem)


def inspect(
    path_or_name: str | Path,
    options: ReadOptions | None = None,
    target: str | None = None,
    *,
    config: Config | None = None,
) -> dict[str, Any]:
    """Read a table and return what is worth knowing, as plain values.

    Parameters
    ----------
    path_or_name : str or Path
        File, or key of a sample.
    options : ReadOptions or None
        How to read; taken from ``config`` if None.
    target : str or None
        Column to forecast; taken from ``config``, else suggested, if None.
    config : Config or None
        Roles, split and answers to questions; suggestions are taken where it says nothing.

    Raises
    ------
    DataError
        If the file cannot be read as a table at all.
    """
    config = config or Config()
    if target is not None:
        config = config.replace(target=target)
    table = load_named(str(path_or_name), options or ReadOptions.from_config(config))
    return describe(table, config)


def describe(table: Table, config: Config) -> dict[str, Any]:
    """Return what is worth knowing about a table that was read, as plain values."""
    roled = examine(table, config)
    roles = roled.roles
    date = roles.date if roles else next(iter(table.names("date")), None)
    kind = table.format
    return {
        "source": table.source,
        "kind": kind.kind,
        "sha256": table.sha256,
        "encoding": kind.encoding or None,
        "bom": kind.bom,
        "separator": kind.separator or None,
        "decimal": kind.decimal or None,
        "sheet": kind.sheet or None,
        "sheets": [dataclasses.asdict(s) for s in kind.sheets],
        "header_row": kind.header_row,
        "n_columns": len(table.columns),
        "columns": [dataclasses.asdict(c) | {"notes": list(c.notes)} for c in table.columns],
        "rows": {
            "read": table.n_rows_read,
            "usable": roled.n_usable,
            "rejected": roled.n_rejected,
            "missing": roled.n_missing,
        },
        "rejected": [dataclasses.asdict(r) for r in table.rejected],
        "first_row": _first_row(table),
        "date_range": _date_range(table, date),
        "roles": dataclasses.asdict(roles) | {"drivers": list(roles.drivers)} if roles else None,
        "suggested": _suggested(table, config) if roles else None,
        "findings": [finding_mapping(f) for f in roled.findings],
        "warnings": [f.sentence for f in roled.findings if f.severity != "info"],
        "trainable": not roled.problem,
        "problem": roled.problem or None,
        "persistence": _persistence(table, config, roled),
    }


def _suggested(table: Table, config: Config) -> dict[str, Any]:
    """Return what names and contents suggest, whatever the configuration says."""
    roles = suggest_roles(table, config.target)
    return {
        "target": roles.target,
        "latest_price": roles.latest_price,
        "horizon": roles.horizon,
        "copper": roles.copper,
    }


def finding_mapping(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain values."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(finding).items()}


def _first_row(table: Table) -> dict[str, Any]:
    if table.frame.empty:
        return {}
    return {str(name): plain(value) for name, value in table.frame.iloc[0].items()}


def plain(value: Any) -> Any:
    """Return a cell as a value that JSON can hold: dates as ISO text, missing ones as None."""
    if value is None or value is pd.NaT:
        return None
    if isinstance(value, pd.Timestamp):
        text = value.isoformat()
        return text.removesuffix("T00:00:00")
    if isinstance(value, str):
        return value
    number = float(value)
    return None if math.isnan(number) else number


def _date_range(table: Table, date: str | None) -> list[str] | None:
    if date is None or table.frame.empty:
        return None
    dates = table.frame[date].dropna()
    return [plain(dates.min()), plain(dates.max())] if len(dates) else None


def _persistence(table: Table, config: Config, roled: Roled) -> dict[str, Any] | None:
    """Return the error of persistence on the test rows, which needs no drivers; None where it cannot be had."""
    if roled.roles is None:
        return None
    try:
        baseline = persistence(prepare(table, config, need_drivers=False))
    except (DataError, ConfigError):
        return None
    return {"test_mae": baseline.mae_test if isinstance(baseline.mae_test, float) else str(baseline.mae_test)}


def lines(report: dict[str, Any]) -> list[str]:
    """Return the report of :func:`inspect` as lines of text for people."""
    out = [f"{report['source']}: {_format_words(report)}"]
    rows = report["rows"]
    out.append(
        f"{rows['read']:,} rows read, {rows['usable']:,} usable, {rows['rejected']:,} rejected, "
        f"{rows['missing']:,} with missing values"
    )
    if report["date_range"]:
        out.append(f"dates {report['date_range'][0]} to {report['date_range'][1]}")
    roles = report["roles"]
    if roles:
        out.append(f"target {roles['target']}, {len(roles['drivers']):,} drivers, date {roles['date'] or 'none'}")
    if report["suggested"] and report["suggested"]["copper"]:
        words = f"latest price {report['suggested']['latest_price']}, horizon {report['suggested']['horizon']}"
        out.append(f"recognised as the copper table of the thesis; suggested: {words}")
    out.append("")
    out += _column_lines(report)
    if report["rejected"]:
        out += ["", "rejected cells:"]
        out += [
            f"  line {r['line']} (data row {r['row']}), {r['column'] or 'whole row'}: {r['reason']}"
            for r in report["rejected"]
        ]
    if report["findings"]:
        out.append("")
        out += [f"{f['severity']}: {f['sentence']}" for f in report["findings"]]
    if report["problem"]:
        out += ["", f"cannot be trained on as it is: {report['problem']}"]
    return out


#: a decimal mark in words
_MARKS = {",": "comma", ".": "point"}


def _format_words(report: dict[str, Any]) -> str:
    words = [report["kind"]]
    for name in ("encoding", "separator", "decimal", "sheet"):
        if report[name]:
            words.append(f"{name} {_MARKS.get(report[name], report[name])}")
    if report["sheets"]:
        words.append("sheets " + ", ".join(s["name"] for s in report["sheets"]))
    if report["header_row"]:
        words.append(f"header in line {report['header_row']}")
    return ", ".join(words)


def _column_lines(report: dict[str, Any]) -> list[str]:
    columns = report["columns"]
    width = min(30, max((len(c["name"]) for c in columns[:_SHOWN_COLUMNS]), default=0))
    out = []
    for c in columns[:_SHOWN_COLUMNS]:
        first = report["first_row"].get(c["name"])
        notes = ", ".join(c["notes"] + (["hidden"] if c["hidden"] else []))
        line = f"  {c['name']:{width}}  {c['type']:6}  {c['n_missing']:5,} missing  first {first}  {notes}"
        out.append(line.rstrip())
    if len(columns) > _SHOWN_COLUMNS:
        out.append(f"  and {len(columns) - _SHOWN_COLUMNS:,} more columns")
    return out
