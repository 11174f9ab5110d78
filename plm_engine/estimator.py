"""The network as a scikit-learn estimator: usable in Pipeline, GridSearchCV and TimeSeriesSplit.

Three lines::

    from plm_engine.estimator import PLMRegressor
    model = PLMRegressor(goal_percent=10, seed=1).fit(x, y)
    model.predict(x_new)
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from plm_engine.config import Config
from plm_engine.datasets.scale import Scaler
from plm_engine.errors import ContradictionError

Floats = NDArray[np.float64]


class ContradictionWarning(UserWarning):
    """The learning goal was widened, because rows with equal drivers have targets too far apart for it."""


class PLMRegressor(RegressorMixin, BaseEstimator):
    """The revised Pupil Learning Mechanism.

    Parameters
    ----------
    goal : float or None
        Largest allowed error of a learned row, in the target's unit.
    goal_percent : float
        The same as a share of the training target's range, used where ``goal`` is None.
    pick, epochs, regularizing_epochs, regularizing_lambda, cramming, interpreting, start
        See :class:`plm_engine.Config`.
    max_rounds, max_nodes, max_minutes : optional
        Budget of one ``fit`` or ``partial_fit``.
    contradictions : {"widen", "raise"}
        Rows with equal drivers and targets further apart than twice the goal cannot be learned: widen the goal to the
        smallest possible one, with a :class:`ContradictionWarning`, or raise
        :class:`plm_engine.errors.ContradictionError`.
    seed : int

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where ``fit`` got names.
    n_hidden_, n_rounds_, n_iter_ : int
        Hidden nodes, rounds, and kept steps (at least 1) of the last training.
    goal_ : float
        The goal that was used, in the target's unit.
    reason_ : str
        Why training ended.
    """

    def __init__(
        self,
        goal: float | None = None,
        *,
        goal_percent: float = 10.0,
        pick: int = 5,
        epochs: int = 50,
        regularizing_epochs: int = 50,
        regularizing_lambda: float = 1e-3,
        cramming: str = "offset",
        interpreting: str = "two-sided",
        start: str = "least-squares",
        max_rounds: int | None = None,
        max_nodes: int | None = None,
        max_minutes: float | None = None,
        contradictions: str = "widen",
        seed: int = 0,
    ) -> None:
        self.goal = goal
        self.goal_percent = goal_percent
        self.pick = pick
        self.epochs = epochs
        self.regularizing_epochs = regularizing_epochs
        self.regularizing_lambda = regularizing_lambda
        self.cramming = cramming
        self.interpreting = interpreting
        self.start = start
        self.max_rounds = max_rounds
        self.max_nodes = max_nodes
        self.max_minutes = max_minutes
        self.contradictions = contradictions
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Learn rows ``X``, shape (n, m), with targets ``y``, shape (n,)."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        self._train(X, np.asarray(y, dtype=np.float64), None)
        return self

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn further rows: go on from the network, with the rows learned before kept in the training set.

        The first call is ``fit``, except that one row alone is allowed and only remembered.
        """
        first = not hasattr(self, "_x")
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, reset=first)
        y = np.asarray(y, dtype=np.float64)
        if first:
            self._train(X, y, None)
        else:
            going_on = None if self._scaler is None else (self._network, self._scaler)
            self._train(np.concatenate([self._x, X]), np.concatenate([self._y, y]), going_on)
        return self

    def predict(self, X: Any) -> Floats:
        """Return forecasts, shape (k,), in the target's unit."""
        check_is_fitted(self, "n_hidden_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if self._weights is None or self._scaler is None:
            return np.full(len(X), float(self._y.mean()))
        w, b, out, bias = self._weights
        hidden = np.maximum(self._scaler.x(X) @ w.T + b, 0)
        return self._scaler.y_back(hidden @ out + bias)

    def _train(self, x: Floats, y: Floats, first: tuple[Any, Scaler] | None) -> None:
        self._network: Any
        self._scaler: Scaler | None
        self._weights: tuple[Floats, Floats, Floats, float] | None
        from plm_engine.checkpoints import weights_of
        from plm_engine.training import train

        self._x, self._y = x, y
        config = self._config(y)
        if len(y) < 2 or y.max() == y.min():  # nothing to learn yet: forecast the mean
            self._network, self._scaler, self._weights = None, None, None
            self.n_hidden_, self.n_rounds_, self.n_iter_ = 0, 0, 1
            self.goal_, self.reason_ = float(self.goal or 0.0), "every target is the same"
            return
        try:
            result = train(x, y, config, first=first)
        except ContradictionError as error:
            if self.contradictions != "widen":
                raise
            goal = error.smallest_goal * (1 + 1e-9)
            warnings.warn(f"{error} The goal was widened to {goal:g}.", ContradictionWarning, stacklevel=3)
            result = train(x, y, config.replace(goal=goal, goal_percent=None), first=first)
        self._network, self._scaler = result.network, result.scaler
        weights = weights_of(result.network)
        self._weights = weights["W"], weights["b"], weights["w_out"], float(weights["w_0"])
        last = result.history[-1]
        self.n_hidden_, self.n_rounds_, self.n_iter_ = last.n_hidden, last.number, max(1, last.kept_steps)
        self.goal_, self.reason_ = result.goal, str(result.reason)

    def _config(self, y: Floats) -> Config:
        names: tuple[str, ...] = (
            "pick",
            "epochs",
            "regularizing_epochs",
            "regularizing_lambda",
            "cramming",
            "interpreting",
            "start",
        )
        names += ("max_rounds", "max_nodes", "max_minutes", "seed")
        percent = None if self.goal is not None else self.goal_percent
        return Config(
            goal=self.goal, goal_percent=percent, device="cpu", **{name: getattr(self, name) for name in names}
        )
