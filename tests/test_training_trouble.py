"""Numbers that arithmetic trips over: each ends in a right result or in one sentence, never in an endless loop."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import torch

from plm_engine import Config, train
from plm_engine.datasets.scale import Scaler
from plm_engine.errors import ConfigError, ContradictionError, DataError, NumericalError
from plm_engine.learning.descent import LARGEST_STEP, StepSizes
from plm_engine.learning.outcome import EndReason, Outcome
from plm_engine.learning.regularizing import Regularizing
from plm_engine.learning.understanding import Understanding
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import Measured
from plm_engine.training import TrainResult
from tests.helpers import random_network, random_rows

N = 40
GOAL = 0.35


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, 3))
    return x, np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=N)


def learn(x: np.ndarray, y: np.ndarray, goal: float = GOAL, **options) -> TrainResult:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an overflow on the way is a wrong number somewhere
        return train(x, y, Config(goal=goal, **{"epochs": 10, "regularizing_epochs": 10, "pick": 8, **options}))


def met(x: np.ndarray, y: np.ndarray, goal: float = GOAL, **options) -> TrainResult:
    """Learn, and check by an own prediction that every row is within the goal."""
    result = learn(x, y, goal, **options)
    assert result.reason is EndReason.GOAL_MET
    errors = np.abs(result.predict(x) - y)
    assert errors.max() <= goal * (1 + 1e-5)
    assert result.history[-1].largest_residual == pytest.approx(errors.max(), rel=1e-3)
    assert 0 < result.history[-1].train_mae <= goal
    return result


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 1e9, 1e200, 1e300])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_magnitudes_of_drivers_and_target_do_not_matter(rows, factor, dtype):
    x, y = rows
    met(x * factor, y, dtype=dtype)
    met(x, y * factor, GOAL * factor, dtype=dtype)


def test_very_unlike_columns_and_a_target_range_of_1e13(rows):
    x, y = rows
    met(x * np.array([1e-9, 1.0, 1e200]), y * 1e13 + 1e15, GOAL * 1e13)


def test_errors_near_the_largest_number_are_still_numbers(rows):
    x, y = rows
    result = met(x, y * 1e307, GOAL * 1e307, max_rounds=50)
    assert math.isfinite(result.history[0].train_mae)


@pytest.mark.parametrize(
    "column",
    [np.full(N, 7.0), np.full(N, 0.1), np.tile([0.1, 0.1 + 1.4e-17], N // 2), np.zeros(N)],
    ids=["seven", "tenth", "spread of 1e-17", "zero"],
)
def test_a_constant_column_changes_nothing(rows, column):
    x, y = rows
    result = met(np.column_stack([x, column]), y)
    assert result.scaler.x_spread[3] == 0
    others = met(np.column_stack([x, np.zeros(N)]), y)
    assert result.network.sha256() == others.network.sha256()


def test_collinear_and_repeated_columns(rows):
    x, y = rows
    met(np.column_stack([x, 3 * x[:, 0] - 2, x[:, 0] + x[:, 1]]), y)
    met(np.column_stack([x, x, x]), y)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_one_row_far_away_from_all_others(rows, dtype):
    x, y = rows[0].copy(), rows[1]
    x[0, 0] = 1e30
    met(x, y, dtype=dtype)


def test_more_drivers_than_rows():
    rng = np.random.default_rng(1)
    met(rng.normal(size=(8, 30)), rng.normal(size=8), 0.1)


def test_two_rows():
    met(np.array([[0.0], [1.0]]), np.array([0.0, 1.0]), 0.1)
    met(np.array([[1.0], [1.0]]), np.array([0.0, 1.0]), 0.5)  # equal rows, the goal just wide enough
    with pytest.raises(ContradictionError, match=r"smallest goal that can be met is 0\.5"):
        learn(np.array([[1.0], [1.0]]), np.array([0.0, 1.0]), 0.49)


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_rows(n):
    with pytest.raises(DataError, match=f"There are {n} training rows: at least 2 are needed"):
        learn(np.zeros((n, 1)), np.zeros(n))


@pytest.mark.parametrize("value", [5.0, 0.0, 0.1, 1e200])
def test_a_target_that_never_changes_is_learned_at_once(rows, value):
    result = learn(rows[0], np.full(N, value), 1e-9)
    assert (result.reason, result.history[-1].number) == (EndReason.GOAL_MET, 0)
    assert (result.predict(rows[0]) == value).all()
    with pytest.raises(ConfigError, match="give --goal instead"):
        train(rows[0], np.full(N, value), Config(goal_percent=10))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers_are_named(rows, bad):
    x, y = rows[0].copy(), rows[1].copy()
    x[3, 1], y[7] = bad, bad
    with pytest.raises(DataError, match=r"Driver 2 of training row 4 is .*: only finite"):
        learn(x, rows[1])
    with pytest.raises(DataError, match=r"target of training row 8 is .*: only finite"):
        learn(rows[0], y)


@pytest.mark.parametrize(
    "steps",
    [
        {"first_step": 10.0},
        {"first_step": 10.0, "step_growth": 10.0},
        {"step_growth": 1.0, "step_shrink": 0.99, "step_floor": 1e-15},
        {"regularizing_lambda": 1e6},
        {"adam_epsilon": 1e-30},
        {"adam_epsilon": 1.0, "first_step": 10.0, "step_growth": 10.0},
    ],
    ids=str,
)
def test_exploding_and_crawling_steps_still_reach_the_goal(rows, steps):
    met(*rows, **steps)


def test_a_loss_that_is_no_number_is_never_taken_for_lower():
    for trial in (math.nan, math.inf):
        rule = Understanding(0.1, 50, StepSizes())
        rule.begin(Measured(1.0, 2.0))
        tries = 0
        while not rule.ended:
            assert not rule.judge(Measured(trial, trial))
            tries += 1
        assert rule.outcome is Outcome.UNDESIRED_ATTRACTOR
        assert tries == math.ceil(math.log(1e-3 / 1e-6) / math.log(1 / 0.7)) + 1


def test_a_step_that_always_helps_never_grows_beyond_its_bound():
    rule = Understanding(1e-300, 2000, StepSizes(growth=10.0))
    rule.begin(Measured(1.0, 2.0))
    loss = 1.0
    while not rule.ended:
        loss *= 0.999
        assert rule.judge(Measured(loss, 2.0))
        assert rule.step_size <= LARGEST_STEP
    assert rule.outcome is Outcome.EPOCH_BOUND


@pytest.mark.parametrize("start", [math.nan, math.inf])
@pytest.mark.parametrize("kind", [Understanding, Regularizing])
def test_a_start_that_is_no_number_is_one_sentence(kind, start):
    with pytest.raises(NumericalError, match=r"squared error of the network is (nan|inf).*use float64"):
        kind(0.1, 50, StepSizes()).begin(Measured(start, math.inf))


def test_float32_overflow_in_the_network_is_one_sentence():
    x, y = random_rows(20, 3, dtype=torch.float32)
    network = random_network(3, 4, dtype=torch.float32)
    network.output_weight.data.mul_(1e38)
    strategy = SingleStrategy()
    with pytest.raises(NumericalError, match="too large for this precision"):
        strategy.tune(network, strategy.place(x, y), Understanding(0.1, 5, StepSizes()))


@pytest.mark.parametrize("n_dead", [1, 5])
def test_a_start_whose_every_node_is_dead_is_crammed_out_of(rows, n_dead):
    x, y = rows
    scaler = Scaler.fit(x, y)
    dead = TwoLayerNetwork(3)
    dead.add_nodes(torch.zeros(n_dead, 3), torch.full((n_dead,), -1.0), torch.ones(n_dead))
    result = train(x, y, Config(goal=GOAL, epochs=20, pick=5), first=(dead, scaler))
    assert result.reason is EndReason.GOAL_MET
    assert np.abs(result.predict(x) - y).max() <= GOAL * (1 + 1e-6)


@pytest.mark.parametrize("apart", [1e-5, 1e-9, 1e-12])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_nearly_equal_rows_with_unlike_targets_are_learned_or_named(rows, apart, dtype):
    x, y = rows[0].copy(), rows[1].copy()
    x[1] = x[0] + apart
    y[:2] = 0.0, 3.0
    result = learn(x, y, dtype=dtype)
    if result.reason is EndReason.GOAL_MET:
        assert np.abs(result.predict(x) - y).max() <= GOAL * (1 + 1e-3)
    else:
        assert result.reason in (EndReason.NO_GAP, EndReason.ROUNDING)
        assert {"1", "2"} & set(result.sentence.replace(",", " ").split()), result.sentence


def test_a_goal_below_the_precision_is_one_sentence(rows):
    result = learn(*rows, 1e-300)
    assert result.reason is EndReason.NO_GAP
    assert "rounding in float64 spoils the fit: use a wider goal" in result.sentence


def test_a_round_without_a_further_row_is_the_last():
    x = np.array([[0.0], [0.1], [0.1], [0.0], [0.1], [0.0], [1.0], [0.0], [-1.0]])
    y = np.array([0.0, 0.1, 0.1, 0.0, 0.1, 0.0, 1.0, 0.0, 0.0])
    options = {"dtype": "float32", "picking": "random", "pick": 5, "epochs": 1, "regularizing_epochs": 0}
    options |= {"regularizing_lambda": 0.0, "step_growth": 1.0, "cramming_draws": 1, "cramming_ascent": 0, "seed": 6}
    result = train(x, y, Config(goal=5e-7, **options))
    assert result.reason is EndReason.ROUNDING
    assert "rounding in float32 is coarser than the learning goal: use float64" in result.sentence
    assert train(x, y, Config(goal=5e-7, **{**options, "dtype": "float64"})).reason is EndReason.GOAL_MET
