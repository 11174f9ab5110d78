"""Helper processes: the bits of one device, whatever becomes of a helper."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch

from plm_engine import limits
from plm_engine.config import Config
from plm_engine.datasets.rooms import DiskRoom
from plm_engine.learning.descent import StepSizes
from plm_engine.learning.gap import GapSearch, widest_gaps
from plm_engine.learning.outcome import Outcome
from plm_engine.learning.understanding import Understanding
from plm_engine.limits import PROCESS_BYTES, place_rows
from plm_engine.parallel import helped
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.helped import AFTER_ACCEPTANCE, FARTHEST, GROWTH, HelpedStrategy
from plm_engine.parallel.helper import can_help
from plm_engine.parallel.single import SingleStrategy
from tests.helpers import random_network, random_rows
from tests.parallel.ranks_program import whole_run

pytestmark = pytest.mark.skipif(not can_help(), reason="this system does not fork")


@pytest.fixture(params=[2, 3])
def strategy(request):
    made = HelpedStrategy(AdamConstants(), request.param)
    yield made
    made.close()
    assert not helpers_of(os.getpid())


def helpers_of(pid):
    """Forked children: unlike all others they have their parent's command line."""
    parent = psutil.Process(pid)
    alive = [child for child in parent.children() if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in alive if child.cmdline() == parent.cmdline()]


def rules_for(networks, goal=1e-9, epochs=50, stop=lambda: False):
    return [Understanding(goal, epochs, StepSizes(), None, stop) for _ in networks]


def alone(networks, x, y, rules):
    single = SingleStrategy()
    for network, rule in zip(networks, rules, strict=True):
        tuned = single.tune(network, single.place(x, y), rule)
        if rule.met:
            return tuned
    return None


def states(rules):
    return [rule.state() for rule in rules]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_every_refused_candidate_is_judged_as_alone_on_new_rows_too(strategy, dtype):
    for n in (40, 376, 4501):
        x, y = random_rows(n, 5, dtype=dtype)
        networks = [random_network(5, 9, seed=seed, dtype=dtype) for seed in range(24)]
        expected, got = rules_for(networks), rules_for(networks)
        alone(networks, x, y, expected)
        strategy.tune_candidates(networks, strategy.place(x, y), got)
        assert states(got) == states(expected)


@pytest.mark.parametrize("where", ["never", "always"])
def test_a_helper_adds_what_is_predicted_for_it_and_not_a_whole_process(tmp_path, monkeypatch, where):
    n, m = 9000, 100
    x, y = random_rows(n, m)
    made = HelpedStrategy(AdamConstants(), 2)
    if where == "always":
        made.room = DiskRoom(tmp_path)
    try:
        networks = [random_network(m, 20, seed=seed) for seed in range(8)]
        made.tune_candidates(networks, made.place(x, y), rules_for(networks, epochs=10))
        (helper,) = helpers_of(os.getpid())
        told = Path(f"/proc/{helper.pid}/smaps_rollup").read_text().splitlines()
    finally:
        made.close()
    added = 1024 * int(next(line for line in told if line.startswith("Private_Dirty")).split()[1])
    config = Config(mode="auto", workers=2, rows_on_disk=where)
    needed = []
    for cores in (1, 2):
        monkeypatch.setattr(limits, "own_cores", lambda n=cores: n)
        needed.append(place_rows(config, n, m, nodes=20).needed)
    assert 0.1 * (needed[1] - needed[0]) < added < needed[1] - needed[0] < 0.5 * PROCESS_BYTES


@pytest.mark.parametrize("accepted", [0, 1, 5, 11])
def test_the_first_acceptance_wins_with_the_bits_of_one_device(strategy, accepted):
    x, y = random_rows(200, 4)
    for _ in range(3):  # several passes: nothing of one may reach the next
        networks = [random_network(4, 7, seed=seed) for seed in range(12)]
        expected, got = rules_for(networks, 1e-9), rules_for(networks, 1e-9)
        reached = rules_for(networks[:1])[0]
        SingleStrategy().tune(networks[accepted], SingleStrategy().place(x, y), reached)
        others = [rule for rules in (expected, got) for rule in rules]
        for rule in others:
            rule.goal = reached.closest * (1 + 1e-9)
        best = alone(networks, x, y, expected)
        result = strategy.tune_candidates(networks, strategy.place(x, y), got)
        first = next(j for j, rule in enumerate(expected) if rule.met)
        assert first <= accepted
        assert [rule.met for rule in got[: first + 1]] == [rule.met for rule in expected[: first + 1]]
        assert torch.equal(result[first].flat(), best.flat())


