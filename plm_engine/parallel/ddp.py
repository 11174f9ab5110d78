"""``torch.nn.parallel.DistributedDataParallel``: rows shared out, gradients averaged by torch's reducer.

The gradient must be that of the full batch.  DDP averages the ranks' gradients, so each rank's loss is its *sum* of
squared errors times ranks / N: uneven shards then weigh as they should (a local mean on shards of 235 and 236 rows was
off by 1.4 after 1,000 steps).  The penalty of regularizing needs no rows: every rank adds its gradient itself.

Choices made: ``gradient_as_bucket_view`` and ``static_graph``, never ``find_unused_parameters``; one wrapped module
for each network size, re-used for all tunings of that size (wrapping costs only a few steps); the trial's loss comes
from a forward pass without autograd, so that an undone trial costs no gradient traffic.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants, AdamTuning
from plm_engine.parallel.confirming import ConfirmingStrategy
from plm_engine.parallel.kernel import Rows, Weights
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.strategy import Measured


def flat_gradient(network: TwoLayerNetwork) -> Tensor:
    """Return the gradient of all weights in the order of ``TwoLayerNetwork.flat``."""
    w, b, v, c = (p.grad for p in network_parameters(network))
    assert w is not None and b is not None  # noqa: PT018 - set by backward; for the type checker
    assert v is not None and c is not None  # noqa: PT018
    return torch.cat([torch.cat([w, b[:, None]], dim=1).reshape(-1), v, c.reshape(1)])


def network_parameters(network: TwoLayerNetwork) -> tuple[nn.Parameter, ...]:
    """Return W, b, w_out, w_0."""
    return network.hidden_weight, network.hidden_bias, network.output_weight, network.output_bias


@torch.no_grad()
def load_flat(network: TwoLayerNetwork, flat: Tensor) -> None:
    """Write a flat weight vector into the module's parameters, in place."""
    p, m = network.n_hidden, network.n_features
    hidden = flat[: p * (m + 1)].view(p, m + 1)
    network.hidden_weight.copy_(hidden[:, :m])
    network.hidden_bias.copy_(hidden[:, m])
    network.output_weight.copy_(flat[p * (m + 1) : -1])
    network.output_bias.copy_(flat[-1])


class ModuleTuning(AdamTuning):
    """A tuning whose forward and backward passes are those of a wrapped torch module.

    Parameters
    ----------
    network : TwoLayerNetwork
        Where to start.
    module : nn.Module
        A wrapper around ``inner``; its forward takes rows x.
    inner : TwoLayerNetwork
        The network inside, of the same size; its weights are overwritten.
    x, y : Tensor
        This process's rows.
    n_rows : int
        N, over all ranks.
    ranks : Ranks or None
        Peers to sum losses with.
    """

    def __init__(
        self,
        network: TwoLayerNetwork,
        module: nn.Module,
        inner: TwoLayerNetwork,
        x: Tensor,
        y: Tensor,
        n_rows: int,
        penalty: float,
        constants: AdamConstants,
        ranks: Ranks | None = None,
    ) -> None:
        self._base, self._module, self._inner = network, module, inner
        self._x, self._y, self._n_rows, self._ranks = x, y, n_rows, ranks
        self._penalty = penalty / network.n_weights
        super().__init__(network.flat(), network.n_hidden, network.n_features + 1, constants)

    def network(self) -> TwoLayerNetwork:
        """Return a network with the kept weights."""
        return self._base.with_flat(self._kept.flat)

    def _measure(self, weights: Weights) -> Measured:
        load_flat(self._inner, weights.flat)
        with torch.no_grad():
            # a rank without rows still takes part in every collective
            error = self._inner(self._x) - self._y if len(self._y) else self._y
            sums = torch.stack([error @ error, error.abs().max() if len(error) else error.new_zeros(())])
        everybody = sums[None] if self._ranks is None else self._ranks.gather(sums)
        lines = everybody.tolist()
        loss = sum(line[0] for line in lines) / self._n_rows
        if self._penalty:
            loss += self._penalty * float(torch.dot(weights.flat, weights.flat))
        finite = bool(torch.isfinite(everybody).all())
        return Measured(loss, max(line[1] for line in lines) if finite else float("inf"))

    def _gradient_at_kept(self) -> Tensor:
        load_flat(self._inner, self._kept.flat)
        self._module.zero_grad(set_to_none=False)
        peers = 1 if self._ranks is None else self._ranks.size
        loss = ((self._module(self._x) - self._y) ** 2).sum() * (peers / self._n_rows)
        loss.backward()
        gradient = flat_gradient(self._inner)
        return gradient.add_(self._kept.flat, alpha=2 * self._penalty) if self._penalty else gradient


def average_and_time(ranks, bucket):  # torch refuses annotations that are texts, as they are in this file
    """Average a bucket of gradients as DDP does by itself, and count the time as communication.

    RPLM's networks fit into one bucket, so waiting here gives up no overlap with the backward pass.
    """
    with ranks.collective():
        done = allreduce_hook(dist.distributed_c10d._get_default_group(), bucket)
        done.wait()
    return done


class DDPStrategy(ConfirmingStrategy):
    """Rows sharded over ranks, one DistributedDataParallel module for each network size."""

    def __init__(self, constants: AdamConstants, ranks: Ranks) -> None:
        super().__init__(constants, ranks)
        self._wrapped: dict[int, tuple[DistributedDataParallel, TwoLayerNetwork]] = {}

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> ModuleTuning:
        """Begin a tuning, on all ranks together."""
        module, inner = self._module(network)
        x, y = self._shard(rows)
        return ModuleTuning(network, module, inner, x, y, rows.n_rows, penalty, self.constants, self.ranks)

    def _shard(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Return this rank's contiguous share of the rows, cut once for each set of rows."""
        if "shard" not in rows.extra:
            share = self.ranks.share(self.rank, rows.n_rows)
            every_x, every_y = torch.cat(rows.x), torch.cat(rows.y)
            rows.extra["shard"] = (
                every_x[share.start : share.stop].contiguous(),
                every_y[share.start : share.stop].contiguous(),
            )
        return rows.extra["shard"]

    def _module(self, network: TwoLayerNetwork) -> tuple[DistributedDataParallel, TwoLayerNetwork]:
        p = network.n_hidden
        if p not in self._wrapped:
            for stale in [size for size in self._wrapped if abs(size - p) > 1]:
                del self._wrapped[stale]
            inner = network.copy()
            devices = [self.device] if self.device.type == "cuda" else None
            module = DistributedDataParallel(inner, device_ids=devices, gradient_as_bucket_view=True, static_graph=True)
            module.register_comm_hook(self.ranks, average_and_time)
            self._wrapped[p] = module, inner
        return self._wrapped[p]
