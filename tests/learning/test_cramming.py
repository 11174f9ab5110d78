import numpy as np
import pytest
import torch

from plm_engine.learning.cramming import TENTS, Groups, NoGapError, cram_row
from plm_engine.learning.gap import GapSearch, widest_gap
from plm_engine.network import TwoLayerNetwork
from tests.helpers import random_network, random_rows


def cram(network, x, y, position, tent="offset", search=None, seed=0):
    return cram_row(
        network,
        x,
        position,
        np.arange(len(y)),
        Groups.of(x.numpy(), y.numpy()),
        tent=tent,
        search=search or GapSearch(),
        generator=torch.Generator().manual_seed(seed),
        row_number=position + 1,
    )


@pytest.mark.parametrize("tent", list(TENTS))
def test_fits_the_row_and_moves_no_other(tent):
    x, y = random_rows(200, 6)
    network = random_network(6, 5)
    before = network(x).detach()
    crammed = cram(network, x, y, 17, tent)
    after = network(x).detach()
    spread = float(y.std())
    assert abs(after[17] - y[17]) <= 1e-9 * spread
    others = np.delete(np.arange(200), 17)
    assert (after - before)[others].abs().max() <= 1e-9 * spread
    assert network.n_hidden == 8
    assert network.node_rows[-3:] == [18, 18, 18]
    assert crammed.nodes == (6, 7, 8)


def test_offset_tent_worked_by_hand():
    """One driver, rows at 0 and +-1: gap 1, z 0.9; height 2 needs weights 4/0.9 (1, -2, 1), kinks -0.45, 0.225, 0.9."""
    x = torch.tensor([[0.0], [1.0], [-1.0]]).double()
    network = TwoLayerNetwork(1)
    crammed = cram(network, x, torch.tensor([2.0, 0.0, 0.0]).double(), 0)
    sign = network.hidden_weight[0].item()
    assert abs(sign) == pytest.approx(1)
    assert crammed.gap == pytest.approx(1)
    np.testing.assert_allclose(network.hidden_bias.detach().numpy(), [0.45, -0.225, -0.9])
    np.testing.assert_allclose(network.output_weight.detach().numpy(), np.array([1, -2, 1]) * 4 / 0.9)
    at = torch.tensor([[-0.45], [-0.225], [0.0], [0.225], [0.9]], dtype=torch.float64) * sign
    np.testing.assert_allclose(network(at).detach().numpy(), [0, 1, 2, 3, 0], atol=1e-12)


def test_symmetric_tent_has_its_top_at_the_row():
    x = torch.tensor([[0.0], [1.0], [-1.0]]).double()
    network = TwoLayerNetwork(1)
    cram(network, x, torch.tensor([2.0, 0.0, 0.0]).double(), 0, "symmetric")
    at = torch.tensor([[-0.9], [-0.45], [0.0], [0.45], [0.9]], dtype=torch.float64)
    np.testing.assert_allclose(network(at).detach().numpy(), [0, 1, 2, 1, 0], atol=1e-12)


def test_offset_kinks_keep_clear_of_the_row():
    x, y = random_rows(100, 4)
    network = TwoLayerNetwork(4)
    crammed = cram(network, x, y, 3)
    u = (network.hidden_weight @ x[3] + network.hidden_bias).detach().abs().numpy()
    assert u.min() >= 0.9 * crammed.gap / 4 - 1e-12


def test_rows_with_equal_drivers_get_the_middle_of_their_targets():
    x, y = random_rows(40, 3)
    x[11] = x[5]
    y[5], y[11] = 1.0, 1.5
    network = TwoLayerNetwork(3)
    cram(network, x, y, 5)
    assert network(x[[5, 11]]).detach().numpy() == pytest.approx([1.25, 1.25])


def test_widening_beats_the_best_of_the_draws():
    x, _ = random_rows(376, 18)
    gaps = {}
    for ascent in (0, 200):
        found = []
        for k in range(10):
            rest = torch.cat([x[:k], x[k + 1 :]]) - x[k]
            g, gap = widest_gap(rest, GapSearch(200, ascent), torch.Generator().manual_seed(k))
            assert gap == pytest.approx((rest @ g).abs().min().item(), rel=1e-9)
            assert g.norm().item() == pytest.approx(1)
            found.append(gap)
        gaps[ascent] = np.median(found)
    assert gaps[200] > 1.5 * gaps[0]


def test_a_row_that_is_all_but_equal_to_another_is_named():
    x, y = random_rows(20, 3)
    x[7] = x[2] + 1e-17
    x[7, 0] = np.nextafter(x[2, 0].item(), 9)
    with pytest.raises(NoGapError) as caught:
        cram(TwoLayerNetwork(3), x, y, 7)
    assert caught.value.position == 7
    assert 2 in caught.value.others


def test_same_seed_gives_the_same_nodes():
    x, y = random_rows(50, 4)
    digests = set()
    for _ in range(2):
        network = TwoLayerNetwork(4)
        cram(network, x, y, 9)
        digests.add(network.sha256())
    assert len(digests) == 1


def test_groups_join_minus_zero_and_zero():
    groups = Groups.of(np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]]), np.array([1.0, 3.0, 7.0]))
    assert groups.of_row[0] == groups.of_row[1] != groups.of_row[2]
    assert groups.value.tolist() == [2.0, 2.0, 7.0]
