"""Threads that share the row chunks of one step.

Every chunk is computed whole on one thread, into its own line of partial sums, which are added in chunk order by
whoever asked: the bits do not depend on the number of threads.  Worth it where a step is long: handing over work costs
some 50 microseconds, so below the cross-over everything stays on one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

#: rows times hidden nodes below which a step stays on one thread
CROSS_OVER = 500_000


class Crew:
    """The thread that makes it, and some others.

    Parameters
    ----------
    size : int
        Threads in all, the one that asks included.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._others = ThreadPoolExecutor(size - 1, "crew", torch.set_num_threads, (1,)) if size > 1 else None

    def shares(self, things: Sequence[Any], work: int) -> list[Sequence[Any]]:
        """Cut ``things`` into contiguous shares, one a thread; one share only where there is too little ``work``."""
        size = min(self.size, len(things)) if work >= CROSS_OVER else 1
        return [things[len(things) * i // size : len(things) * (i + 1) // size] for i in range(max(size, 1))]

    def each(self, shares: Sequence[Any], do: Callable[[Any], None]) -> None:
        """Do it to every share, each on a thread of its own."""
        running = (
            [self._others.submit(_likewise(do), share) for share in shares[1:]] if self._others is not None else []
        )
        do(shares[0])
        for other in running:
            other.result()

    def close(self) -> None:
        """End the threads."""
        if self._others is not None:
            self._others.shutdown()


def _likewise(do: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return ``do`` for another thread, in this thread's mode: torch keeps it by thread."""
    return torch.inference_mode(torch.is_inference_mode_enabled())(do)


#: this thread alone
ALONE = Crew(1)
