import pytest

from plm_engine.config import Config
from plm_engine.modes import MODES
from plm_engine.parallel.calibrate import GAIN, calibrate, quickest, reason
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.timing import FixedSteps, time_strategy
from tests.helpers import random_network, random_rows


def test_single_stays_unless_another_mode_is_clearly_quicker():
    assert quickest({"single": 1.0, "batched": 1.01 * GAIN}) == "single"
    assert quickest({"single": 1.0, "batched": 0.99 * GAIN, "row_parallel": 2.0}) == "batched"


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
