"""What goes wrong outside the program: each fault has a clear end state, and no process is left after it."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.events import Notice
from plm_engine.launch import COMMAND, resume, start
from plm_engine.store import Status, Store, Writer, new_run_id
from plm_engine.store.paths import PROJECT
from plm_engine.store.reserve import RESERVE
from plm_engine.supervise import Supervisor
from plm_engine.worker import outcome_of
from tests.runs.test_real_runs import command
from tests.scenes.processes import processes_of, wait_for

LIMITED = (sys.executable, "-m", "tests.runs.limited")
LONG = Config(data="copper-sample", goal_percent=1.5, pick=1, epochs=200, seed=1)


def room(folder: Path, size: str) -> Iterator[Path]:
    """A small file system of its own, where that is allowed."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip("this account may not mount a small file system; the test with a limit on file sizes remains")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    yield from room(tmp_path / "small", "3m")


def test_a_file_that_may_not_grow_is_a_failure_in_words(scene):
    run_id = start(LONG, home=scene.store.home, command=[*LIMITED, "fsize", "50000"])
    info = scene.wait(run_id, seconds=60)
    assert info.status is Status.FAILED
    assert "cannot be written" in info.sentence
    assert "room" in info.sentence
    assert info.user_error
    assert not list(scene.store.run_dir(run_id).rglob("*.part")), "half a file was left"
    scene.nothing_is_left()


def fill(ballast: Path) -> None:
    """Take all the room there is."""
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert shutil.disk_usage(ballast).free < 4096


@pytest.mark.slow
def test_a_full_disk_ends_the_run_in_words_and_after_making_room_it_goes_on(small_disk):
    home = small_disk / "home"
    store = Store(home)
    config = Config(data="copper-sample", goal_percent=9.0, pick=20, max_rounds=3, epochs=20, seed=1)
    run_id = start(config, home=home)
    folder = store.run_dir(run_id)
    wait_for(lambda: store.events(run_id, kinds=["RoundEnded"], limit=1), 60, "the first network")
    ballast = small_disk / "ballast"
    fill(ballast)
    wait_for(lambda: not store.status(run_id).status.active, 60, "the end")
    info = store.status(run_id)
    assert info.status is Status.FAILED, info.sentence
    assert "No space left" in info.sentence or "disk is full" in info.sentence
    wait_for(lambda: not processes_of(home), 5, "the last process")
    ballast.unlink()
    resume(run_id, home=home)
    wait_for(lambda: not store.status(run_id).status.active, 120, "the end")
    assert store.status(run_id).status is Status.FINISHED, store.status(run_id).sentence
    assert not (folder / RESERVE).exists()
    wait_for(lambda: not processes_of(home), 5, "the last process")


@pytest.fixture
def locked_home(small_disk: Path) -> Iterator[Path]:
    """A store with one ended run on a file system that is read-only by now."""
    home = small_disk / "home"
    store, run_id = Store(home), "0123456789ab"
    store.create(run_id, Config(goal=4000))
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        writer.emit(Notice("Nearly done."))
        writer.set_status(Status.FINISHED, "The goal is met.")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    return home


def test_a_store_that_cannot_be_written_can_be_read_and_says_so_where_it_must_be_written(locked_home):
    shown = command("show", "0123456789ab", home=locked_home)
    assert shown.returncode == 0, shown.stderr
    assert "finished: The goal is met." in shown.stdout
    assert "0123456789ab  finished" in command("list", home=locked_home).stdout
    assert [e.kind for e in Store(locked_home).events("0123456789ab")] == ["Notice"]
    refused = command("train", "--data", "copper-sample", home=locked_home)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "cannot be stored" in refused.stderr
    assert f"{str(locked_home)!r}: Read-only file system." in refused.stderr, "it names the folder, no file inside"
    assert not processes_of(locked_home)
    store = Store(locked_home)
    with pytest.raises(RunError, match="Nothing can be written in"):
        store.set_labels("0123456789ab", name="gold")
    with pytest.raises(RunError, match="cannot be deleted: Read-only file system"):
        store.delete("0123456789ab")
    with pytest.raises(RunError, match=r"Nothing can be written in|is finished"):
        resume("0123456789ab", home=locked_home)


def test_a_damaged_store_is_named_and_hides_no_other_run(scene):
    ended = scene.start("finish")
    other = scene.start("finish")
    scene.wait(ended)
    scene.wait(other)
    (scene.store.run_dir(ended) / "run.db").write_bytes(b"This is no database." * 400)
    with pytest.raises(RunError, match=f"store of run {ended} cannot be read: file is not a database"):
        scene.store.status(ended)
    assert [info.id for info in scene.store.runs()] == [other]
    assert scene.store.damaged() == [ended]
    done = command("list", home=scene.store.home)
    assert done.returncode == 0
    assert f"Run {ended} is left out: its store is damaged" in done.stderr
    assert other in done.stdout
    shutil.rmtree(scene.store.run_dir(other))
    done = command("list", home=scene.store.home)
    assert f"No run in {scene.store.home} can be read: 1 damaged" in done.stdout
    done = command("show", ended, home=scene.store.home)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_store_damaged_in_mid_run_leaves_no_process(scene):
    run_id = scene.start("long")
    scene.wait_for(lambda: scene.store.events(run_id))
    database = scene.store.run_dir(run_id) / "run.db"
    for path in (database, database.with_name("run.db-wal")):
        with path.open("r+b") as file:
            file.write(b"\0" * path.stat().st_size)
    scene.nothing_is_left_within(20.0)
    with pytest.raises(RunError, match="cannot be read"):
        scene.store.status(run_id)


