"""Fourteen weeks of invented prices, and how to write them as lines of text."""

from __future__ import annotations

import datetime as dt

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.table import Table
from plm_engine.evaluation.baselines import persistence

WEEKS = [dt.date(2021, 1, 4) + dt.timedelta(weeks=i) for i in range(14)]
#: no straight line, so that no column gives another away
Y = [57000 + (37 * i * i) % 101 for i in range(14)]
X = [400 + (23 * i * i) % 89 for i in range(14)]


def rows(template: str) -> str:
    """Fill one line per week: d date, x, y, i."""
    return "".join(
        template.format(d=d, x=x, y=y, i=i) + "\n" for i, (d, x, y) in enumerate(zip(WEEKS, X, Y, strict=True))
    )


def kinds(table) -> dict[str, str]:
    return {f.kind: f.severity for f in table.findings}


def sentence(table_or_findings, kind: str) -> str:
    """Return the sentences of one kind of finding."""
    findings = getattr(table_or_findings, "findings", table_or_findings)
    return " ".join(f.sentence for f in findings if f.kind == kind)


def naive(table: Table, n_test: int, **given) -> float:
    """Return the test error of persistence."""
    prepared = prepare(table, Config(test_rows=n_test, **given), need_drivers=False)
    value = persistence(prepared).mae_test
    assert isinstance(value, float)
    return value
