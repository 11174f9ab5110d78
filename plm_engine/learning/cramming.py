"""Cramming: three hidden nodes that fit one row exactly and change nothing elsewhere in the picked set.

ALGORITHM section 4.  For a picked row k that is not learned, with error e^k to its group's value, a unit vector g with
gap = min_c abs(g . (x^c - x^k)) over the rows c of I outside k's group, z = 0.9 gap and u = g . (x - x^k):

    offset (default)   2 e^k / z * (ReLU(u + z/2) - 2 ReLU(u - z/4) + ReLU(u - z))
    symmetric          e^k / z * (ReLU(u + z) - 2 ReLU(u) + ReLU(u - z))        (as published)

Both are a tent of height e^k at u = 0 (offset: 2 e^k / z * z/2) that is zero at every other row of I.

What the sources do: the published tent is symmetric, with x^k exactly on its middle kink, where rounding alone decides
one gradient.  Chosen here: the offset tent, whose kinks are at least z/4 away from x^k; symmetric by option.

Rows with equal x form one group; its value is (max + min) / 2 of its targets over the training rows, so that every
row of the group is learned at once.  Groups whose targets are further apart than 2 eps were refused before training.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from plm_engine.learning.gap import GapSearch, Gathered, Spread, common_gaps, gathered_here, here, widest_gaps
from plm_engine.network import TwoLayerNetwork

SHARE_OF_GAP = 0.9
#: kinks (in units of z), output weights (in units of e / z)
TENTS = {
    "offset": ((0.5, -0.25, -1.0), (2.0, -4.0, 2.0)),
    "symmetric": ((1.0, 0.0, -1.0), (1.0, -2.0, 1.0)),
}


#: returns the group of each row of (N, m): equal rows share one
Grouped = Callable[[np.ndarray], np.ndarray]


def grouped_here(x: np.ndarray) -> np.ndarray:
    """Group equal rows with a sorted copy of all of them."""
    return np.unique(x + 0.0, axis=0, return_inverse=True)[1].reshape(-1)  # + 0.0: -0.0 is 0.0


@dataclass(frozen=True)
class Groups:
    """Training rows with equal drivers.

    Attributes
    ----------
    of_row : ndarray of int, shape (N,)
        Group of each training row.
    value : ndarray, shape (N,)
        (max + min) / 2 of the group's targets, by row.
    """

    of_row: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray, grouped: Grouped = grouped_here) -> Groups:
        """Group rows ``x`` (N, m) with targets ``y`` (N,)."""
        of_row = grouped(x)
        highest = np.full(of_row.max() + 1, -np.inf)
        lowest = np.full(of_row.max() + 1, np.inf)
        np.maximum.at(highest, of_row, y)
        np.minimum.at(lowest, of_row, y)
        return cls(of_row, ((highest + lowest) / 2)[of_row])


@dataclass(frozen=True)
class Crammed:
    """One crammed row: its position among the training rows, error before, gap and the ids of its nodes."""

    position: int
    error: float
    gap: float
    nodes: tuple[int, ...]


class NoGapError(Exception):
    """Row ``position`` cannot be told apart from other picked rows along any direction found."""

    def __init__(self, position: int, others: np.ndarray) -> None:
        super().__init__(position)
        self.position, self.others = position, others


def cram_row(
    network: TwoLayerNetwork,
    x: Tensor,
    position: int,
    picked: np.ndarray,
    groups: Groups,
    *,
    tent: str,
    search: GapSearch,
    generator: torch.Generator,
    row_number: int | None = None,
    found: tuple[Tensor, float] | None = None,
    gathered: Gathered = gathered_here,
) -> Crammed:
    """Add three nodes to ``network`` that fit the row at ``position`` and leave the other picked rows alone.

    Parameters
    ----------
    x : Tensor, shape (N, m)
        Standardised drivers of all training rows, on the network's device.
    position : int
        The row, counted from 0.
    picked : ndarray of int
        The set I.
    row_number : int or None
        The row's 1-based data row number, kept with the nodes.
    found : (Tensor, float) or None
        Its direction and gap from :func:`search_gaps`; looked for here if None.
    gathered : callable
        Copies rows (``Strategy.gathered``).

    Raises
    ------
    NoGapError
        If no direction keeps the row clear of the others.
    """
    row = x[position].double().cpu()
    if found is None:
        (found,) = search_gaps(x, np.array([position]), picked, groups, search, generator, gathered=gathered)
    g, gap = found
    z = SHARE_OF_GAP * gap
    # narrower than this, u +- z is no longer told from u in the network's precision
    if not z > _narrowest(x.dtype) * (1 + float((g @ row).abs())):
        others, differences = _others(x, position, picked, groups, gathered)
        nearest = differences.norm(dim=1).topk(min(3, len(others)), largest=False).indices.numpy()
        raise NoGapError(position, others[nearest])
    with torch.no_grad():
        error = float(groups.value[position]) - float(network(x[position][None])[0])
    kinks, heights = (torch.tensor(v, dtype=torch.float64) for v in TENTS[tent])
    nodes = network.add_nodes(g.expand(3, -1), kinks * z - g @ row, heights * (error / z), row_number)
    return Crammed(position, error, gap, nodes)


def search_gaps(
    x: Tensor,
    positions: np.ndarray,
    picked: np.ndarray,
    groups: Groups,
    search: GapSearch,
    generator: torch.Generator,
    spread: Spread = here,
    gathered: Gathered = gathered_here,
) -> list[tuple[Tensor, float]]:
    """Return a direction and its gap for each of a few rows, all searched for together; see :func:`cram_row`."""
    differences = [_others(x, int(k), picked, groups, gathered)[1] for k in positions]
    return widest_gaps(differences, search, generator, spread)


def _others(
    x: Tensor, position: int, picked: np.ndarray, groups: Groups, gathered: Gathered
) -> tuple[np.ndarray, Tensor]:
    """Return the positions in I outside the row's group, and their differences to the row, float64 on the CPU."""
    others = picked[groups.of_row[picked] != groups.of_row[position]]
    row = x[position].double().cpu()
    return others, gathered(x, others).sub_(row)


