"""A run that chooses its goal first and is interrupted: while it chooses, and after."""

from __future__ import annotations

import os
import signal

import pytest

from plm_engine.config import Config
from plm_engine.launch import resume, start
from plm_engine.lesson_start import CHOICE
from plm_engine.store import Status, Store
from plm_engine.store.paths import CHECKPOINT
from tests.scenes.kill import fingerprint
from tests.scenes.processes import processes_of, wait_for, wait_for_end
from tests.test_lesson_start import write_rows


def kill(folder, word: str) -> None:
    """End one process of a run as the kernel would."""
    (victim,) = [p for p in processes_of(folder) if f"plm_engine.{word}" in p.cmdline()]
    os.kill(victim.pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_run_interrupted_while_its_goal_is_chosen_ends_like_an_uninterrupted_one(tmp_path):
    write_rows(tmp_path / "week.csv", 40)
    config = Config(
        data=str(tmp_path / "week.csv"),
        target="y",
        latest_price="price",
        goal_auto=True,
        pick=10,
        max_rounds=2,
        epochs=5,
    )
    home = tmp_path / "home"
    store = Store(home)
    whole = start(config, home=home)
    info = wait_for_end(store, whole)
    assert info.status is Status.FINISHED, info.sentence
    expected, chosen = fingerprint(store, whole), (store.run_dir(whole) / CHOICE).read_bytes()

    run_id = start(config, home=home)
    folder = store.run_dir(run_id)
    ends = {"worker": Status.FAILED, "detach": Status.LOST, "": Status.CANCELLED}
    for victim, status in ends.items():
        wait_for(lambda: "Choosing the goal" in store.status(run_id).summary.get("sentence", ""), 60, "the choosing")
        if victim:
            kill(folder, victim)
        else:
            store.request_cancel(run_id)
        info = wait_for_end(store, run_id)
        assert info.status is status, info.sentence
        assert not (folder / CHOICE).exists()
        assert not (folder / CHECKPOINT).exists()
        assert resume(run_id, home=home) == ""
    info = wait_for_end(store, run_id)
    assert (info.status, info.resumed) == (Status.FINISHED, 3), info.sentence
    assert fingerprint(store, run_id) == expected
    assert (folder / CHOICE).read_bytes() == chosen
