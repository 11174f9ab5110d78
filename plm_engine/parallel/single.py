"""One device: CPU or CUDA.  The reference that every other strategy is compared with."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants, AdamDirection
from plm_engine.parallel.kernel import Kernel, Rows, add_in_order, gradient_from_sums
from plm_engine.parallel.strategy import Measured, Strategy, Tuning


class FlatTuning(Tuning):
    """A tuning over one flat weight vector whose sums over rows come from a :class:`Kernel`.

    Subclasses override :meth:`collect` to bring in the sums of other ranks.  The gradient is asked for only at weights
    that were measured last, so that the sums need not be kept for undone trials.
    """

    def __init__(self, network: TwoLayerNetwork, kernel: Kernel, penalty: float, constants: AdamConstants) -> None:
        self._base, self._kernel = network, kernel
        self._n_rows = kernel.rows.n_rows
        self._penalty = penalty / network.n_weights
        self._theta = network.flat()
        self._trial = torch.empty_like(self._theta)
        self._gradient = torch.empty_like(self._theta)
        self._adam = AdamDirection(self._theta, constants)
        self._direction: Tensor | None = None
        self._total = torch.empty(kernel.n_sums, dtype=self._theta.dtype, device=self._theta.device)
        self.start = self._measure(self._theta)

    def collect(self) -> Tensor:
        """Return the partial sums of all chunks, one line a chunk, in chunk order (called once a measurement)."""
        return self._kernel.partial

    def trial(self, step_size: float) -> Measured:
        """Take one step of this size from the kept weights, without keeping it."""
        if self._direction is None:
            self._direction = self._adam.take(self._gradient_at_kept())
        torch.add(self._theta, self._direction, alpha=-step_size * self._adam.scale, out=self._trial)
        return self._measure(self._trial)

    def keep(self) -> None:
        """Keep the last trial step."""
        self._theta, self._trial = self._trial, self._theta
        self._direction = None

    def network(self) -> TwoLayerNetwork:
        """Return a network with the kept weights."""
        return self._base.with_flat(self._theta)

    def _measure(self, theta: Tensor) -> Measured:
        self._kernel.measure(theta)
        self._lines = self.collect()
        scalars = self._lines[:, -2:].tolist()
        # python floats are float64: the sum over chunks is at least as exact as the weights
        loss = sum(line[0] for line in scalars) / self._n_rows
        if self._penalty:
            loss += self._penalty * float(torch.dot(theta, theta))
        return Measured(loss, max(line[1] for line in scalars) if _all_finite(scalars) else float("inf"))

    def _gradient_at_kept(self) -> Tensor:
        """Return the gradient at the kept weights, which are always the ones measured last."""
        self._kernel.finish_gradient()
        total = add_in_order(self._lines, self._total)
        gradient_from_sums(self._theta, total, self._kernel.p, self._gradient)
        if self._penalty:
            self._gradient.add_(self._theta, alpha=2 * self._penalty)
        return self._gradient


def _all_finite(scalars: list[list[float]]) -> bool:
    return all(np.isfinite(value) for line in scalars for value in line)


class SingleStrategy(Strategy):
    """All rows, nodes and candidates on one device, one after the other.

    Parameters
    ----------
    constants : AdamConstants
    device : str
        ``"cpu"`` or ``"cuda"``.
    """

    def __init__(self, constants: AdamConstants | None = None, device: str = "cpu") -> None:
        self.constants = constants or AdamConstants()
        self.device = torch.device(device)

    def place(self, x: Tensor, y: Tensor) -> Rows:
        """Return the rows on this device, in chunks."""
        return Rows(x.to(self.device), y.to(self.device))

    def residuals(self, network: TwoLayerNetwork, rows: Rows) -> np.ndarray:
        """Return e = y - f(x), shape (N,)."""
        with torch.no_grad():
            parts = [y - network(x[:, :-1]) for x, y in zip(rows.x, rows.y, strict=True)]
        return torch.cat(parts).cpu().numpy()

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> Tuning:
        """Begin a tuning."""
        return FlatTuning(network, rows.kernel(network.n_hidden), penalty, self.constants)

    def synchronize(self) -> None:
        """Wait for CUDA, if that is the device."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
