"""Cramming a picked set: which rows, in what way, and what to do where that fails.

ALGORITHM section 4, "for every picked row k that is not learned".  As published each such row gets three nodes of its
own (``cramming.py``).  With many rows picked at once that means as many nodes as rows, so two options, off by default,
share the work; both change decisions:

- ``shared_nodes``: nodes with output weight 0 that face the rows not learned (so nothing is changed yet), then
  understanding over the picked set; up to :data:`ATTEMPTS` times as many.  Rows that are still not learned are crammed
  one by one, onto the tuned network if that leaves fewer of them.
- ``common_search``: all rows look for their gap along the same random directions (``gap.common_gaps``): one sort of
  the picked set a direction, instead of a search for each row.

In float32 the tents' cancellation can fail, or a gap be too narrow.  Then learning goes on in float64 (the caller's
rows are laid out anew): crammed nodes that fit are kept, and just the rows that fail are crammed again.

Every network that is returned as crammed is acceptable for the picked set, which is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plm_engine.events import NodesAdded, Phase
from plm_engine.learning.cramming import Groups, NoGapError, cram_row, cram_rows, facing_nodes, search_gaps
from plm_engine.learning.narrator import Narrator
from plm_engine.learning.options import LearningOptions
from plm_engine.learning.outcome import EndReason, Outcome
from plm_engine.learning.understanding import Understanding
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.strategy import Strategy

#: how often shared nodes are added in one round
ATTEMPTS = 16
#: rows whose gaps are searched for together, and most numbers in their differences to the other rows
TOGETHER, SEARCHED_AT_ONCE = 16, 2_000_000
#: a goal (in spreads of the target) below this is beyond float64's help as well
FLOAT64_HELPS = 1e-9


class TooCoarse(Exception):
    """Float32 cannot hold a crammed network: its nodes so far, and what was to be told about them."""

    def __init__(self, network: TwoLayerNetwork, told: list[NodesAdded]) -> None:
        super().__init__()
        self.network, self.told = network, told


class UnderstandingShared(Understanding):
    """An understanding whose network is used also where the goal was not met."""

    def matters(self, share: float) -> bool:
        """Every kept step is used."""
        return self.kept > 0


@dataclass
class Crammer:
    """Crams the picked sets of one run.

    Parameters
    ----------
    x, y : Tensor, shapes (N, m) and (N,)
        All training rows, standardised.
    groups : Groups
    options : LearningOptions
    outer : Strategy
        Arithmetic outside organizing.
    narrator : Narrator
    generator : torch.Generator
        The run's source of chance.
    stop : callable
        Returns why this process wants to end now, or ``None``.
    why_stop : callable
        The same, but equal on all ranks.
    interrupt : callable
        Asked inside tunings.

    Attributes
    ----------
    remark : str
        Why a row could not be crammed, for people.
    """

    x: Tensor
    y: Tensor
    groups: Groups
    options: LearningOptions
    outer: Strategy
    narrator: Narrator
    generator: torch.Generator
    stop: Callable[[], EndReason | None]
    why_stop: Callable[[], EndReason | None]
    interrupt: Callable[[], bool]
    remark: str = ""

    def cram(
        self, network: TwoLayerNetwork, new: np.ndarray, picked: np.ndarray, rows: Any
    ) -> tuple[TwoLayerNetwork, EndReason | None]:
        """Return a network that fits every picked row, or the old one and why it cannot; see :meth:`_crammed`.

        Raises
        ------
        TooCoarse
            If float32 cannot hold it: the caller goes on in float64 with :meth:`cram_again`.
        """
        with self.narrator.phase(Phase.CRAMMING):
            crammed, told, reason = self._crammed(network, self._one_of_each_group(new), picked, rows)
        if reason is None:
            for event in told:
                self.narrator.emit(event)
        return crammed, reason

    def cram_again(self, coarse: TooCoarse, picked: np.ndarray, rows: Any) -> tuple[TwoLayerNetwork, EndReason | None]:
        """Do in float64, with all rows laid out in float64, what float32 could not; else as :meth:`cram`.

        Nodes crammed for rows that fit in float64 too are kept; those of rows that do not are made anew.
        """
        network = coarse.network.double()
        with self.narrator.phase(Phase.CRAMMING):
            failing = self._failing(network, picked, rows)
            of_failing = {node for event in coarse.told for node in event.nodes if event.row in self._numbers(failing)}
            network.remove_nodes([k for k, node in enumerate(network.node_ids) if node in of_failing])
            told = [event for event in coarse.told if not of_failing & set(event.nodes)]
            to_cram = self._failing(network, picked, rows)
            crammed, more, reason = self._crammed(network, to_cram, picked, rows, shared=False)
        if reason is None:
            for event in (*told, *more):
                self.narrator.emit(event)
        return crammed, reason

    def _failing(self, network: TwoLayerNetwork, picked: np.ndarray, rows: Any) -> np.ndarray:
        """Return one row of each group that the network leaves outside the goal."""
        size = np.abs(self.outer.residuals(network, rows))
        return self._one_of_each_group(picked[~(size <= self.options.goal)])

    def _numbers(self, positions: np.ndarray) -> set[int]:
        return {int(number) for number in self.narrator.rows[positions]}

    def _crammed(
        self, network: TwoLayerNetwork, to_cram: np.ndarray, picked: np.ndarray, rows: Any, *, shared: bool = True
    ) -> tuple[TwoLayerNetwork, list[NodesAdded], EndReason | None]:
        """Return a network that fits every picked row and what to tell, or the old network and why it cannot.

        Parameters
        ----------
        network : TwoLayerNetwork
            All of ``picked`` but ``new`` are learned by it.
        to_cram, picked : ndarray of int
            Positions to be fitted, one of each group, and the picked set I, ascending.
        rows : handle of ``outer.place``
            The picked set.
        """
        before, told = network, list[NodesAdded]()
        if shared and self.options.shared_nodes:
            network, to_cram, told, reason = self._shared(network, to_cram, picked, rows)
            if reason is not None:
                return before, [], reason
        most = self.options.max_nodes
        if most is not None and network.n_hidden + 3 * len(to_cram) > most:
            return before, [], EndReason.BUDGET_NODES
        narrow: NoGapError | None = None
        if len(to_cram):
            network = network.copy()
            more, narrow, reason = self._one_by_one(network, to_cram, picked)
            if reason is not None:
                return before, [], reason
            told += more
        network = self.outer.share(network)
        coarse = self.x.dtype != torch.float64
        if narrow is not None and not coarse:
            self.remark = self._no_gap(narrow)
            return before, [], EndReason.NO_GAP
        if narrow is None and np.abs(self.outer.residuals(network, rows)).max() <= self.options.goal:
            return network, told, None
        if coarse and self.options.goal > FLOAT64_HELPS:
            raise TooCoarse(network, told)
        self.remark = self._spoiled(to_cram) if narrow is None else self._no_gap(narrow)
        return before, [], EndReason.NO_GAP

    def _one_by_one(
        self, network: TwoLayerNetwork, to_cram: np.ndarray, picked: np.ndarray
    ) -> tuple[list[NodesAdded], NoGapError | None, EndReason | None]:
        """Add three nodes for each row to ``network``; returns what to tell, a row without a gap, why it was ended."""
        details: dict[str, Any] = {"tent": self.options.tent, "generator": self.generator}
        details["gathered"] = gathered = self.outer.gathered
        told, narrow = [], None
        if self.options.common_search:
            crammed = cram_rows(
                network, self.x, to_cram, picked, self.groups, self.options.search, self.narrator.rows, **details
            )
            told = [self._added(one.position, one.nodes, one.error, one.gap) for one in crammed]
            done = {one.position for one in crammed}
            to_cram = np.array([position for position in to_cram if position not in done], dtype=np.int64)
        together = max(1, min(TOGETHER, SEARCHED_AT_ONCE // (len(picked) * self.x.shape[1])))
        found: list[tuple[Tensor, float]] = []
        for j, position in enumerate(to_cram):
            reason = self.why_stop()
            if reason is not None:
                return told, narrow, reason
            if not found:
                some = to_cram[j : j + together]
                search_for = self.options.search, self.generator, self.outer.spread, gathered
                found = search_gaps(self.x, some, picked, self.groups, *search_for)
            number = int(self.narrator.rows[position])
            search = {"search": self.options.search, "row_number": number, "found": found.pop(0), **details}
            try:
                one = cram_row(network, self.x, int(position), picked, self.groups, **search)
            except NoGapError as error:
                narrow = error
                if self.x.dtype == torch.float64:
                    break
                continue  # in float64 its gap may do; the others need not wait
            told.append(self._added(one.position, one.nodes, one.error, one.gap))
        return told, narrow, None

    def _shared(
        self, network: TwoLayerNetwork, to_cram: np.ndarray, picked: np.ndarray, rows: Any
    ) -> tuple[TwoLayerNetwork, np.ndarray, list[NodesAdded], EndReason | None]:
        """Add nodes for all rows and tune; returns the network, the rows that it leaves, what to tell, and why not."""
        current, told, left = network, list[NodesAdded](), to_cram
        for _ in range(ATTEMPTS):
            count = self.options.shared_nodes
            if self.options.max_nodes is not None and current.n_hidden + count > self.options.max_nodes:
                break
            current = current.copy()
            faced = facing_nodes(current, self.x, left, count, self.generator, self.narrator.rows)
            told += [self._added(position, (node,), None, None) for position, node in faced]
            current = self.outer.share(current)
            rule = UnderstandingShared(
                self.options.goal,
                self.options.epochs,
                self.options.sizes,
                self.narrator.on_step(Phase.CRAMMING, current.n_hidden),
                self.interrupt,
            )
            current = self.outer.tune(current, rows, rule)
            if rule.outcome is Outcome.STOPPED:
                return network, to_cram, [], self.stop() or EndReason.STOPPED
            left = self._failing(current, picked, rows)
            if len(left) == 0:
                return current, left, told, None
        if len(left) < len(to_cram):
            return current, left, told, None
        return network, to_cram, [], None

    def _one_of_each_group(self, positions: np.ndarray) -> np.ndarray:
        _, first = np.unique(self.groups.of_row[positions], return_index=True)
        return positions[np.sort(first)]

    def _added(self, position: int, nodes: tuple[int, ...], error: float | None, gap: float | None) -> NodesAdded:
        row = int(self.narrator.rows[position])
        return NodesAdded(self.narrator.round, nodes, row, None if error is None else error * self.narrator.unit, gap)

    def _spoiled(self, crammed: np.ndarray) -> str:
        rows = self.narrator.rows[crammed]
        numbers = ", ".join(str(n) for n in rows[:20]) + (f" and {len(rows) - 20:,} more" if len(rows) > 20 else "")
        first_aid = "use " if self.x.dtype == torch.float64 else "use float64, "
        return (
            f"Rows {numbers} were crammed, but rounding in {str(self.x.dtype)[6:]} spoils the fit: "
            f"{first_aid}a wider goal, or remove near-duplicate rows."
        )

    def _no_gap(self, error: NoGapError) -> str:
        row, *others = (int(self.narrator.rows[k]) for k in (error.position, *error.others))
        return (
            f"Row {row} cannot be told apart from rows {', '.join(map(str, others))} with the drivers chosen: "
            "use a wider goal, remove one of them, or add a driver in which they differ."
        )
