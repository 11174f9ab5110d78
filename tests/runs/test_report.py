"""Tables for pages: what a run said, read step by step; the list of runs; thinning lines out."""

from __future__ import annotations

import threading
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plm_engine import report
from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.events import (
    DataPrepared,
    NodesAdded,
    NodeTried,
    Notice,
    Phase,
    PhaseEnded,
    PhaseStarted,
    Predicted,
    RoundEnded,
    RoundStarted,
    RowsPicked,
    RunEnded,
    RunStarted,
    StepKept,
)
from plm_engine.series import PHASES, PhaseClock, Reader
from plm_engine.store import Status, Store, StoredEvent, new_run_id
from plm_engine.store.memory import MemoryStore

SECONDS = {**dict.fromkeys(PHASES, 0.0), "understanding": 1.0, "total": 2.0}


def round_ended(number: int, n_hidden: int) -> RoundEnded:
    return RoundEnded(number, 2, 3, "goal met", 1, 4, n_hidden, 30.0, 12.0, None, SECONDS, 5)


def first_events() -> list:
    return [
        DataPrepared((3, 4, 5), (1.0, 2.0, 3.0), ("train", "train", "test"), ("2021-01-04",) * 3, (0.5,) * 3, "price"),
        RunStarted(2, 1, 1, 40.0, ("x1",), "single", 1, "cpu"),
        NodesAdded(0, (0,), None),
        Predicted(0, (1.5, 2.5, 3.5), (3,)),
        RoundStarted(1, 1, 2),
        RowsPicked(1, (4,), (0.5,)),
        PhaseStarted(1, Phase.UNDERSTANDING),
        StepKept(1, "understanding", 1, 0.5, 1e-3, 55.0, 1),
    ]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def run_id(store) -> str:
    run_id = new_run_id()
    store.create(run_id, Config())
    return run_id


def test_a_run_that_has_said_nothing_is_empty(store, run_id):
    series = Reader(store, run_id).read()
    assert (series.seq, series.n_train, series.n_hidden, series.predicted, series.phase) == (0, 0, None, None, "")
    assert len(series.steps["loss"]) == len(series.rounds) == len(series.nodes) == 0
    assert series.steps_of("understanding")["loss"].shape == (0,)


def test_every_event_lands_in_its_column(store, run_id):
    reader = Reader(store, run_id)
    with store.hold(run_id), store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        for event in first_events():
            writer.emit(event)
        series = reader.read()
        assert (series.n_train, series.n_test, series.n_learned, series.goal) == (2, 1, 1, 40.0)
        assert (series.target, series.features, series.phase) == ("price", ("x1",), "understanding")
        assert series.rows.tolist() == [3, 4, 5]
        assert series.part == ("train", "train", "test")
        assert series.dates == ("2021-01-04",) * 3
        assert series.predicted.tolist() == [1.5, 2.5, 3.5]
        assert series.steps_of("understanding")["loss"].tolist() == [0.5]
        assert series.steps_of("organizing_regularizing")["loss"].tolist() == []
        assert series.largest_residual == 55.0
        assert series.picked == {1: (4,)}

        writer.emit(NodesAdded(1, (1, 2, 3), 4, 55.0, 0.3))
        writer.emit(NodeTried(1, 2, True, 3, 0.1))
        writer.emit(Predicted(1, (1.0, 2.0, 3.0), (3, 4)))
        writer.emit(round_ended(1, 3))
        writer.emit(Notice("Rows 3 and 4 are nearly equal."))
        later = reader.read()
    assert later.nodes[:, 1].tolist() == [1, 4, 3]
    assert later.rounds[["round", "n_hidden", "train_mae"]].iloc[-1].tolist() == [1, 3, 12.0]
    assert later.largest_residual == 30.0
    assert later.learned == (3, 4)
    assert sorted(later.predictions) == [0, 1]
    assert later.notices == ("Rows 3 and 4 are nearly equal.",)
    assert series.nodes[:, 1].tolist() == [1], "what was handed out does not change"
    assert sorted(series.predictions) == [0]


def test_only_new_events_are_read(store, run_id, monkeypatch):
    reader, asked = Reader(store, run_id), []
    events = store.events
    monkeypatch.setattr(store, "events", lambda *a, **k: asked.append(a[1]) or events(*a, **k))
    for kept in (1, 2, 3):
        with store.writer(run_id) as writer:
            writer.emit(StepKept(1, "understanding", kept, 0.5, 1e-3, 55.0, 1))
        assert reader.read().seq == kept
    assert asked == [0, 1, 2]


def test_a_long_run_grows_beyond_its_first_arrays(store, run_id):
    reader = Reader(store, run_id)
    for begin in (0, 700):
        with store.writer(run_id) as writer:
            for kept in range(begin, begin + 700):
                writer.emit(StepKept(1, "understanding", kept, float(kept), 1e-3, 55.0, kept % 7))
        assert reader.read().steps["loss"].tolist() == [float(k) for k in range(begin + 700)]


