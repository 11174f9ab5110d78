"""A batch that is kept full tunes every candidate as each alone would be, whatever the number of places."""

import numpy as np
import pytest
import torch

from plm_engine.errors import NumericalError
from plm_engine.learning.descent import StepSizes
from plm_engine.learning.outcome import Outcome
from plm_engine.learning.understanding import Understanding
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.batched import FARTHEST, BatchedStrategy
from plm_engine.parallel.single import FlatTuning, SingleStrategy
from tests.helpers import random_network, random_rows


def rules_for(networks, goal=1e-9, epochs=50, stop=lambda: False):
    return [Understanding(goal, epochs, StepSizes(), None, stop) for _ in networks]


@pytest.mark.parametrize(("n", "at_once"), [(40, 1), (376, 3), (4501, 8)])
def test_every_candidate_ends_as_it_would_alone(n, at_once):
    x, y = random_rows(n, 5)
    networks = [random_network(5, 9, seed=seed) for seed in range(17)]
    alone = rules_for(networks)
    single = SingleStrategy()
    single.tuning = FlatTuning  # every trial computed
    expected = single.tune_candidates(networks, single.place(x, y), alone)
    together = rules_for(networks)
    strategy = BatchedStrategy(AdamConstants(), at_once=at_once)
    got = strategy.tune_batch(networks, strategy.place(x, y), together)
    for j, network in enumerate(expected):
        np.testing.assert_allclose(got[j].numpy(), network.flat().numpy(), rtol=0, atol=1e-9)
    assert [(r.kept, r.outcome) for r in together] == [(r.kept, r.outcome) for r in alone]
    assert {r.outcome for r in alone} == {Outcome.UNDESIRED_ATTRACTOR, Outcome.EPOCH_BOUND} or n == 4501
    np.testing.assert_allclose([r.step_size for r in together], [r.step_size for r in alone])


def test_nothing_is_begun_long_after_an_acceptance_and_the_first_one_wins():
    x, y = random_rows(100, 3)
    networks = [random_network(3, 4, seed=seed) for seed in range(20)]
    rules = rules_for(networks)
    for j in (4, 9):
        rules[j].goal = (networks[j](x) - y).abs().max().item() + 1e-12
    strategy = BatchedStrategy(AdamConstants(), at_once=2)
    result = strategy.tune_candidates(networks, strategy.place(x, y), rules)
    assert [j for j, rule in enumerate(rules) if rule.met] == [4]
    assert all(rule.ended for rule in rules[:5])
    assert not any(rule.ended for rule in rules[5:])
    assert torch.equal(result[4].flat(), networks[4].flat())


def test_the_look_ahead_grows_with_refusals_and_starts_anew_after_an_acceptance():
    x, y = random_rows(50, 3)
    strategy = BatchedStrategy(AdamConstants(), at_once=8)
    rows, seen = strategy.place(x, y), []
    for goal in (1e-9, 1e-9, 1e-9, 1e-9, 1e9):
        networks = [random_network(3, 4, seed=seed) for seed in range(3)]
        seen.append(strategy.candidates_at_once)
        strategy.tune_candidates(networks, rows, rules_for(networks, goal, epochs=3))
    assert seen == [8, 16, 32, FARTHEST, FARTHEST]
    assert strategy.candidates_at_once == 8


def test_a_request_to_end_is_heard():
    x, y = random_rows(200, 3)
    networks = [random_network(3, 6, seed=seed) for seed in range(30)]
    rules = rules_for(networks, epochs=10_000, stop=lambda: True)
    strategy = BatchedStrategy(AdamConstants(), at_once=4)
    strategy.tune_candidates(networks, strategy.place(x, y), rules)
    assert {rule.outcome for rule in rules} == {Outcome.STOPPED}
    assert [rule.kept for rule in rules[12:]] == [0] * 18


@pytest.mark.parametrize("broken", [0, 7])
def test_an_error_in_any_candidate_reaches_the_caller(broken):
    x, y = random_rows(200, 3)
    networks = [random_network(3, 6, seed=seed) for seed in range(8)]
    networks[broken].output_weight.data[:] = 1e300
    strategy = BatchedStrategy(AdamConstants(), at_once=4)
    with pytest.raises(NumericalError):
        strategy.tune_candidates(networks, strategy.place(x, y), rules_for(networks))
