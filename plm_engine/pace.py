"""How long a run will still take, from its own pace: a range, because rounds differ and grow longer as nodes are added.

Many futures are drawn: each round to come learns its picked rows and a part of what the newest rounds learned besides,
and takes a time that grows with the round's number as the past rounds' times did, apart from their scatter.  The range
holds the middle 90 % of the futures.
NumPy only; ``tests/runs/test_pace.py`` compares it with recorded runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: complete rounds (the first network counts as one) before anything is said
LEAST_ROUNDS = 4
FUTURES = 200
#: rounds drawn ahead, at most
MOST_AHEAD = 5_000
QUANTILES = (0.05, 0.5, 0.95)
#: a round's time grows with a power of its number: what is believed of the exponent before a run says more.  Nodes grow
#: about linearly, organizing tries each of them, and most tries end early: between 0 and 2
GROWTH, GROWTH_DOUBT, GROWTH_RANGE = 1.3, 0.6, (0.0, 2.5)
#: how far off the whole may be (spread of its logarithm) near a run's end, and by how much more at its beginning; by
#: how much longer (in the logarithm) the whole is at the beginning than early rounds tell: late rounds are harder, and
#: other programs use the machine too.  Chosen on 82 recorded runs; the range then held 92 % of the moments of 74 others
END_DOUBT, BEGINNING_DOUBT, BEGINNING_LONGER = 0.3, 0.8, 0.3
LEAST_SCATTER = 0.15


@dataclass(frozen=True)
class Remaining:
    """Seconds until every training row is learned: the middle of the futures drawn, and where 90 % of them lie.

    ``budget`` says that the run's time budget ends it before the range does.
    """

    low_s: float
    middle_s: float
    high_s: float
    budget: bool = False


def remaining(
    at_s: Sequence[float],
    n_learned: Sequence[int],
    n_train: int,
    now_s: float,
    pick: int = 1,
    budget_s: float | None = None,
) -> Remaining | None:
    """Return how long a run will still take; None while too little is known.

    Parameters
    ----------
    at_s : sequence of float, length r
        Seconds at which the complete rounds ended, round 0 (the first network) included.
    n_learned : sequence of int, length r
        Rows within the goal at those moments.
    n_train : int
        Training rows.
    now_s : float
        Seconds now, by the same clock.
    pick : int
        Rows that a round picks: what a round learns for certain.
    budget_s : float or None
        Moment at which the time budget ends the run.
    """
    ends, learned = np.asarray(at_s, dtype=float), np.asarray(n_learned, dtype=float)
    rows = n_train - learned[-1] if len(learned) else 0
    spent, gains = np.diff(ends), np.diff(learned)
    newest = gains[-max(5, len(gains) // 2) :]
    if len(ends) < LEAST_ROUNDS or rows <= 0 or newest.sum() <= 0 or (spent <= 0).any():
        return None
    draw = np.random.default_rng(len(ends))  # the same until the next round ends: the range must not flicker
    # what a round learns beside its picked rows becomes less: how much of it stays is drawn for each future
    certain, luck = np.minimum(newest, pick), draw.random((FUTURES, 1)) ** 2
    ahead = int(min(MOST_AHEAD, np.ceil(2 * rows / max(certain.mean(), 0.2)) + 10))
    drawn = draw.integers(len(newest), size=(FUTURES, ahead))
    reached = np.cumsum(certain[drawn] + luck * (newest - certain)[drawn], axis=1) >= rows
    rounds = np.where(reached.any(axis=1), reached.argmax(axis=1), ahead - 1)
    seconds = np.cumsum(_seconds_ahead(spent, ahead, draw), axis=1)[np.arange(FUTURES), rounds]
    to_do = 1 - (learned[-1] - learned[0]) / (n_train - learned[0])
    seconds *= np.exp(draw.normal(BEGINNING_LONGER * to_do, END_DOUBT + BEGINNING_DOUBT * to_do, FUTURES))
    left = np.maximum(seconds - max(0.0, now_s - ends[-1]), 0.25 * spent[-1])
    low, middle, high = (float(value) for value in np.quantile(left, QUANTILES))
    if budget_s is None or now_s + high <= budget_s:
        return Remaining(low, middle, high)
    rest = max(0.0, budget_s - now_s)
    return Remaining(min(low, rest), min(middle, rest), rest, True)


def _seconds_ahead(spent: np.ndarray, ahead: int, draw: np.random.Generator) -> np.ndarray:
    """Return drawn seconds of the rounds to come, shape (FUTURES, ahead)."""
    number, size = np.log(np.arange(1, len(spent) + 1)), np.log(spent)
    centred = number - number.mean()
    width = float((centred**2).sum())
    fitted = float((centred * size).sum()) / width
    said = width / max(float((size - size.mean() - fitted * centred).var()), LEAST_SCATTER**2)  # precisions
    believed = 1 / GROWTH_DOUBT**2
    exponent = (said * fitted + believed * GROWTH) / (said + believed)
    scatter = size - size.mean() - exponent * centred
    exponents = np.clip(draw.normal(exponent, (said + believed) ** -0.5, (FUTURES, 1)), *GROWTH_RANGE)
    # the newest rounds say how long a round takes now; the growth carries on from there
    k = min(3, len(spent))
    level = float((size[-k:] - exponent * (number[-k:] - number[-1])).mean())
    later = np.log(np.arange(len(spent) + 1, len(spent) + 1 + ahead)) - number[-1]
    noise: np.ndarray = draw.choice(scatter, (FUTURES, ahead))
    times: np.ndarray = np.exp(level + exponents * later + noise)
    return times
