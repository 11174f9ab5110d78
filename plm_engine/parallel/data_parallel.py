"""``torch.nn.DataParallel``: one process, rows scattered over the CUDA devices at every forward pass.

With fewer than two CUDA devices torch silently computes on one device; that would not be this mode, so it is refused.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from plm_engine.errors import UnavailableError
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants, AdamTuning
from plm_engine.parallel.kernel import Rows, Weights
from plm_engine.parallel.single import SingleStrategy
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
        All rows.
    """

    def __init__(
        self,
        network: TwoLayerNetwork,
        module: nn.Module,
        inner: TwoLayerNetwork,
        x: Tensor,
        y: Tensor,
        penalty: float,
        constants: AdamConstants,
    ) -> None:
        self._base, self._module, self._inner = network, module, inner
        self._x, self._y = x, y
        self._penalty = penalty / network.n_weights
        super().__init__(network.flat(), network.n_hidden, network.n_features + 1, constants)

    def network(self) -> TwoLayerNetwork:
        """Return a network with the kept weights."""
        return self._base.with_flat(self._kept.flat)

    def _measure(self, weights: Weights) -> Measured:
        load_flat(self._inner, weights.flat)
        with torch.no_grad():
            error = self._module(self._x) - self._y
            squares, largest = torch.stack([error @ error, error.abs().max()]).tolist()
        loss = squares / len(self._y)
        if self._penalty:
            loss += self._penalty * float(torch.dot(weights.flat, weights.flat))
        return Measured(loss, largest if math.isfinite(loss) else math.inf)

    def _gradient_at_kept(self) -> Tensor:
        load_flat(self._inner, self._kept.flat)
        self._module.zero_grad(set_to_none=False)
        (((self._module(self._x) - self._y) ** 2).sum() / len(self._y)).backward()
        gradient = flat_gradient(self._inner)
        return gradient.add_(self._kept.flat, alpha=2 * self._penalty) if self._penalty else gradient


class DataParallelStrategy(SingleStrategy):
    """Rows scattered over ``workers`` CUDA devices by torch.

    Raises
    ------
    UnavailableError
        If the machine has fewer CUDA devices, or fewer than two were asked for.
    """

    def __init__(self, constants: AdamConstants, workers: int) -> None:
        found = torch.cuda.device_count()
        if workers < 2 or found < workers:
            raise UnavailableError(
                f"Mode data_parallel on {workers} GPUs needs at least 2 CUDA GPUs, and as many as asked for; "
                f"{found} found."
            )
        super().__init__(constants, "cuda:0")
        self._devices = list(range(workers))

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> ModuleTuning:
        """Begin a tuning over a freshly wrapped module."""
        if "whole" not in rows.extra:
            rows.extra["whole"] = (torch.cat(rows.x).contiguous(), torch.cat(rows.y))
        x, y = rows.extra["whole"]
        inner = network.copy()
        module = nn.DataParallel(inner, device_ids=self._devices)
        return ModuleTuning(network, module, inner, x, y, penalty, self.constants)
