import copy

import numpy as np
import pytest
import torch

from plm_engine.learning.descent import StepSizes
from plm_engine.learning.outcome import Outcome
from plm_engine.learning.regularizing import Regularizing
from plm_engine.learning.understanding import Understanding
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import Measured
from tests.helpers import random_network, random_rows


def plain_descent(network, x, y, goal, epochs, penalty=0.0, sizes=None):
    """ALGORITHM section 3 and 5 (a) again, with autograd and Adam's formulas spelt out; returns (flat, kept steps)."""
    sizes = sizes or StepSizes()
    parameters = [network.hidden_weight, network.hidden_bias, network.output_weight, network.output_bias]
    theta = [p.detach().clone().requires_grad_() for p in parameters]

    def measure(values):
        w, b, v, c = values
        e = torch.relu(x @ w.T + b) @ v + c - y
        loss = (e**2).mean() + penalty / network.n_weights * sum((p**2).sum() for p in values)
        return loss, e.abs().max().item()

    first = [torch.zeros_like(p) for p in theta]
    second = [torch.zeros_like(p) for p in theta]
    loss, largest = measure(theta)
    eta, kept = sizes.first, 0
    if not penalty and largest <= goal:
        return theta, kept
    while kept < epochs:
        gradient = torch.autograd.grad(loss, theta, retain_graph=True)
        t = kept + 1
        m = [0.9 * a + 0.1 * g for a, g in zip(first, gradient, strict=True)]
        s = [0.999 * a + 0.001 * g**2 for a, g in zip(second, gradient, strict=True)]
        trial = [
            (p - eta * (a / (1 - 0.9**t)) / ((b / (1 - 0.999**t)).sqrt() + 1e-8)).detach().requires_grad_()
            for p, a, b in zip(theta, m, s, strict=True)
        ]
        trial_loss, trial_largest = measure(trial)
        if trial_loss.item() < loss.item():
            if penalty and trial_largest > goal:
                break
            theta, first, second, loss = trial, m, s, trial_loss
            eta *= sizes.growth
            kept += 1
            if not penalty and trial_largest <= goal:
                break
        else:
            if eta <= sizes.floor:
                break
            eta *= sizes.shrink
    return theta, kept


def flat(theta):
    w, b, v, c = (p.detach() for p in theta)
    return torch.cat([torch.cat([w, b[:, None]], 1).reshape(-1), v, c.reshape(1)])


