"""Adam's direction for one flat weight vector, in place, with fresh moments (Kingma & Ba, 2015).

The step size multiplies the direction only, so an undone trial needs no copy of the moments: they belong to the kept
gradient and stay as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


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
