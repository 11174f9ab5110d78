"""Composition root: arrays and a configuration in, a trained network out.

Three lines::

    from plm_engine import Config, train
    result = train(x, y, Config(goal=4000, seed=1))
    result.predict(x_new)

All is in the target's unit; scaling (from the training rows only), the choice of a strategy and events happen inside.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plm_engine.config import Config
from plm_engine.datasets.arrays import driver_matrix
from plm_engine.datasets.conflicts import raise_if_contradictory
from plm_engine.datasets.groups import grouped
from plm_engine.datasets.rooms import MEMORY, DiskRoom, Room
from plm_engine.datasets.scale import Scaler
from plm_engine.datasets.target import LOG_CHANGE, TargetForm
from plm_engine.errors import BugError
from plm_engine.evaluation.starts import start_line
from plm_engine.events import NullSink, Predicted, RoundEnded, RunEnded, RunResumed, RunStarted, Sink
from plm_engine.learning.loop import Pupil, RoundResult
from plm_engine.learning.narrator import Narrator
from plm_engine.learning.options import LearningOptions
from plm_engine.learning.outcome import EndReason
from plm_engine.learning.state import Keeper, KeepNothing, PupilState
from plm_engine.limits import place_rows
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.choose import make_strategies
from plm_engine.parallel.strategy import Strategy
from plm_engine.parallel.threads import one_thread
from plm_engine.training_records import RoundRecord, TrainResult, mean_size, unscaled_prediction
from plm_engine.training_rows import Rows, Watched, checked_arrays, standardised, watch_all

__all__ = ["Course", "RoundRecord", "TrainResult", "Watched", "one_thread", "train"]

#: eps is widened by this share, so that a goal equal to the smallest one possible is not missed by rounding
ROUNDING = 1e-10


def train(
    x: Any,
    y: Any,
    config: Config | None = None,
    *,
    x_test: Any = None,
    y_test: Any = None,
    latest: Any = None,
    latest_test: Any = None,
    first: tuple[TwoLayerNetwork, Scaler] | None = None,
    rows: Sequence[int] | np.ndarray | None = None,
    features: Sequence[str] = (),
    target: str = "y",
    watched: Watched | None = None,
    sink: Sink | None = None,
    on_round: Callable[[RoundRecord, Course], None] = lambda record, course: None,
    stop: Callable[[], bool] = lambda: False,
    resume: PupilState | None = None,
    keeper: Keeper | None = None,
    threads: int = 1,
    room: Room | None = None,
    strategy: Strategy | None = None,
) -> TrainResult:
    """Train RPLM.

    Parameters
    ----------
    x : array or DataFrame, shape (N, m)
        Drivers of the training rows, unscaled; a DataFrame's column names are kept.
    y : array, shape (N,)
        Targets.
    config : Config
        Its data options (file, roles, split) are not used here.
    x_test, y_test : array, shapes (M, m) and (M,)
        Rows to report an error on after every round; never learned from.
    latest, latest_test : array, shapes (N,) and (M,)
        Latest known price of each row; needed to learn a change, or to start from it.
    first : (TwoLayerNetwork, Scaler) or None
        Network to go on from, with the scaler it was trained with, instead of a first network.
    rows : sequence of int
        1-based data row number of each training row; 1, 2, ... if not given.
    features, target : sequence of str, str
        Names of the drivers (those of the DataFrame, or x1, x2, ..., if not given) and of the target.
    watched : Watched
        Rows to predict after every round; the training and test rows if not given.
    sink : Sink
        Listener of events.
    on_round : callable
        Gets the record of every complete round, the first is number 0, and the :class:`Course` so far.
    stop : callable
        Asked between tunings; true ends training with the network so far.
    resume : PupilState or None
        Where an interrupted training of the same rows and configuration stood: it goes on there and ends with the
        network, bit for bit, of an uninterrupted one.  Its seconds count for the time budget.
    keeper : Keeper or None
        Gets the state at every round's end, and inside organizing when it asks for one.
    threads : int
        Threads that share large steps in mode ``single``.
    room : Room
        Where arrays of the size of the rows lie; as ``config.rows_on_disk`` says if not given.
    strategy : Strategy or None
        Does all arithmetic, and is closed at the end; made as ``config`` says if not given.

    Raises
    ------
    DataError
        If the arrays do not fit together or hold values that are not finite.
    ContradictionError
        If rows with equal drivers have targets further apart than twice the goal.
    """
    config = config or Config()
    names = tuple(features) or tuple(str(name) for name in getattr(x, "columns", []))
    if hasattr(x_test, "columns") and names:
        x_test = driver_matrix(x_test, names)
    x, y = checked_arrays(x, y, "training")
    x_test, y_test = (None, None) if x_test is None else checked_arrays(x_test, y_test, "test", x.shape[1])
    numbers = np.arange(1, len(y) + 1) if rows is None else np.asarray(rows)
    goal = config.goal_in_units(float(y.min()), float(y.max()))
    raise_if_contradictory(x, y, numbers, goal, TargetForm(config.predict), latest)
    names = names or tuple(f"x{j}" for j in range(1, x.shape[1] + 1))
    watched = watched or watch_all(x, y, x_test, y_test, numbers, target, latest, latest_test)
    data = Rows(x, y, latest, x_test, y_test, latest_test, numbers, names, target)
    with one_thread():
        if room is None:
            room = DiskRoom() if place_rows(config, *x.shape).on_disk else MEMORY
        course = Course(config, data, goal, watched, sink or NullSink(), first, resume, threads, room, strategy)
        return course.run(on_round, stop, keeper or KeepNothing())


class Course:
    """One training run: translates between people's units and the pupil's, and keeps the records."""

    def __init__(
        self,
        config: Config,
        data: Rows,
        goal: float,
        watched: Watched,
        sink: Sink,
        first: tuple[TwoLayerNetwork, Scaler] | None = None,
        resume: PupilState | None = None,
        threads: int = 1,
        room: Room = MEMORY,
        strategy: Strategy | None = None,
    ) -> None:
        self.config, self.data, self.goal, self.watched = config, data, goal, watched
        self.rows, self.features, self.target = data.numbers, data.features, data.target
        self.n_train, self.n_test = len(data.y), 0 if data.y_test is None else len(data.y_test)
        self.form = TargetForm(config.predict)
        learned = self.form.learned(data.y, data.latest)
        self.scaler = Scaler.fit(data.x, learned) if first is None else first[1]
        self._first = None if first is None else first[0]
        self._resume = resume
        self._line = None
        if first is None and resume is None:
            self._line = start_line(
                config.start, self.scaler, data.x, learned, data.latest, self.form, config.horizon or 1
            )
        self.dtype = getattr(torch, config.dtype)
        #: one standardised unit in the target's; a target that never changes is not scaled at all
        self.unit = (self.scaler.y_spread or 1.0) * (goal / self.form.goal(goal, data.latest))
        self.strategy, self.outer = make_strategies(config, threads) if strategy is None else (strategy, strategy)
        self._room = self.strategy.room = self.outer.room = room
        device = self.strategy.device
        self._x = standardised(data.x, self.scaler, room, device, self.dtype)
        self._y = torch.from_numpy(self.scaler.y(learned)).to(device, self.dtype, copy=True)
        self._scaled_goal = goal / self.unit * (1 + ROUNDING)
        self.narrator = Narrator(sink, self.unit, data.numbers, self.strategy.synchronize)
        self.history: list[RoundRecord] = []

    def run(
        self, on_round: Callable[[RoundRecord, Course], None], stop: Callable[[], bool], keeper: Keeper
    ) -> TrainResult:
        """Learn, with events at every boundary."""
        if self._resume is None:
            self._announce()
        else:
            self._pick_up(self._resume)
        options = LearningOptions.from_config(self.config, self._scaled_goal)
        pupil = Pupil(
            self._x,
            self._y,
            options,
            self.strategy,
            self.outer,
            self.narrator,
            self._stopper(stop),
            lambda result: self._round_ended(result, on_round),
            self._line,
            self._first,
            self._resume,
            keeper,
            grouped,
            None if self.dtype == torch.float64 else self._exact,
        )
        try:
            network, reason = pupil.learn()
        finally:
            self.strategy.close()
        return self._result(network, reason, pupil.remark or reason.sentence)

    def _exact(self) -> tuple[Tensor, Tensor]:
        """Return drivers and target as the pupil would see them in float64."""
        device, learned = self._x.device, self.form.learned(self.data.y, self.data.latest)
        x = standardised(self.data.x, self.scaler, self._room, device, torch.float64)
        return x, torch.from_numpy(self.scaler.y(learned)).to(device, torch.float64, copy=True)

    def _announce(self) -> None:
        self.narrator.emit(self.watched.description)
        config, device = self.config, str(self._x.device)
        n = self.n_train, self.n_test, self._x.shape[1]
        self.narrator.emit(RunStarted(*n, self.goal, self.features, config.mode, config.workers, device))

    def _pick_up(self, state: PupilState) -> None:
        """Take over the last complete round of an interrupted run, which was announced before."""
        if len(state.residuals) not in (0, self.n_train):
            raise BugError(f"The state is of {len(state.residuals)} training rows, but there are {self.n_train}.")
        self.narrator.go_on(state.studied.number, state.kept, state.seconds)
        inside = state.place is not None
        self.narrator.emit(RunResumed(state.studied.number - inside, len(state.node_ids), state.seconds, inside))
        if state.place is None:
            network = state.network(self._x.shape[1], self._x.device)
            self.history.append(self._record(RoundResult(state.studied, network, state.residuals)))

    def predict(self, network: TwoLayerNetwork, x: np.ndarray, latest: np.ndarray | None = None) -> np.ndarray:
        """Return a network's predictions, shape (k,), in the target's unit for unscaled rows, shape (k, m)."""
        return self.form.level(unscaled_prediction(network, self.scaler, x), latest)

    def _stopper(self, stop: Callable[[], bool]) -> Callable[[], EndReason | None]:
        limit = self.config.max_minutes
        spent = 0.0 if self._resume is None else self._resume.seconds.get("total", 0.0)
        deadline = float("inf") if limit is None else time.monotonic() + 60 * limit - spent

        def reason() -> EndReason | None:
            if stop():
                return EndReason.STOPPED
            return EndReason.BUDGET_MINUTES if time.monotonic() > deadline else None

        return reason

    def _round_ended(self, result: RoundResult, on_round: Callable[[RoundRecord, Course], None]) -> None:
        record = self._record(result)
        self.history.append(record)
        on_round(record, self)
        self._tell(record)

    def _record(self, result: RoundResult) -> RoundRecord:
        size = np.abs(result.residuals)
        is_learned = size <= self._scaled_goal
        network = result.network
        data, test_mae = self.data, None
        if data.x_test is not None and data.y_test is not None and len(data.y_test):
            test_mae = mean_size(np.abs(self.predict(network, data.x_test, data.latest_test) - data.y_test))
        errors = size.astype(np.float64) * self.unit  # a large unit would overflow in float32
        if self.form.kind == LOG_CHANGE:  # the only form whose error is not the level's in another unit
            errors = np.abs(self.predict(network, data.x, data.latest) - data.y)
        return RoundRecord(
            number=result.number,
            picked=self.rows[result.picked],
            n_learned=int(is_learned.sum()),
            outcome=result.studied.outcome,
            n_hidden_before=result.studied.n_before,
            n_hidden_crammed=result.studied.n_crammed,
            n_hidden=network.n_hidden,
            largest_residual=float(errors.max()),
            train_mae=mean_size(errors),
            test_mae=test_mae,
            seconds=self.narrator.times(),
            kept_steps=self.narrator.kept,
            network=network,
            predicted=self.predict(network, self.watched.x, self.watched.latest),
            rows=self.rows,
            marks=np.packbits(is_learned),
        )

    def _tell(self, record: RoundRecord) -> None:
        rows = record.learned
        learned = tuple(int(n) for n in rows[np.isin(rows, self.watched.description.rows)])
        self.narrator.emit(Predicted(record.number, tuple(float(v) for v in record.predicted), learned))
        self.narrator.emit(
            RoundEnded(
                round=record.number,
                n_learned=record.n_learned,
                n_train=self.n_train,
                outcome=record.outcome,
                n_hidden_before=record.n_hidden_before,
                n_hidden_crammed=record.n_hidden_crammed,
                n_hidden=record.n_hidden,
                largest_residual=record.largest_residual,
                train_mae=record.train_mae,
                test_mae=record.test_mae,
                seconds=record.seconds,
                kept_steps=record.kept_steps,
            )
        )

    def _result(self, network: TwoLayerNetwork, reason: EndReason, sentence: str) -> TrainResult:
        seconds = self.narrator.times()
        last = self.history[-1]
        self.narrator.emit(
            RunEnded(reason, sentence, last.number, network.n_hidden, last.n_learned, self.n_train, seconds)
        )
        return TrainResult(
            self.config,
            network,
            self.scaler,
            self.features,
            self.target,
            self.goal,
            self.n_train,
            self.n_test,
            reason,
            sentence,
            self.history,
            seconds,
        )
