"""A training that goes on from any of its states ends with the bytes of an uninterrupted one."""

from __future__ import annotations

import numpy as np
import pytest

from plm_engine import Config, train
from plm_engine.errors import BugError
from plm_engine.events import ListSink
from plm_engine.learning.outcome import EndReason
from plm_engine.learning.state import PupilState
from plm_engine.training import TrainResult


class KeepAll:
    """Wants every state there is."""

    def __init__(self) -> None:
        self.states: list[PupilState] = []

    def due(self) -> bool:
        return True

    def keep(self, state: PupilState) -> None:
        self.states.append(state)


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 3))
    return x, np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=40)


def config(**changes) -> Config:
    return Config(goal=0.35, pick=3, epochs=20, regularizing_epochs=20, seed=3).replace(**changes)


def same(one: TrainResult, other: TrainResult) -> bool:
    return (
        one.network.sha256() == other.network.sha256()
        and (one.network.node_ids, one.network.node_rows) == (other.network.node_ids, other.network.node_rows)
        and one.network.next_id == other.network.next_id
        and one.reason is other.reason
        and one.history[-1].number == other.history[-1].number
        and one.history[-1].kept_steps == other.history[-1].kept_steps
    )


@pytest.mark.parametrize(
    "changes",
    [{}, {"mode": "batched"}, {"dtype": "float32"}, {"picking": "random"}, {"reorganizing": False}],
    ids=lambda changes: "-".join(map(str, changes.values())) or "single",
)
def test_every_state_leads_to_the_same_bytes(rows, changes):
    kept = KeepAll()
    whole = train(*rows, config(**changes), keeper=kept)
    assert whole.reason is EndReason.GOAL_MET
    inside = [state for state in kept.states if state.place is not None]
    ends = [state for state in kept.states if state.place is None]
    assert len(ends) == whole.history[-1].number + 1
    assert bool(inside) == (changes.get("reorganizing", True) is True)
    for state in [*ends, *inside[:: max(1, len(inside) // 12)]]:
        assert same(train(*rows, config(**changes), resume=state), whole), (state.studied.number, state.place)


def test_a_run_stopped_anywhere_goes_on_to_the_same_bytes(rows):
    whole = train(*rows, config())
    for after in (1, 3, 10, 30, 60):
        asked, kept = iter(range(10**6)), KeepAll()
        kept.due = lambda: False  # only what must be kept: the ends of rounds, and where organizing was cut short
        cut = train(*rows, config(), stop=lambda n=after, asked=asked: next(asked) >= n, keeper=kept)
        assert cut.reason is EndReason.STOPPED
        assert same(train(*rows, config(), resume=kept.states[-1]), whole), after


def test_a_resumed_run_counts_its_seconds_and_says_where_it_goes_on(rows):
    kept, sink = KeepAll(), ListSink()
    train(*rows, config(), keeper=kept)
    state = next(s for s in reversed(kept.states) if s.place is not None)
    state.seconds.update(total=100.0, understanding=40.0)
    result = train(*rows, config(), resume=state, sink=sink)
    assert 100.0 < result.seconds["total"] < 130.0
    assert 40.0 <= result.seconds["understanding"] < 50.0
    first = sink.events[0]
    assert (first.kind, first.round) == ("RunResumed", state.studied.number - 1)


def test_seconds_spent_before_count_for_the_time_budget(rows):
    kept = KeepAll()
    train(*rows, config(), keeper=kept)
    ended = next(s for s in kept.states if s.place is None and s.studied.number == 1)
    ended.seconds["total"] = 61.0
    result = train(*rows, config(max_minutes=1.0), resume=ended)
    assert result.reason is EndReason.BUDGET_MINUTES
    assert result.history[-1].number == 1


def test_a_state_of_other_rows_is_refused(rows):
    kept = KeepAll()
    train(*rows, config(), keeper=kept)
    with pytest.raises(BugError, match="40 training rows, but there are 39"):
        train(rows[0][:-1], rows[1][:-1], config(), resume=kept.states[0])


def test_a_run_that_began_with_an_earlier_network_keeps_its_scaler(rows):
    x, y = rows
    earlier = train(x[:20] * 3, y[:20] - 1, config())
    first, kept = (earlier.network, earlier.scaler), KeepAll()
    whole = train(x, y, config(), first=first, keeper=kept)
    for state in kept.states[:: max(1, len(kept.states) // 4)]:
        assert same(train(x, y, config(), first=first, resume=state), whole)
