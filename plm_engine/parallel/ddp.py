"""``torch.nn.parallel.DistributedDataParallel``: rows shared out, gradients added up by torch's reducer.

The gradient must be that of the full batch.  So each rank's loss is its *sum* of squared errors over N, and what the
ranks bring is added, not averaged: uneven shares then weigh as they should (a local mean on shards of 235 and 236 rows
was off by 1.4 after 1,000 steps).  The penalty of regularizing needs no rows: every rank adds its gradient itself.

Choices made: ``gradient_as_bucket_view`` and ``static_graph``, never ``find_unused_parameters``; one wrapped module
for each network size, re-used for all tunings of that size (wrapping costs only a few steps); the trial's loss comes
from a pass without autograd, so that an undone trial costs no gradient traffic.

A rank's share is whole row chunks, and forward and backward are those of ``kernel.py`` behind an autograd function.  A
row crammed a moment ago has an error of pure rounding (1e-16), and a node that only this row activates has a gradient
of that size; Adam divides by it or by 1e-8.  With shares cut elsewhere, or the output summed in another order, that
noise is another number, and 50 steps of one copper tuning made 1e-8 of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.confirming import ConfirmingStrategy
from plm_engine.parallel.kernel import Gradient, Kernel, Rows, Weights, add_in_order
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.single import FlatTuning


class SquaredErrors(torch.autograd.Function):
    """Sum of squared errors over N of one rank's chunks, at weights that the kernel has just measured."""

    @staticmethod
    def forward(ctx: Any, flat: Tensor, kernel: Kernel) -> Tensor:
        """Return the sum that :meth:`Kernel.measure` left behind."""
        ctx.flat, ctx.kernel = flat, kernel
        return kernel.scalars[:, 0].sum() / kernel.rows.n_rows

    @staticmethod
    def backward(ctx: Any, *above: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of this rank's chunks, added in chunk order."""
        kernel, flat = ctx.kernel, ctx.flat
        if not kernel.lines:  # a rank without rows still takes part in every collective
            return torch.zeros_like(flat), None
        kernel.finish_gradient()
        gradient = Gradient(flat, kernel.p, kernel.width)
        add_in_order(kernel.lines, gradient.total)
        return gradient.take(Weights(flat, kernel.p, kernel.width)) * above[0], None


class RowsModule(nn.Module):
    """The module that is wrapped: all weights of a network as one flat parameter, so that they are one bucket."""

    def __init__(self, flat: Tensor) -> None:
        super().__init__()
        self.flat = nn.Parameter(flat.clone())

    def forward(self, kernel: Kernel) -> Tensor:
        """Return this rank's part of the mean squared error."""
        return SquaredErrors.apply(self.flat, kernel)


class DDPTuning(FlatTuning):
    """A tuning whose gradient comes from the backward pass of a DistributedDataParallel module.

    Parameters
    ----------
    kernel : Kernel
        Of this rank's chunks.
    module : DistributedDataParallel
        Around a :class:`RowsModule` for this number of weights, which are overwritten.
    """

    inference = False

    def __init__(
        self,
        network: TwoLayerNetwork,
        kernel: Kernel,
        penalty: float,
        constants: AdamConstants,
        ranks: Ranks,
        module: DistributedDataParallel,
    ) -> None:
        self._ranks, self._module = ranks, module
        super().__init__(network, kernel, penalty, constants)

    def collect(self) -> tuple[Sequence[Tensor], list[list[float]]]:
        """Gather the sums of squares and the largest errors of all chunks; gradients are DDP's."""
        return (), self._ranks.gather_shares(self._kernel.scalars, len(self._kernel.rows.bounds)).tolist()

    def _gradient_at_kept(self) -> Tensor:
        weights: Tensor = self._module.module.flat
        with torch.no_grad():
            weights.copy_(self._kept.flat)
        self._module.zero_grad(set_to_none=False)
        self._module(self._kernel).backward()
        assert weights.grad is not None  # set by backward; for the type checker
        return weights.grad.add(self._kept.flat, alpha=2 * self._penalty) if self._penalty else weights.grad


def add_and_time(ranks, bucket):  # torch refuses annotations that are texts, as they are in this file
    """Add up a bucket of gradients over all ranks, and count the time as communication.

    RPLM's networks fit into one bucket, so waiting here gives up no overlap with the backward pass.
    """
    with ranks.collective():
        work = dist.all_reduce(bucket.buffer(), async_op=True)
        done = work.get_future().then(lambda future: future.value()[0])
        done.wait()
    return done


class DDPStrategy(ConfirmingStrategy):
    """Row chunks shared out over ranks, one DistributedDataParallel module for each network size."""

    def __init__(self, constants: AdamConstants, ranks: Ranks) -> None:
        super().__init__(constants, ranks)
        self._wrapped: dict[int, DistributedDataParallel] = {}

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> DDPTuning:
        """Begin a tuning, on all ranks together."""
        mine = self.ranks.share(self.rank, len(rows.bounds))
        kernel = rows.kernel(network.n_hidden, mine)
        return DDPTuning(network, kernel, penalty, self.constants, self.ranks, self._module(network))

    def _module(self, network: TwoLayerNetwork) -> DistributedDataParallel:
        p = network.n_hidden
        if p not in self._wrapped:
            for stale in [size for size in self._wrapped if abs(size - p) > 1]:
                del self._wrapped[stale]
            devices = [self.device] if self.device.type == "cuda" else None
            module = DistributedDataParallel(
                RowsModule(network.flat()), device_ids=devices, gradient_as_bucket_view=True, static_graph=True
            )
            module.register_comm_hook(self.ranks, add_and_time)
            self._wrapped[p] = module
        return self._wrapped[p]
