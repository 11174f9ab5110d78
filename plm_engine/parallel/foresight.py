"""Trial steps that need no computing: along a direction that leads uphill, small steps provably do not lower the loss.

Adam's direction d (theta' = theta - eta d) is no gradient: with momentum it may point uphill, slope = -g . d > 0.  The
step-size rule then shrinks eta down to its floor, some twenty trials that all end alike.  For a network f with errors
e_r = f(x_r) - y_r on N rows, hidden values u_ri = W~_i x~_r and a_ri = D_i x~_r (D, dv: parts of d),

    loss(eta) - loss(0) >= 2/N sum_r e_r (f'_r - f_r)                 since squares (and the penalty) are convex
                        >= eta (slope - bend(eta)),
    bend(eta) = 2/N sum_r abs(e_r) sum_i (abs(v_i) relu(abs(a_ri) - abs(u_ri) / eta) + eta abs(dv_i a_ri)):

a hidden node departs from its straight line only beyond its kink, and through the product of both changes.  bend grows
with eta, so a proof at one step size holds for all smaller ones, as long as the rise exceeds what rounding may do to
the two losses, which is bounded too (n eps for a sum of n products, with a factor to spare).

So the rule judges exactly as if every trial had been computed.  A proof costs about four trials and saves twenty.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from plm_engine.parallel.kernel import Rows, Weights
from plm_engine.parallel.strategy import Measured

#: what a trial that is not computed is said to have measured: no rule keeps it
NOT_LOWER = Measured(math.inf, math.inf)


class Barred(NamedTuple):
    """Step sizes that do not lower the loss, proven from ``least`` to ``most``."""

    least: float
    most: float

    def holds(self, step_size: float) -> bool:
        """Whether a step of this size is among them."""
        return self.least <= step_size <= self.most


#: nothing proven
NOTHING = Barred(math.inf, 0.0)


class Barrier:
    """What is proven about the steps from one point; a proof that failed is tried again for steps half as long."""

    def __init__(self) -> None:
        self._asked, self._barred = math.inf, NOTHING

    def holds(self, step_size: float, prove: Callable[[float], Barred]) -> bool:
        """Whether a step of this size is known to be in vain; ``prove`` says what can be proven up to a size."""
        if self._barred is NOTHING and step_size <= self._asked / 2:
            self._asked, self._barred = step_size, prove(step_size)
        return self._barred.holds(step_size)


class Foresight:
    """Proofs about networks on fixed rows; holds work space, so it is for one thread.

    Parameters
    ----------
    rows : Rows
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        lines = [torch.cat([xt, y[None]]).abs().amax(dim=1) for xt, y in zip(rows.xt, rows.minus_y, strict=True)]
        # the largest absolute value of every line of x~' and of y, shape (m + 2,)
        self._spread = torch.stack(lines).amax(dim=0)
        self._space = rows.y[0].new_empty(0)

    @classmethod
    def of(cls, rows: Rows) -> Foresight:
        """Return the one that is kept with these rows."""
        if "foresight" not in rows.extra:
            rows.extra["foresight"] = cls(rows)
        return rows.extra["foresight"]

    def barred(self, at: Weights, way: Weights, slope: float, step_size: float) -> Barred:
        """Return which step sizes, up to ``step_size``, are proven not to lower the loss.

        Parameters
        ----------
        at, way : Weights
            Kept weights theta, and direction d.
        slope : float
            -g . d, with the gradient g of the loss (penalty included) at theta; downhill there is nothing to prove.
        """
        v, dv, dc = at.output[:-1].abs(), way.output[:-1].abs(), float(way.output[-1].abs())
        bend, errors, squares = self._sums(at, way, v, dv, step_size)
        # bounds of all outputs and of their changes, from the largest value in each column: rounding is a share of them
        spread, n = self._spread, self._rows.n_rows
        reach, change = at.hidden.abs() @ spread[:-1], way.hidden.abs() @ spread[:-1]
        eps = torch.finfo(v.dtype).eps
        steep = float(torch.dot(v, change) + torch.dot(dv, reach)) + dc
        certain = slope - 2 / n * (bend + (n + len(v)) * eps * errors * steep)
        if not certain > 0:
            return NOTHING
        largest = float(torch.dot(v + step_size * dv, reach + step_size * change) + at.output[-1].abs() + spread[-1])
        wrong = (len(v) + len(spread) + 8) * eps * (largest + step_size * dc)
        loss = squares / n
        rounding = 8 * wrong * (math.sqrt(loss) + wrong) + 4 * n * eps * loss
        return Barred(rounding / certain, step_size)

    def _sums(self, at: Weights, way: Weights, v: Tensor, dv: Tensor, step_size: float) -> tuple[float, float, float]:
        """Return N / 2 times the bend, and the sums of abs(e) and of e^2."""
        bend = errors = squares = 0.0
        for xt, minus_y in zip(self._rows.xt, self._rows.minus_y, strict=True):
            hidden, moved, beyond = self._room(len(v), xt.shape[1])
            torch.mm(at.hidden, xt, out=hidden)
            torch.mm(way.hidden, xt, out=moved).abs_()
            torch.abs(hidden, out=beyond)
            torch.sub(moved, beyond, alpha=1 / step_size, out=beyond).relu_()
            hidden.relu_()
            error = torch.addmv(minus_y, hidden.T, at.output[:-1]).add_(at.output[-1]).abs_()
            bend += float(torch.dot(error, torch.mv(beyond.T, v).addmv_(moved.T, dv, alpha=step_size)))
            squares += float(torch.dot(error, error))
            errors += float(error.sum())
        return bend, errors, squares

    def _room(self, p: int, n: int) -> Tensor:
        """Return work space of shape (3, p, n), which is kept: fresh memory costs more than the arithmetic."""
        if len(self._space) < 3 * p * n:
            self._space = self._space.new_empty(3 * p * max(len(y) for y in self._rows.y))
        return self._space[: 3 * p * n].view(3, p, n)
