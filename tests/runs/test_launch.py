"""Starting a run: at once, once, with everything recorded that its result may depend on."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time

import pytest

from plm_engine import launch
from plm_engine.config import Config
from plm_engine.errors import ConfigError, PLMError, RunError
from plm_engine.store import Status, Store, new_run_id
from tests.runs.conftest import FAKE


@pytest.mark.alone
def test_start_comes_back_at_once_and_records_what_the_result_depends_on(scene):
    begin = time.monotonic()
    run_id = scene.start("finish", name="first try")
    assert time.monotonic() - begin < 1.0
    info = scene.wait(run_id, Status.FINISHED)
    assert info.name == "first try"
    assert info.config["data"] == str(scene.data)
    data = info.extra["data"]
    assert data["sha256"] == hashlib.sha256(scene.data.read_bytes()).hexdigest()
    assert (data["name"], data["bytes"]) == ("data.csv", scene.data.stat().st_size)
    assert info.extra["seed"] == 0
    assert info.extra["versions"]["torch"].startswith("2.")
    assert info.extra["python"].startswith("3.")


def test_a_relative_path_still_names_the_file_for_the_training_process(scene, monkeypatch):
    monkeypatch.chdir(scene.data.parent)
    run_id = launch.start(Config(data="data.csv"), home=scene.store.home, command=["true"])
    assert scene.store.status(run_id).config["data"] == str(scene.data)
    scene.wait(run_id)


def test_starting_twice_starts_one_run(scene):
    run_id = new_run_id()
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(scene.start("long", run_id=run_id))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [run_id] * 4
    scene.wait(run_id, Status.RUNNING)
    scene.pids(run_id)
    assert [info.id for info in scene.store.runs()] == [run_id]
    assert len(scene.processes(run_id)) == 2, "one supervisor and one training process"


def test_the_run_is_never_seen_as_lost_while_it_starts(scene):
    seen, stop = set(), threading.Event()

    def look() -> None:
        while not stop.is_set():
            seen.update(info.status for info in scene.store.runs())

    looker = threading.Thread(target=look)
    looker.start()
    for _ in range(3):
        scene.wait(scene.start("finish"), Status.FINISHED)
    stop.set()
    looker.join()
    assert seen <= {Status.QUEUED, Status.RUNNING, Status.FINISHED}


def test_the_run_outlives_the_process_that_started_it(scene):
    code = (
        "import sys; from plm_engine.launch import start; from plm_engine.config import Config;"
        f"print(start(Config(data={str(scene.data)!r}), home={str(scene.store.home)!r},"
        f" command=[sys.executable, *{FAKE!r}, 'long']));"
        "sys.stdout.flush(); import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    run_id = done.stdout.strip()
    scene.wait(run_id, Status.RUNNING)
    assert scene.supervisor(run_id).ppid() not in (0, None)
    before = len(scene.store.events(run_id))
    scene.wait_for(lambda: len(scene.store.events(run_id)) > before + 3)
    scene.store.request_cancel(run_id)
    assert scene.wait(run_id).status is Status.CANCELLED


@pytest.mark.parametrize("data", ["", "no-such-file.csv", "../../../etc/shadow-not-there"])
def test_data_that_is_not_there_is_refused_before_a_run_exists(tmp_path, data):
    with pytest.raises(PLMError) as caught:
        launch.start(Config(data=data), home=tmp_path / "home", command=["true"])
    assert isinstance(caught.value, ConfigError) or data in str(caught.value)
    assert Store(tmp_path / "home").runs() == []


def test_a_bad_id_or_name_is_refused(scene):
    with pytest.raises(RunError, match="not the id"):
        scene.start("finish", run_id="../evil")
    with pytest.raises(RunError, match="at most 200"):
        scene.start("finish", name="n" * 500)
    assert scene.store.runs() == []


def test_a_supervisor_that_cannot_start_is_recorded(scene, monkeypatch):
    monkeypatch.setattr(launch.sys, "executable", "/no/such/python")
    with pytest.raises(RunError, match="supervisor cannot be started"):
        scene.start("finish")
    (info,) = scene.store.runs()
    assert info.status is Status.FAILED
    assert "supervisor cannot be started" in info.sentence


def test_launching_loads_no_heavy_library(scene):
    code = (
        "import sys; from plm_engine.launch import start; from plm_engine.config import Config;"
        f"start(Config(data={str(scene.data)!r}), home={str(scene.store.home)!r}, command=['true']);"
        "print([m for m in ('torch', 'pandas', 'numpy', 'streamlit') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