def test_a_phase_that_still_runs_is_counted(store, run_id):
    def at(seconds: float, event) -> StoredEvent:
        return StoredEvent(1, seconds, 0.0, event.kind, event.to_mapping())

    clock = PhaseClock()
    clock.take(at(10.0, RunStarted(2, 1, 1, 40.0, ("x1",), "single", 1, "cpu")))
    clock.take(at(11.0, PhaseStarted(1, Phase.UNDERSTANDING)))
    assert clock.seconds(14.0)["understanding"] == 3.0
    assert clock.seconds(14.0)["total"] == 4.0
    clock.take(at(15.0, PhaseEnded(1, Phase.UNDERSTANDING, 3.5)))
    assert clock.seconds(20.0)["understanding"] == 3.5

    clock.take(at(15.0, PhaseStarted(1, Phase.ORGANIZING)))
    clock.take(at(15.0, PhaseStarted(1, Phase.REGULARIZING)))
    clock.take(at(16.0, PhaseEnded(1, Phase.REGULARIZING, 1.0)))
    clock.take(at(16.0, PhaseStarted(1, Phase.REORGANIZING, 2)))
    clock.take(at(19.0, PhaseEnded(1, Phase.REORGANIZING, 3.0)))
    assert clock.phase == "organizing"
    spent = clock.seconds(23.0)  # 8 s of organizing, of which parts of 1 s and 3 s were announced
    assert (spent["organizing"], spent["organizing_regularizing"], spent["organizing_understanding"]) == (8.0, 2.0, 6.0)

    clock.take(at(24.0, round_ended(1, 3)))
    assert clock.seconds(25.0) == {**SECONDS, "total": 3.0}
    clock.take(at(26.0, RunEnded("goal met", "All.", 1, 3, 2, 2, {**SECONDS, "total": 5.5})))
    assert clock.seconds(99.0)["total"] == 5.5


def test_sessions_share_one_reader_and_see_the_same(tmp_path):
    store, run_id = Store(tmp_path), new_run_id()
    store.create(run_id, Config())
    with store.writer(run_id) as writer:
        for kept in range(5_000):
            writer.emit(StepKept(1, "understanding", kept, 0.5, 1e-3, 55.0, 1))
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda: seen.append(len(report.series(tmp_path, run_id).steps["loss"])))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [5_000] * 8
    begin = time.perf_counter()
    report.series(tmp_path, run_id)
    assert time.perf_counter() - begin < 0.1, "a refresh without news is cheap"
    store.delete(run_id)
    with pytest.raises(RunError, match="no run"):
        report.series(tmp_path, run_id)
    report.forget(tmp_path, run_id)


def test_series_of_a_senseless_id_is_refused(tmp_path):
    with pytest.raises(RunError, match="not the id"):
        report.series(tmp_path, "../../etc/passwd")


def test_the_run_table_has_every_run_newest_first_and_no_false_zero(tmp_path):
    assert report.run_table(tmp_path).empty
    store, ids = Store(tmp_path), [new_run_id(), new_run_id()]
    for run_id in ids:
        store.create(run_id, Config(target="y"), {"data": {"name": "copper.csv"}})
        time.sleep(0.002)
    with store.writer(ids[0]) as writer:
        writer.set_status(Status.RUNNING)
        writer.put_meta(summary={"n_hidden": 31, "rounds": 9, "goal": 4000, "mae": {"train": 964.5, "test": None}})
        writer.set_status(Status.FINISHED)
    table = report.run_table(tmp_path).set_index("id")
    assert list(table.index) == ids[::-1]
    done, waiting = table.loc[ids[0]], table.loc[ids[1]]
    assert (done["status"], done["nodes"], done["train_mae"], done["goal"]) == ("finished", 31, 964.5, 4000.0)
    assert pd.isna(done["test_mae"])
    assert waiting[["nodes", "train_mae", "test_mae", "seconds", "goal"]].isna().all()
    assert (table["data"] == "copper.csv").all()


def test_a_thinned_line_keeps_its_spikes_and_ends():
    x = np.arange(50_000)
    y = np.sin(x / 500)
    y[12_345], y[33_333] = 99.0, -99.0
    few_x, few_y = report.decimate(x, y, 1000)
    assert len(few_x) <= 1004
    assert {99.0, -99.0} <= set(few_y)
    assert (few_x[0], few_x[-1]) == (0, 49_999)
    assert (y[few_x] == few_y).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), max_size=300), st.integers(4, 50))
def test_any_line_is_thinned_in_order_within_bounds_and_with_its_extremes(values, n):
    x, y = np.arange(len(values)), np.array(values, dtype=float)
    few_x, few_y = report.decimate(x, y, n)
    assert len(few_x) <= max(n + 4, 0) or len(few_x) == len(x)
    assert (np.diff(few_x) > 0).all()
    if np.isfinite(y).any():
        assert np.nanmax(few_y) == np.nanmax(y)
        assert np.nanmin(few_y) == np.nanmin(y)