def test_the_look_ahead_grows_with_refusals_and_ends_after_an_acceptance(strategy):
    x, y = random_rows(50, 3)
    rows, seen = strategy.place(x, y), []
    for goal in (1e-9, 1e-9, 1e-9, 1e9, 1e-9):
        networks = [random_network(3, 4, seed=seed) for seed in range(3)]
        seen.append(strategy.candidates_at_once)
        strategy.tune_candidates(networks, rows, rules_for(networks, goal, epochs=3))
    assert seen == [GROWTH, FARTHEST, FARTHEST, FARTHEST, AFTER_ACCEPTANCE]


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_a_lost_helper_costs_time_only(fault, monkeypatch):
    monkeypatch.setattr(helped, "PATIENCE_S", 0.5)
    strategy = HelpedStrategy(AdamConstants(), 2)
    x, y = random_rows(376, 5)
    rows = strategy.place(x, y)
    networks = [random_network(5, 9, seed=seed) for seed in range(24)]
    expected = rules_for(networks)
    alone(networks, x, y, expected)
    strategy.tune_candidates(networks, rows, rules_for(networks))
    (helper,) = helpers_of(os.getpid())
    for _ in range(2):  # lost before and during a pass
        got = rules_for(networks)
        helper.send_signal(fault) if helper.is_running() else None
        strategy.tune_candidates(networks, rows, got)
        assert states(got) == states(expected)
    strategy.close()
    assert not helpers_of(os.getpid())


def test_a_request_to_end_is_heard(strategy):
    x, y = random_rows(4501, 5)
    networks = [random_network(5, 9, seed=seed) for seed in range(24)]
    began = time.monotonic()
    rules = rules_for(networks, epochs=100_000, stop=lambda: time.monotonic() > began + 0.05)
    strategy.tune_candidates(networks, strategy.place(x, y), rules)
    assert Outcome.STOPPED in {rule.outcome for rule in rules}
    assert time.monotonic() - began < 10
    # and what follows is not disturbed
    got, expected = rules_for(networks, epochs=5), rules_for(networks, epochs=5)
    alone(networks, x, y, expected)
    strategy.tune_candidates(networks, strategy.place(x, y), got)
    assert states(got) == states(expected)


def test_whole_runs_end_with_the_bytes_of_single(monkeypatch):
    monkeypatch.setattr("tests.parallel.ranks_program.dist.get_world_size", lambda: 2)
    for dtype in ("float64", "float32"):
        assert whole_run("candidate_parallel", "all", dtype) == whole_run("single", "all", dtype)
    assert whole_run("candidate_parallel", "organizing") == whole_run("single", "all")


PROGRAM = """
import os, time
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.helped import HelpedStrategy
kept = open(__file__)
strategy = HelpedStrategy(AdamConstants(), 2)
print("ready", flush=True)
time.sleep(60)
"""


def test_a_helper_holds_no_file_of_its_parent_and_ends_with_it(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    root = str(Path(__file__).resolve().parents[2])
    parent = subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root}
    )
    assert parent.stdout.readline() == "ready\n"
    (helper,) = helpers_of(parent.pid)
    deadline = time.monotonic() + 10
    while (left := [f.path for f in helper.open_files()]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert str(program) in [f.path for f in psutil.Process(parent.pid).open_files()]
    assert left == []
    parent.kill()
    parent.wait()
    helper.wait(timeout=5)


def squares_and_process(things):
    return [(thing * thing, os.getpid()) for thing in things]


def test_work_is_spread_over_all_processes_and_comes_back_in_order(strategy):
    x, y = random_rows(60, 3)
    networks = [random_network(3, 5, seed=seed) for seed in range(6)]
    for count in (1, 2, 3, 16):
        # a pass before, so that nothing of it may come back as an answer
        strategy.tune_candidates(networks, strategy.place(x, y), rules_for(networks))
        told = strategy.spread(squares_and_process, list(range(count)))
        assert [square for square, _ in told] == [k * k for k in range(count)]
        assert len({process for _, process in told}) == min(count, 1 + len(strategy._helpers))


def test_what_a_lost_helper_was_to_do_is_done_here(strategy):
    for child in helpers_of(os.getpid()):
        child.kill()
    assert strategy.spread(squares_and_process, [1, 2, 3, 4]) == [(k * k, os.getpid()) for k in (1, 2, 3, 4)]


def test_gaps_found_by_several_processes_have_the_bits_of_one(strategy):
    x, _ = random_rows(200, 6)
    differences = [torch.cat([x[:k], x[k + 1 :]]) - x[k] for k in range(7)]
    search = GapSearch(50, 30)
    alone_, shared = (
        widest_gaps(differences, search, torch.Generator().manual_seed(3), *spread)
        for spread in ((), (strategy.spread,))
    )
    for (g, gap), (expected_g, expected_gap) in zip(shared, alone_, strict=True):
        assert torch.equal(g, expected_g)
        assert gap == expected_gap
