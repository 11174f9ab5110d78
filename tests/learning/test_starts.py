"""Other first networks, a network to go on from, and modules switched off."""

import numpy as np
import pytest
import torch

from plm_engine.config import Config
from plm_engine.errors import DataError
from plm_engine.learning.interpreting import interpreting
from plm_engine.learning.picking import picking
from plm_engine.training import train
from tests.helpers import random_rows
from tests.learning.conftest import learn


def prices(n=50, seed=2):
    rng = np.random.default_rng(seed)
    walk = 100 + np.cumsum(rng.normal(size=n + 1))
    x = np.column_stack([rng.normal(size=n), walk[:-1], rng.normal(size=n)])
    return x, walk[1:], walk[:-1].copy()


def test_a_given_line_is_the_first_network():
    x, y = random_rows(40, 3)
    beta, beta_0 = np.array([0.5, -1.0, 0.25]), 0.125
    network = interpreting(x, y, two_sided=True, line=(beta, beta_0))
    assert network(x).detach().numpy() == pytest.approx(x.numpy() @ beta + beta_0)


@pytest.mark.parametrize("predict", ["level", "change", "log-change"])
def test_the_start_from_persistence_forecasts_the_latest_price(predict):
    x, y, latest = prices()
    config = Config(goal=1e6, start="persistence", predict=predict, interpreting="two-sided")
    result = train(x, y, config, latest=latest)
    assert result.predict(x, latest) == pytest.approx(latest)


def test_the_start_from_persistence_needs_the_latest_price_among_the_drivers():
    x, y, latest = prices()
    with pytest.raises(DataError, match="keep it among the drivers"):
        train(x[:, [0, 2]], y, Config(goal=5, start="persistence"), latest=latest)


def test_the_start_from_ridge_shrinks():
    x, y, latest = prices()
    ridge = train(x, y, Config(goal=1e6, start="ridge", predict="change"), latest=latest)
    plain = train(x, y, Config(goal=1e6, predict="change"), latest=latest)
    assert np.std(ridge.predict(x, latest) - latest) < np.std(plain.predict(x, latest) - latest)


def test_going_on_begins_with_the_given_network():
    x, y, _ = prices()
    begun = train(x[:30], y[:30], Config(goal=1.0, pick=5))
    gone_on = train(x, y, Config(goal=1.0, pick=5), first=(begun.network, begun.scaler))
    assert gone_on.history[0].network.sha256() == begun.network.sha256()
    assert gone_on.scaler is begun.scaler
    assert np.abs(gone_on.predict(x) - y).max() <= 1.0 * (1 + 1e-9)


def test_picking_at_random_takes_open_rows_in_the_given_order():
    residuals = np.array([0.1, 3.0, 0.2, 2.0, 1.0])
    picked = picking(residuals, 0.5, 2, np.array([4, 0, 1, 3, 2]))
    assert picked.learned.tolist() == [0, 2]
    assert picked.new.tolist() == [4, 1]


def test_without_reorganizing_every_crammed_node_stays(wiggle):
    lesson = learn(wiggle, 0.5, reorganizing=False, max_rounds=2)
    kept = lesson.rounds[-1].network
    assert kept.node_ids == list(range(1, kept.n_hidden + 1))
    assert kept.n_hidden > 1
    assert learn(wiggle, 0.5, max_rounds=2).network.n_hidden < kept.n_hidden


def test_a_random_order_is_the_seed_s(wiggle):
    one, other = (learn(wiggle, 0.5, order="random", seed=3, max_rounds=2) for _ in range(2))
    assert torch.equal(one.network.flat(), other.network.flat())
    lts = learn(wiggle, 0.5, seed=3, max_rounds=1)
    assert one.rounds[1].picked.tolist() != lts.rounds[1].picked.tolist()
