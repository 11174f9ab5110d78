"""One run's lesson: the data prepared, the pupil trained, and everything worth keeping written into the run's folder.

Kept up to date at every round's end, so that nothing is lost whenever the process dies: the newest model, the round
itself, a checkpoint to go on from, the summary (in the store and as ``summary.json``) and, for tables of moderate
size, the predictions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from plm_engine.checkpoints import Checkpoints, load_round, load_state, save_model, save_predictions, save_round
from plm_engine.config import Config
from plm_engine.datasets.prepare import Prepared
from plm_engine.datasets.scale import Scaler
from plm_engine.evaluation.baselines import baselines
from plm_engine.evaluation.metrics import Undefined
from plm_engine.events import SAMPLE_ROWS, DataPrepared, Sink
from plm_engine.going_on import MEASURING, against_training_anew, what_was_before
from plm_engine.joining import from_first
from plm_engine.launch import environment
from plm_engine.learning.outcome import EndReason
from plm_engine.lesson_start import chosen, network_of_run, without_oldest
from plm_engine.limits import Limits
from plm_engine.machine import known, watch_memory
from plm_engine.multirank import peak_memory
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.strategy import Strategy
from plm_engine.reading import read_and_prepare
from plm_engine.store.paths import RESUME, write_json
from plm_engine.store.writer import Writer
from plm_engine.training import Course, RoundRecord, TrainResult, Watched, train

#: predictions of larger tables are written at the end only
PREDICTIONS_EVERY_ROUND = 20_000
#: rows of predictions that are written at once
PREDICTIONS_AT_ONCE = 50_000
#: rows of a round's pick that the summary names
PICKED_SHOWN = 1_000


class Lesson:
    """Trains one run.

    Parameters
    ----------
    run_dir : Path
        The run's folder.
    config : Config
    writer : Writer or None
        The run's store; ``None`` on ranks that only compute.
    """

    def __init__(self, run_dir: Path, config: Config, writer: Writer | None) -> None:
        self.run_dir, self.config, self.writer = run_dir, config, writer
        self.sink: Sink | None = writer
        watch_memory()
        limits, machine = Limits.of(run_dir.parent).within(config), known(run_dir.parent).memory_bytes
        found = read_and_prepare(config, limits, machine, run_dir)
        self.table, self.placement, self.room = found.table, found.placement, found.room
        self.prepared = without_oldest(found.prepared, config.drop_oldest)
        self.table.frame = self.table.frame.iloc[:0].copy()  # the arrays hold what is needed of it
        self.goal, self._device, self.threads = 0.0, "", 1
        #: what a calibration made and the first training takes over
        self.made: Strategy | None = None
        self._strategy: Strategy | None = None
        self._picked: list[list[int]] = []
        self._more: dict[str, Any] = {}
        self._baselines = {} if writer is None else baseline_errors(self.prepared)

    def note(self, name: str, value: Any) -> None:
        """Have something more kept in the summary."""
        self._more[name] = value

    def learn(self, stop: Callable[[], bool]) -> TrainResult:
        """Train to the end, from where an interrupted run stood if this is one."""
        data = self.prepared
        state = load_state(self.run_dir / RESUME)
        first = None
        if self.config.goal_auto:
            self.config, self._more["choice"] = chosen(self.run_dir, data, self.config, self.writer, stop)
        if self.config.continue_run:
            home, other = self.run_dir.parent, self.config.continue_run
            first = network_of_run(home, other, data, self.config)
            self._more["continued"] = what_was_before(home, other, data)
        if state is not None and self.writer is not None:
            complete = state.studied.number - (state.place is not None)
            rounds = [load_round(self.run_dir, number) for number in range(1, complete + 1)]
            self._picked = [_shown(found["picked"]) for found in rounds]
        result = self._train(
            self.config.replace(horizon=data.horizon),
            first,  # a resumed run needs its scaler
            stop,
            watched=watched(data),
            sink=self.sink,
            on_round=self._round if self.writer is not None else lambda record, course: None,
            resume=state,
            keeper=None if self.writer is None else Checkpoints(self.run_dir),
        )
        if self.writer is not None:
            self._keep_predictions(result.predict)
            self.goal, self._device = result.goal, str(result.network.hidden_weight.device)
            self._keep_summary(result.history[-1], result.seconds, str(result.reason), result.sentence)
        if first is not None and self.config.train_anew and result.reason is not EndReason.STOPPED:
            self._train_anew(result, first, stop)
        return result

    def _train(
        self, config: Config, first: tuple[TwoLayerNetwork, Scaler] | None, stop: Callable[[], bool], **more: Any
    ) -> TrainResult:
        """Train on the lesson's rows."""
        data, made, self.made = self.prepared, self.made, None
        return train(
            data.x_train,
            data.y_train,
            config,
            x_test=data.x_test,
            y_test=data.y_test,
            latest=data.latest_train,
            latest_test=data.latest_test,
            first=first,
            rows=data.rows_train,
            features=data.features,
            target=data.target,
            stop=stop,
            threads=self.threads,
            room=self.room,
            strategy=made,
            **more,
        )

    def _train_anew(
        self, went_on: TrainResult, first: tuple[TwoLayerNetwork, Scaler], stop: Callable[[], bool]
    ) -> None:
        """Measure what going on saved, and keep it with the summary."""

        def tell(sentence: str) -> None:
            if self.writer is not None:
                self._keep_summary(went_on.history[-1], went_on.seconds, str(went_on.reason), sentence)

        tell(MEASURING)
        found = against_training_anew(
            went_on,
            lambda config, on: self._train(config, first if on else None, stop),
            (lambda mine: from_first("repeats", mine if self.writer else None)) if "RANK" in os.environ else dict,
        )
        self._more["continued"] |= found
        tell(went_on.sentence)

    def _round(self, record: RoundRecord, course: Course) -> None:
        if record.number:
            self._picked.append(_shown(record.picked))
        ranges = {
            name: [float(column.min()), float(column.max())]
            for name, column in zip(self.prepared.features, self.prepared.x_train.T, strict=True)
        }
        save_model(
            self.run_dir,
            record.network,
            course.scaler,
            self.prepared.features,
            self.prepared.target,
            goal=course.goal,
            round=record.number,
            training_ranges=ranges,
            horizon=self.prepared.horizon,
            latest_price=self.prepared.roles.latest_price,
            predict=self.config.predict,
        )
        save_round(self.run_dir, record)
        if len(self.prepared.rows) <= PREDICTIONS_EVERY_ROUND:
            self._keep_predictions(lambda x, latest: course.predict(record.network, x, latest))
        self.goal, self._device = course.goal, str(course.strategy.device)
        self._strategy = course.strategy
        self._keep_summary(record, record.seconds, "", "Learning.")

    def _keep_predictions(self, predict: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        data = self.prepared
        predicted = predict(data.x, data.latest_price)
        dated = any(data.dates)

        def parts() -> Iterator[pd.DataFrame]:
            for a in range(0, len(data.rows), PREDICTIONS_AT_ONCE):
                some = slice(a, a + PREDICTIONS_AT_ONCE)
                columns = {
                    "data_row": data.rows[some],
                    "date": data.dates[some],
                    "part": data.part[some],
                    "actual": data.actual[some],
                    "predicted": predicted[some],
                    "error": data.actual[some] - predicted[some],
                    "persistence": data.latest_price[some],
                }
                yield pd.DataFrame({name: values for name, values in columns.items() if name != "date" or dated})

        save_predictions(self.run_dir, parts)

    def _keep_summary(self, record: RoundRecord, seconds: Mapping[str, float], reason: str, sentence: str) -> None:
        assert self.writer is not None  # only rank 0 keeps anything
        communicating, calls = self._strategy.communication() if self._strategy else (0.0, 0)
        summary = {
            "reason": reason,
            "sentence": sentence,
            "mode": self.config.mode,
            "workers": self.config.workers,
            "n_hidden": record.n_hidden,
            "rounds": record.number,
            "n_learned": record.n_learned,
            "n_train": len(self.prepared.y_train),
            "n_test": len(self.prepared.y_test),
            "goal": self.goal,
            "target": self.prepared.target,
            "features": list(self.prepared.features),
            "horizon": self.prepared.horizon,
            "split": self.prepared.split,
            "picked": self._picked,
            "kept_steps": record.kept_steps,
            "seconds": dict(seconds),
            "communication": {"seconds": communicating, "calls": calls},
            "peak_memory_bytes": peak_memory(self.run_dir),
            "peak_anonymous_bytes": peak_memory(self.run_dir, anonymous=True),
            "rows_on_disk": self.placement.to_mapping(),
            "mae": {"train": record.train_mae, "test": record.test_mae},
            "max_residual": {"train": record.largest_residual},
            "baselines": self._baselines,
            "findings": [finding.sentence for finding in self.prepared.findings],
            "network_sha256": record.network.sha256(),
            "environment": {**environment(self.config), "device": self._device, "threads": self.threads},
            **self._more,
        }
        self.writer.put_meta(summary=summary)
        write_json(self.run_dir / "summary.json", summary)


def _shown(picked: np.ndarray) -> list[int]:
    """Return the first rows picked in a round; the round's file has all of them."""
    return [int(n) for n in picked[:PICKED_SHOWN]]


def watched(data: Prepared) -> Watched:
    """Return what to predict after every round: all rows in time order, sampled evenly if there are very many."""
    shown = np.arange(len(data.rows))
    if len(shown) > SAMPLE_ROWS:
        shown = np.linspace(0, len(shown) - 1, SAMPLE_ROWS).astype(int)
    description = DataPrepared(
        rows=tuple(int(row) for row in data.rows[shown]),
        actual=tuple(float(value) for value in data.actual[shown]),
        part=tuple(data.part[k] for k in shown),
        date=tuple(data.dates[k] for k in shown) if any(data.dates) else (),
        latest_price=tuple(None if np.isnan(v) else float(v) for v in data.latest_price[shown]),
        target=data.target,
        warnings=tuple(finding.sentence for finding in data.findings),
    )
    return Watched(data.x[shown], description, data.latest_price[shown])


def baseline_errors(data: Prepared) -> dict[str, Any]:
    """Return the mean absolute errors of every baseline; an undefined one is its reason, in words."""

    def plain(measure: Any) -> Any:
        return str(measure) if isinstance(measure, Undefined) else float(measure)

    return {b.name: {"train": plain(b.mae_train), "test": plain(b.mae_test), "note": b.note} for b in baselines(data)}
