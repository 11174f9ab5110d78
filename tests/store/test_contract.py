"""The promises of a store, run against the one on disk and the one in memory."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest

from plm_engine.config import Config
from plm_engine.errors import BugError, RunError
from plm_engine.events import Notice, RoundEnded, RoundStarted, StepKept
from plm_engine.store import Status, Store, new_run_id
from plm_engine.store.memory import MemoryStore


@pytest.fixture(params=["sqlite", "memory"])
def store(request, tmp_path: Path):
    return Store(tmp_path / "home") if request.param == "sqlite" else MemoryStore(tmp_path)


@pytest.fixture
def run_id(store) -> str:
    run_id = new_run_id()
    assert store.create(run_id, Config(goal=4000, drivers=("x1", "x2")), {"seed": 3})
    return run_id


def step(kept: int) -> StepKept:
    return StepKept(1, "understanding", kept, 0.5, 1e-3, 100.0, 4)


def test_a_created_run_waits_with_its_config_and_facts(store, run_id):
    with store.hold(run_id):
        info = store.status(run_id)
    assert info.status is Status.QUEUED
    assert info.extra == {"seed": 3}
    assert Config.from_mapping(info.config) == Config(goal=4000, drivers=("x1", "x2"))
    assert info.started is info.ended is None
    assert info.created == pytest.approx(time.time(), abs=60)


def test_creating_the_same_run_twice_keeps_the_first(store, run_id):
    assert not store.create(run_id, Config(goal=1))
    assert store.status(run_id).config["goal"] == 4000


@pytest.mark.parametrize("bad", ["", "..", "../../etc/pw", "ABCDEF123456", "abc", "0123456789abc", None, 7])
def test_only_twelve_hex_digits_are_a_run(store, bad):
    for ask in (store.status, store.events, store.run_dir, store.delete, store.request_cancel):
        with pytest.raises(RunError, match="not the id of a run"):
            ask(bad)


def test_an_unknown_run_is_a_user_error(store):
    for ask in (store.status, store.events, store.writer, store.delete):
        with pytest.raises(RunError, match="There is no run 0123456789ab"):
            ask("0123456789ab")


def test_active_and_held_is_alive_active_and_free_is_lost(store, run_id):
    with store.hold(run_id):
        with store.writer(run_id) as writer:
            writer.set_status(Status.RUNNING)
        assert store.status(run_id).status is Status.RUNNING
        with pytest.raises(RunError, match="held"), store.hold(run_id):
            pass
    info = store.status(run_id)
    assert info.status is Status.LOST
    assert "last complete round is kept" in info.sentence


def test_an_ended_run_is_not_lost_when_its_lock_is_free(store, run_id):
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        writer.set_status(Status.FINISHED, "The goal is met.")
    info = store.status(run_id)
    assert (info.status, info.sentence) == (Status.FINISHED, "The goal is met.")
    assert info.elapsed_s() == pytest.approx(0, abs=30)
    assert info.ended >= info.started


def test_an_end_is_final_and_lost_is_never_recorded(store, run_id):
    with store.writer(run_id) as writer:
        with pytest.raises(BugError, match="never recorded"):
            writer.set_status(Status.LOST)
        writer.set_status(Status.CANCELLED)
        with pytest.raises(BugError, match="cancelled already"):
            writer.set_status(Status.RUNNING)
        with pytest.raises(BugError):
            writer.put_meta(status="running")
    assert store.status(run_id).status is Status.CANCELLED


def test_a_reopened_run_waits_again_and_its_seconds_go_on(store, run_id):
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        time.sleep(0.05)
        writer.emit(step(1))
        writer.set_status(Status.FAILED, "The disk is full.")
    before = store.events(run_id)[-1].at_s
    assert before > 0.04
    with store.writer(run_id) as writer:
        writer.reopen()
    with store.hold(run_id):
        info = store.status(run_id)
        assert (info.status, info.ended, info.resumed, info.elapsed_s()) == (Status.QUEUED, None, 1, None)
        time.sleep(0.05)
        with store.writer(run_id) as writer:
            writer.emit(Notice("Waits."))
            writer.set_status(Status.RUNNING)
            writer.emit(step(2))
        assert store.status(run_id).elapsed_s() == pytest.approx(before, abs=0.045)
    at = [event.at_s for event in store.events(run_id)]
    assert at[0] <= at[1] <= at[2] == pytest.approx(before, abs=0.045)


def test_one_writer_at_a_time(store, run_id):
    writer = store.writer(run_id)
    with pytest.raises(BugError, match="a writer already"):
        store.writer(run_id)
    writer.close()
    writer.close()
    store.writer(run_id).close()


def test_a_closed_writer_refuses_everything(store, run_id):
    writer = store.writer(run_id)
    writer.close()
    for act in (lambda: writer.emit(step(1)), writer.heartbeat, lambda: writer.set_status(Status.RUNNING)):
        with pytest.raises(BugError, match="closed"):
            act()


def test_events_come_back_in_order_after_any_point_and_by_kind(store, run_id):
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        for kept in range(1, 8):
            writer.emit(step(kept))
        writer.emit(Notice("Rows 3 and 9 are nearly equal."))
    found = store.events(run_id)
    assert [e.seq for e in found] == list(range(1, 9))
    assert [e.payload["kept"] for e in found[:-1]] == list(range(1, 8))
    assert found[-1].payload == {"sentence": "Rows 3 and 9 are nearly equal."}
    assert all(a.at_s <= b.at_s for a, b in pairwise(found))
    assert [e.seq for e in store.events(run_id, after_seq=5)] == [6, 7, 8]
    assert [e.seq for e in store.events(run_id, after_seq=2, limit=2)] == [3, 4]
    assert [e.kind for e in store.events(run_id, kinds=["Notice"])] == ["Notice"]
    assert store.events(run_id, kinds=[]) == []
    assert store.events(run_id, after_seq=8) == []


def test_a_second_writer_continues_the_numbers(store, run_id):
    for kept in (1, 2):
        with store.writer(run_id) as writer:
            writer.emit(step(kept))
    assert [(e.seq, e.payload["kept"]) for e in store.events(run_id)] == [(1, 1), (2, 2)]


def test_a_round_boundary_is_visible_at_once(store, run_id):
    ended = RoundEnded(1, 5, 9, "goal met", 1, 4, 3, 12.5, 3.0, None, {"cramming": 0.5}, 70)
    with store.writer(run_id) as writer:
        writer.emit(RoundStarted(1, 0, 9))
        assert len(store.events(run_id)) == 1
        writer.emit(step(1))
        writer.emit(ended)
        assert store.events(run_id)[-1].payload == ended.to_mapping()


def test_other_events_are_visible_within_half_a_second(store, run_id):
    with store.writer(run_id) as writer:
        writer.emit(step(1))
        deadline = time.monotonic() + 0.5
        while not store.events(run_id) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(store.events(run_id)) == 1


def test_values_are_kept_and_replaced(store, run_id):
    with store.writer(run_id) as writer:
        writer.put_meta(summary={"rounds": 1, "picked": [(1, 2)]})
        writer.put_meta(summary={"rounds": 2, "picked": [(1, 2), (3,)]})
        before = time.time()
        writer.heartbeat()
        assert store.status(run_id).summary == {"rounds": 2, "picked": [[1, 2], [3]]}
        assert store.status(run_id).heartbeat == pytest.approx(before, abs=5)


def test_a_failure_with_exit_code_2_is_the_users_to_put_right(store, run_id):
    with store.writer(run_id) as writer:
        writer.put_meta(exit_code=2)
        writer.set_status(Status.FAILED, "Column 'z' is not in the table.")
    assert store.status(run_id).user_error


def test_runs_are_listed_newest_first(store):
    ids = []
    for _ in range(3):
        ids.append(new_run_id())
        store.create(ids[-1], Config())
        time.sleep(0.002)
    assert [info.id for info in store.runs()] == ids[::-1]


def test_cancel_is_for_active_runs_only(store, run_id):
    with store.hold(run_id):
        assert not store.status(run_id).cancel_requested
        store.request_cancel(run_id)
        assert store.status(run_id).cancel_requested
    with pytest.raises(RunError, match="is lost already"):
        store.request_cancel(run_id)


def test_labels_are_set_merged_removed_and_checked(store, run_id):
    store.set_labels(run_id, name="<b>copper</b>", note="first try")
    store.set_labels(run_id, note="")
    assert store.status(run_id).labels == {"name": "<b>copper</b>"}
    assert store.status(run_id).name == "<b>copper</b>"
    with pytest.raises(RunError, match="at most 200"):
        store.set_labels(run_id, name="x" * 201)


def test_an_active_run_is_not_deleted_an_ended_one_is(store, run_id):
    with store.hold(run_id), pytest.raises(RunError, match="cancel it before"):
        store.delete(run_id)
    store.delete(run_id)
    assert store.runs() == []
    with pytest.raises(RunError, match="no run"):
        store.status(run_id)
