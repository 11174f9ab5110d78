"""The forecasts that every model has to beat: persistence and linear regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression

from plm_engine.datasets.prepare import Prepared
from plm_engine.datasets.scale import Scaler
from plm_engine.evaluation.least_squares import AT_ONCE, least_squares, on_line
from plm_engine.evaluation.metrics import Measure, mae

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Baseline:
    """Forecasts of one baseline, in the target's unit.

    Attributes
    ----------
    name : str
        ``"persistence"`` or ``"linear regression"``.
    train, test : ndarray
        Forecasts of the training and test rows; NaN where there is none (persistence of the first rows).
    mae_train, mae_test : float or Undefined
        Mean absolute errors.
    note : str
        A caution, such as that a driver gives the target away.
    """

    name: str
    train: Floats
    test: Floats
    mae_train: Measure
    mae_test: Measure
    note: str = ""


def persistence(prepared: Prepared) -> Baseline:
    """Forecast the latest known price: the *latest price* column, or the target of ``horizon`` rows earlier.

    Each test row gets the value known when *it* is forecast, not one value held for all of them.
    """
    by_number = np.argsort(prepared.rows)
    train, test = (
        prepared.latest_price[by_number[np.searchsorted(prepared.rows, rows, sorter=by_number)]]
        for rows in (prepared.rows_train, prepared.rows_test)
    )
    return _baseline("persistence", prepared, train, test)


def linear_regression(prepared: Prepared) -> Baseline | None:
    """Forecast by ordinary least squares on drivers standardised with the training rows; None without drivers.

    Standardising is not cosmetic: on columns of unlike size the solver truncates the rank and silently gives another
    answer.
    """
    if not prepared.features:
        return None
    scaler = Scaler.fit(prepared.x_train, prepared.y_train)
    if prepared.x_train.size > AT_ONCE:
        line = least_squares(scaler, prepared.x_train, prepared.y_train)
        train, test = (scaler.y_back(on_line(scaler, x, *line)) for x in (prepared.x_train, prepared.x_test))
    else:
        x_train = scaler.x(prepared.x_train)
        model = LinearRegression().fit(x_train, scaler.y(prepared.y_train))
        train = scaler.y_back(model.predict(x_train))
        test = scaler.y_back(model.predict(scaler.x(prepared.x_test))) if len(prepared.x_test) else prepared.y_test
    leaks = [name for f in prepared.findings if f.kind == "leak" for name in f.columns]
    note = f"leakage: {', '.join(leaks)} give{'s' * (len(leaks) == 1)} the target away" if leaks else ""
    return _baseline("linear regression", prepared, train, test, note)


def baselines(prepared: Prepared) -> list[Baseline]:
    """Return every baseline that the data allows, persistence first."""
    regression = linear_regression(prepared)
    return [persistence(prepared)] + ([regression] if regression else [])


def _baseline(name: str, prepared: Prepared, train: Floats, test: Floats, note: str = "") -> Baseline:
    return Baseline(name, train, test, mae(prepared.y_train, train), mae(prepared.y_test, test), note)
