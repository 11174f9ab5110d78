"""Rows of a table that are equal, found column by column: with very many rows no sorted copy of all columns is made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def maybe_equal(x: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return positions, ascending, of rows each of whose values occurs in another such row: few in large tables."""
    some = np.arange(len(x))
    for column in x.T:
        _, which, count = np.unique(column[some], return_inverse=True, return_counts=True)
        some = some[count[which] > 1]
    return some


def grouped(x: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return the group of each row (N, m): equal rows share one, and only they."""
    of_row, some = np.arange(len(x)), maybe_equal(x)
    if len(some):
        of_row[some] = len(x) + group_numbers(x, some)
        _, of_row = np.unique(of_row, return_inverse=True)
    return of_row


def group_numbers(x: NDArray[np.floating], positions: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the group of each row at ``positions``: equal rows share one, numbered in lexicographic order of the rows.

    The same as ``np.unique(x[positions], axis=0, return_inverse=True)``, where -0.0 is 0.0.
    """
    group = np.zeros(len(positions), dtype=np.intp)
    for column in x.T:
        value = np.unique(column[positions] + 0.0, return_inverse=True)[1]
        group = np.unique(group * (value.max(initial=0) + 1) + value, return_inverse=True)[1]
    return group
