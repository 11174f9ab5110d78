import numpy as np
import pytest
import torch

from plm_engine.learning.outcome import EndReason
from tests.learning.conftest import Data, learn


def largest(network, data):
    return (network(data.x) - data.y).abs().max().item()


def test_every_row_is_within_the_goal_at_the_end(wiggle):
    lesson = learn(wiggle, goal=0.25)
    assert lesson.reason is EndReason.GOAL_MET
    assert largest(lesson.network, wiggle) <= 0.25
    assert len(lesson.rounds) >= 4


def test_learned_rows_stay_learned_after_every_round(wiggle):
    lesson = learn(wiggle, goal=0.25, pick=2)
    learned: set[int] = set()
    for result in lesson.rounds:
        now = set(np.flatnonzero(np.abs(result.residuals) <= 0.25))
        assert learned <= now
        assert set(result.picked) <= now
        if result.number:
            assert len(now) > len(learned)
        learned = now


@pytest.mark.parametrize("tent", ["offset", "symmetric"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_same_seed_gives_identical_bytes_and_another_seed_other_ones(wiggle, tent, dtype):
    data = Data(wiggle.x.to(dtype), wiggle.y.to(dtype), 1.0)
    digests = [learn(data, goal=0.3, pick=4, tent=tent, seed=seed).network.sha256() for seed in (3, 3, 4)]
    assert digests[0] == digests[1]
    assert digests[0] != digests[2]


def test_round_budget_leaves_a_usable_network(wiggle):
    lesson = learn(wiggle, goal=0.2, pick=1, max_rounds=2)
    assert lesson.reason is EndReason.BUDGET_ROUNDS
    assert lesson.rounds[-1].number == 2
    assert np.isfinite(largest(lesson.network, wiggle))


def test_node_budget_is_never_exceeded(wiggle):
    lesson = learn(wiggle, goal=0.1, pick=3, max_nodes=15)
    assert lesson.reason is EndReason.BUDGET_NODES
    assert max(result.studied.n_crammed for result in lesson.rounds) <= 15
    assert lesson.network.sha256() == lesson.rounds[-1].network.sha256()


def test_stopping_keeps_the_last_complete_round(wiggle):
    asked = []

    def stop():
        asked.append(None)
        return EndReason.BUDGET_MINUTES if len(asked) > 20 else None

    lesson = learn(wiggle, goal=0.1, pick=1, stop=stop)
    assert lesson.reason is EndReason.BUDGET_MINUTES
    assert lesson.network.sha256() == lesson.rounds[-1].network.sha256()


def test_rows_that_cannot_be_told_apart_are_named_and_the_network_kept():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    x[20] = x[4]
    x[20, 0] = np.nextafter(x[4, 0], 9)
    y = 0.1 * rng.normal(size=30)
    y[4], y[20] = 3.0, -3.0
    lesson = learn(Data(torch.from_numpy(x), torch.from_numpy(y), 1.0), goal=0.5)
    assert lesson.reason is EndReason.NO_GAP
    assert "5" in lesson.pupil.remark
    assert "21" in lesson.pupil.remark
    assert lesson.network.sha256() == lesson.rounds[-1].network.sha256()


def test_goal_equal_to_the_smallest_one_possible_is_met():
    """Rows 1 and 2 are equal with targets 0 and 2: a goal of exactly 1 (widened by rounding) can be met."""
    x = torch.tensor([[0.0], [0.0], [1.0], [2.0], [3.0]]).double()
    y = torch.tensor([0.0, 2.0, 5.0, -5.0, 5.0]).double()
    lesson = learn(Data(x, y, 1.0), goal=1.0 * (1 + 1e-10))
    assert lesson.reason is EndReason.GOAL_MET


def test_more_drivers_than_rows_and_two_rows_end():
    for n, m in ((2, 1), (2, 5), (8, 30)):
        rng = np.random.default_rng(n)
        data = Data(torch.from_numpy(rng.normal(size=(n, m))), torch.from_numpy(rng.normal(size=n)), 1.0)
        assert learn(data, goal=1e-6).reason is EndReason.GOAL_MET


@pytest.mark.parametrize("goal", [4000, 2718])
def test_real_copper_rows_are_all_learned(copper, goal):
    lesson = learn(copper, goal=goal / copper.unit)
    assert lesson.reason is EndReason.GOAL_MET
    assert largest(lesson.network, copper) * copper.unit <= goal
