"""What is learned of the target: its level, or its change against the latest known price.

Whatever is learned, forecasts and errors are always levels in the target's unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plm_engine.errors import DataError

Floats = NDArray[np.float64]
LEVEL, CHANGE, LOG_CHANGE = "level", "change", "log-change"
FORMS = (LEVEL, CHANGE, LOG_CHANGE)


@dataclass(frozen=True)
class TargetForm:
    """Leads from levels to what is learned, and back.

    Attributes
    ----------
    kind : str
        ``"level"``: y itself; ``"change"``: y - latest; ``"log-change"``: log(y / latest).
    """

    kind: str = LEVEL

    @property
    def needs_latest(self) -> bool:
        """Whether the latest known price of every row is needed."""
        return self.kind != LEVEL

    def learned(self, y: ArrayLike, latest: ArrayLike | None) -> Floats:
        """Return what is learned for levels ``y``, shape (n,), and latest prices, shape (n,).

        Raises
        ------
        DataError
            If a latest price is missing, or a logarithm has no value.
        """
        level = np.asarray(y, dtype=np.float64)
        if not self.needs_latest:
            return level
        base = self._base(latest, len(level))
        if self.kind == CHANGE:
            return level - base
        if len(level) and not level.min() > 0:
            raise DataError(f"A target is {level.min():g}, whose logarithm has no value: use --predict change.")
        return np.log(level) - np.log(base)

    def level(self, z: ArrayLike, latest: ArrayLike | None) -> Floats:
        """Return levels, shape (n,), for learned values ``z``, shape (n,)."""
        values = np.asarray(z, dtype=np.float64)
        if not self.needs_latest:
            return values
        base = self._base(latest, len(values))
        return base + values if self.kind == CHANGE else base * np.exp(values)

    def goal(self, goal: float, latest: ArrayLike | None) -> float:
        """Return a goal of the target's unit in the unit of what is learned.

        For a log change it is the goal's share of the median latest price: near it, the two goals agree.
        """
        if self.kind != LOG_CHANGE or latest is None:
            return goal
        return goal / float(np.median(np.asarray(latest, dtype=np.float64)))

    def _base(self, latest: ArrayLike | None, n: int) -> Floats:
        if latest is None:
            raise DataError(
                f"To learn the {self.kind}, the latest price of every row is needed: "
                "name its column with --latest-price, or use --predict level."
            )
        base = np.asarray(latest, dtype=np.float64)
        if base.shape != (n,) or not np.isfinite(base).all():
            raise DataError(
                f"The latest price is not known for every one of {n} rows, so their {self.kind} is not: "
                "leave those rows out, or use --predict level."
            )
        if self.kind == LOG_CHANGE and n and not base.min() > 0:
            raise DataError(f"A latest price is {base.min():g}, whose logarithm has no value: use --predict change.")
        return base
