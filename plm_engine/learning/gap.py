"""A wide gap for cramming: a direction along which one row stands clear of all others.

ALGORITHM section 4, "the gap matters".  For row k and differences D = x^c - x^k (n, m) of the rows it must be told
apart from, the gap of a unit vector g is min_c abs(g . D_c).  The weights of a crammed tent are of size e^k / gap, so
a narrow gap makes huge weights whose cancellation later tuning breaks.

Choices made: ``draws`` random unit vectors; from the best of them and three further draws ``ascent`` steps of
subgradient ascent on the smallest gap, softened over the eight smallest (a prototype reached a median of 0.30 on the
copper rows, against 0.003 for one random direction and 0.10 for the best of 200).  In float64 on the CPU, so that the
direction does not depend on the device.  Bound: draws + 4 * ascent products of D with a vector.

For many rows at once :func:`common_gaps` draws directions that all of them share.  Along one direction the nearest
other row is a neighbour in sorted order, so a direction costs one product and one sort, for any number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

STARTS = 4
SOFTENED_OVER = 8
#: with more rows than this the products are taken in parts, so that memory stays bounded
PART = 65_536
SOFTNESS = 0.02
FIRST_MOVE = 0.1
MOVE_DECAY = 40


#: calls a function with a list of things, or elsewhere with parts of it, and returns its list of results
Spread = Callable[[Callable[[list[Any]], list[Any]], list[Any]], list[Any]]


#: copies rows of (N, m) by position into a new float64 tensor on the CPU, maybe on the disk (``Strategy.gathered``)
Gathered = Callable[[Tensor, np.ndarray], Tensor]


def gathered_here(x: Tensor, index: np.ndarray) -> Tensor:
    """Copy rows in memory."""
    return x[torch.from_numpy(index).to(x.device)].double().cpu()


def here(function: Callable[[list[Any]], list[Any]], things: list[Any]) -> list[Any]:
    """Return ``function(things)``."""
    return function(things)


@dataclass(frozen=True)
class GapSearch:
    """How long to look for a wide gap: random draws, then steps of ascent from the best ones."""

    draws: int = 200
    ascent: int = 200


def widest_gap(differences: Tensor, search: GapSearch, generator: torch.Generator) -> tuple[Tensor, float]:
    """Return a unit vector g, shape (m,), and its gap; see :func:`widest_gaps`."""
    return widest_gaps([differences], search, generator)[0]


def widest_gaps(
    differences: Sequence[Tensor], search: GapSearch, generator: torch.Generator, spread: Spread = here
) -> list[tuple[Tensor, float]]:
    """Return for each row a unit vector g, shape (m,), and its gap; rows with as many others are ascended together.

    Parameters
    ----------
    differences : sequence of Tensor, shapes (n, m), float64 on the CPU
        x^c - x^k; with n = 0 the gap is 1 (there is nothing to be told apart from).
    search : GapSearch
    generator : torch.Generator
        On the CPU; the only source of chance in RPLM.
    spread : callable
        Ascends from the starts, maybe shared out over processes (``Strategy.spread``).
    """
    found: list[tuple[Tensor, float]] = []
    starts: dict[int, Tensor] = {}
    for k, others in enumerate(differences):
        m = others.shape[1]
        drawn = torch.randn(m, search.draws, generator=generator, dtype=torch.float64)
        drawn /= drawn.norm(dim=0)
        if len(others) == 0:
            found.append((drawn[:, 0].clone(), 1.0))
            continue
        parts = [(part @ drawn).abs_().amin(dim=0) for part in others.split(PART)]
        gaps = torch.stack(parts).amin(dim=0)
        best = int(gaps.argmax())
        found.append((drawn[:, best].clone(), float(gaps[best])))
        if search.ascent:
            from_here = torch.randn(m, STARTS, generator=generator, dtype=torch.float64)
            from_here[:, 0] = drawn[:, best]
            starts[k] = from_here / from_here.norm(dim=0)
    for count in {len(differences[k]) for k in starts}:
        together = [k for k in starts if len(differences[k]) == count]
        ascend = partial(_ascended, steps=search.ascent)
        ends = spread(ascend, [(differences[k].numpy(), starts[k].numpy()) for k in together])
        for k, (g, gap) in zip(together, ends, strict=True):
            found[k] = torch.from_numpy(g), gap
    return found


def _ascended(rows: list[tuple[np.ndarray, np.ndarray]], steps: int) -> list[tuple[np.ndarray, float]]:
    """Return direction and gap for each row, given its differences (n, m) and where to start (m, S)."""
    differences, starts = (torch.from_numpy(_stacked(arrays)) for arrays in zip(*rows, strict=True))
    with torch.inference_mode():
        g, gaps = _ascend(differences, starts, steps)
    return list(zip(g.numpy(), gaps.tolist(), strict=True))


def _stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Return the arrays as one, without a copy of one alone: it may be as large as the table."""
    return arrays[0][None] if len(arrays) == 1 else np.stack(arrays)


