"""The linear functions that a network can start from: least squares, ridge, or the latest price."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression, Ridge

from plm_engine.datasets.scale import Scaler
from plm_engine.datasets.target import CHANGE, LEVEL, TargetForm
from plm_engine.errors import DataError
from plm_engine.evaluation.chain import forward_folds
from plm_engine.evaluation.least_squares import AT_ONCE, least_squares, on_line

Floats = NDArray[np.float64]
#: penalties of ridge on standardised drivers: from none that matters to one that leaves the mean alone
PENALTIES = tuple(float(v) for v in 10.0 ** np.arange(-3, 7.5, 0.5))
RIDGE_FOLDS = 5


def start_line(
    kind: str, scaler: Scaler, x: Floats, learned: Floats, latest: Floats | None, form: TargetForm, horizon: int
) -> tuple[Floats, float] | None:
    """Return coefficients (m,) and intercept, in standardised units, of the function to start from.

    Parameters
    ----------
    kind : str
        ``"least-squares"`` gives None: interpreting computes it itself, unless the table is too large to be copied.
    scaler : Scaler
        Of the training rows.
    x, learned, latest : ndarray, shapes (N, m), (N,), (N,)
        Training rows: drivers, what is learned of the target, latest known price.
    form : TargetForm
    horizon : int

    Raises
    ------
    DataError
        If the latest price is to be the start and is none of the drivers.
    """
    if kind == "least-squares":
        return least_squares(scaler, x, learned) if x.size > AT_ONCE else None
    if kind == "ridge":
        penalty = best_penalty(x, learned, horizon)
        model = Ridge(penalty).fit(scaler.x(x), scaler.y(learned))
        return np.asarray(model.coef_, dtype=np.float64), float(model.intercept_)
    nothing, unit = np.zeros(x.shape[1]), scaler.y_spread or 1.0
    if form.needs_latest:  # a change of 0 is the latest price
        return nothing, -scaler.y_mean / unit
    column = None if latest is None else _column_of(x, np.asarray(latest))
    if column is None:
        raise DataError(
            "To start from persistence, the latest price must be known: name its column with --latest-price and keep "
            "it among the drivers, or learn the change with --predict change."
        )
    line = nothing.copy()
    line[column] = scaler.x_spread[column] / unit
    return line, float((scaler.x_mean[column] - scaler.y_mean) / unit)


def line_residuals(
    kind: str, x: Floats, y: Floats, latest: Floats | None, form: TargetForm, horizon: int
) -> tuple[Floats, Floats]:
    """Return errors, in the unit of what is learned, and as levels, of the start on the rows it was made from."""
    learned = form.learned(y, latest)
    scaler = Scaler.fit(x, learned)
    line = start_line(kind, scaler, x, learned, latest, form, horizon)
    if line is None:
        model = LinearRegression().fit(scaler.x(x), scaler.y(learned))
        line = np.asarray(model.coef_), float(model.intercept_)
    fitted = scaler.y_back(on_line(scaler, x, *line))
    return learned - fitted, y - form.level(fitted, latest)


def best_penalty(x: Floats, y: Floats, horizon: int) -> float:
    """Return the ridge penalty with the smallest mean absolute error on forward-chained folds of the rows."""
    errors = penalty_errors(x, y, np.zeros(len(y)), TargetForm(LEVEL), horizon)
    return PENALTIES[int(np.argmin(errors))]


def penalty_errors(x: Floats, y: Floats, latest: Floats, form: TargetForm, horizon: int) -> Floats:
    """Return the forward-chained mean absolute error, as levels, of every penalty of :data:`PENALTIES`."""
    totals, count = np.zeros(len(PENALTIES)), 0
    for fold in forward_folds(len(y), horizon, RIDGE_FOLDS):
        learned = form.learned(y[fold.train], latest[fold.train])
        scaler = Scaler.fit(x[fold.train], learned)
        x_train, y_train, x_test = scaler.x(x[fold.train]), scaler.y(learned), scaler.x(x[fold.test])
        for k, penalty in enumerate(PENALTIES):
            z = scaler.y_back(Ridge(penalty).fit(x_train, y_train).predict(x_test))
            totals[k] += np.abs(y[fold.test] - form.level(z, latest[fold.test])).sum()
        count += len(fold.test)
    return totals / count


def forms_to_try(has_latest: bool) -> tuple[TargetForm, ...]:
    """Return the forms in which a rival may learn: changes too, where a latest price is known."""
    return (TargetForm(LEVEL), TargetForm(CHANGE)) if has_latest else (TargetForm(LEVEL),)


def _column_of(x: Floats, latest: Floats) -> int | None:
    same = np.flatnonzero((x == latest[:, None]).all(axis=0))
    return int(same[0]) if len(same) else None
