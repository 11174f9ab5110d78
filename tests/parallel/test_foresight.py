"""What foresight bars does not lower the loss, and a run that uses it ends with the bytes of one that does not."""

import numpy as np
import pytest
import torch

from plm_engine import Config, train
from plm_engine.learning.descent import StepSizes
from plm_engine.learning.understanding import Understanding
from plm_engine.parallel.foresight import NOT_LOWER, NOTHING, Foresight
from plm_engine.parallel.kernel import Rows, Weights
from plm_engine.parallel.single import FlatTuning, ForeseeingTuning, SingleStrategy
from tests.helpers import random_network, random_rows


def gradient_by_autograd(network, x, y):
    network = network.copy()
    ((network(x) - y) ** 2).mean().backward()
    grads = [p.grad for p in (network.hidden_weight, network.hidden_bias, network.output_weight, network.output_bias)]
    return torch.cat([torch.cat([grads[0], grads[1][:, None]], dim=1).reshape(-1), grads[2], grads[3].reshape(1)])


def loss(network, direction, eta, x, y):
    """Return the mean squared error of the moved network, by NumPy in float64, from the definition."""
    p, moved = network.n_hidden, network.flat().double().numpy() - eta * direction.double().numpy()
    hidden = moved[: 4 * p].reshape(p, 4)
    u = np.maximum(x.double().numpy() @ hidden[:, :3].T + hidden[:, 3], 0)
    return np.mean((u @ moved[4 * p : -1] + moved[-1] - y.double().numpy()) ** 2)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize(("n", "p"), [(7, 1), (100, 5), (4501, 9)])
def test_no_barred_step_lowers_the_loss_as_numpy_computes_it(n, p, dtype):
    """Independent: the loss along the direction in float64 by NumPy, from the definition of the network."""
    proven = 0
    for seed in range(12):
        x, y = random_rows(n, 3, dtype=dtype)
        network = random_network(3, p, seed=seed, dtype=dtype)
        gradient = gradient_by_autograd(network, x, y)
        noise = torch.randn(len(gradient), generator=torch.Generator().manual_seed(seed), dtype=dtype)
        direction = 0.3 * noise - gradient / gradient.norm()  # mostly uphill: theta moves by minus eta d
        slope = -float(torch.dot(gradient, direction))
        at, way = (Weights(flat, p, 4) for flat in (network.flat(), direction))
        foresight = Foresight(Rows(x, y))

        for step_size in (1.0, 1e-1, 1e-2, 1e-3, 1e-5):
            barred = foresight.barred(at, way, slope, step_size)
            if barred is not NOTHING and barred.least < step_size:
                proven += 1
                for eta in np.geomspace(barred.least, step_size, 30):
                    assert barred.holds(eta * (1 - 1e-12)) or eta == barred.least
                    assert loss(network, direction, eta, x, y) > loss(network, direction, 0.0, x, y), (seed, eta)
            assert not barred.holds(2 * step_size)
    assert proven >= 10


def test_downhill_nothing_is_barred():
    x, y = random_rows(100, 3)
    network = random_network(3, 4)
    at, way = (Weights(flat, 4, 4) for flat in (network.flat(), gradient_by_autograd(network, x, y)))
    assert Foresight(Rows(x, y)).barred(at, way, -float(torch.dot(way.flat, way.flat)), 1e-6) is NOTHING


class Watched(Understanding):
    """Writes down every judgement."""

    def judge(self, trial):
        eta = self.step_size
        kept = super().judge(trial)
        self.judged = [*getattr(self, "judged", []), (eta, kept)]
        self.in_vain = getattr(self, "in_vain", 0) + (trial is NOT_LOWER)
        return kept


@pytest.mark.parametrize("n", [40, 376, 4501])
def test_every_judgement_is_that_of_the_plain_loop(n):
    x, y = random_rows(n, 5)
    skipped = 0
    for seed in range(8):
        rules = [Watched(1e-9, 60, StepSizes()) for _ in range(2)]
        ends = []
        for kind, rule in zip((FlatTuning, ForeseeingTuning), rules, strict=True):
            strategy = SingleStrategy()
            strategy.tuning = kind
            ends.append(strategy.tune(random_network(5, 12, seed=seed), strategy.place(x, y), rule).flat())
        assert torch.equal(*ends)
        assert rules[0].judged == rules[1].judged
        assert rules[0].in_vain == 0
        skipped += rules[1].in_vain
    assert skipped > 20


def test_a_run_ends_with_the_bytes_of_the_plain_loop(monkeypatch):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(120, 4))
    y = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=120)
    config = Config(goal=0.4, pick=10, seed=2)
    foreseen = train(x, y, config)
    monkeypatch.setattr(SingleStrategy, "tuning", FlatTuning)
    plain = train(x, y, config)
    assert foreseen.network.sha256() == plain.network.sha256()
    assert [r.kept_steps for r in foreseen.history] == [r.kept_steps for r in plain.history]
