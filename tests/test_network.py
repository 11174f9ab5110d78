import hashlib

import numpy as np
import pytest
import torch

from plm_engine.errors import BugError
from plm_engine.network import TwoLayerNetwork
from tests.helpers import random_network, random_rows


def by_hand(network, x):
    w, b, v, c = (p.detach().numpy() for p in network.parameters())
    return np.maximum(x.numpy() @ w.T + b, 0) @ v + c


def test_forward_is_the_formula():
    x, _ = random_rows(40, 3)
    network = random_network(3, 5)
    np.testing.assert_allclose(network(x).detach().numpy(), by_hand(network, x), atol=1e-13)


def test_without_nodes_it_is_the_output_bias():
    x, _ = random_rows(4, 3)
    assert TwoLayerNetwork(3, 2.5)(x).tolist() == [2.5] * 4


def test_ids_are_stable_and_never_used_twice():
    network = random_network(3, 4)
    network.remove_nodes([1, 3])
    assert network.node_ids == [1, 3]
    new = network.add_nodes(torch.ones(2, 3), torch.zeros(2), torch.ones(2), row=17)
    assert new == (5, 6)
    assert network.copy().add_nodes(torch.ones(1, 3), torch.zeros(1), torch.ones(1)) == (7,)
    assert network.node_rows == [None, None, 17, 17]


def test_removing_a_node_takes_away_its_term():
    x, _ = random_rows(30, 3)
    network = random_network(3, 4)
    w, b, v, _ = (p.detach() for p in network.parameters())
    term = torch.relu(x @ w[2] + b[2]) * v[2]
    smaller = network.without(2)
    np.testing.assert_allclose(smaller(x).detach(), (network(x) - term).detach(), atol=1e-13)
    assert network.n_hidden == 4


def test_flat_and_back_and_copies_are_independent():
    network = random_network(3, 4)
    again = network.with_flat(network.flat())
    assert again.sha256() == network.sha256()
    assert all(p.is_contiguous() and p.stride() == torch.empty_like(p).stride() for p in again.parameters())
    with torch.no_grad():
        again.hidden_weight.zero_()
    assert again.sha256() != network.sha256()


def test_digest_is_of_the_little_endian_bytes_in_order():
    network = random_network(2, 3)
    w, b, v, c = (p.detach().numpy().astype("<f8") for p in network.parameters())
    assert network.sha256() == hashlib.sha256(w.tobytes() + b.tobytes() + v.tobytes() + c.tobytes()).hexdigest()


def test_wrong_shapes_and_positions_are_our_own_fault():
    network = random_network(3, 4)
    with pytest.raises(BugError, match=r"\(1, 3\)"):
        network.add_nodes(torch.ones(1, 2), torch.zeros(1), torch.ones(1))
    with pytest.raises(BugError, match=r"\[9\]"):
        network.remove_nodes([9])
