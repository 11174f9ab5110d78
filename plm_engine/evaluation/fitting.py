"""The contract of every model that is compared, backtested or wrapped in intervals: a fit function.

A fit function gets a :class:`Sample` to learn from and returns a :class:`Fitted`, which forecasts other samples, always
as levels in the target's unit.  The network is one of them; its fit function comes from ``plm_engine.forecasting``, so
that nothing here knows torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plm_engine.datasets.prepare import Prepared

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Rows in time order, in the units of the file.

    Attributes
    ----------
    x : ndarray, shape (n, m)
        Drivers.
    y : ndarray, shape (n,)
        Target, as a level.
    latest : ndarray, shape (n,)
        Latest price known when each row is forecast; NaN where nothing was known yet.
    rows : ndarray of int, shape (n,)
        1-based data row numbers.
    features : tuple of str
    latest_column : int or None
        Position of the latest-price column among the drivers; None where it is none of them.
    has_latest : bool
        Whether such a column was named: only then a change can be learned.
    horizon : int
    """

    x: Floats
    y: Floats
    latest: Floats
    rows: NDArray[np.int64]
    features: tuple[str, ...]
    latest_column: int | None
    has_latest: bool
    horizon: int

    def __len__(self) -> int:
        return len(self.y)

    def take(self, positions: Any) -> Sample:
        """Return the rows at ``positions``."""
        return Sample(
            self.x[positions],
            self.y[positions],
            self.latest[positions],
            self.rows[positions],
            self.features,
            self.latest_column,
            self.has_latest,
            self.horizon,
        )

    def shuffled(self, column: int, order: NDArray[np.intp]) -> Sample:
        """Return the rows with driver ``column`` in another order; the latest price moves with it if it is the one."""
        x, latest = self.x.copy(), self.latest
        x[:, column] = x[order, column]
        if column == self.latest_column:
            latest = latest[order]
        return Sample(x, self.y, latest, self.rows, self.features, self.latest_column, self.has_latest, self.horizon)

    @classmethod
    def of(cls, prepared: Prepared, part: str | None = None) -> Sample:
        """Return the rows of one part (``"train"`` or ``"test"``), or all of them, in time order."""
        keep = np.array([part is None or p == part for p in prepared.part], dtype=bool)
        column = prepared.roles.latest_price
        return cls(
            prepared.x[keep],
            prepared.actual[keep],
            prepared.latest_price[keep],
            prepared.rows[keep],
            prepared.features,
            prepared.features.index(column) if column in prepared.features else None,
            column is not None,
            prepared.horizon,
        )


@dataclass(frozen=True)
class Fitted:
    """A model that has learned.

    Attributes
    ----------
    forecast : callable
        Sample -> levels, shape (n,); NaN where there is no forecast.
    n_parameters : int
    about : dict
        Plain values to show beside it, such as the penalty or the number of hidden nodes.
    """

    forecast: Callable[[Sample], Floats]
    n_parameters: int = 0
    about: dict[str, Any] = field(default_factory=dict)


Fit = Callable[[Sample], Fitted]
