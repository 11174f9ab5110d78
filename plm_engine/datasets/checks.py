"""What can be wrong with data that reads perfectly: leaks, constants, contradictions, too many drivers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plm_engine.config import Config
from plm_engine.datasets.conflicts import (
    Conflict,
    Scaled,
    best_possible,
    contradiction_finding,
    contradictions,
    near_duplicates,
    raise_if_contradictory,
    smallest_goal,
)
from plm_engine.datasets.doubts import check_numbers
from plm_engine.datasets.groups import group_numbers
from plm_engine.datasets.roles import Roles
from plm_engine.datasets.scale import Scaler, centre_and_spread
from plm_engine.datasets.split import Split, part_of
from plm_engine.datasets.table import Finding, data_rows
from plm_engine.datasets.time_checks import check_time

__all__ = [
    "Checked",
    "Conflict",
    "best_possible",
    "check_frame",
    "check_split",
    "contradictions",
    "leaks",
    "near_duplicates",
    "raise_if_contradictory",
    "smallest_goal",
]

Floats = NDArray[np.float64]
_SAME_WEEK = re.compile(
    r"(open|high|low|close|last|settle|change|chg|change ?%|chg ?%|vol\.?|volume|turnover"
    r"|開盤|开盘|最高|最低|收盤|收盘|漲跌幅|涨跌幅|成交量)(價|价|價格|价格)?\.?",
    re.IGNORECASE,
)
_MARKET_TARGET = re.compile(r"(price|close|last|settle|adj\.? close|收盤價?|收盘价?)", re.IGNORECASE)
#: correlation above which a driver gives the target away
LEAK = 0.99999
_FLOAT32_MAX = 3.4e38
_OVERFLOWING = 1e150
#: test rows that are looked for among the training rows, at least
_COMPARED = 2000


@dataclass
class Checked:
    """Findings on a frame, and drivers that are not used because they are constant."""

    findings: list[Finding] = field(default_factory=list)
    unused: tuple[str, ...] = ()


def check_frame(frame: pd.DataFrame, x: Floats, roles: Roles, config: Config) -> Checked:
    """Look at all usable rows, in time order; ``x`` (N, m) holds their drivers."""
    findings: list[Finding] = []
    y = frame[roles.target].to_numpy(dtype=np.float64)
    unused = _constant(x, roles.drivers, findings)
    if len(y) > 1 and centre_and_spread(y.reshape(-1, 1))[1][0] == 0:
        sentence = f"The target '{roles.target}' is {y[0]:g} in every row: there is nothing to learn."
        findings.append(Finding("constant_target", "warning", sentence, (roles.target,)))
    findings += leaks(x, y, roles.drivers, roles.target)
    findings += check_time(frame, roles)
    findings += check_numbers(frame, x, roles)
    findings += _huge(frame, roles)
    findings += _total(frame, roles)
    findings += _same_week(roles)
    findings += _set_aside(roles)
    if config.split == "random":
        sentence = (
            "The test rows are drawn at random: their neighbours in time are trained on, so the test error is too "
            "good to be true for a forecast."
        )
        findings.append(Finding("random_split", "warning", sentence))
    return Checked(findings, unused)


def _set_aside(roles: Roles) -> list[Finding]:
    return [
        Finding("set_aside", "info", f"Column '{name}' is {why}: not used as a driver unless chosen.", (name,))
        for name, why in roles.set_aside
    ]


def _constant(x: Floats, drivers: tuple[str, ...], findings: list[Finding]) -> tuple[str, ...]:
    if len(x) < 2 or not drivers:
        return ()
    spread = centre_and_spread(x)[1]
    names = tuple(name for name, s in zip(drivers, spread, strict=True) if s == 0)
    for name in names[:20]:
        findings.append(Finding("constant", "warning", f"{name} is constant, not used.", (name,)))
    if len(names) > 20:
        sentence = f"{len(names) - 20:,} more columns are constant, not used."
        findings.append(Finding("constant", "warning", sentence, names[20:]))
    return names


def leaks(x: Floats, y: Floats, drivers: tuple[str, ...], target: str) -> list[Finding]:
    """Name drivers that are the target in disguise: identical, or correlated with it by more than 0.99999.

    Among fewer than eight rows such a correlation is no surprise and says nothing.
    """
    if len(y) < 3 or not drivers:
        return []
    x_mean, x_spread = centre_and_spread(x)
    y_mean, y_spread = centre_and_spread(y.reshape(-1, 1))
    if y_spread[0] == 0:
        return []
    z_y, correlation = (y - y_mean[0]) / y_spread[0] / len(y), np.zeros(len(drivers))
    for k in np.flatnonzero(x_spread):
        correlation[k] = (x[:, k] / x_spread[k] - x_mean[k] / x_spread[k]) @ z_y
    findings = []
    for j, name in enumerate(drivers):
        identical = bool(np.array_equal(x[:, j], y))
        if identical or (abs(correlation[j]) > LEAK and len(y) >= 8):
            how = "is identical to" if identical else f"has correlation {correlation[j]:.3f} with"
            sentence = f"{name} {how} the target '{target}': it gives the answer away and is probably a leak."
            findings.append(Finding("leak", "warning", sentence, (name,)))
    if len(findings) > 20:
        names = tuple(f.columns[0] for f in findings)
        sentence = f"{len(names):,} drivers, such as {', '.join(names[:5])}, are the target '{target}' in disguise."
        return [Finding("leak", "warning", sentence, names)]
    return findings


def _huge(frame: pd.DataFrame, roles: Roles) -> list[Finding]:
    """Name values whose squares overflow float64, or that float32 cannot hold."""
    findings = []
    for name in dict.fromkeys((*roles.drivers, roles.target)):
        values = frame[name].abs()
        if values.max() > _OVERFLOWING:
            sentence = (
                f"{name} reaches {values.max():.3g}: its variance overflows to infinity, so it is scaled in steps that "
                "do not; it cannot be used in float32 unscaled."
            )
            findings.append(Finding("huge", "warning", sentence, (name,)))
        elif values.max() > _FLOAT32_MAX:
            rows = tuple(sorted(int(r) for r in frame.index[values > _FLOAT32_MAX]))
            sentence = (
                f"{name} is {values.max():.3g} in {data_rows(rows)}, larger than the "
                "float32 maximum of 3.4e38: a typing error?"
            )
            findings.append(Finding("huge", "warning", sentence, (name,), rows))
    return findings


def _total(frame: pd.DataFrame, roles: Roles) -> list[Finding]:
    """Name a last line that holds the sums of all lines above it."""
    if len(frame) < 4 or not roles.drivers:
        return []
    at = int(frame.index.argmax())
    for name in (roles.target, *roles.drivers):
        values = frame[name].to_numpy(dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            above = values.sum() - values[at]
        if above == 0 or not np.isclose(values[at], above, rtol=1e-6, atol=0):
            return []
    row = int(frame.index[at])
    sentence = (
        f"Data row {row} holds the sums of all rows above it: take it out of the file, for a total is no observation."
    )
    return [Finding("total_row", "warning", sentence, rows=(row,))]


def _copies(x: Floats, y: Floats, rows: NDArray[np.integer], split: Split) -> list[Finding]:
    """Name test rows that are training rows once more: what was learned by heart is no forecast."""
    if x.shape[1] < 2 or len(split.test) == 0:
        return []
    tested = split.test[:: max(1, len(split.test) // _COMPARED)]
    alike = split.train
    for column in (y, *x.T):  # few rows are left to be compared in full
        alike = alike[np.isin(column[alike], column[tested])]
    both = np.concatenate([alike, tested])
    drivers = group_numbers(x, both)
    group = group_numbers(np.column_stack([drivers, y[both]]), np.arange(len(both)))
    known, first = np.unique(group[: len(alike)], return_index=True)
    place = dict(zip(known.tolist(), first.tolist(), strict=True))
    pairs = [
        (int(rows[i]), int(rows[alike[place[number]]]))
        for i, number in zip(tested, group[len(alike) :].tolist(), strict=True)
        if number in place
    ]
    if len(pairs) < 2 or 20 * len(pairs) < len(tested):
        return []
    sentence = (
        f"{len(pairs):,} of {len(tested):,} test rows are copies of training rows, drivers and target alike, such as "
        f"data row {pairs[0][0]} of data row {pairs[0][1]}: what was learned by heart makes the test error too good."
    )
    return [Finding("test_copies", "warning", sentence, rows=tuple(a for a, _ in pairs))]


def _same_week(roles: Roles) -> list[Finding]:
    """Name columns of a market export that are only known once the target is."""
    if not _MARKET_TARGET.fullmatch(roles.target.strip()):
        return []
    names = tuple(n for n in roles.drivers if _SAME_WEEK.fullmatch(n.strip()))
    if not names:
        return []
    sentence = (
        f"{', '.join(names)} of the same row are not known before '{roles.target}' is: a forecast cannot use them. "
        "Use values of earlier rows (lags) instead, or leave them out."
    )
    return [Finding("same_week", "warning", sentence, names)]


def check_split(
    x: Floats,
    y: Floats,
    rows: NDArray[np.integer],
    split: Split,
    features: tuple[str, ...],
    roles: Roles,
    config: Config,
) -> list[Finding]:
    """Look at the training rows, and for rows that contradict each other."""
    findings: list[Finding] = []
    n_train = len(split.train)
    if features and len(features) >= n_train:
        sentence = (
            f"More drivers than rows: {len(features):,} drivers and {n_train:,} training rows. Any target can then be "
            "fitted exactly, which says nothing about forecasts: choose fewer drivers."
        )
        findings.append(Finding("more_drivers_than_rows", "warning", sentence))
    if features:
        _, spread = centre_and_spread(part_of(x, split.train))
        for name in (n for n, s in zip(features, spread, strict=True) if s == 0):
            sentence = f"{name} is constant in the training rows: the network cannot learn from it."
            findings.append(Finding("constant_in_training", "warning", sentence, (name,)))
    groups = contradictions(x, y, rows)
    if groups:
        in_training = contradictions(part_of(x, split.train), y[split.train], rows[split.train])
        findings.append(contradiction_finding(groups, roles.target, smallest_goal(in_training)))
    findings += _copies(x, y, rows, split)
    y_train = y[split.train]
    if features and np.ptp(y_train) > 0:
        x_train = part_of(x, split.train)
        scaled = Scaled(Scaler.fit(x_train, y_train), x_train)
        goal = config.goal_in_units(float(y_train.min()), float(y_train.max()))
        findings += near_duplicates(scaled, y_train, rows[split.train], goal)
    return findings
