"""Row chunks: a function of the number of rows only, so that sums do not depend on threads, ranks or modes.

A set of n rows is cut into 1 chunk below 64 rows, else max(2, ceil(n / 2048)) nearly equal ones.  Whoever computes a
chunk computes it whole, on one thread; partial sums are added in chunk order.  Chunks of one to four thousand rows
also keep the activations in cache.  Of few rows (two chunks up to 4,096) a third rank has none, and only takes part.
"""

from __future__ import annotations

from itertools import pairwise

SMALL = 64
LARGEST = 2048


def chunk_bounds(n_rows: int) -> list[tuple[int, int]]:
    """Return (first, last + 1) of every chunk of ``n_rows`` rows, in order."""
    if n_rows < SMALL:
        return [(0, n_rows)]
    count = max(2, -(-n_rows // LARGEST))
    edges = [n_rows * k // count for k in range(count + 1)]
    return list(pairwise(edges))
