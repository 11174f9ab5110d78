"""Cramming many rows at once: the work is shared, and what is learned stays learned."""

import numpy as np
import pytest
import torch

from plm_engine.events import ListSink, Notice
from plm_engine.learning.cramming import Groups, cram_rows, facing_nodes
from plm_engine.learning.gap import GapSearch, common_gaps, gathered_here
from plm_engine.learning.loop import Pupil
from plm_engine.learning.narrator import Narrator
from plm_engine.learning.options import LearningOptions
from plm_engine.learning.outcome import EndReason
from plm_engine.parallel.single import SingleStrategy
from tests.helpers import random_network, random_rows
from tests.learning.conftest import Data, learn
from tests.test_resume import KeepAll


@pytest.fixture
def bends() -> Data:
    """600 rows whose target three bent lines make, with a little noise."""
    x, noise = random_rows(600, 4)
    y = torch.relu(x[:, 0] + x[:, 1]) - torch.relu(x[:, 2] - 0.5) + torch.relu(-x[:, 3]) + 0.05 * noise
    return Data(x, (y - y.mean()) / y.std(), 1.0)


def test_common_gaps_are_those_of_a_search_among_all_pairs():
    x, _ = random_rows(80, 3)
    x[9] = x[2]  # one group
    groups = Groups.of(x.numpy(), np.zeros(80))
    different = np.delete(np.arange(80), 9)
    g, gaps = common_gaps(
        gathered_here(x, different), different, np.array([2, 30]), groups.of_row, GapSearch(20), torch.Generator()
    )
    drawn = torch.randn(3, 20, generator=torch.Generator(), dtype=torch.float64)
    drawn /= drawn.norm(dim=0)
    for row, one, gap in zip([2, 30], g, gaps, strict=True):
        others = [c for c in different if c != row]
        by_hand = ((x[others] - x[row]) @ drawn).abs().amin(dim=0)
        assert gap.item() == pytest.approx(by_hand.max().item(), rel=1e-9)
        assert torch.allclose(one, drawn[:, by_hand.argmax()])


@pytest.mark.parametrize("tent", ["offset", "symmetric"])
def test_rows_crammed_together_fit_and_move_no_other(tent):
    x, y = random_rows(300, 5)
    network = random_network(5, 4)
    before = network(x).detach()
    groups, rows = Groups.of(x.numpy(), y.numpy()), np.array([7, 120, 250])
    crammed = cram_rows(
        network,
        x,
        rows,
        np.arange(300),
        groups,
        GapSearch(),
        np.arange(1, 301),
        tent=tent,
        generator=torch.Generator().manual_seed(1),
    )
    after = network(x).detach()
    assert [one.position for one in crammed] == [7, 120, 250]
    assert network.node_rows[-9:] == [8] * 3 + [121] * 3 + [251] * 3
    np.testing.assert_allclose(after[rows], y[rows], atol=1e-9)
    others = np.setdiff1d(np.arange(300), rows)
    np.testing.assert_allclose(after[others], before[others], atol=1e-9)


def test_facing_nodes_change_nothing_and_bend_at_a_row():
    x, _ = random_rows(50, 4)
    network = random_network(4, 2)
    before = network(x).detach()
    faced = facing_nodes(network, x, np.array([3, 8]), 6, torch.Generator(), np.arange(50))
    assert torch.allclose(network(x).detach(), before, rtol=0, atol=1e-14)
    for (position, _), w, b in zip(faced, network.hidden_weight[2:], network.hidden_bias[2:], strict=True):
        assert position in (3, 8)
        assert (w @ x[position] + b).item() == pytest.approx(0, abs=1e-12)


def test_shared_nodes_learn_many_rows_with_few_nodes(bends):
    options = {"goal": 0.35, "pick": 60}
    plain = learn(bends, **options, max_rounds=1, reorganizing=False)
    shared = learn(bends, **options, max_rounds=6, epochs=200, shared_nodes=8, common_search=True)
    for before, result in zip(shared.rounds, shared.rounds[1:], strict=False):
        learned = np.abs(result.residuals) <= 0.35
        assert learned[np.abs(before.residuals) <= 0.35].all()
        assert learned[result.picked].all()
    assert shared.reason is EndReason.GOAL_MET
    assert max(r.studied.n_crammed for r in shared.rounds) < max(r.studied.n_crammed for r in plain.rounds) / 2


