import numpy as np
import pytest
import torch
from sklearn.linear_model import LinearRegression

from plm_engine.learning.interpreting import interpreting


def predict(network, x):
    return network(torch.from_numpy(x)).detach().numpy()


def data(n, m, *, collinear=False, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, m))
    if collinear:
        x[:, -1] = 2 * x[:, 0] - x[:, 1]
    return x, x @ rng.normal(size=m) + 0.1 * rng.normal(size=n) + 3


@pytest.mark.parametrize(("n", "m", "collinear"), [(50, 4, False), (50, 4, True), (6, 12, False), (400, 18, True)])
def test_equals_minimum_norm_regression_above_the_lowest_target(n, m, collinear):
    x, y = data(n, m, collinear=collinear)
    network = interpreting(torch.from_numpy(x), torch.from_numpy(y))
    fresh = np.random.default_rng(1).normal(size=(200, m))
    reference = LinearRegression().fit(x, y)
    for rows in (x, fresh):
        np.testing.assert_allclose(predict(network, rows), np.maximum(reference.predict(rows), y.min()), atol=1e-9)
    assert network.n_hidden == 1


def test_two_sided_is_linear_everywhere():
    x, y = data(50, 4)
    network = interpreting(torch.from_numpy(x), torch.from_numpy(y), two_sided=True)
    fresh = 5 * np.random.default_rng(1).normal(size=(200, 4))
    np.testing.assert_allclose(predict(network, fresh), LinearRegression().fit(x, y).predict(fresh), atol=1e-9)
    assert network.n_hidden == 2


def test_case_worked_by_hand():
    """y = 1, 3, 5 at x = -1, 0, 1: slope 2, y - min(y) is 2 at x = 0, so the node is ReLU(2 x + 2) over 1."""
    network = interpreting(torch.tensor([[-1.0], [0.0], [1.0]]).double(), torch.tensor([1.0, 3.0, 5.0]).double())
    assert network.hidden_weight.item() == pytest.approx(2)
    assert network.hidden_bias.item() == pytest.approx(2)
    assert network.output_weight.item() == 1
    assert network.output_bias.item() == 1
    assert predict(network, np.array([[-9.0]]))[0] == 1


def test_order_of_rows_does_not_matter():
    x, y = data(50, 4)
    order = np.random.default_rng(2).permutation(50)
    first = interpreting(torch.from_numpy(x), torch.from_numpy(y))
    second = interpreting(torch.from_numpy(x[order]), torch.from_numpy(y[order]))
    np.testing.assert_allclose(first.flat().numpy(), second.flat().numpy(), atol=1e-12)