def _narrowest(dtype: torch.dtype) -> float:
    """Return how wide a tent at distance 1 must be for its kinks to be told apart."""
    return 8 * torch.finfo(dtype).eps


def cram_rows(
    network: TwoLayerNetwork,
    x: Tensor,
    positions: np.ndarray,
    picked: np.ndarray,
    groups: Groups,
    search: GapSearch,
    row_numbers: np.ndarray,
    *,
    tent: str,
    generator: torch.Generator,
    gathered: Gathered = gathered_here,
) -> list[Crammed]:
    """Add three nodes for each row that finds a gap along one of the directions common to all; see :func:`cram_row`.

    Rows whose gap is too narrow are left out: they need a search of their own.  All errors are those of ``network`` as
    given, which is right because a tent is zero at all other rows of I.
    """
    _, first = np.unique(groups.of_row[picked], return_index=True)
    different = picked[first]
    g, gaps = common_gaps(gathered(x, different), different, positions, groups.of_row, search, generator)
    z = SHARE_OF_GAP * gaps
    crammed = x[torch.from_numpy(positions).to(x.device)]
    centre = (g * crammed.double().cpu()).sum(dim=1)
    wide = (z > _narrowest(x.dtype) * (1 + centre.abs())).numpy()
    with torch.no_grad():
        error = torch.from_numpy(groups.value[positions]) - network(crammed).double().cpu()
    kinks, heights = (torch.tensor(v, dtype=torch.float64) for v in TENTS[tent])
    rows = [int(n) for n in row_numbers[positions[wide]] for _ in kinks]
    keep = torch.from_numpy(wide)
    g, z, gaps, centre, error = g[keep], z[keep], gaps[keep], centre[keep], error[keep]
    nodes = network.add_nodes(
        g.repeat_interleave(3, dim=0),
        (kinks * z[:, None] - centre[:, None]).reshape(-1),
        (heights * (error / z)[:, None]).reshape(-1),
        rows,
    )
    return [
        Crammed(int(position), float(error[j]), float(gaps[j]), nodes[3 * j : 3 * j + 3])
        for j, position in enumerate(positions[wide])
    ]


def facing_nodes(
    network: TwoLayerNetwork,
    x: Tensor,
    positions: np.ndarray,
    count: int,
    generator: torch.Generator,
    row_numbers: np.ndarray,
) -> list[tuple[int, int]]:
    """Add ``count`` nodes with output weight 0 whose kinks pass through rows at ``positions``, along random directions.

    They change nothing until they are tuned.  Returns (position, node id) for each.
    """
    drawn = torch.randn(count, x.shape[1], generator=generator, dtype=torch.float64)
    drawn /= drawn.norm(dim=1, keepdim=True)
    chosen = positions[torch.randint(len(positions), (count,), generator=generator).numpy()]
    faced = x[torch.from_numpy(chosen).to(x.device)].double().cpu()
    bias = -(drawn * faced).sum(dim=1)
    nodes = network.add_nodes(drawn, bias, torch.zeros(count), [int(n) for n in row_numbers[chosen]])
    return [(int(position), node) for position, node in zip(chosen, nodes, strict=True)]
