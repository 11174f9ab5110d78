import pickle

import numpy as np
import pytest
import torch

from plm_engine.events import ListSink, NodeTried
from plm_engine.learning.narrator import Narrator
from plm_engine.learning.options import LearningOptions
from plm_engine.learning.organizing import organizing
from plm_engine.parallel.single import SingleStrategy
from tests.helpers import random_network, random_rows


class Several(SingleStrategy):
    """A single device that likes several candidates at once."""

    def __init__(self, width):
        super().__init__()
        self.candidates_at_once = width


def organize(width=1, n=120, p=14, slack=0.3, stop=lambda: False):
    x, noise = random_rows(n, 4)
    network = random_network(4, p)
    y = network(x).detach() + 0.05 * noise  # so that the goal is tight and most nodes are needed
    goal = (network(x) - y).abs().max().item() + slack
    sink = ListSink()
    strategy = Several(width)
    options = LearningOptions(goal=goal)
    smaller = organizing(network, strategy.place(x, y), options, strategy, Narrator(sink, rows=np.arange(n)), stop)
    tried = [(e.node, e.removed) for e in sink.events if isinstance(e, NodeTried)]
    return network, smaller, (smaller(x) - y).abs().max().item() <= goal, tried


def test_removes_nodes_and_stays_acceptable():
    before, after, acceptable, tried = organize()
    assert acceptable
    assert after.n_hidden < before.n_hidden
    assert after.n_hidden >= 1
    assert [node for node, removed in tried if removed] == [n for n in before.node_ids if n not in after.node_ids]


def test_ends_when_every_remaining_node_was_tried():
    _, after, _, tried = organize(slack=0.02)
    refused = [node for node, removed in tried if not removed]
    assert refused == after.node_ids


def test_never_below_one_node():
    _, after, acceptable, _ = organize(slack=100.0)
    assert after.n_hidden == 1
    assert acceptable


@pytest.mark.parametrize("width", [2, 3, 8, 50])
@pytest.mark.parametrize("slack", [0.02, 0.3])
def test_speculation_follows_the_plain_algorithm_bit_for_bit(width, slack):
    _, plain, _, plain_tried = organize(1, slack=slack)
    _, speculated, _, tried = organize(width, slack=slack)
    assert tried == plain_tried
    assert speculated.sha256() == plain.sha256()


def test_stopping_early_leaves_an_acceptable_network():
    answers = iter([False, False, False, True])
    _, after, acceptable, tried = organize(stop=lambda: next(answers))
    assert acceptable
    assert len(tried) == 3
    assert after.n_hidden > 1


def test_a_redundant_node_goes_and_a_needed_one_stays():
    """f = ReLU(x) + 0 * ReLU(-x): node 2 does nothing; without node 1 the goal of 0.05 cannot be met in 50 steps."""
    x = torch.linspace(-1, 1, 41, dtype=torch.float64)[:, None]
    network = random_network(1, 2)
    with torch.no_grad():
        network.hidden_weight.copy_(torch.tensor([[1.0], [-1.0]]))
        network.hidden_bias.zero_()
        network.output_weight.copy_(torch.tensor([1.0, 0.0]))
        network.output_bias.zero_()
    strategy = SingleStrategy()
    rows = strategy.place(x, torch.relu(x[:, 0]))
    after = organizing(network, rows, LearningOptions(goal=0.05), strategy, Narrator(rows=np.arange(41)))
    assert after.node_ids == [1]


class Elsewhere(Several):
    """All candidates are tuned where nobody listens to their steps, those that are not needed too."""

    def tune_candidates(self, candidates, rows, rules):
        told = [pickle.loads(pickle.dumps(rule)) for rule in rules]
        tuned = [self.tune(network, rows, rule) for network, rule in zip(candidates, told, strict=True)]
        for rule, other in zip(rules, told, strict=True):
            rule.adopt(other.state())
        return tuned


def test_steps_kept_elsewhere_are_counted_and_those_of_candidates_not_needed_are_not():
    x, noise = random_rows(80, 4)
    network = random_network(4, 10)
    y = network(x).detach() + 0.05 * noise
    options = LearningOptions(goal=0.5, regularizing_epochs=0)
    counted = []
    for strategy in (Several(1), Elsewhere(4)):
        narrator = Narrator(ListSink(), rows=np.arange(80))
        organizing(network, strategy.place(x, y), options, strategy, narrator, lambda: False)
        counted.append(narrator.kept)
    assert counted[0] == counted[1] > 0
