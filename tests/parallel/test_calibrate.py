import pytest
import torch

from plm_engine.config import Config
from plm_engine.modes import MODES
from plm_engine.parallel import calibrate as calibrating
from plm_engine.parallel.calibrate import COPY_GAIN, GAIN, calibrate, choose_threads, quickest, reason
from plm_engine.parallel.helper import can_help
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.timing import FixedSteps, time_strategy
from tests.helpers import random_network, random_rows


def test_single_stays_unless_another_mode_is_clearly_quicker():
    assert quickest({"single": 1.0, "batched": 1.01 * GAIN}) == "single"
    assert quickest({"single": 1.0, "batched": 0.99 * GAIN, "row_parallel": 2.0}) == "batched"


def test_with_threads_processes_have_to_be_worth_their_copies_of_the_rows():
    times = {"single": 1.0, "row_parallel": 1.01 * COPY_GAIN}
    assert quickest(times, threads=2) == "single"
    assert quickest(times) == "row_parallel"
    assert quickest({"single": 1.0, "row_parallel": 0.99 * COPY_GAIN}, threads=2) == "row_parallel"


def test_the_reason_names_the_times_that_decided():
    said = reason("candidate_parallel", 2, {"single": 0.2, "batched": 0.15, "candidate_parallel": 0.1}, 376, 0.5)
    assert said.startswith(
        "Mode auto chose Candidate-parallel with 2 processes: one step of one candidate takes 0.1 ms"
    )
    assert "0.2 ms for Single, 0.15 ms for Batched candidates" in said
    assert "376 rows" in said
    assert "one exchange between processes takes 0.5 ms" in said


def test_one_process_chooses_among_the_modes_of_one_process(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    choice = calibrate(Config(mode="auto"), 100, 3)
    assert choice.mode in ("single", "batched")
    assert choice.workers == 1
    assert choice.exchange_ms is None
    assert MODES[choice.mode].title in choice.reason


def test_a_timed_step_is_a_kept_step():
    x, y = random_rows(100, 3)
    network = random_network(3, 4)
    strategy, rule = SingleStrategy(), FixedSteps(7)
    tuned = strategy.tune(network, strategy.place(x, y), rule)
    assert (rule.taken, rule.ended) == (7, True)
    moved = (tuned.flat() - network.flat()).abs().max().item()
    assert 0 < moved <= 7 * rule.step_size * 1.01  # Adam's direction is about 1 at most
    found = time_strategy(strategy, x, y, network, 0.05)
    assert found["step_ms"] == pytest.approx(sorted(found["blocks_ms"])[2])
    assert found["communicating_ms"] == 0


def test_a_step_is_timed_as_a_training_computes_it_without_threads_of_torchs_own():
    seen = []

    class Watching(SingleStrategy):
        def open(self, *args):
            seen.append(torch.get_num_threads())
            return super().open(*args)

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        time_strategy(Watching(), *random_rows(100, 3), random_network(3, 4), 0.01)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert set(seen) == {1}


@pytest.mark.skipif(not can_help(), reason="this system does not fork")
def test_with_a_second_worker_a_helper_process_is_timed_too(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    choice = calibrate(Config(mode="auto", workers=2), 100, 3)
    assert set(choice.step_ms) == {"single", "candidate_parallel"}
    assert choice.workers == (2 if choice.mode == "candidate_parallel" else 1)
    assert choice.threads == 1


def test_small_steps_stay_on_one_thread_without_being_timed(monkeypatch):
    monkeypatch.setattr(calibrating, "cores", lambda: 2)
    choice = choose_threads(Config(), 376, 18)
    assert (choice.mode, choice.threads, choice.step_ms) == ("single", 1, {})
    assert "376 rows with 48 nodes are too few for more" in choice.reason
    monkeypatch.setattr(calibrating, "cores", lambda: 1)
    assert "the machine has one core" in choose_threads(Config(), 1_000_000, 18).reason


def test_large_steps_are_timed_on_one_and_on_all_threads(monkeypatch):
    monkeypatch.setattr(calibrating, "cores", lambda: 3)
    took = {1: 10.0, 3: 4.0}
    monkeypatch.setattr(calibrating, "_step_ms", lambda config, n, m, threads=1: took[threads])
    choice = choose_threads(Config(), 20_000, 18)
    assert (choice.threads, choice.step_ms) == (3, {"single": 4.0})
    assert "on 3 threads, by timing" in choice.reason
    took[3] = 9.5  # not clearly quicker
    assert choose_threads(Config(), 20_000, 18).threads == 1
