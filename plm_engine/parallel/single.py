"""One device: CPU or CUDA.  The reference that every other strategy is compared with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants, AdamTuning
from plm_engine.parallel.crew import Crew
from plm_engine.parallel.foresight import NOTHING, Barred, Barrier, Foresight
from plm_engine.parallel.kernel import Gradient, Kernel, Rows, Weights, add_in_order
from plm_engine.parallel.strategy import Measured, Strategy, Tuning


class FlatTuning(AdamTuning):
    """A tuning over one flat weight vector whose sums over rows come from a :class:`Kernel`.

    Subclasses override :meth:`collect` to bring in the sums of other ranks.  The gradient is asked for only at weights
    that were measured last, so that the sums need not be kept for undone trials.
    """

    #: nothing is recorded for autograd, which would take a twentieth of a small step
    inference = True

    def __init__(self, network: TwoLayerNetwork, kernel: Kernel, penalty: float, constants: AdamConstants) -> None:
        self._mode = torch.inference_mode(self.inference)
        self._base, self._kernel = network, kernel
        self._n_rows = kernel.rows.n_rows
        self._penalty = penalty / network.n_weights
        flat = network.flat()
        self._gradient = Gradient(flat, kernel.p, kernel.width)
        super().__init__(flat, kernel.p, kernel.width, constants)

    def collect(self) -> tuple[Sequence[Tensor], list[list[float]]]:
        """Return the partial sums of all chunks in chunk order, and their last two columns as plain numbers.

        Called once a measurement.
        """
        return self._kernel.lines, self._kernel.scalars.tolist()

    def trial(self, step_size: float) -> Measured:
        """Take one step of this size from the kept weights, without keeping it."""
        with self._mode:
            return super().trial(step_size)

    def network(self) -> TwoLayerNetwork:
        """Return a network with the kept weights."""
        return self._base.with_flat(self._kept.flat)

    def _measure(self, weights: Weights) -> Measured:
        self._kernel.measure(weights)
        self._lines, scalars = self.collect()
        # python floats are float64: the sum over chunks is at least as exact as the weights
        loss = 0.0
        for squares, _ in scalars:
            loss += squares
        loss /= self._n_rows
        if self._penalty:
            loss += self._penalty * float(torch.dot(weights.flat, weights.flat))
        # a largest residual that is not a number comes with a loss that is none, which no rule accepts
        return Measured(loss, max(scalars, key=_largest)[1] if math.isfinite(loss) else math.inf)

    def _gradient_at_kept(self) -> Tensor:
        if self.inference and not torch.is_inference_mode_enabled():  # asked for by itself, not in a trial
            with self._mode:
                return self._gradient_at_kept()
        self._kernel.finish_gradient()
        add_in_order(self._lines, self._gradient.total)
        gradient = self._gradient.take(self._kept)
        return gradient.add_(self._kept.flat, alpha=2 * self._penalty) if self._penalty else gradient


class ForeseeingTuning(FlatTuning):
    """A tuning that does not compute the trials that provably do not lower the loss.

    Not for ranks that tune in step: on unlike processors they might disagree about which to skip.
    """

    def _gradient_at_kept(self) -> Tensor:
        self._barrier = Barrier()
        return super()._gradient_at_kept()

    def _is_in_vain(self, step_size: float) -> bool:
        return self._barrier.holds(step_size, self._proven)

    def _proven(self, step_size: float) -> Barred:
        slope = self._adam.slope(self._gradient.flat)
        if not slope > 0:
            return NOTHING
        way = Weights(self._adam.direction(), self._kernel.p, self._kernel.width)
        return Foresight.of(self._kernel.rows).barred(self._kept, way, slope, step_size)


def _largest(scalars: list[float]) -> float:
    return scalars[1]


class SingleStrategy(Strategy):
    """All rows, nodes and candidates on one device, one after the other.

    Parameters
    ----------
    constants : AdamConstants
    device : str
        ``"cpu"`` or ``"cuda"``.
    threads : int
        Threads that share the row chunks of large steps; the bits do not depend on it.
    """

    tuning: type[FlatTuning] = ForeseeingTuning

    def __init__(self, constants: AdamConstants | None = None, device: str = "cpu", threads: int = 1) -> None:
        self.constants = constants or AdamConstants()
        self._crew = Crew(threads)
        self.device = torch.device(device)

    def place(self, x: Tensor, y: Tensor, index: np.ndarray | None = None) -> Rows:
        """Return the rows on this device, in chunks."""
        at = None if index is None else torch.from_numpy(index).to(self.device)
        return Rows(x.to(self.device), y.to(self.device), self._crew, index=at, room=self.room)

    def residuals(self, network: TwoLayerNetwork, rows: Rows) -> np.ndarray:
        """Return e = y - f(x), shape (N,)."""
        with torch.no_grad():
            parts = [y - network(x) for x, y in zip(rows.x, rows.y, strict=True)]
        return torch.cat(parts).cpu().numpy()

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> Tuning:
        """Begin a tuning."""
        with torch.inference_mode():
            return self.tuning(network, rows.kernel(network.n_hidden), penalty, self.constants)

    def close(self) -> None:
        """End the threads."""
        self._crew.close()

    def synchronize(self) -> None:
        """Wait for CUDA, if that is the device."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


@contextmanager
def every_trial_computed() -> Iterator[None]:
    """Compute every trial step, also those known to be in vain: the plain loop, to compare with."""
    SingleStrategy.tuning = FlatTuning
    try:
        yield
    finally:
        SingleStrategy.tuning = ForeseeingTuning
