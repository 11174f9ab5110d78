"""The processes that run the same program together: collectives whose results are equal, bit for bit, on every rank.

Sums are gathered and added in rank (or chunk) order on every rank, instead of all_reduce: the order is fixed, and for
the small buckets of RPLM one all_gather is also the faster call (measured with gloo: 1.4 to 2.4 times).

Nothing here knows RPLM; see the README for using it with a network of your own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor

from plm_engine.errors import PeerLostError, UnavailableError

#: a collective that takes longer than this has lost a rank; the run's own process notices stopped ranks much earlier
TIMEOUT = timedelta(minutes=30)


class Ranks:
    """One process among its peers.

    Attributes
    ----------
    rank, size : int
    backend : str
        ``"nccl"`` for CUDA devices, else ``"gloo"``.
    seconds_communicating : float
        Time spent in collectives so far, waiting for others included.
    calls : int
        Number of collectives so far.
    """

    def __init__(self, device: str = "cpu") -> None:
        if "RANK" not in os.environ:
            raise UnavailableError(
                "This process has no peers: start it with 'python -m torch.distributed.run --nproc-per-node 2 ...'."
            )
        self.backend = "nccl" if device == "cuda" else "gloo"
        local = int(os.environ.get("LOCAL_RANK", "0"))
        self.device = torch.device(f"cuda:{local}" if device == "cuda" else "cpu")
        if device == "cuda":
            torch.cuda.set_device(self.device)
        self._own_group = not dist.is_initialized()
        if self._own_group:
            dist.init_process_group(self.backend, timeout=TIMEOUT)
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.seconds_communicating = 0.0
        self.calls = 0

    def share(self, index: int, count: int) -> range:
        """Return which of ``count`` things rank ``index`` owns: contiguous, nearly equal shares."""
        return range(count * index // self.size, count * (index + 1) // self.size)

    def gather(self, mine: Tensor) -> Tensor:
        """Return everybody's tensor (equal shapes), stacked in rank order."""
        everybody = torch.empty(self.size, *mine.shape, dtype=mine.dtype, device=mine.device)
        with self.collective():
            dist.all_gather_single(everybody.view(-1), mine.contiguous().view(-1))
        return everybody

    def gather_shares(self, mine: Tensor, count: int) -> Tensor:
        """Return ``count`` lines in order, of which every rank brings its :meth:`share`."""
        most = max(len(self.share(r, count)) for r in range(self.size))
        padded = mine.new_zeros(most, *mine.shape[1:])
        padded[: len(mine)] = mine
        everybody = self.gather(padded)
        return torch.cat([everybody[r, : len(self.share(r, count))] for r in range(self.size)])

    def sum(self, mine: Tensor) -> Tensor:
        """Return the sum of everybody's tensor, added in rank order."""
        everybody = self.gather(mine)
        total = everybody[0].clone()
        for part in everybody[1:]:
            total += part
        return total

    def from_first(self, tensor: Tensor) -> Tensor:
        """Return rank 0's tensor; the others give one of equal shape, which is overwritten."""
        with self.collective():
            dist.broadcast(tensor, src=0)
        return tensor

    def close(self) -> None:
        """Leave the group."""
        if self._own_group and dist.is_initialized():
            dist.destroy_process_group()

    @contextmanager
    def collective(self) -> Iterator[None]:
        """Count and time what happens inside; torch reports the end of a peer as some RuntimeError or other."""
        began = time.perf_counter()
        try:
            yield
        except RuntimeError as error:
            raise PeerLostError(f"Rank {self.rank} of {self.size} lost contact with its peers: {error}") from error
        finally:
            self.seconds_communicating += time.perf_counter() - began
            self.calls += 1
