"""What can be wrong with data that reads perfectly: leaks, constants, contradictions, too many drivers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from plm_engine.config import Config
from plm_engine.datasets.roles import Roles
from plm_engine.datasets.scale import centre_and_spread
from plm_engine.datasets.split import Split
from plm_engine.datasets.table import Finding, some
from plm_engine.errors import ContradictionError

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


@dataclass
class Checked:
    """Findings on a frame, and drivers that are not used because they are constant."""

    findings: list[Finding] = field(default_factory=list)
    unused: tuple[str, ...] = ()


def check_frame(frame: pd.DataFrame, roles: Roles, config: Config) -> Checked:
    """Look at all usable rows, in time order."""
    findings: list[Finding] = []
    x = frame[list(roles.drivers)].to_numpy(dtype=np.float64).reshape(len(frame), -1)
    y = frame[roles.target].to_numpy(dtype=np.float64)
    unused = _constant(x, roles.drivers, findings)
    if len(y) > 1 and centre_and_spread(y.reshape(-1, 1))[1][0] == 0:
        sentence = f"The target '{roles.target}' is {y[0]:g} in every row: there is nothing to learn."
        findings.append(Finding("constant_target", "warning", sentence, (roles.target,)))
    findings += leaks(x, y, roles.drivers, roles.target)
    findings += _huge(frame, roles)
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
    """Name drivers that are the target in disguise: identical, or correlated with it by more than 0.99999."""
    if len(y) < 3 or not drivers:
        return []
    x_mean, x_spread = centre_and_spread(x)
    y_mean, y_spread = centre_and_spread(y.reshape(-1, 1))
    if y_spread[0] == 0:
        return []
    safe = np.where(x_spread == 0, 1.0, x_spread)
    z = np.where(x_spread == 0, 0.0, x / safe - x_mean / safe)
    correlation = z.T @ ((y - y_mean[0]) / y_spread[0]) / len(y)
    findings = []
    for j, name in enumerate(drivers):
        identical = bool(np.array_equal(x[:, j], y))
        if identical or abs(correlation[j]) > LEAK:
            how = "is identical to" if identical else f"has correlation {correlation[j]:.3f} with"
            sentence = f"{name} {how} the target '{target}': it gives the answer away and is probably a leak."
            findings.append(Finding("leak", "warning", sentence, (name,)))
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
                f"{name} is {values.max():.3g} in data row{'s' * (len(rows) != 1)} {some(rows)}, larger than the float32 "
                "maximum of 3.4e38: a typing error?"
            )
            findings.append(Finding("huge", "warning", sentence, (name,), rows))
    return findings


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
    """Look at the training rows: enough of them, no contradictions."""
    findings: list[Finding] = []
    n_train = len(split.train)
    if features and len(features) >= n_train:
        sentence = (
            f"More drivers than rows: {len(features):,} drivers and {n_train:,} training rows. Any target can then be "
            "fitted exactly, which says nothing about forecasts: choose fewer drivers."
        )
        findings.append(Finding("more_drivers_than_rows", "warning", sentence))
    if features:
        _, spread = centre_and_spread(x[split.train])
        for name in (n for n, s in zip(features, spread, strict=True) if s == 0):
            sentence = f"{name} is constant in the training rows: the network cannot learn from it."
            findings.append(Finding("constant_in_training", "warning", sentence, (name,)))
    groups = contradictions(x[split.train], y[split.train], rows[split.train])
    if groups:
        findings.append(contradiction_finding(groups, roles.target))
    return findings


@dataclass(frozen=True)
class Conflict:
    """Rows with equal drivers and different targets.

    ``half_spread`` is (largest - smallest target) / 2: no model can do better on this group than that.
    """

    rows: tuple[int, ...]
    targets: tuple[float, ...]

    @property
    def half_spread(self) -> float:
        """Smallest possible largest error on these rows, in the target's unit."""
        return max(self.targets) / 2 - min(self.targets) / 2


def contradictions(x: Floats, y: Floats, rows: NDArray[np.integer], goal: float = 0.0) -> list[Conflict]:
    """Return groups of rows with equal drivers whose targets differ by more than twice the goal.

    Parameters
    ----------
    x : ndarray of shape (N, m)
        Drivers.
    y : ndarray of shape (N,)
        Target.
    rows : ndarray of int, shape (N,)
        1-based data row numbers.
    goal : float
        Learning goal in the target's unit; 0 finds every contradiction.
    """
    if len(x) < 2 or x.shape[1] == 0:
        return []
    _, group = np.unique(x + 0.0, axis=0, return_inverse=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group.reshape(-1)[order]) != 0])
    found = []
    for members in np.split(order, starts[1:]):
        if len(members) > 1:
            members = members[np.argsort(rows[members])]
            conflict = Conflict(tuple(int(r) for r in rows[members]), tuple(float(v) for v in y[members]))
            if conflict.half_spread > goal:
                found.append(conflict)
    return sorted(found, key=lambda c: c.rows)


