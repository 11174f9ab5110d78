"""What callers of the library hand over, as arrays of float64: nothing is dropped or reordered in silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plm_engine.errors import DataError

Floats = NDArray[np.float64]


def as_numbers(values: Any, what: str) -> Floats:
    """Return ``values`` as float64; masked ones are missing (NaN).

    Raises
    ------
    DataError
        If some are no real numbers; ``what`` names them, such as ``"training data"``.
    """
    try:
        if np.ma.isMaskedArray(values):
            values = np.ma.filled(values.astype(np.float64), np.nan)
        array = np.asarray(values)
        if np.iscomplexobj(array):
            raise TypeError("complex numbers")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise DataError(f"The {what} hold values that are not numbers ({error}): convert them first.") from error


def driver_matrix(x: Any, features: Sequence[str]) -> Floats:
    """Return the drivers ``features`` of ``x``, shape (k, m), in that order.

    Parameters
    ----------
    x : DataFrame or array, shape (k, m)
        A DataFrame's columns are found by name, so they may come in any order and beside others; an array has the
        drivers in order.

    Raises
    ------
    DataError
        If drivers are missing or not finite numbers.
    """
    if hasattr(x, "columns"):
        names = [str(name) for name in x.columns]
        if names != list(features):
            missing = [name for name in features if name not in names]
            if missing:
                raise DataError(
                    f"The model needs the driver {', '.join(map(repr, missing))}, which the table does not have; "
                    f"its columns are {', '.join(names)}."
                )
            twice = [name for name in features if names.count(name) > 1]
            if twice:
                raise DataError(f"The table has more than one column {twice[0]!r}: the model needs one.")
            x = x.iloc[:, [names.index(name) for name in features]]
    matrix = as_numbers(x, "rows to forecast")
    if matrix.ndim != 2 or matrix.shape[1] != len(features):
        raise DataError(f"The model needs {len(features)} drivers; the data have shape {matrix.shape}.")
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        row, column = bad[0]
        raise DataError(f"Driver {features[column]!r} is missing or not finite in row {row + 1}.")
    return matrix
