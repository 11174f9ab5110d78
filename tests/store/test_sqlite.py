"""What only the store on disk promises: files, many processes, old and damaged runs, speed."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.events import Predicted, StepKept
from plm_engine.store import Status, Store, Writer, home_dir, new_run_id


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


@pytest.fixture
def run_id(store: Store) -> str:
    run_id = new_run_id()
    store.create(run_id, Config(seed=5))
    return run_id


def test_the_home_is_the_one_given_else_of_the_environment_else_in_the_project(tmp_path, monkeypatch):
    monkeypatch.setenv("PLM_LAB_HOME", str(tmp_path / "env"))
    assert home_dir(tmp_path / "given") == tmp_path / "given"
    assert home_dir() == tmp_path / "env"
    monkeypatch.delenv("PLM_LAB_HOME")
    assert home_dir() == Path(__file__).resolve().parents[2] / "data" / "runs"


def test_the_folder_holds_the_config_and_is_private(store, run_id):
    folder = store.run_dir(run_id)
    assert Config.from_mapping(json.loads((folder / "config.json").read_text())) == Config(seed=5)
    assert folder.stat().st_mode & 0o077 == 0
    assert [path.name for path in store.home.iterdir()] == [run_id]


def _create(home: Path, run_id: str, go, won) -> None:
    go.wait()
    if Store(home).create(run_id, Config()):
        with won.get_lock():
            won.value += 1


def test_of_many_processes_that_create_one_run_one_wins(store):
    context = multiprocessing.get_context("fork")
    go, won, run_id = context.Event(), context.Value("i", 0), new_run_id()
    starters = [context.Process(target=_create, args=(store.home, run_id, go, won)) for _ in range(6)]
    for starter in starters:
        starter.start()
    go.set()
    for starter in starters:
        starter.join(30)
    assert won.value == 1
    assert [path.name for path in store.home.iterdir()] == [run_id]


def test_twenty_thousand_events_cost_little_and_none_is_lost_with_readers_looking_on(store, run_id):
    event = StepKept(1, "understanding", 1, 0.5, 1e-3, 100.0, 4)
    stop, errors, seen = threading.Event(), [], []

    def look() -> None:
        last = 0
        while not stop.is_set():
            try:
                new = store.events(run_id, after_seq=last)
            except Exception as error:
                errors.append(error)
                return
            last = new[-1].seq if new else last
            seen.append(last)
            time.sleep(0.02)

    readers = [threading.Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    with store.writer(run_id) as writer:
        begin = time.thread_time()
        for _ in range(20_000):
            writer.emit(event)
        cost = time.thread_time() - begin
    stop.set()
    for reader in readers:
        reader.join()
    assert errors == []
    assert [e.seq for e in store.events(run_id)] == list(range(1, 20_001))
    assert cost < 4.0, "an event must cost the training well under a millisecond"


def test_readers_leave_no_growing_log_behind(store, run_id):
    with store.writer(run_id) as writer:
        for round_ in range(30):
            writer.emit(Predicted(round_, tuple(float(i) for i in range(2_000))))
            store.events(run_id, after_seq=round_)
        assert (store.run_dir(run_id) / "run.db-wal").stat().st_size < 6_000_000


def test_a_run_of_a_newer_schema_is_refused_in_words(store, run_id):
    db = sqlite3.connect(store.run_dir(run_id) / "run.db")
    db.execute("PRAGMA user_version=99")
    db.close()
    for ask in (store.status, store.writer):
        with pytest.raises(RunError, match=r"newer version .*schema 99"):
            ask(run_id)


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 500])
def test_a_damaged_run_is_one_sentence_and_hides_no_other(store, run_id, damage):
    sound = new_run_id()
    store.create(sound, Config())
    (store.run_dir(run_id) / "run.db").write_bytes(damage)
    with pytest.raises(RunError, match=f"store of run {run_id} cannot be read"):
        store.status(run_id)
    assert [info.id for info in store.runs()] == [sound]


def test_a_home_that_cannot_be_made_is_a_user_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunError, match="cannot be stored"):
        Store(tmp_path / "file" / "home").create(new_run_id(), Config())


def test_the_writer_beats_by_itself(store, run_id):
    with store.hold(run_id), Writer(store.run_dir(run_id), beat=True) as writer:
        writer.set_status(Status.RUNNING)
        first = store.status(run_id).heartbeat
        deadline = time.monotonic() + 5
        while store.status(run_id).heartbeat == first and time.monotonic() < deadline:
            time.sleep(0.05)
        assert store.status(run_id).heartbeat > first


def test_a_write_that_failed_in_the_background_stops_the_training_with_a_sentence(store, run_id):
    event = StepKept(1, "understanding", 1, 0.5, 1e-3, 100.0, 4)
    writer = store.writer(run_id)
    writer._db.execute("PRAGMA max_page_count=1")  # what a full disk looks like to SQLite

    def emit_for_three_seconds() -> None:
        for _ in range(3_000):
            writer.emit(event)
            time.sleep(0.001)

    with pytest.raises(RunError, match=r"cannot be written: .*full"):
        emit_for_three_seconds()
    with pytest.raises(RunError, match="full"):
        writer.close()
    store.writer(run_id).close()


def test_a_run_is_found_by_the_beginning_of_its_id(store):
    for run_id in ("abcd00000001", "abcd00000002", "ffff00000001"):
        store.create(run_id, Config())
    assert store.find("ffff") == "ffff00000001"
    assert store.find("abcd00000002") == "abcd00000002"
    with pytest.raises(RunError, match="more than one"):
        store.find("abcd")
    for text in ("fff", "0000", "../ffff"):
        with pytest.raises(RunError, match="no run"):
            store.find(text)


def test_the_end_of_the_log_is_read(store, run_id):
    assert store.log_tail(run_id) == ""
    (store.run_dir(run_id) / "log.txt").write_text("a" * 50 + "end")
    assert store.log_tail(run_id, 5) == "aaend"


def test_an_ended_run_that_changes_after_all_is_seen_anew(store, run_id):
    with store.writer(run_id) as writer:
        writer.set_status(Status.FINISHED)
    assert store.runs()[0].summary == {}
    store.runs()[0].config["seed"] = "changed by a caller"
    assert store.runs()[0].config["seed"] == 5
    with store.writer(run_id) as writer:
        writer.put_meta(summary={"rounds": 3})
        assert store.runs()[0].summary == {"rounds": 3}
    assert store.status(run_id).summary == {"rounds": 3}


def test_listing_ended_runs_again_opens_no_database(store, monkeypatch):
    for _ in range(5):
        run_id = new_run_id()
        store.create(run_id, Config())
        with store.writer(run_id) as writer:
            writer.set_status(Status.FINISHED)
    active = new_run_id()
    store.create(active, Config())
    store.runs()
    store.runs()  # a reader's first look makes the log's empty files, so only now nothing changes any more
    opened: list[str] = []
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda name, **more: opened.append(name) or connect(name, **more))
    assert len(store.runs()) == 6
    assert all(active in name for name in opened)
    assert opened
