"""What charts and the replay show of a resumed run is what they show of one without interruption."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from plm_engine import Config, report, train
from plm_engine.events import Event
from plm_engine.learning.state import PupilState
from plm_engine.replay import TapeReader
from plm_engine.store import Status, Store, new_run_id

CONFIG = Config(goal=0.35, pick=8, epochs=15, regularizing_epochs=15, seed=3)


class Tape:
    """Keeps every event, and with every state how many events there were."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.states: list[tuple[PupilState, int]] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)

    def due(self) -> bool:
        return True

    def keep(self, state: PupilState) -> None:
        self.states.append((state, len(self.events)))


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 3))
    return x, np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=40)


def shown(folder, *parts: list[Event]) -> tuple:
    """Store the parts, read after each as a page does, and return what is seen in the end."""
    store, run_id = Store(folder), new_run_id()
    store.create(run_id, Config())
    reader = TapeReader(store, run_id)
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
    for part in parts:
        with store.writer(run_id) as writer:
            for event in part:
                writer.emit(event)
        reader.read()
        series = report.series(folder, run_id)
    steps = [replace(step, at_s=0.0) for step in reader.tape.steps]
    rounds = series.rounds.drop(columns="at_s").to_dict("records")
    return steps, sorted(reader.tape.frames), rounds, series.picked, series.n_hidden, sorted(series.predictions)


def test_a_resumed_run_is_told_like_an_uninterrupted_one(rows, tmp_path):
    whole = Tape()
    train(*rows, CONFIG, sink=whole, keeper=whole)
    expected = shown(tmp_path, whole.events)
    assert len(expected[2]) > 2
    for place in range(1, len(whole.states), max(1, len(whole.states) // 10)):
        state, told = whole.states[place]
        # the next round's end, if it was reached, has left a checkpoint of its own
        next_end = next(n for later, n in whole.states[place:] if later.place is None)
        for lost in (0, 3, 1000):  # events after the checkpoint, before the kill
            rest = Tape()
            train(*rows, CONFIG, sink=rest, resume=state)
            seen = shown(tmp_path, whole.events[: min(told + lost, next_end)], rest.events)
            for found, wanted in zip(seen, expected, strict=True):
                assert found == wanted, (state.studied.number, state.place, lost)


def test_a_run_that_starts_once_more_is_told_once(rows, tmp_path):
    whole = Tape()
    train(*rows, CONFIG, sink=whole)
    for cut in (3, 20, len(whole.events) - 1):
        assert shown(tmp_path, whole.events[:cut], whole.events) == shown(tmp_path, whole.events)
