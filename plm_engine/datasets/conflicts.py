"""Rows that contradict each other: equal drivers, different targets, so that no function fits them all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plm_engine.datasets.groups import group_numbers, maybe_equal
from plm_engine.datasets.rooms import parts
from plm_engine.datasets.scale import Scaler
from plm_engine.datasets.table import Finding, data_rows
from plm_engine.datasets.target import CHANGE, LEVEL, LOG_CHANGE, TargetForm
from plm_engine.errors import ContradictionError

Floats = NDArray[np.float64]
#: how many neighbours along a direction are looked at; further ones belong to a crowd that is named already
NEIGHBOURS = 50
#: what is learned of the target, in words
LEARNED = {LEVEL: "targets", CHANGE: "changes", LOG_CHANGE: "log changes"}


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
    some = maybe_equal(x)
    if len(some) == 0:
        return []
    group, y, rows = group_numbers(x, some), y[some], rows[some]
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) != 0])
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


def contradiction_finding(groups: list[Conflict], target: str, least: float) -> Finding:
    """Say which rows contradict each other, and the smallest goal ``least`` that the training rows allow."""
    n = len(groups)
    rows = tuple(r for g in groups for r in g.rows)
    sentence = (
        f"{n} group{'s' * (n != 1)} of rows {'have' if n != 1 else 'has'} equal drivers and different {target}: "
        f"{_group_words(groups)}. No model can fit them"
    )
    sentence += f"; on the training rows the largest error stays at least {least:g}." if least > 0 else "."
    return Finding("contradiction", "warning", sentence, rows=rows)


def _group_words(groups: list[Conflict]) -> str:
    words = [
        f"{data_rows(g.rows)} ({', '.join(f'{t:g}' for t in g.targets[:6])}{', ...' * (len(g.targets) > 6)})"
        for g in groups[:5]
    ]
    more = len(groups) - len(words)
    if more > 0:
        words.append(f"and {more} more group{'s' * (more != 1)}")
    return "; ".join(words)


def raise_if_contradictory(
    x_train: Floats,
    y_train: Floats,
    rows: NDArray[np.integer],
    goal: float,
    form: TargetForm | None = None,
    latest: NDArray[np.floating] | None = None,
) -> None:
    """Stop before training if rows with equal drivers make the goal unreachable.

    Parameters
    ----------
    x_train, y_train, rows
        Drivers, levels of the target and 1-based data row numbers of the training rows.
    goal : float
        In the target's unit, whatever is learned.
    form : TargetForm or None
        What is learned of the target; its level if None.
    latest : ndarray or None
        Latest price of each row, where a change is learned.

    Raises
    ------
    ContradictionError
        Naming the rows and the smallest goal, in the target's unit, that could be met.
    """
    form = form or TargetForm()
    inside = form.goal(goal, latest)
    groups = contradictions(x_train, form.learned(y_train, latest), rows, inside)
    if not groups:
        return
    unit = goal / inside if inside else 1.0
    least = smallest_goal(groups)
    apart = f"{LEARNED[form.kind]} up to {2 * least:g} apart"
    if unit != 1:
        apart += f", which is {2 * least * unit:g} in the target's unit at the median latest price"
    raise ContradictionError(
        f"The learning goal {goal:g} cannot be met: rows with equal drivers have {apart} "
        f"({_group_words(groups)}). The smallest goal that can be met is {least * unit:g}: raise the goal, or correct "
        "the rows.",
        tuple(g.rows for g in groups),
        least * unit,
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


class Scaled:
    """The standardised rows of a table, made as they are asked for."""

    def __init__(self, scaler: Scaler, x: Floats) -> None:
        self._scaler, self._x, self.shape = scaler, x, x.shape

    def __getitem__(self, which: slice | NDArray[np.intp]) -> Floats:
        return self._scaler.x(self._x[which])


def near_duplicates(x_scaled: Floats | Scaled, y: Floats, rows: NDArray[np.integer], goal: float) -> list[Finding]:
    """Name pairs of rows whose drivers hardly differ while their targets differ by more than twice the goal.

    A network can separate them only with huge weights; cramming searches within a bound and then says so.

    Parameters
    ----------
    x_scaled : ndarray or Scaled, of shape (N, m)
        Standardised drivers.
    y : ndarray of shape (N,)
        Target in its own unit.
    rows : ndarray of int
        1-based data row numbers.
    goal : float
        Learning goal in the target's unit.
    """
    pairs = [pair for pair in _close_pairs(x_scaled) if abs(y[pair[0]] - y[pair[1]]) > 2 * goal]
    pairs = sorted((min(rows[a], rows[b]), max(rows[a], rows[b])) for a, b in pairs)
    if not pairs:
        return []
    shown = "; ".join(f"{a} and {b}" for a, b in pairs[:5])
    sentence = (
        f"Data rows {shown} have almost equal drivers and targets further apart than twice the goal: fitting them "
        "takes huge weights and may fail."
    )
    return [Finding("near_duplicates", "warning", sentence, rows=tuple(sorted({int(r) for p in pairs for r in p})))]


def _close_pairs(x_scaled: Floats | Scaled) -> list[tuple[int, int]]:
    """Return positions of rows that differ, but by less than about a millionth of a standard deviation.

    Rows that are close are close along any direction too, so only neighbours along one need a look: the time grows as
    a sort does, also in many dimensions.
    """
    n, m = x_scaled.shape
    if n < 2 or m == 0:
        return []
    limit = 1e-6 * np.sqrt(m)
    drawn = np.random.default_rng(0).normal(size=m)
    direction = drawn / np.linalg.norm(drawn)
    along = np.concatenate([x_scaled[first:last] @ direction for first, last in parts(n, m)])
    order = np.argsort(along, kind="stable")
    found: list[tuple[int, int]] = []
    for shift in range(1, min(n, NEIGHBOURS)):
        a, b = order[:-shift], order[shift:]
        near = np.flatnonzero(along[b] - along[a] < limit)
        if len(near) == 0:
            break
        for first, last in parts(len(near), m):
            some = near[first:last]
            apart = np.linalg.norm(x_scaled[a[some]] - x_scaled[b[some]], axis=1)
            close = some[(apart > 0) & (apart < limit)]
            found += [(int(a[k]), int(b[k])) for k in close]
    return found
