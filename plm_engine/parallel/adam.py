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
    """Moments of one tuning and the direction they give.

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
        self._direction = torch.empty_like(like)
        self._t = 0
        self.scale = 1.0

    def take(self, gradient: Tensor) -> Tensor:
        """Take the gradient of newly kept weights into the moments and return the direction of the next step.

        The direction times :attr:`scale` is Adam's step for a step size of 1; the factor is left out here because
        the caller multiplies by the step size anyway.
        """
        c = self.constants
        self._t += 1
        self._first.lerp_(gradient, 1 - c.beta1)
        self._second.mul_(c.beta2).addcmul_(gradient, gradient, value=1 - c.beta2)
        unbiased = math.sqrt(1 - c.beta2**self._t)
        self.scale = unbiased / (1 - c.beta1**self._t)
        torch.sqrt(self._second, out=self._direction)
        self._direction.add_(c.epsilon * unbiased)
        return torch.div(self._first, self._direction, out=self._direction)