@pytest.mark.parametrize("n", [7, 63, 64, 301, 2500])
@pytest.mark.parametrize("penalty", [0.0, 0.01])
def test_gradient_equals_autograd(n, penalty):
    x, y = random_rows(n, 5)
    network = random_network(5, 9)
    tuning = SingleStrategy().open(network, SingleStrategy().place(x, y), penalty)
    loss = ((network(x) - y) ** 2).mean()
    loss = loss + penalty / network.n_weights * sum((p**2).sum() for p in network.parameters())
    assert tuning.start.loss == pytest.approx(loss.item(), rel=1e-13)
    assert tuning.start.largest_residual == pytest.approx((network(x) - y).abs().max().item(), rel=1e-13)
    gradient = torch.autograd.grad(loss, list(network.parameters()))
    np.testing.assert_allclose(tuning._gradient_at_kept().numpy(), flat(gradient).numpy(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("penalty", [0.0, 0.05])
@pytest.mark.parametrize("goal", [0.01, 1.5])
def test_whole_descent_equals_one_written_with_autograd(penalty, goal):
    x, y = random_rows(80, 4)
    network = random_network(4, 6)
    if penalty:
        goal += (network(x) - y).abs().max().item()
    rule = (Regularizing if penalty else Understanding)(goal, 60, StepSizes())
    strategy = SingleStrategy()
    tuned = strategy.tune(network, strategy.place(x, y), rule, penalty)
    theta, kept = plain_descent(copy.deepcopy(network), x, y, goal, 60, penalty)
    assert rule.kept == kept
    np.testing.assert_allclose(tuned.flat().numpy(), flat(theta).numpy(), atol=1e-9)


def test_a_tuned_network_can_be_trained_further_by_autograd():
    x, y = random_rows(80, 4)
    strategy = SingleStrategy()
    tuned = strategy.tune(random_network(4, 6), strategy.place(x, y), Understanding(1e-9, 5, StepSizes()))
    ((tuned(x) - y) ** 2).mean().backward()
    for parameter in tuned.parameters():
        assert not parameter.is_inference()
        assert parameter.grad.abs().max() > 0


def test_goal_is_tested_before_the_first_step():
    x, y = random_rows(30, 3)
    network = random_network(3, 4)
    rule = Understanding((network(x) - y).abs().max().item() + 1e-12, 50, StepSizes())
    strategy = SingleStrategy()
    tuned = strategy.tune(network, strategy.place(x, y), rule)
    assert (rule.outcome, rule.kept) == (Outcome.GOAL_MET, 0)
    assert torch.equal(tuned.flat(), network.flat())


def test_epoch_bound_and_attractor_end_it():
    strategy = SingleStrategy()
    x, y = random_rows(30, 3)
    rule = Understanding(1e-9, 7, StepSizes())
    strategy.tune(random_network(3, 4), strategy.place(x, y), rule)
    assert (rule.outcome, rule.kept) == (Outcome.EPOCH_BOUND, 7)
    flat_network = random_network(3, 4)
    with torch.no_grad():
        flat_network.hidden_bias.fill_(-1e6)  # every node dead: only w_0 can move, and it is at its optimum
        flat_network.output_bias.fill_(float(y.mean()))
    rule = Understanding(1e-9, 50, StepSizes())
    strategy.tune(flat_network, strategy.place(x, y), rule)
    assert rule.outcome is Outcome.UNDESIRED_ATTRACTOR


def test_an_undone_step_shrinks_the_step_and_a_kept_one_lets_it_grow():
    rule = Understanding(0.1, 50, StepSizes(first=1.0, floor=0.3, growth=1.5, shrink=0.5))
    rule.begin(Measured(10.0, 5.0))
    assert rule.judge(Measured(9.0, 5.0))
    assert rule.step_size == 1.5
    for kept in (Measured(9.0, 1.0), Measured(float("nan"), 1.0), Measured(float("inf"), 1.0)):
        assert not rule.judge(kept)
    assert rule.step_size == pytest.approx(1.5 / 8)
    assert not rule.judge(Measured(9.0, 1.0))
    assert rule.outcome is Outcome.UNDESIRED_ATTRACTOR


def test_regularizing_refuses_a_lower_loss_that_leaves_the_goal():
    rule = Regularizing(1.0, 50, StepSizes())
    rule.begin(Measured(10.0, 0.9))
    assert rule.judge(Measured(9.0, 1.0))
    assert not rule.judge(Measured(8.0, 1.0000001))
    assert (rule.outcome, rule.kept) == (Outcome.LEFT_GOAL, 1)


def test_regularizing_stays_acceptable_and_lowers_the_penalised_loss():
    x, y = random_rows(90, 3)
    network = random_network(3, 8)
    goal = (network(x) - y).abs().max().item() + 0.05
    strategy = SingleStrategy()
    rows = strategy.place(x, y)
    rule = Regularizing(goal, 50, StepSizes())
    tuned = strategy.tune(network, rows, rule, 0.1)
    assert rule.kept > 0
    assert (tuned(x) - y).abs().max().item() <= goal
    assert strategy.open(tuned, rows, 0.1).start.loss < strategy.open(network, rows, 0.1).start.loss


def test_same_start_gives_the_same_bytes():
    x, y = random_rows(300, 6)
    runs = []
    for _ in range(2):
        strategy = SingleStrategy()
        rule = Understanding(1e-9, 40, StepSizes())
        runs.append(strategy.tune(random_network(6, 10), strategy.place(x, y), rule).sha256())
    assert runs[0] == runs[1]
