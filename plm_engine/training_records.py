"""What training leaves behind: a record of every complete round, and the result.  All in the target's unit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from plm_engine.config import Config
from plm_engine.datasets.arrays import driver_matrix
from plm_engine.datasets.scale import Scaler
from plm_engine.datasets.target import TargetForm
from plm_engine.learning.outcome import EndReason
from plm_engine.network import TwoLayerNetwork

#: rows whose predictions are computed at once
AT_ONCE = 65_536


@dataclass(frozen=True)
class RoundRecord:
    """One complete round, in the target's unit; row numbers are 1-based data rows.

    Attributes
    ----------
    number : int
        0 is the first network, before any round.
    picked, learned : ndarray of int
        Rows picked in the round (nearest first), and all rows within the goal at its end.
    n_learned : int
        How many those are.
    rows, marks : ndarray of int, ndarray of uint8
        All training rows, and a bit for each that says whether it is learned: every round of a run is held.
    network : TwoLayerNetwork
        At the round's end.
    predicted : ndarray
        Of that network on the rows watched (see :class:`Watched`).
    """

    number: int
    picked: np.ndarray
    n_learned: int
    outcome: str
    n_hidden_before: int
    n_hidden_crammed: int
    n_hidden: int
    largest_residual: float
    train_mae: float
    test_mae: float | None
    seconds: dict[str, float]
    kept_steps: int
    network: TwoLayerNetwork = field(repr=False)
    predicted: np.ndarray = field(repr=False)
    rows: np.ndarray = field(repr=False)
    marks: np.ndarray = field(repr=False)

    @property
    def learned(self) -> np.ndarray:
        """Rows within the goal at the round's end."""
        return self.rows[np.unpackbits(self.marks, count=len(self.rows)).view(bool)]


@dataclass
class TrainResult:
    """What :func:`train` returns.

    Attributes
    ----------
    network : TwoLayerNetwork
        Of the last complete round, in standardised units.
    scaler : Scaler
        Leads to and from standardised units.
    reason : EndReason
    sentence : str
        Why training ended, for people.
    goal : float
        Learning goal in the target's unit.
    history : list of RoundRecord
        Every complete round, first the one numbered 0.
    seconds : dict
        Seconds in each module, in both parts of organizing, and in total.
    """

    config: Config
    network: TwoLayerNetwork
    scaler: Scaler
    features: tuple[str, ...]
    target: str
    goal: float
    n_train: int
    n_test: int
    reason: EndReason
    sentence: str
    history: list[RoundRecord]
    seconds: dict[str, float]

    def predict(self, x: Any, latest: Any = None) -> np.ndarray:
        """Return predictions, shape (k,), in the target's unit for unscaled rows ``x``, shape (k, m).

        Columns of a DataFrame are found by name.
        ``latest``, shape (k,), is needed where a change was learned (``--predict``): the latest price of each row.
        """
        z = unscaled_prediction(self.network, self.scaler, driver_matrix(x, self.features))
        return TargetForm(self.config.predict).level(z, latest)


def unscaled_prediction(network: TwoLayerNetwork, scaler: Scaler, x: np.ndarray) -> np.ndarray:
    """Return what was learned, shape (k,), in its own unit for unscaled rows, shape (k, m)."""
    like, z = network.hidden_weight, np.empty(len(x))
    with torch.no_grad():
        for a in range(0, len(x), AT_ONCE):
            rows = torch.from_numpy(scaler.x(x[a : a + AT_ONCE])).to(like.device, like.dtype)
            z[a : a + AT_ONCE] = network(rows).cpu().double().numpy()
    return scaler.y_back(z)


def mean_size(sizes: np.ndarray) -> float:
    """Return the mean of values whose sum may overflow."""
    largest = float(sizes.max())
    return float(sizes.mean()) if largest < 1e290 else largest * float((sizes / largest).mean())