def test_the_whole_data_folder_deleted_in_mid_run_leaves_no_process(scene):
    run_id = start(LONG, home=scene.store.home)
    scene.wait_for(lambda: scene.store.events(run_id, kinds=["RoundEnded"], limit=1), 60)
    while scene.store.home.exists():  # the training goes on writing meanwhile
        shutil.rmtree(scene.store.home, ignore_errors=True)
    scene.nothing_is_left_within(10.0)
    assert scene.store.runs() == []
    with pytest.raises(RunError, match="There is no run"):
        scene.store.status(run_id)


def test_data_that_are_gone_before_a_resume_are_named(scene):
    run_id = scene.start("crash")
    scene.wait(run_id)
    (scene.store.run_dir(run_id) / COMMAND).unlink()
    scene.data.unlink()
    done = command("resume", run_id[:6], home=scene.store.home)
    assert done.returncode == 2, done.stderr
    info = scene.store.status(run_id)
    assert (info.status, info.resumed, info.user_error) == (Status.FAILED, 1, True)
    assert "data.csv" in info.sentence
    assert done.stderr.splitlines()[-1] == info.sentence
    scene.nothing_is_left()


def test_a_clock_set_back_by_a_day_keeps_the_order_of_events_and_no_time_is_negative(tmp_path, monkeypatch):
    store, run_id, day = Store(tmp_path), new_run_id(), 86_400.0
    store.create(run_id, Config())
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        writer.emit(Notice("before"))
    real = time.time
    monkeypatch.setattr("time.time", lambda: real() - day)
    with store.writer(run_id) as writer:
        for word in ("during", "after"):
            writer.emit(Notice(word))
        writer.set_status(Status.FINISHED)
    events = store.events(run_id)
    assert [e.payload["sentence"] for e in events] == ["before", "during", "after"]
    at = [e.at_s for e in events]
    assert at == sorted(at)
    assert at[-1] < 10.0
    info = store.status(run_id)
    assert info.status is Status.FINISHED
    assert info.elapsed_s() >= 0.0


def test_a_heartbeat_from_the_future_is_a_sign_of_life_and_an_old_one_that_stays_is_none(tmp_path, monkeypatch):
    """A clock that jumps changes what a heartbeat says, not that it changes; only standing still counts."""
    monkeypatch.setattr("plm_engine.supervise.LOOK_S", 0.0)
    store, run_id = Store(tmp_path), new_run_id()
    store.create(run_id, Config())
    code = (
        "import sys, time; from pathlib import Path; from plm_engine.store import Writer\n"
        "with Writer(Path(sys.argv[1])) as writer:\n"
        "    for wall in (4e9, 1e9, 4e9, 1e9, 4e9, 1e9):\n"
        "        writer.put_meta(heartbeat=wall); time.sleep(0.4)\n"
        "    time.sleep(60)\n"
    )
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
    supervisor = Supervisor(store.run_dir(run_id), store.hold(run_id), [sys.executable, "-c", code], stall_s=1.5)
    began = time.monotonic()
    supervisor._train()
    assert time.monotonic() - began > 2.0 + 1.4  # all six beats counted, then the silence
    assert "no sign of life for 1.5 s" in store.status(run_id).sentence
    assert not processes_of(store.run_dir(run_id))


def test_too_little_memory_is_a_failure_in_words(scene):
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(60_000, 12)), rng.normal(size=60_000)])
    np.savetxt(scene.data, table, delimiter=",", header=",".join([*"abcdefghijkl", "y"]), comments="", fmt="%.6g")
    config = Config(data=str(scene.data), target="y", goal_percent=5)
    run_id = start(config, home=scene.store.home, command=[*LIMITED, "memory", "15000000"])
    info = scene.wait(run_id, seconds=90)
    assert info.status is Status.FAILED
    assert "memory ran out: use fewer rows" in info.sentence, scene.log(run_id)
    assert info.user_error
    scene.nothing_is_left()


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail at alloc_cpu.cpp:117] data. DefaultCPUAllocator: can't allocate memory: you tried"),
        type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory."),
    ],
)
def test_every_way_in_which_memory_runs_out_has_the_same_sentence(error):
    code, sentence = outcome_of(error)
    assert (code, sentence[:27]) == (2, "The machine's memory ran ou")


def test_a_port_that_is_taken_is_said_and_the_server_ends():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode != 0
    assert f"Port {port}" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_writer_that_cannot_write_raises_one_sentence(scene, monkeypatch):
    run_id = scene.start("finish")
    scene.wait(run_id)
    monkeypatch.setattr("plm_engine.store.writer.Lock", lambda *_: (_ for _ in ()).throw(OSError(30, "Read-only")))
    with pytest.raises(RunError, match=r"cannot be written: .*Read-only"):
        Writer(scene.store.run_dir(run_id))
