"""Rolling-origin backtest: stand at an origin, learn from what was known there, forecast, move on.

At origin t (a position in time order that counts from 0) the rows t, ..., t + step - 1 are forecast.  Their targets,
and every target later than t - h, are not known yet, so the training rows are 0, ..., t - h (expanding window) or the
newest ``window_rows`` of them (sliding).  The number of forecasts is the number of rows from the first origin on.

Models are fit functions (``plm_engine.evaluation.fitting``).  Each origin is computed on its own, so that results can
be kept one by one and a backtest that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plm_engine.errors import ConfigError, DataError
from plm_engine.evaluation.chain import MIN_ROWS, Positions, known_before
from plm_engine.evaluation.fitting import Fit, Sample
from plm_engine.evaluation.metrics import Undefined, metrics, skill
from plm_engine.evaluation.rivals import PERSISTENCE
from plm_engine.evaluation.tests_of_difference import diebold_mariano

WINDOWS = ("expanding", "sliding")


@dataclass(frozen=True)
class Plan:
    """Where a backtest stands and what it forecasts.

    Attributes
    ----------
    first_origin : int
        Position, counted from 0, of the first row forecast.
    step : int
        Rows between two origins, and rows forecast at each.
    horizon : int
        Rows between the latest known target and the row at the origin.
    window : str
        ``"expanding"`` or ``"sliding"``.
    window_rows : int or None
        Length of a sliding window; that of the first one if None.
    rechoose_every : int
        Origins between two choices of goal and start, where these are chosen.
    """

    first_origin: int
    step: int = 1
    horizon: int = 1
    window: str = "expanding"
    window_rows: int | None = None
    rechoose_every: int = 12

    def __post_init__(self) -> None:
        if self.window not in WINDOWS:
            raise ConfigError(f"Option --window is {self.window!r}, which is not allowed: give expanding or sliding.")
        for name in ("step", "horizon", "rechoose_every"):
            if getattr(self, name) < 1:
                raise ConfigError(f"Option --{name.replace('_', '-')} is {getattr(self, name)}: give at least 1.")

    def origins(self, n: int) -> list[int]:
        """Return the origins among ``n`` rows.

        Raises
        ------
        DataError
            If the first origin leaves too few rows to learn from, or none to forecast.
        """
        lowest = MIN_ROWS + self.horizon - 1
        if not lowest <= self.first_origin < n:
            raise DataError(
                f"The first origin is {self.first_origin}, but with {n} usable rows and horizon {self.horizon} it can "
                f"be from {lowest} to {n - 1} (counted from 0)."
            )
        return list(range(self.first_origin, n, self.step))

    def train(self, origin: int) -> Positions:
        """Return the positions to learn from at an origin."""
        known = known_before(origin, self.horizon)
        oldest = 0
        if self.window == "sliding":
            length = self.window_rows or known_before(self.first_origin, self.horizon)
            oldest = max(0, known - length)
        return np.arange(oldest, known)

    def test(self, origin: int, n: int) -> Positions:
        """Return the positions forecast at an origin."""
        return np.arange(origin, min(origin + self.step, n))


def forecast_origin(sample: Sample, plan: Plan, origin: int, fits: Mapping[str, Fit]) -> dict[str, Any]:
    """Fit every model at one origin and forecast; returns plain values, ready for JSON."""
    train, test = sample.take(plan.train(origin)), sample.take(plan.test(origin, len(sample)))
    result: dict[str, Any] = {
        "origin": origin,
        "n_train": len(train),
        "newest_known_row": int(train.rows[-1]),
        "rows": test.rows.tolist(),
        "actual": test.y.tolist(),
        "models": {},
    }
    for name, fit in fits.items():
        began = time.perf_counter()
        fitted = fit(train)
        predicted = [float(v) for v in fitted.forecast(test)]
        result["models"][name] = {
            "predicted": predicted,
            "seconds": time.perf_counter() - began,
            "n_parameters": fitted.n_parameters,
            "about": fitted.about,
        }
    return result


def summary(results: Iterable[Mapping[str, Any]], plan: Plan) -> dict[str, Any]:
    """Put the results of all origins together.

    Returns
    -------
    dict
        ``table``: one mapping per model with MAE, RMSE, MAPE, R2, skill, the spread of its errors over origins, the
        Diebold-Mariano test against persistence and a sentence; ``by_origin``: mean absolute error of each model at
        each origin; ``cumulative_skill``: 1 - MAE / MAE of persistence over all forecasts up to each origin.
    """
    ordered = sorted(results, key=lambda r: r["origin"])
    actual = np.concatenate([r["actual"] for r in ordered])
    names = [n for n in ordered[0]["models"] if all(n in r["models"] for r in ordered)]
    predicted = {n: np.concatenate([r["models"][n]["predicted"] for r in ordered]) for n in names}
    errors = {n: predicted[n] - actual for n in names}
    edges = np.cumsum([len(r["rows"]) for r in ordered])
    by_origin = {n: [float(np.abs(part).mean()) for part in np.split(errors[n], edges[:-1])] for n in names}
    table = [_line(n, actual, predicted, errors, by_origin[n], ordered, plan) for n in names]
    naive = np.cumsum(np.abs(errors[PERSISTENCE])) if PERSISTENCE in errors else None
    cumulative = {}
    for n in names:
        if naive is not None and (naive[edges - 1] > 0).all():
            cumulative[n] = (1 - np.cumsum(np.abs(errors[n]))[edges - 1] / naive[edges - 1]).tolist()
    return {
        "first_origin": plan.first_origin,
        "step": plan.step,
        "horizon": plan.horizon,
        "window": plan.window,
        "n_origins": len(ordered),
        "n_forecasts": len(actual),
        "origins": [r["origin"] for r in ordered],
        "table": table,
        "by_origin": by_origin,
        "cumulative_skill": cumulative,
    }


def _line(
    name: str,
    actual: np.ndarray,
    predicted: Mapping[str, np.ndarray],
    errors: Mapping[str, np.ndarray],
    by_origin: list[float],
    ordered: list[Mapping[str, Any]],
    plan: Plan,
) -> dict[str, Any]:
    """Return one model's line of the table."""
    measured = metrics(actual, predicted[name])
    models = [r["models"][name] for r in ordered]
    line: dict[str, Any] = {
        "model": name,
        "mae": plain(measured.mae),
        "rmse": plain(measured.rmse),
        "mape": plain(measured.mape),
        "r2": plain(measured.r2),
        "largest_error": plain(measured.largest_residual),
        "mae_by_origin": {
            "median": float(np.median(by_origin)),
            "quartiles": [float(v) for v in np.percentile(by_origin, [25, 75])],
            "range": [min(by_origin), max(by_origin)],
        },
        "seconds": sum(m["seconds"] for m in models),
    }
    rounds = [m["about"]["rounds"] for m in models if "rounds" in m["about"]]
    if rounds:
        line["least_rounds"] = min(rounds)
        line["mean_hidden"] = float(np.mean([m["about"]["n_hidden"] for m in models]))
    if PERSISTENCE not in errors:
        return line
    naive = metrics(actual, predicted[PERSISTENCE]).mae
    line["skill"] = plain(skill(measured.mae, naive))
    if name != PERSISTENCE:
        test = diebold_mariano(errors[name], errors[PERSISTENCE], plan.horizon)
        if isinstance(test, Undefined):
            line["diebold_mariano"], line["sentence"] = str(test), f"Compared with persistence: {test}."
        else:
            line["diebold_mariano"] = {"statistic": test.statistic, "p_value": test.p_value}
            line["sentence"] = test.sentence(name, PERSISTENCE)
    return line


def plain(measure: Any) -> Any:
    """Return a measure as a number, or its reason in words."""
    return str(measure) if isinstance(measure, Undefined) else float(measure)
