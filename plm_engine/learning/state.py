"""Where the pupil stands, in plain arrays: enough to go on later, in another process, to the same bits.

What is kept and why: the network with its node ids (the weights of every tuning start from it; Adam's moments and step
sizes start afresh in every tuning, so between tunings there is nothing of them to keep), the generator's state (random
directions of cramming), the residuals (picking sorts by them), and, inside organizing, the round's set I, the place k
and whether regularizing again would do nothing.  A state is taken between tunings only: at a round's end, and before
a node is tried.

Files are somebody else's business: a :class:`Keeper` gets the states, ``plm_engine.checkpoints`` is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch

from plm_engine.network import TwoLayerNetwork


@dataclass(frozen=True)
class Studied:
    """What a round has done before organizing; positions count the training rows from 0.

    Attributes
    ----------
    number : int
        1, 2, ...; 0 is interpreting.
    new : ndarray of int
        Rows picked in the round, nearest first.
    rows : ndarray of int
        The picked set I, ascending.
    outcome : str
        How understanding ended.
    n_before, n_crammed : int
        Hidden nodes at the start and after cramming.
    """

    number: int
    new: np.ndarray
    rows: np.ndarray
    outcome: str
    n_before: int
    n_crammed: int


@dataclass(frozen=True)
class Place:
    """Where organizing stands: the next node to try, whether regularizing before it would do nothing, nodes tried."""

    k: int = 0
    settled: bool = False
    tried: int = 0


#: where organizing begins
START = Place()


@dataclass(frozen=True)
class PupilState:
    """Everything that decides how learning goes on.

    Attributes
    ----------
    weights : ndarray, shape (p (m + 2) + 1,)
        As ``TwoLayerNetwork.flat``, in the precision of the arithmetic.
    node_ids, node_rows : ndarray of int, shape (p,)
        A row of 0 means none.
    next_id : int
        Id of the next hidden node.
    studied : Studied
        Of the last complete round, or of the one being organized.
    place : Place or None
        Inside organizing; ``None`` at a round's end.
    residuals : ndarray, shape (N,)
        At a round's end, of its network on all training rows; else empty.
    generator : ndarray of uint8
        State of the random generator.
    kept : int
        Kept steps of the run so far.
    seconds : dict
        Seconds in each module so far, the one at work included, and ``total``.
    """

    weights: np.ndarray
    node_ids: np.ndarray
    node_rows: np.ndarray
    next_id: int
    studied: Studied
    place: Place | None
    residuals: np.ndarray
    generator: np.ndarray
    kept: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        network: TwoLayerNetwork,
        studied: Studied,
        place: Place | None,
        residuals: np.ndarray,
        generator: torch.Generator,
        kept: int,
        seconds: dict[str, float],
    ) -> PupilState:
        """Take down where a pupil stands."""
        return cls(
            weights=network.flat().cpu().numpy(),
            node_ids=np.array(network.node_ids, dtype=np.int64),
            node_rows=np.array([row or 0 for row in network.node_rows], dtype=np.int64),
            next_id=network.next_id,
            studied=studied,
            place=place,
            residuals=residuals,
            generator=generator.get_state().numpy(),
            kept=kept,
            seconds=dict(seconds),
        )

    def network(self, n_features: int, device: torch.device | str = "cpu") -> TwoLayerNetwork:
        """Return the network as it was."""
        return TwoLayerNetwork.restored(
            torch.from_numpy(self.weights).to(device),
            n_features,
            [int(node) for node in self.node_ids],
            [int(row) or None for row in self.node_rows],
            self.next_id,
        )

    def new_generator(self) -> torch.Generator:
        """Return a random generator that goes on where the old one was."""
        generator = torch.Generator()
        generator.set_state(torch.from_numpy(self.generator.copy()))
        return generator


class Keeper(Protocol):
    """Somebody who keeps states."""

    def due(self) -> bool:
        """Return whether a state from inside organizing is wanted now."""

    def keep(self, state: PupilState) -> None:
        """Keep a state, which is not changed any more."""


class KeepNothing:
    """Keeps no states: the default."""

    def due(self) -> bool:
        """Never want one."""
        return False

    def keep(self, state: PupilState) -> None:
        """Forget it."""
