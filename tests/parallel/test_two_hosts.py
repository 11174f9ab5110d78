"""Runs on several machines, which here are network namespaces of one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

import pytest

from plm_engine.errors import ConfigError, UnavailableError
from plm_engine.hosts import Hosts
from plm_engine.store import Store
from tests.parallel.two_hosts import ADDRESSES, PORT, PROJECT, processes_in, start, train_on_two, two_hosts, why_not

QUICK = ("--goal-percent", "15", "--pick", "10", "--epochs", "20", "--seed", "4", "--mode", "row_parallel")


@pytest.fixture(scope="module")
def namespaces() -> None:
    reason = why_not()
    if reason and os.environ.get("CI"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


def on_one_host(home, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "plm_engine", "train", *options, "--home", str(home), "--json"]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
@pytest.mark.usefixtures("namespaces")
def test_two_hosts_end_with_the_network_of_one_host(tmp_path):
    table = PROJECT / "data" / "copper_synthetic_weekly.csv"
    options = ("--data", str(table), *QUICK)
    printed, remarks, left = train_on_two(str(tmp_path / "two"), *options)
    assert printed, remarks
    two = json.loads(printed)
    one = json.loads(on_one_host(tmp_path / "one", *options, "--workers", "2").stdout)
    assert two["status"] == one["status"] == "finished", remarks
    assert two["network_sha256"] == one["network_sha256"]
    assert two["picked"] == one["picked"]
    assert left == 0
    # one store, written by rank 0 only
    assert [path.name for path in (tmp_path / "two").glob("*/run.db")] == ["run.db"]


def test_an_occupied_port_is_said_at_once(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        began = time.monotonic()
        where = ("--hosts", "2", "--workers", "2", "--address", "127.0.0.1", "--port", port)
        done = on_one_host(tmp_path, "--data", "copper-sample", *QUICK, *where)
    assert done.returncode == 2
    assert f"cannot meet at 127.0.0.1:{port}" in json.loads(done.stdout)["sentence"]
    assert time.monotonic() - began < 30  # loading included; torch itself took 58 s to say so


def test_ranks_are_shared_out_evenly_or_refused():
    hosts = Hosts(2, 1, "10.0.0.1", 29500)
    assert list(hosts.ranks_here(6)) == [3, 4, 5]
    with pytest.raises(ConfigError, match="evenly over 2 hosts"):
        hosts.check_workers(3)


def test_words_say_the_same_hosts_again():
    hosts = Hosts(3, 2, "node0", 29500, "eth0")
    assert Hosts.from_arguments(hosts.words()) == hosts
    assert Hosts.from_arguments([]) == Hosts()


@pytest.mark.parametrize(
    "words",
    [
        ["--hosts=2"],
        ["--hosts=2", "--address=a", "--port=70000"],
        ["--hosts=2", "--host-index=2", "--address=a"],
        ["--hosts=0", "--address=a"],
    ],
)
def test_hosts_that_cannot_meet_are_refused_in_words(words):
    with pytest.raises(ConfigError):
        Hosts.from_arguments(words)


def test_an_address_of_another_machine_is_no_place_to_listen():
    with pytest.raises(UnavailableError, match="give an address of this machine"):
        Hosts(2, 0, "192.0.2.1", 29500).check()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("train", "--data", "copper-sample", "--hosts", "2", "--address", "a"), "cannot use several machines"),
        (("join", "--workers", "2"), "Only machines 1, 2"),
        (
            ("train", "--data", "copper-sample", "--mode", "ddp", "--workers", "3", "--hosts", "2", "--address", "a"),
            "evenly",
        ),
    ],
)
def test_the_command_line_says_what_is_wrong_with_several_machines(tmp_path, words, said):
    command = [sys.executable, "-m", "plm_engine", *words, "--home", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.usefixtures("namespaces")
def test_a_lost_machine_ends_the_run_with_one_sentence(tmp_path):
    long = ("--data", "copper-sample", "--goal-percent", "1.5", "--pick", "1", "--epochs", "200", *QUICK[-2:])
    store = Store(tmp_path)
    with two_hosts() as (spaces, links):
        shared = ("--workers", "2", "--hosts", "2", "--address", ADDRESSES[0], "--port", str(PORT))
        first = start(spaces[0], "train", *long, *shared, "--interface", links[0], "--home", str(tmp_path))
        second = start(spaces[1], "join", *shared, "--host-index", "1", "--interface", links[1])
        try:
            deadline = time.monotonic() + 90
            while not any(store.events(run.id, kinds=["RoundEnded"], limit=1) for run in store.runs()):
                assert time.monotonic() < deadline, "no round in 90 s"
                time.sleep(0.1)
            second.kill()
            _, said = first.communicate(timeout=10)
        finally:
            for child in (first, second):
                child.kill()
        assert "rank 0 lost contact with another machine" in said
        assert first.returncode == 1
        deadline = time.monotonic() + 5
        while any(processes_in(space) for space in spaces) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(processes_in(space) for space in spaces)
