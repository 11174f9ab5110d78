"""Load a saved model and predict with NumPy alone, without torch or pickle: for pages and scripts.

A model is one safetensors file: the weights W (p, m), b (p,), w_out (p,), w_0 () in standardised units, and a JSON
text in its header with the drivers' names, the scaler, the target and how it was made.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from plm_engine.datasets.arrays import driver_matrix
from plm_engine.datasets.scale import Scaler
from plm_engine.datasets.target import LEVEL, TargetForm
from plm_engine.errors import DataError, RunError

MODEL_FILE = "model.safetensors"


@dataclass(frozen=True)
class Model:
    """A trained network that predicts in the target's unit.

    Attributes
    ----------
    hidden_weight : ndarray, shape (p, m)
    hidden_bias, output_weight : ndarray, shape (p,)
    output_bias : float
    scaler : Scaler
    features : tuple of str
        Names of the m drivers, in order.
    target : str
    about : dict
        Everything else that was saved with it: goal, round, node ids, training range of each driver, network_sha256.
    """

    hidden_weight: np.ndarray
    hidden_bias: np.ndarray
    output_weight: np.ndarray
    output_bias: float
    scaler: Scaler
    features: tuple[str, ...]
    target: str
    about: dict[str, Any]

    def predict(self, x: Any) -> np.ndarray:
        """Return predictions, shape (k,), in the target's unit.

        Parameters
        ----------
        x : DataFrame or array, shape (k, m)
            A DataFrame may have further columns, in any order; an array has the drivers in order.

        Raises
        ------
        DataError
            If drivers, or the latest price where a change was learned, are missing or not finite numbers.
        """
        scaled = self.scaler.x(self._matrix(x))
        hidden = np.maximum(scaled @ self.hidden_weight.T + self.hidden_bias, 0)
        learned = self.scaler.y_back(hidden @ self.output_weight + self.output_bias)
        form = TargetForm(self.about.get("predict", LEVEL))
        return form.level(learned, self._latest(x) if form.needs_latest else None)

    def on_floor(self, x: Any) -> np.ndarray:
        """Return which rows, shape (k,) of bool, land where the linear regression of the first network is flat.

        The first network cannot predict below the lowest training target; there only crammed nodes still react.
        """
        first = [k for k, row in enumerate(self.about["node_rows"]) if row is None]
        if not first:
            return np.zeros(len(self._matrix(x)), dtype=bool)
        scaled = self.scaler.x(self._matrix(x))
        return (scaled @ self.hidden_weight[first].T + self.hidden_bias[first] <= 0).all(axis=1)

    def _latest(self, x: Any) -> np.ndarray:
        """Return the latest price of each row: a column of the table, or one of the drivers."""
        name = self.about["latest_price"]
        if hasattr(x, "columns") and name in x.columns:
            return np.asarray(x[name], dtype=np.float64)
        if name in self.features:
            return self._matrix(x)[:, self.features.index(name)]
        raise DataError(f"The model learned changes against {name!r}: give a table that has that column.")

    def _matrix(self, x: Any) -> np.ndarray:
        return driver_matrix(x, self.features)


def load_model(path: str | Path) -> Model:
    """Load a model file, or the newest model of a run's folder.

    Raises
    ------
    RunError
        If there is no model there or it cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        path = path / MODEL_FILE
    if not path.is_file():
        raise RunError(f"There is no model at {str(path)!r} yet: a run saves its first one when learning begins.")
    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads(file.metadata()["about"])
            weights = {name: file.get_tensor(name) for name in ("W", "b", "w_out", "w_0")}
        return Model(
            weights["W"].astype(np.float64),
            weights["b"].astype(np.float64),
            weights["w_out"].astype(np.float64),
            weights["w_0"].item(),
            Scaler.from_mapping(about.pop("scaler")),
            tuple(about.pop("features")),
            about.pop("target"),
            about,
        )
    except (OSError, KeyError, TypeError, ValueError, SafetensorError) as error:
        raise RunError(f"The model {str(path)!r} cannot be read ({error}): train it again.") from error


def round_file(folder: Path, number: int) -> Path:
    """Return where the arrays of a run's round lie."""
    return folder / "rounds" / f"round_{number:04d}.npz"


def load_round(folder: Path, number: int) -> dict[str, np.ndarray]:
    """Return the arrays of one round (see ``checkpoints.save_round``; a ``node_rows`` of 0 means none)."""
    with np.load(round_file(folder, number), allow_pickle=False) as arrays:
        return dict(arrays)
