"""Runs in the background: every way they can end, their order, and that no process outlives them."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from plm_engine.errors import RunError
from plm_engine.store import Status
from plm_engine.store.locks import Lock
from plm_engine.store.queueing import set_max_running
from plm_engine.supervise import Supervisor, end_of
from tests.runs.conftest import FAKE


def test_a_run_finishes_with_its_summary_and_leaves_no_process(scene):
    run_id = scene.start("finish")
    info = scene.wait(run_id)
    assert (info.status, info.sentence) == (Status.FINISHED, "Every row is learned."), scene.log(run_id)
    assert info.summary["n_hidden"] == 7
    assert info.created <= info.started <= info.ended
    kinds = [event.kind for event in scene.store.events(run_id)]
    assert kinds == ["RoundStarted", "RoundEnded"] * 3
    scene.nothing_is_left()
    assert scene.store.queue.tickets() == []


def test_children_that_outlive_the_training_process_are_ended(scene):
    run_id = scene.start("tree")
    assert scene.wait(run_id).status is Status.FINISHED
    scene.nothing_is_left()


@pytest.mark.parametrize(
    ("behaviour", "user_error", "sentence"),
    [
        ("user-error", True, "Column 'z' is not in the table."),
        ("crash", False, "ended with code 1 and did not say why; the log says more."),
        ("silent", False, "ended with code 0 and did not say why; the log says more."),
    ],
)
def test_a_failure_has_its_sentence(scene, behaviour, user_error, sentence):
    run_id = scene.start(behaviour)
    info = scene.wait(run_id)
    assert info.status is Status.FAILED
    assert info.sentence.endswith(sentence)
    assert info.user_error == user_error
    assert ("boom" in scene.log(run_id)) == (behaviour == "crash")
    scene.nothing_is_left()


@pytest.mark.parametrize(
    ("behaviour", "sentence"), [("long", "Cancelled after 1 round."), ("stubborn", "last complete round is kept.")]
)
def test_cancel_ends_every_process_within_five_seconds(scene, behaviour, sentence):
    run_id = scene.start(behaviour)
    scene.pids(run_id)
    scene.wait_for(lambda: scene.store.events(run_id))
    asked = time.monotonic()
    scene.store.request_cancel(run_id)
    info = scene.wait(run_id)
    assert info.status is Status.CANCELLED
    assert info.sentence.endswith(sentence)
    scene.nothing_is_left()
    assert time.monotonic() - asked < 5.0
    with pytest.raises(RunError, match="cancelled already"):
        scene.store.request_cancel(run_id)


def test_a_killed_training_process_is_a_failure_in_words(scene):
    run_id = scene.start("long")
    os.kill(scene.pids(run_id)[0], signal.SIGKILL)
    info = scene.wait(run_id, seconds=5)
    assert info.status is Status.FAILED
    assert "killed by signal 9 (SIGKILL)" in info.sentence
    scene.nothing_is_left()


def test_a_killed_supervisor_takes_the_training_along_and_the_run_is_lost(scene):
    run_id = scene.start("long")
    scene.pids(run_id)
    scene.supervisor(run_id).kill()
    info = scene.wait(run_id, seconds=5)
    assert info.status is Status.LOST
    scene.nothing_is_left()
    scene.store.delete(run_id)


def test_a_terminated_supervisor_ends_the_run_as_cancelled(scene):
    run_id = scene.start("long")
    scene.pids(run_id)
    scene.wait_for(lambda: scene.store.events(run_id))
    scene.supervisor(run_id).terminate()
    assert scene.wait(run_id, seconds=5).status is Status.CANCELLED
    scene.nothing_is_left()


def test_a_run_that_stands_still_is_given_up(scene):
    from plm_engine.config import Config

    assert scene.store.create("0123456789ab", Config())
    scene.store.queue.draw("0123456789ab")
    run_dir = scene.store.run_dir("0123456789ab")
    Supervisor(run_dir, Lock(run_dir / "lock"), [sys.executable, *FAKE, "frozen"], stall_s=4.0).run()
    info = scene.store.status("0123456789ab")
    assert info.status is Status.FAILED
    assert info.sentence == "The training process gave no sign of life for 4 s and was ended."
    scene.nothing_is_left()


def test_a_command_that_does_not_exist_is_a_failure_in_words(scene):
    from plm_engine.config import Config
    from plm_engine.launch import start

    run_id = start(Config(data=str(scene.data)), home=scene.store.home, command=["/no/such/program"])
    info = scene.wait(run_id)
    assert info.status is Status.FAILED
    assert info.sentence.startswith("The training process cannot be started")
    scene.nothing_is_left()


def test_a_folder_deleted_in_mid_run_ends_the_processes(scene):
    run_id = scene.start("long")
    pids = scene.pids(run_id)
    scene.store.run_dir(run_id).rename(scene.store.home / "moved-away")
    scene.wait_for(lambda: not scene.processes(run_id), 8.0)
    assert len(pids) == 1


def test_runs_wait_for_their_turn_in_order(scene):
    first, second, third = scene.start("long"), scene.start("long"), scene.start("finish")
    scene.wait(first, Status.RUNNING)
    time.sleep(0.6)
    assert [scene.store.status(r).status for r in (first, second, third)] == ["running", "queued", "queued"]
    assert [scene.store.status(r).position for r in (first, second, third)] == [None, 1, 2]
    scene.store.request_cancel(first)
    scene.wait(second, Status.RUNNING)
    assert scene.store.status(third).position == 1
    scene.store.request_cancel(second)
    info = scene.wait(third)
    assert info.status is Status.FINISHED
    assert info.started >= scene.store.status(second).ended - 0.3
    scene.nothing_is_left()


def test_a_waiting_run_is_cancelled_without_having_started(scene):
    first = scene.start("long")
    scene.wait(first, Status.RUNNING)
    second = scene.start("long")
    scene.store.request_cancel(second)
    info = scene.wait(second, seconds=5)
    assert info.status is Status.CANCELLED
    assert info.started is None
    assert "waited for its turn" in info.sentence
    assert scene.store.status(first).status is Status.RUNNING


def test_two_train_at_once_where_two_may(scene):
    set_max_running(scene.store.home, 2)
    runs = [scene.start("long") for _ in range(3)]
    for run_id in runs[:2]:
        scene.wait(run_id, Status.RUNNING)
    time.sleep(0.5)
    assert scene.store.status(runs[2]).status is Status.QUEUED


@pytest.mark.parametrize(
    ("code", "said", "cancelled", "status"),
    [
        (0, "finished", False, Status.FINISHED),
        (0, "finished", True, Status.FINISHED),
        (0, None, True, Status.CANCELLED),
        (-15, None, True, Status.CANCELLED),
        (3, "cancelled", True, Status.CANCELLED),
        (3, None, False, Status.CANCELLED),
        (-9, None, False, Status.FAILED),
        (0, None, False, Status.FAILED),
        (1, "finished", False, Status.FAILED),
        (2, "failed", True, Status.FAILED),
        (1, "nonsense", False, Status.FAILED),
    ],
)
def test_the_end_follows_from_outcome_code_and_flag(code, said, cancelled, status):
    outcome = {} if said is None else {"status": said, "sentence": "Said so."}
    assert end_of(code, outcome, cancelled=cancelled)[0] is status
