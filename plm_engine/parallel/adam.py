"""Adam for one flat weight vector, in place, with fresh moments (Kingma & Ba, 2015), and tuning by trial steps.

The step size multiplies the direction only, so an undone trial needs no copy of the moments: they belong to the kept
gradient and stay as they are.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor

from plm_engine.parallel.foresight import NOT_LOWER
from plm_engine.parallel.kernel import Weights
from plm_engine.parallel.strategy import Measured, Tuning


@dataclass(frozen=True)
class AdamConstants:
    """Decay of both moments and the guard against division by zero."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8


class AdamDirection:
    """Moments of one tuning and the steps they give.

    Parameters
    ----------
    like : Tensor, shape (P,)
        A vector of the weights' shape.
    constants : AdamConstants
    """

    def __init__(self, like: Tensor, constants: AdamConstants) -> None:
        self.constants = constants
        self._first = torch.zeros_like(like)
        self._second = torch.zeros_like(like)
        self._divisor = torch.empty_like(like)
        self._scale = 0.0
        self._t = 0

    def take(self, gradient: Tensor) -> None:
        """Take the gradient of newly kept weights into the moments."""
        c = self.constants
        self._t += 1
        self._first.lerp_(gradient, 1 - c.beta1)
        self._second.mul_(c.beta2).addcmul_(gradient, gradient, value=1 - c.beta2)
        # m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps), with the plain factors drawn out
        unbiased = math.sqrt(1 - c.beta2**self._t)
        self._scale = unbiased / (1 - c.beta1**self._t)
        torch.sqrt(self._second, out=self._divisor)
        self._divisor.add_(c.epsilon * unbiased)

    def step(self, start: Tensor, step_size: float, out: Tensor) -> None:
        """Write ``start`` moved by one step of this size into ``out``."""
        torch.addcdiv(start, self._first, self._divisor, value=-step_size * self._scale, out=out)

    def slope(self, gradient: Tensor) -> float:
        """Return -g . d: how the loss rises along the steps."""
        return -self._scale * float(torch.dot(gradient, self._first / self._divisor))

    def direction(self) -> Tensor:
        """Return d, shape (P,): a step of size eta leads from theta to theta - eta d."""
        return self._scale * self._first / self._divisor


class AdamTuning(Tuning):
    """Trial, keep and undo over two weight vectors that change places.

    Subclasses measure weights and give the gradient at the kept ones, which are always the ones measured last; what
    they need for that is set before this class's ``__init__`` measures the start.

    Parameters
    ----------
    flat : Tensor, shape (P,)
        Where to start: W~ rows, v, c of ``n_hidden`` nodes with ``width`` = m + 1 input weights each.
    """

    def __init__(self, flat: Tensor, n_hidden: int, width: int, constants: AdamConstants) -> None:
        self._kept = Weights(flat, n_hidden, width)
        self._tried = Weights(torch.empty_like(flat), n_hidden, width)
        self._adam = AdamDirection(flat, constants)
        self._stale = True
        self.start = self._measure(self._kept)

    def trial(self, step_size: float) -> Measured:
        """Take one step of this size from the kept weights, without keeping it."""
        if self._stale:
            self._adam.take(self._gradient_at_kept())
            self._stale = False
        elif self._is_in_vain(step_size):
            return NOT_LOWER
        self._adam.step(self._kept.flat, step_size, self._tried.flat)
        return self._measure(self._tried)

    def keep(self) -> None:
        """Keep the last trial step."""
        self._kept, self._tried = self._tried, self._kept
        self._stale = True

    def _is_in_vain(self, step_size: float) -> bool:
        """Whether a step of this size is known not to lower the loss; asked after an undone trial."""
        return False

    @abstractmethod
    def _measure(self, weights: Weights) -> Measured:
        """Return loss and largest residual at these weights."""

    @abstractmethod
    def _gradient_at_kept(self) -> Tensor:
        """Return the gradient, shape (P,), at the kept weights."""
