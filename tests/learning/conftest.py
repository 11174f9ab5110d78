"""Small standardised data sets for the modules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from plm_engine.learning.loop import Pupil, RoundResult
from plm_engine.learning.narrator import Narrator
from plm_engine.learning.options import LearningOptions
from plm_engine.learning.outcome import EndReason
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.single import SingleStrategy


@dataclass
class Data:
    """Standardised rows; ``unit`` is one standardised unit of the target in its own."""

    x: torch.Tensor
    y: torch.Tensor
    unit: float


@pytest.fixture
def wiggle() -> Data:
    """60 rows, 3 drivers, a target that a line cannot learn."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(60, 3))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=60)
    x, y = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
    return Data(torch.from_numpy(x), torch.from_numpy(y), 1.0)


@pytest.fixture(scope="session")
def copper(copper_csv: Path) -> Data:
    """The 376 training rows of the real table."""
    table = np.genfromtxt(copper_csv, delimiter=",", skip_header=1)[:376]
    x, y = table[:, :-1], table[:, -1]
    scaled = (x - x.mean(0)) / x.std(0)
    return Data(torch.from_numpy(scaled), torch.from_numpy((y - y.mean()) / y.std()), float(y.std()))


@dataclass
class Lesson:
    """A finished training: the network, why it ended and every round."""

    network: TwoLayerNetwork
    reason: EndReason
    rounds: list[RoundResult]
    pupil: Pupil


def learn(data: Data, goal: float, stop=lambda: None, **options) -> Lesson:
    """Train to a goal in standardised units."""
    strategy = SingleStrategy()
    rounds: list[RoundResult] = []
    pupil = Pupil(
        data.x,
        data.y,
        LearningOptions(goal=goal, **options),
        strategy,
        strategy,
        Narrator(unit=data.unit, rows=np.arange(1, len(data.y) + 1)),
        stop,
        rounds.append,
    )
    network, reason = pupil.learn()
    return Lesson(network, reason, rounds, pupil)
