"""Resuming a run: what is refused, what a resumed run says, and that two at once resume one."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from plm_engine import report
from plm_engine.checkpoints import Checkpoints, load_state, save_state
from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.events import Predicted, RoundEnded, RowsPicked, RunResumed, RunStarted
from plm_engine.launch import COMMAND, not_promised, resume, start
from plm_engine.learning.state import Place, PupilState, Studied
from plm_engine.store import Status, Store, new_run_id
from plm_engine.store.paths import CHECKPOINT
from tests.scenes.kill import fingerprint
from tests.scenes.processes import processes_of, wait_for, wait_for_end

#: long enough, on a quick machine too, to be interrupted three times
LONG = Config(data="copper-sample", goal_percent=4.0, pick=30, max_rounds=4, epochs=100, seed=1)


INSIDE = Place(3, True)


def state(place: Place | None = INSIDE) -> PupilState:
    studied = Studied(2, np.array([7, 1]), np.array([0, 1, 7]), "epoch bound", 2, 5)
    return PupilState(
        weights=np.array([0.1, 1 / 3, 1e-300, -0.0, 7.0]),
        node_ids=np.array([4]),
        node_rows=np.array([0]),
        next_id=9,
        studied=studied,
        place=place,
        residuals=np.empty(0) if place else np.array([0.5, np.nan]),
        generator=np.arange(16, dtype=np.uint8),
        kept=70,
        seconds={"organizing": 0.1, "total": 1 / 3},
    )


@pytest.mark.parametrize("place", [None, INSIDE])
def test_a_state_survives_the_disk_exactly(tmp_path, place):
    save_state(tmp_path / CHECKPOINT, state(place))
    found = load_state(tmp_path / CHECKPOINT)
    assert found.weights.tobytes() == state().weights.tobytes()
    assert (found.place, found.next_id, found.kept, found.seconds) == (place, 9, 70, state().seconds)
    assert found.studied.rows.tolist() == [0, 1, 7]
    assert (found.studied.number, found.studied.outcome) == (2, "epoch bound")
    assert found.residuals.tobytes() == state(place).residuals.tobytes()
    assert found.generator.tolist() == list(range(16))
    assert os.listdir(tmp_path) == [CHECKPOINT]


def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    keeper = Checkpoints(tmp_path)
    keeper.keep(state())
    monkeypatch.setattr("os.fsync", lambda fd: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        keeper.keep(state(None))
    assert load_state(tmp_path / CHECKPOINT).place == INSIDE
    assert os.listdir(tmp_path) == [CHECKPOINT]


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b[:200] + b"x" + b[201:]])
def test_a_damaged_checkpoint_is_one_sentence(tmp_path, damage):
    save_state(tmp_path / CHECKPOINT, state())
    whole = (tmp_path / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(damage(whole))
    with pytest.raises(RunError, match=r"is damaged.*start the run again"):
        load_state(tmp_path / CHECKPOINT)
    assert load_state(tmp_path / "none.npz") is None


def test_what_cannot_be_resumed_is_refused_in_words(scene):
    run_id = scene.start("finish")
    with pytest.raises(RunError, match=r"is (queued|running): there is nothing to resume"):
        resume(run_id, home=scene.store.home)
    scene.wait(run_id)
    with pytest.raises(RunError, match="is finished"):
        resume(run_id, home=scene.store.home)
    with pytest.raises(RunError, match="There is no run"):
        resume("0123456789ab", home=scene.store.home)
    failed = scene.start("user-error")
    scene.wait(failed)
    with pytest.raises(RunError, match=f"give its own command again, with --resume {failed}"):
        resume(failed, home=scene.store.home)


def test_a_run_resumed_twice_at_once_goes_on_once(scene):
    run_id = scene.start("crash")
    scene.wait(run_id)
    (scene.store.run_dir(run_id) / COMMAND).unlink()  # from here on it is an ordinary run, of a table with one column
    scene.data.write_text("x,y\n" + "\n".join(f"{k},{k * k % 7}" for k in range(30)))
    answers: list[str] = []

    def press() -> None:
        try:
            resume(run_id, home=scene.store.home)
            answers.append("resumed")
        except RunError as error:
            answers.append(str(error))

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    info = scene.wait(run_id, seconds=60)
    assert answers.count("resumed") == 1, answers
    assert info.resumed == 1
    assert "changed after the run was started" in info.sentence  # the table is another one now
    scene.nothing_is_left()


def test_other_versions_are_named_where_equality_is_not_promised(scene):
    run_id = new_run_id()
    extra = {"versions": {"torch": "1.0"}, "python": "3.11.0", "machine": "abacus"}
    scene.store.create(run_id, Config(), extra)
    sentence = not_promised(scene.store.status(run_id))
    assert "bit for bit is not promised" in sentence
    assert "torch was 1.0 and is 2." in sentence
    assert "numpy was not there" in sentence
    assert "machine was abacus" in sentence


def test_charts_show_every_round_of_a_resumed_run_once(tmp_path):
    store, run_id = Store(tmp_path), new_run_id()
    store.create(run_id, Config())
    said = [RunStarted(5, 0, 1, 0.1, ("x",), "single", 1, "cpu")]
    for number in (0, 1, 2):
        said += [RowsPicked(number, (number,), (0.5,)), _ended(number), Predicted(number, (0.0, number))]
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        for event in said:
            writer.emit(event)
    assert len(report.series(tmp_path, run_id).rounds) == 3  # a page has looked already
    with store.writer(run_id) as writer:
        writer.emit(RunResumed(1, 4, {"cramming": 2.0, "total": 9.0}))
        writer.emit(_ended(2, 5))
    series = report.series(tmp_path, run_id)
    assert series.rounds["round"].tolist() == [0, 1, 2]
    assert series.rounds["n_hidden"].tolist() == [3, 3, 5]
    assert sorted(series.predictions) == [0, 1]
    assert (series.round, series.n_hidden) == (2, 5)


def _ended(number: int, n_hidden: int = 3) -> RoundEnded:
    return RoundEnded(number, number, 5, "", 1, 4, n_hidden, 9.5, 3.5, None, {"cramming": 0.1, "total": 1.0}, 9)


@pytest.mark.slow
def test_a_cancelled_a_killed_and_a_lost_run_end_like_an_uninterrupted_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PLM_LAB_CHECKPOINT_S", "0.1")
    store = Store(tmp_path)
    whole = start(LONG, home=tmp_path)
    assert wait_for_end(store, whole).status is Status.FINISHED
    expected, picked = fingerprint(store, whole), store.status(whole).summary["picked"]
    run_id = start(LONG, home=tmp_path)
    folder = store.run_dir(run_id)
    wait_for(lambda: store.events(run_id, kinds=["NodeTried"], limit=1), 60, "organizing")
    store.request_cancel(run_id)
    assert wait_for_end(store, run_id).status is Status.CANCELLED
    for word, status in (("worker", Status.FAILED), ("detach", Status.LOST)):
        last = len(store.events(run_id))
        resume(run_id, home=tmp_path)
        wait_for(lambda seen=last: store.events(run_id, seen, ["NodeTried"], 1), 60, "organizing")
        time.sleep(0.2)
        (victim,) = [p for p in processes_of(folder) if f"plm_engine.{word}" in p.cmdline()]
        os.kill(victim.pid, signal.SIGKILL)
        assert wait_for_end(store, run_id).status is status
    resume(run_id, home=tmp_path)
    info = wait_for_end(store, run_id)
    assert (info.status, info.resumed) == (Status.FINISHED, 3)
    assert fingerprint(store, run_id) == expected
    assert info.summary["picked"] == picked
    series = report.series(tmp_path, run_id)
    assert series.rounds["round"].tolist() == list(range(len(picked) + 1))
    events = store.events(run_id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    at = [event.at_s for event in events]
    assert at == sorted(at)