def _ascend(differences: Tensor, g: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """Widen the gaps of K rows along each of their S directions; returns the best seen, (K, m), and their gaps, (K,).

    Parameters
    ----------
    differences : Tensor, shape (K, n, m)
    g : Tensor, shape (K, m, S)
    """
    (count, n, m), starts = differences.shape, g.shape[2]
    nearest, lines = min(SOFTENED_OVER, n), differences.reshape(count * n, m)
    first_line = n * torch.arange(count)[:, None, None]
    best_g, best_gap = g, g.new_full((count, starts), -1.0)
    for step in range(steps + 1):
        along = torch.bmm(differences, g)
        small, where = along.abs().topk(nearest, dim=1, largest=False)
        best_g = torch.where((small[:, 0] > best_gap)[:, None], g, best_g)
        best_gap = torch.maximum(best_gap, small[:, 0])
        weight = torch.softmax((small[:, :1] - small) / SOFTNESS, dim=1) * along.gather(1, where).sign_()
        # for each row and start: the sum of its nearest differences, by weight
        near = lines[where.add_(first_line).transpose(1, 2).reshape(-1)].view(count * starts, nearest, m)
        move = torch.bmm(near.transpose(1, 2), weight.transpose(1, 2).reshape(count * starts, nearest, 1))
        move = move.view(count, starts, m).transpose(1, 2)
        length = torch.linalg.vector_norm(move, dim=1, keepdim=True).clamp_min_(torch.finfo(torch.float64).tiny)
        g = g + FIRST_MOVE / (1 + step / MOVE_DECAY) * move / length
        g = g / torch.linalg.vector_norm(g, dim=1, keepdim=True)
    gap, best = best_gap.max(dim=1)
    return best_g[torch.arange(count), :, best], gap


def common_gaps(
    rows: Tensor,
    different: np.ndarray,
    positions: np.ndarray,
    group_of_row: np.ndarray,
    search: GapSearch,
    generator: torch.Generator,
) -> tuple[Tensor, Tensor]:
    """Return for each row the best of ``search.draws`` directions common to all, shape (k, m), and its gap, shape (k,).

    Parameters
    ----------
    rows : Tensor, shape (n, m), float64 on the CPU
        The picked set, one of each group of equal rows.
    different : ndarray of int, shape (n,)
        Their positions.
    positions : ndarray of int, shape (k,)
        Rows to find a gap for; their groups are among those of ``different``.
    group_of_row : ndarray of int, shape (N,)
        Group of each training row.
    """
    m = rows.shape[1]
    drawn = torch.randn(m, search.draws, generator=generator, dtype=torch.float64)
    drawn /= drawn.norm(dim=0)
    place_of_group = np.full(int(group_of_row.max()) + 1, -1)
    place_of_group[group_of_row[different]] = np.arange(len(different))
    at = place_of_group[group_of_row[positions]]
    best, gaps = np.zeros(len(positions), dtype=np.int64), np.full(len(positions), -1.0)
    for j in range(search.draws):
        along = (rows @ drawn[:, j]).numpy()
        order = np.argsort(along)
        steps = np.concatenate([[np.inf], np.diff(along[order]), [np.inf]])
        nearest = np.empty(len(different))
        nearest[order] = np.minimum(steps[:-1], steps[1:])
        wider = nearest[at] > gaps
        best[wider], gaps[wider] = j, nearest[at][wider]
    gaps[np.isinf(gaps)] = 1.0  # a row alone has nothing to be told apart from
    return drawn.T[torch.from_numpy(best)], torch.from_numpy(gaps)
