"""A rank, the launcher or the training process dies, hangs or fails: one clear sentence, and no process is left."""

from __future__ import annotations

import os
import signal
import sys
import time

import psutil
import pytest

from plm_engine.config import Config
from plm_engine.hosts import Hosts
from plm_engine.launch import start
from plm_engine.multirank import STANDS_STILL_S, RankGroup
from plm_engine.store import Status
from tests.runs.conftest import Scene

LONG = Config(data="copper-sample", goal_percent=1.5, pick=1, epochs=200, seed=1, mode="row_parallel", workers=2)
ANSWER_S = 10.0


class Ranked:
    """A long run with two ranks, and its processes by what they are."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.id = scene, start(LONG, home=scene.store.home)
        scene.wait_for(lambda: scene.store.events(self.id, kinds=["RoundEnded"], limit=2)[1:], 90)

    @property
    def folder(self):
        return self.scene.store.run_dir(self.id) / "ranks"

    def rank(self, number: int) -> psutil.Process:
        return psutil.Process(int((self.folder / f"alive-{number}").read_text().split()[0]))

    def launcher(self) -> psutil.Process:
        return next(p for p in self.scene.processes(self.id) if "plm_engine.torchrun" in p.cmdline())

    def worker(self) -> psutil.Process:
        return self.launcher().parent()

    def ended(self, within_s: float = ANSWER_S):
        info = self.scene.wait(self.id, seconds=within_s)
        self.scene.nothing_is_left()
        return info


@pytest.fixture
def ranked(scene: Scene) -> Ranked:
    return Ranked(scene)


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_rank_is_named_with_its_signal(ranked, rank):
    ranked.rank(rank).kill()
    info = ranked.ended()
    assert info.status is Status.FAILED
    assert info.sentence.startswith(f"Rank {rank} of 2 was ended by signal SIGKILL")
    assert info.summary["rounds"] >= 1


@pytest.mark.slow
def test_a_killed_launcher_is_named(ranked):
    ranked.launcher().kill()
    info = ranked.ended()
    assert info.status is Status.FAILED
    assert info.sentence.startswith("The launcher of the 2 ranks (torchrun) was ended by signal SIGKILL")


@pytest.mark.slow
def test_a_killed_training_process_takes_its_ranks_along(ranked):
    ranked.worker().kill()
    info = ranked.ended()
    assert info.status is Status.FAILED
    assert "SIGKILL" in info.sentence


@pytest.mark.slow
def test_a_killed_supervisor_takes_everything_along(ranked):
    ranked.scene.supervisor(ranked.id).kill()
    assert ranked.ended().status is Status.LOST


@pytest.mark.slow
def test_cancel_ends_all_ranks(ranked):
    ranked.scene.store.request_cancel(ranked.id)
    info = ranked.ended()
    assert info.status is Status.CANCELLED
    assert info.summary["rounds"] >= 1


@pytest.mark.slow
def test_a_rank_that_stands_still_is_named_and_not_the_one_that_waits(ranked):
    ranked.rank(1).send_signal(signal.SIGSTOP)
    info = ranked.ended(60)
    assert info.status is Status.FAILED
    assert info.sentence.startswith(f"Rank 1 of 2 gave no sign of life for {STANDS_STILL_S:g} s")


@pytest.mark.slow
def test_ctrl_c_on_the_command_line_ends_all_ranks(scene):
    import subprocess

    words = ["--goal-percent", "1.5", "--pick", "1", "--epochs", "200", "--mode", "row_parallel", "--workers", "2"]
    command = [sys.executable, "-m", "plm_engine", "train", "--data", "copper-sample", *words]
    child = subprocess.Popen([*command, "--home", str(scene.store.home)], stderr=subprocess.PIPE)
    scene.wait_for(scene.store.runs, 30)
    (run,) = scene.store.runs()
    scene.wait_for(lambda: scene.store.events(run.id, kinds=["RoundEnded"], limit=1), 90)
    child.send_signal(signal.SIGINT)
    asked = time.monotonic()
    child.communicate(timeout=ANSWER_S)
    assert time.monotonic() - asked < ANSWER_S
    assert scene.store.status(run.id).status is Status.CANCELLED
    scene.nothing_is_left()


def program(tmp_path, text: str) -> RankGroup:
    """A group of two ranks that run ``text``, which may use RANK and the run's folder."""
    path = tmp_path / "ranks_program.py"
    path.write_text(
        "import os, sys, time\nfrom pathlib import Path\n"
        f"sys.path.insert(0, {os.getcwd()!r})\n"
        "from plm_engine import multirank\nfrom plm_engine.processes import die_with_parent\n"
        "from plm_engine.errors import PeerLostError, DataError\ndie_with_parent()\n"
        f"folder, rank = Path({str(tmp_path)!r}), int(os.environ['RANK'])\n"
        "multirank.show_alive(folder, rank)\n" + text
    )
    return RankGroup(tmp_path, 2, Hosts(), [str(path)])


def runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def failed(group: RankGroup) -> str:
    still = group.watch(lambda: False)
    return still or group.failure(group.end())


def test_a_rank_that_raises_is_named_and_not_the_one_that_lost_it(tmp_path):
    group = program(
        tmp_path,
        "error = DataError('The file is gone.') if rank else PeerLostError('lost contact')\n"
        "time.sleep(0.05 * (rank == 0))\n"
        "multirank.show_failure(folder, rank, error, str(error), user_error=bool(rank))\n"
        "sys.exit(2)\n",
    )
    assert failed(group) == "Rank 1 of 2 failed: The file is gone."


def test_what_every_rank_says_is_not_blamed_on_one(tmp_path):
    group = program(
        tmp_path,
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "error = DataError('Column q is not in the table.')\n"
        "time.sleep(0.2 * (rank == 0))\n"
        "multirank.show_failure(folder, rank, error, str(error), user_error=True)\n"
        "sys.exit(2)\n",
    )
    assert failed(group) == ""  # so rank 0's own outcome, in the same words, stands
    assert group.user_error()


def test_a_rank_deep_in_a_computation_does_not_hold_up_the_end(tmp_path):
    group = program(
        tmp_path,
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if rank: time.sleep(600)\n"
        "while not (folder / 'ranks' / 'alive-1').exists(): time.sleep(0.05)\n"
        "error = DataError('No rows.')\n"
        "multirank.show_failure(folder, rank, error, str(error), user_error=True)\n"
        "sys.exit(2)\n",
    )
    began = time.monotonic()
    assert failed(group) == ""  # rank 0 itself has said it, in outcome.json
    assert group.word(0)["sentence"] == "No rows."
    assert time.monotonic() - began < 30
    assert not runs(int((tmp_path / "ranks" / "alive-1").read_text().split()[0]))


@pytest.mark.slow
def test_auto_chooses_and_says_why_and_ends_with_the_network_of_single(scene):
    networks = {}
    for mode in ("single", "auto"):
        config = LONG.replace(goal_percent=15.0, pick=10, epochs=20, mode=mode, workers=1 if mode == "single" else 2)
        run_id = start(config, home=scene.store.home)
        info = scene.wait(run_id, seconds=90)
        assert info.status is Status.FINISHED, info.sentence
        networks[mode] = info.summary["network_sha256"]
    assert networks["auto"] == networks["single"]
    assert info.summary["auto"]["mode"] == info.summary["mode"] != "auto"
    said = [event.payload["sentence"] for event in scene.store.events(run_id, kinds=["Notice"])]
    assert info.summary["auto"]["reason"] in said
    scene.nothing_is_left()
