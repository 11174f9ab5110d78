"""The queue: order, slots, tickets of the dead."""

from __future__ import annotations

import json

import pytest

from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.store import Store, new_run_id
from plm_engine.store.queueing import max_running, set_max_running


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "home")


@pytest.fixture
def join(store):
    """Create a run that holds its lock and waits in the queue."""
    held = []

    def make():
        run_id = new_run_id()
        held.append(store.create_held(run_id, Config()))
        store.queue.draw(run_id)
        return run_id, held[-1]

    yield make
    for lock in held:
        lock.release()


def test_slots_are_given_in_order_and_passed_on(store, join):
    (first, _), (second, _), (third, _) = join(), join(), join()
    assert not store.queue.take_slot(second)
    assert store.queue.take_slot(first)
    assert store.queue.take_slot(first), "asking again keeps the slot"
    assert not store.queue.take_slot(second)
    assert [store.status(r).position for r in (second, third)] == [1, 2]
    store.queue.leave(first)
    assert not store.queue.take_slot(third), "the older one comes first"
    assert store.queue.take_slot(second)


def test_more_slots_let_more_run(store, join):
    set_max_running(store.home, 2)
    runs = [join()[0] for _ in range(3)]
    assert [store.queue.take_slot(r) for r in runs] == [True, True, False]


def test_the_dead_block_nobody(store, join):
    (first, lock_1), (_second, lock_2), (third, _) = join(), join(), join()
    assert store.queue.take_slot(first)
    lock_1.release()
    lock_2.release()
    assert store.status(third).position == 1
    assert store.queue.take_slot(third)
    store.queue.leave(third)
    assert store.queue.tickets() == [], "dead tickets are swept away"


def test_a_run_without_a_ticket_is_told_so(store, join):
    run_id, _ = join()
    store.queue.leave(run_id)
    with pytest.raises(RunError, match="lost its place"):
        store.queue.take_slot(run_id)


@pytest.mark.parametrize("bad", [0, -1, 65, 1.5, True, "2", None])
def test_a_senseless_number_of_slots_is_refused_and_ignored_in_the_file(store, bad):
    with pytest.raises(RunError, match="whole number from 1 to 64"):
        set_max_running(store.home, bad)
    set_max_running(store.home, 3)
    assert max_running(store.home) == 3
    (store.home / "settings.json").write_text(json.dumps({"max_running": bad}))
    assert max_running(store.home) == 1