def smallest_goal(groups: list[Conflict]) -> float:
    """Return the smallest learning goal that can be met in spite of these contradictions (0 without any)."""
    return max((g.half_spread for g in groups), default=0.0)


def contradiction_finding(groups: list[Conflict], target: str) -> Finding:
    """Say which rows contradict each other and what is the best that can be reached."""
    n = len(groups)
    rows = tuple(r for g in groups for r in g.rows)
    sentence = (
        f"{n} group{'s' * (n != 1)} of rows {'have' if n != 1 else 'has'} equal drivers and different {target}: "
        f"{_group_words(groups)}. No model can fit them; the largest error stays at least {smallest_goal(groups):g}."
    )
    return Finding("contradiction", "warning", sentence, rows=rows)


def _group_words(groups: list[Conflict]) -> str:
    words = [
        f"data rows {some(g.rows)} ({', '.join(f'{t:g}' for t in g.targets[:6])}{', ...' * (len(g.targets) > 6)})"
        for g in groups[:5]
    ]
    return "; ".join(words) + (f"; and {len(groups) - 5} more groups" if len(groups) > 5 else "")


def raise_if_contradictory(x_train: Floats, y_train: Floats, rows: NDArray[np.integer], goal: float) -> None:
    """Stop before training if rows with equal drivers make the goal unreachable.

    Raises
    ------
    ContradictionError
        Naming the rows and the smallest goal that could be met.
    """
    groups = contradictions(x_train, y_train, rows, goal)
    if not groups:
        return
    least = smallest_goal(groups)
    raise ContradictionError(
        f"The learning goal {goal:g} cannot be met: rows with equal drivers have targets up to {2 * least:g} apart "
        f"({_group_words(groups)}). The smallest goal that can be met is {least:g}: raise the goal, or correct the rows.",
        tuple(g.rows for g in groups),
        least,
    )


def best_possible(x: Floats, y: Floats) -> dict[str, float]:
    """Return the errors that no function of these drivers can beat: ``max_error``, ``mae`` and ``rmse``.

    Rows with equal drivers get one value: their midrange, median or mean, whichever is best for the measure.
    """
    _, group = np.unique(x + 0.0, axis=0, return_inverse=True)
    groups = pd.Series(y).groupby(group.reshape(-1))
    largest = ((groups.transform("max") - groups.transform("min")) / 2).max()
    absolute = (y - groups.transform("median")).abs().mean()
    squared = ((y - groups.transform("mean")) ** 2).mean()
    return {"max_error": float(largest), "mae": float(absolute), "rmse": float(np.sqrt(squared))}


def near_duplicates(x_scaled: Floats, y: Floats, rows: NDArray[np.integer], goal: float) -> list[Finding]:
    """Name pairs of rows whose drivers hardly differ while their targets differ by more than twice the goal.

    A network can separate them only with huge weights; cramming searches within a bound and then says so.

    Parameters
    ----------
    x_scaled : ndarray of shape (N, m)
        Standardised drivers.
    y : ndarray of shape (N,)
        Target in its own unit.
    rows : ndarray of int
        1-based data row numbers.
    goal : float
        Learning goal in the target's unit.
    """
    if len(x_scaled) < 2 or x_scaled.shape[1] == 0:
        return []
    distance, neighbour = NearestNeighbors(n_neighbors=min(4, len(x_scaled))).fit(x_scaled).kneighbors(x_scaled)
    limit = 1e-6 * np.sqrt(x_scaled.shape[1])
    pairs: dict[tuple[int, int], None] = {}
    for i, j in np.argwhere((distance > 0) & (distance < limit)):
        other = int(neighbour[i, j])
        if abs(y[i] - y[other]) > 2 * goal:
            a, b = sorted((int(rows[i]), int(rows[other])))
            pairs[a, b] = None
    if not pairs:
        return []
    shown = "; ".join(f"{a} and {b}" for a, b in list(pairs)[:5])
    sentence = (
        f"Data rows {shown} have almost equal drivers and targets further apart than twice the goal: fitting them "
        "takes huge weights and may fail."
    )
    return [Finding("near_duplicates", "warning", sentence, rows=tuple(sorted({r for p in pairs for r in p})))]
