"""The models every network is compared with, as fit functions: persistence, regression, ridge, backpropagation.

- *persistence*: the latest known price.
- *linear regression*: least squares on drivers standardised with the training rows.
- *ridge*: the penalty, from 1e-3 to 1e7, is chosen by forward chaining inside the training rows.  Where a latest price
  is known, so is whether the level or the change is learned: a change under a large penalty is persistence plus the
  mean change, so the range reaches from least squares to near-persistence.
- *backpropagation*: a two-layer ReLU network of fixed width trained with Adam on mini-batches (scikit-learn's), the
  rival of the Pupil Learning Mechanism paper.  Early stopping watches the newest training rows, and the weights that
  were best there are kept.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neural_network import MLPRegressor

from plm_engine.datasets.scale import Scaler
from plm_engine.datasets.target import LEVEL, TargetForm
from plm_engine.evaluation.chain import known_before
from plm_engine.evaluation.fitting import Fit, Fitted, Sample
from plm_engine.evaluation.starts import PENALTIES, forms_to_try, penalty_errors

Floats = NDArray[np.float64]
PERSISTENCE, REGRESSION, RIDGE, BACKPROPAGATION = "persistence", "linear regression", "ridge", "backpropagation"
VALIDATION_SHARE = 0.15
MAX_EPOCHS, PATIENCE = 500, 30


def persistence(sample: Sample) -> Fitted:
    """Forecast the latest known price of every row."""
    return Fitted(lambda rows: rows.latest.copy())


def linear_regression(sample: Sample, form: TargetForm | None = None) -> Fitted:
    """Fit ordinary least squares."""
    return _linear(LinearRegression(), sample, form or TargetForm(LEVEL), {})


def ridge(sample: Sample) -> Fitted:
    """Fit ridge with form and penalty chosen by forward chaining inside ``sample``."""
    sample = _with_latest(sample)
    tried = [
        (float(error), PENALTIES[k], form)
        for form in forms_to_try(sample.has_latest)
        for k, error in enumerate(penalty_errors(sample.x, sample.y, sample.latest, form, sample.horizon))
    ]
    error, penalty, form = min(tried, key=lambda entry: entry[0])
    about = {"penalty": penalty, "predict": form.kind, "validation_mae": error}
    return _linear(Ridge(penalty), sample, form, about)


def backpropagation(sample: Sample, *, nodes: int = 20, seed: int = 0) -> Fitted:
    """Train a two-layer network of fixed width with early stopping on the newest training rows.

    Where a latest price is known, level and change are both tried and the better one on those rows is kept.
    """
    sample = _with_latest(sample)
    tried = [_early_stopped(sample, nodes, seed, form) for form in forms_to_try(sample.has_latest)]
    return min(tried, key=lambda fitted: fitted.about["validation_mae"])


def _early_stopped(sample: Sample, nodes: int, seed: int, form: TargetForm) -> Fitted:
    n = len(sample)
    held_back = max(1, round(VALIDATION_SHARE * n))
    known = max(2, known_before(n - held_back, sample.horizon))
    old, new = np.arange(known), np.arange(n - held_back, n)
    learned = form.learned(sample.y, sample.latest)
    scaler = Scaler.fit(sample.x[old], learned[old])
    x, y = scaler.x(sample.x), scaler.y(learned)
    network = MLPRegressor(hidden_layer_sizes=(nodes,), random_state=seed, batch_size=min(32, known))

    def forecast(rows: Sample) -> Floats:
        z = network.predict(scaler.x(rows.x)) if len(rows) else np.empty(0)
        return form.level(scaler.y_back(z), rows.latest)

    best, best_at, weights = np.inf, 0, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for epoch in range(MAX_EPOCHS):
            network.partial_fit(x[old], y[old])
            error = float(np.mean((network.predict(x[new]) - y[new]) ** 2))
            if error < best:
                best, best_at, weights = error, epoch, _copied(network)
            elif epoch - best_at >= PATIENCE:
                break
    if weights is not None:
        network.coefs_, network.intercepts_ = weights
    validation = sample.take(new)
    about = {
        "n_hidden": nodes,
        "epochs": best_at + 1,
        "predict": form.kind,
        "validation_mae": float(np.abs(forecast(validation) - validation.y).mean()),
    }
    return Fitted(forecast, sum(part.size for part in (*network.coefs_, *network.intercepts_)), about)


def rivals(*, nodes: int = 20, seed: int = 0) -> dict[str, Fit]:
    """Return the fit function of every rival, persistence first."""
    return {
        PERSISTENCE: persistence,
        REGRESSION: linear_regression,
        RIDGE: ridge,
        BACKPROPAGATION: lambda sample: backpropagation(sample, nodes=nodes, seed=seed),
    }


def _linear(model: Any, sample: Sample, form: TargetForm, about: dict[str, Any]) -> Fitted:
    learned = form.learned(sample.y, sample.latest)
    scaler = Scaler.fit(sample.x, learned)
    model.fit(scaler.x(sample.x), scaler.y(learned))

    def forecast(rows: Sample) -> Floats:
        z = model.predict(scaler.x(rows.x)) if len(rows) else np.empty(0)
        return form.level(scaler.y_back(z), rows.latest)

    return Fitted(forecast, sample.x.shape[1] + 1, {"predict": form.kind, **about})


def _with_latest(sample: Sample) -> Sample:
    """Leave out rows without a latest price where one is needed."""
    return sample.take(~np.isnan(sample.latest)) if sample.has_latest else sample


def _copied(network: MLPRegressor) -> tuple[list[Any], list[Any]]:
    return [w.copy() for w in network.coefs_], [b.copy() for b in network.intercepts_]
