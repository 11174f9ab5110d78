"""The rounds of RPLM: interpreting, then picking -> understanding -> (cramming) -> organizing until all is learned.

Symbols: x (N, m) and y (N,) are standardised; eps is ``options.goal``; I is the picked set, held as ascending
positions.  Every round ends with a network that is acceptable for I, and I holds every row learned before plus at
least one more, so training ends after at most N rounds, or earlier with a budget (minutes, nodes, rounds).  Where
rounding spoils this (a goal near the precision of the arithmetic), a round without a further learned row is the last.

Choices made: a round that does not complete (time budget inside understanding, node budget, rows too close together)
leaves the network of the round before; organizing may end early, since its network is acceptable at every moment.

An interrupted run goes on from a :class:`PupilState`, taken at a round's end or inside organizing, to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plm_engine.errors import BugError
from plm_engine.events import NodesAdded, Notice, Phase, RoundStarted, RowsPicked
from plm_engine.learning.crammer import Crammer, TooCoarse
from plm_engine.learning.cramming import Grouped, Groups, grouped_here
from plm_engine.learning.interpreting import interpreting
from plm_engine.learning.narrator import Narrator
from plm_engine.learning.options import LearningOptions
from plm_engine.learning.organizing import organizing
from plm_engine.learning.outcome import EndReason, Outcome
from plm_engine.learning.picking import Picked, picking
from plm_engine.learning.state import START, Keeper, KeepNothing, Place, PupilState, Studied
from plm_engine.learning.understanding import Understanding
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.strategy import Strategy


@dataclass(frozen=True)
class RoundResult:
    """One complete round; positions count the training rows from 0, residuals are standardised.

    Attributes
    ----------
    studied : Studied
        What the round did before organizing.
    network : TwoLayerNetwork
        At the round's end.
    residuals : ndarray, shape (N,)
        Of that network on all training rows.
    """

    studied: Studied
    network: TwoLayerNetwork
    residuals: np.ndarray

    @property
    def number(self) -> int:
        """1, 2, ...; 0 is interpreting."""
        return self.studied.number

    @property
    def picked(self) -> np.ndarray:
        """New rows of the round, nearest first."""
        return self.studied.new


@dataclass
class Pupil:
    """Learns one set of training rows.

    Parameters
    ----------
    x : Tensor, shape (N, m)
    y : Tensor, shape (N,)
        Standardised, in the precision of the arithmetic.
    options : LearningOptions
    strategy, outer : Strategy
        Arithmetic of organizing, and of everything else.
    narrator : Narrator
    stop : callable
        Returns why to stop now (minutes, or on request), or ``None``.
    on_round : callable
        Gets every complete round, first the one numbered 0.
    line : (ndarray, float) or None
        Linear function that interpreting starts from; least squares if None.
    first : TwoLayerNetwork or None
        Network to begin with, instead of interpreting.
    state : PupilState or None
        Where an interrupted run stood: go on from there.
    keeper : Keeper
        Gets the state at every round's end, and inside organizing when it asks for one.
    grouped : callable
        Finds the groups of equal rows.
    exact : callable or None
        Returns ``x`` and ``y`` in float64 as they were before they were rounded to float32; None if they never were.
    """

    x: Tensor
    y: Tensor
    options: LearningOptions
    strategy: Strategy
    outer: Strategy
    narrator: Narrator
    stop: Callable[[], EndReason | None] = lambda: None
    on_round: Callable[[RoundResult], None] = lambda result: None
    line: tuple[np.ndarray, float] | None = None
    first: TwoLayerNetwork | None = None
    state: PupilState | None = None
    keeper: Keeper = field(default_factory=KeepNothing)
    grouped: Grouped = grouped_here
    exact: Callable[[], tuple[Tensor, Tensor]] | None = None
    remark: str = field(default="", init=False)

    def learn(self) -> tuple[TwoLayerNetwork, EndReason]:
        """Run all rounds and return the last network and why learning ended."""
        self._everything = self.outer.place(self.x, self.y)
        self._groups = Groups.of(self.x.cpu().numpy(), self.y.double().cpu().numpy(), self.grouped)
        self._generator = torch.Generator().manual_seed(self.options.seed)
        if self.state is not None:
            self._generator = self.state.new_generator()
        self._crammer = Crammer(
            self.x,
            self.y,
            self._groups,
            self.options,
            self.outer,
            self.narrator,
            self._generator,
            self.stop,
            self._stop_reason,
            self._interrupt,
        )
        last = self._begin() if self.state is None else self._go_on(self.state)
        for number in range(last.number + 1, len(self.y) + 2):
            self.narrator.round = number
            with self.narrator.phase(Phase.PICKING):
                size = self.options.pick if self.options.pick_share is None else self.options.pick_share
                picked = picking(last.residuals, self.options.goal, size, self._draw())
            reason = self._why_not_go_on(picked, last.studied)
            if reason is not None:
                return last.network, reason
            result, reason = self._round(last.network, picked, last.residuals, number)
            if result is None:
                assert reason is not None  # only then is a round not complete
                return last.network, reason
            last = result
        raise BugError(f"Training did not end after {len(self.y)} rounds, one for each row.")

    def _begin(self) -> RoundResult:
        """Interpret; returns the round numbered 0."""
        with self.narrator.phase(Phase.INTERPRETING):
            network = self.outer.share(self._first_network())
        self.narrator.emit(NodesAdded(0, tuple(network.node_ids), None))
        none = np.arange(0)
        return self._ended(Studied(0, none, none, "", 0, network.n_hidden), network)

    def _go_on(self, state: PupilState) -> RoundResult:
        """Return the last complete round of an interrupted run; one that was being organized is completed first."""
        self.narrator.go_on(state.studied.number, state.kept, state.seconds)
        network = state.network(self.x.shape[1], self.x.device)
        if network.hidden_weight.dtype != self.x.dtype:  # said when it happened, before the interruption
            self._lay_out_in_float64()
        if state.place is None:
            return RoundResult(state.studied, network, state.residuals)
        rows = self.strategy.place(self.x, self.y, state.studied.rows)
        return self._organized(network, rows, state.studied, state.place)

    def _ended(self, studied: Studied, network: TwoLayerNetwork, *, keep: bool = True) -> RoundResult:
        """Measure the network of a round's end, and tell."""
        result = RoundResult(studied, network, self.outer.residuals(network, self._everything))
        self.on_round(result)
        if keep:
            self._keep(network, studied, None, result.residuals)
        return result

    def _keep(self, network: TwoLayerNetwork, studied: Studied, place: Place | None, residuals: np.ndarray) -> None:
        spent = self.narrator.times()
        state = PupilState.of(network, studied, place, residuals, self._generator, self.narrator.kept, spent)
        self.keeper.keep(state)

    def _first_network(self) -> TwoLayerNetwork:
        if self.first is not None:
            return self.first.copy().to(self.x)
        return interpreting(self.x, self.y, two_sided=self.options.two_sided, line=self.line)

    def _draw(self) -> np.ndarray | None:
        """Return a random order of all rows where picking is switched off, else None."""
        if self.options.order == "lts":
            return None
        return torch.randperm(len(self.y), generator=self._generator).numpy()

    def _why_not_go_on(self, picked: Picked, last: Studied) -> EndReason | None:
        if len(picked.new) == 0:
            return EndReason.GOAL_MET
        if self.options.max_rounds is not None and last.number >= self.options.max_rounds:
            return EndReason.BUDGET_ROUNDS
        reason = self._stop_reason()
        if reason is None and last.number and len(picked.learned) <= len(last.rows) - len(last.new):
            precision = str(self.x.dtype)[6:]
            first_aid = "give a wider goal" if self.x.dtype == torch.float64 else "use float64, or give a wider goal"
            self.remark = (
                f"Round {last.number} learned no further row, because rounding in {precision} is coarser than the "
                f"learning goal: {first_aid}; the network so far is usable."
            )
            return EndReason.ROUNDING
        return reason

    def _interrupt(self) -> bool:
        """Return whether a long tuning is to end; strategies see to it that ranks that tune in step agree."""
        return self.stop() is not None

    def _stop_reason(self) -> EndReason | None:
        reason = self.stop()
        # rank 0's clock and requests decide for all ranks
        return (reason or EndReason.STOPPED) if self.outer.agree(reason is not None) else None

    def _round(
        self, network: TwoLayerNetwork, picked: Picked, residuals: np.ndarray, number: int
    ) -> tuple[RoundResult | None, EndReason | None]:
        """Learn the picked rows; returns no result if the round could not be completed."""
        n_before = network.n_hidden
        self.narrator.emit(RoundStarted(number, len(picked.learned), len(self.y)))
        unit = self.narrator.unit
        shown = picked.new[:1000]
        self.narrator.emit(RowsPicked(number, self._numbers(shown), tuple(float(v) * unit for v in residuals[shown])))
        rule = Understanding(
            self.options.goal,
            self.options.epochs,
            self.options.sizes,
            self.narrator.on_step(Phase.UNDERSTANDING, n_before),
            self._interrupt,
        )
        rows: Any = self.outer.place(self.x, self.y, picked.rows)
        with self.narrator.phase(Phase.UNDERSTANDING) as ending:
            tuned = self.outer.tune(network, rows, rule)
            ending.outcome = str(rule.outcome)
        if rule.met:
            network = tuned
        else:
            stopped = rule.outcome is Outcome.STOPPED
            reason = self.stop() or EndReason.STOPPED if stopped else self._stop_reason()
            if reason is not None:
                return None, reason
            try:
                network, reason = self._crammer.cram(network, picked.new, picked.rows, rows)
            except TooCoarse as coarse:
                self._lay_out_in_float64()
                self.narrator.emit(Notice("Crammed rows do not fit in float32: learning goes on in float64 from here."))
                rows = self.outer.place(self.x, self.y, picked.rows)
                network, reason = self._crammer.cram_again(coarse, picked.rows, rows)
            if reason is not None:
                self.remark = self._crammer.remark
                return None, reason
        studied = Studied(number, picked.new, picked.rows, str(rule.outcome), n_before, network.n_hidden)
        if self.strategy is not self.outer:
            del rows  # with very many rows a copy less counts
            rows = self.strategy.place(self.x, self.y, picked.rows)
        return self._organized(network, rows, studied, self._first_place(number, network.n_hidden)), None

    def _lay_out_in_float64(self) -> None:
        """Lay all rows out in float64, for crammed tents that float32 cannot hold.

        A tent can be as narrow as what rounding to float32 moved a row by: the rows have to be the exact ones.
        """
        self.x, self.y = (self.x.double(), self.y.double()) if self.exact is None else self.exact()
        self._everything = self.outer.place(self.x, self.y)
        self._groups = Groups.of(self.x.cpu().numpy(), self.y.cpu().numpy(), self.grouped)
        self._crammer.x, self._crammer.groups = self.x, self._groups

    def _first_place(self, number: int, n_hidden: int) -> Place:
        """Return where organizing begins: at the first node, or in turn if it may not try all of them in a round."""
        bound = self.options.organize_candidates
        return START if bound is None or bound >= n_hidden else Place((number - 1) * bound % n_hidden)

    def _organized(self, network: TwoLayerNetwork, rows: Any, studied: Studied, place: Place) -> RoundResult:
        """Organize, from the beginning or from where it was interrupted, and end the round."""
        cut_short = False

        def between(network: TwoLayerNetwork, place: Place, stopping: bool) -> None:
            nonlocal cut_short
            cut_short = stopping
            if stopping or self.keeper.due():
                self._keep(network, studied, place, np.empty(0))

        with self.narrator.phase(Phase.ORGANIZING):
            network = organizing(
                network,
                rows,
                self.options,
                self.strategy,
                self.narrator,
                lambda: self.stop() is not None,
                place,
                between,
                self._interrupt,
            )
        # a round cut short is usable, but to go on from it would lead elsewhere than without the interruption
        return self._ended(studied, network, keep=not cut_short)

    def _numbers(self, positions: np.ndarray) -> tuple[int, ...]:
        return tuple(int(n) for n in self.narrator.rows[positions])