def test_one_by_one_along_common_directions_learns_every_picked_row(bends):
    lesson = learn(bends, goal=0.6, pick=10, max_rounds=2, common_search=True)
    for result in lesson.rounds[1:]:
        assert (np.abs(result.residuals)[result.picked] <= 0.6).all()
    assert lesson.rounds[1].studied.n_crammed > 3


def test_no_more_nodes_are_tried_than_allowed_and_rounds_take_turns(bends):
    from plm_engine.events import ListSink, NodeTried
    from plm_engine.learning.loop import Pupil
    from plm_engine.learning.narrator import Narrator
    from plm_engine.learning.options import LearningOptions
    from plm_engine.parallel.single import SingleStrategy

    sink, strategy = ListSink(), SingleStrategy()
    options = LearningOptions(goal=0.5, pick=4, max_rounds=3, organize_candidates=5)
    Pupil(bends.x, bends.y, options, strategy, strategy, Narrator(sink, rows=np.arange(1, 601))).learn()
    tried = [[e.node for e in sink.events if isinstance(e, NodeTried) and e.round == n] for n in (1, 2, 3)]
    assert [len(nodes) for nodes in tried] == [5, 5, 5]
    assert tried[0] != tried[1]


@pytest.mark.parametrize("asks", [1, 5, 40])
def test_a_long_tuning_is_interrupted_and_the_network_stays_acceptable(bends, asks):
    left = iter(range(10**9))
    lesson = learn(
        bends,
        goal=0.35,
        pick=60,
        epochs=10**5,
        shared_nodes=8,
        stop=lambda: EndReason.BUDGET_MINUTES if next(left) > asks else None,
    )
    assert lesson.reason is EndReason.BUDGET_MINUTES
    assert next(left) < asks + 12
    size = np.abs((lesson.network(bends.x) - bends.y).detach().numpy())
    last = lesson.rounds[-1]
    assert lesson.network.sha256() == last.network.sha256()
    assert (size[last.studied.rows] <= 0.35).all()


def close_pair(apart: float) -> Data:
    """40 rows, two of which all but coincide and want targets 3 apart."""
    x, y = random_rows(40, 3)
    x[20] = x[4]
    x[20, 0] += apart
    y = 0.1 * y
    y[4], y[20] = 1.5, -1.5
    return Data(x.float(), y.float(), 1.0)


def test_float32_stays_float32_where_its_tents_fit():
    lesson = learn(close_pair(0.5), goal=0.3, pick=3)
    assert lesson.reason is EndReason.GOAL_MET
    assert lesson.network.hidden_weight.dtype == torch.float32


@pytest.mark.parametrize("apart", [3e-5, 1e-6])
@pytest.mark.parametrize("common", [False, True])
def test_rows_that_float32_cannot_hold_are_crammed_in_float64(apart, common):
    data = close_pair(apart)
    lesson = learn(data, goal=0.02, pick=3, common_search=common)
    assert lesson.reason is EndReason.GOAL_MET
    assert lesson.network.hidden_weight.dtype == torch.float64
    exact = lesson.network(data.x.double()) - data.y.double()
    assert exact.abs().max().item() <= 0.02


def test_that_learning_went_on_in_float64_is_said_once_however_often_it_is_resumed():
    data, sink = close_pair(3e-5), ListSink()
    strategy, numbers = SingleStrategy(), np.arange(1, 41)
    options, kept = LearningOptions(goal=0.02, pick=3), KeepAll()
    Pupil(data.x, data.y, options, strategy, strategy, Narrator(sink, rows=numbers), keeper=kept).learn()
    said = [event.sentence for event in sink.events if isinstance(event, Notice)]
    assert sum("goes on in float64" in sentence for sentence in said) == 1
    sink.events.clear()
    state = kept.states[-1]
    assert state.network(3, "cpu").hidden_weight.dtype == torch.float64
    Pupil(data.x, data.y, options, strategy, strategy, Narrator(sink, rows=numbers), state=state).learn()
    assert not any("float64" in event.sentence for event in sink.events if isinstance(event, Notice))
