"""Picking: which rows to study next (least trimmed squares).

ALGORITHM section 2.  Sort all training rows by squared residual; n is the number learned (abs residual at most eps).
The picked set I is the n learned rows plus the next ``pick_size`` rows with the smallest squared residual.  Ties break
by row number.  The learned rows always stay in I.

Choice made: ``pick_size`` may be a share, of the rows not learned yet; so the steps get smaller as the rest does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Picked:
    """Result of picking; positions count the training rows from 0.

    Attributes
    ----------
    learned : ndarray of int, shape (n,)
        Positions within the goal, ascending.
    new : ndarray of int, shape (at most pick_size,)
        Positions picked now, nearest to the goal first.
    """

    learned: np.ndarray
    new: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """The picked set I, ascending (the order in which sums over it are taken)."""
        return np.sort(np.concatenate([self.learned, self.new]))


def picking(residuals: np.ndarray, goal: float, pick_size: float, order: np.ndarray | None = None) -> Picked:
    """Return the learned rows and the next ones.

    Parameters
    ----------
    residuals : ndarray, shape (N,)
        e of every training row; one that is not a number counts as the largest.
    goal : float
        eps, in the residuals' unit.
    pick_size : int or float
        Number of new rows; a float is a share of those not learned yet, rounded up.
    order : ndarray of int, shape (N,), or None
        Order of all rows in which open ones are taken instead; only to see what picking is worth.
    """
    size = np.nan_to_num(np.abs(residuals), nan=np.inf)
    is_learned = size <= goal
    open_rows = np.flatnonzero(~is_learned)
    count = math.ceil(pick_size * len(open_rows)) if isinstance(pick_size, float) else int(pick_size)
    # equal absolute values are equal squares; a stable sort of ascending positions breaks ties by row number
    if order is not None:
        return Picked(np.flatnonzero(is_learned), order[~is_learned[order]][:count])
    nearest = np.argsort(size[open_rows], kind="stable")[:count]
    return Picked(np.flatnonzero(is_learned), open_rows[nearest])
