from itertools import pairwise

import numpy as np
import pytest
import torch

from plm_engine.parallel.chunks import chunk_bounds
from plm_engine.parallel.kernel import Gradient, Kernel, Rows, Weights, add_in_order
from tests.helpers import random_network, random_rows


@pytest.mark.parametrize(("n", "count"), [(1, 1), (63, 1), (64, 2), (376, 2), (4096, 2), (4097, 3), (100_000, 49)])
def test_count_of_chunks_follows_from_the_number_of_rows(n, count):
    bounds = chunk_bounds(n)
    assert len(bounds) == count
    assert bounds[0][0] == 0
    assert bounds[-1][1] == n
    assert all(b == c for (_, b), (c, _) in pairwise(bounds))
    sizes = [b - a for a, b in bounds]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("n", [63, 301, 4501])
def test_sums_have_the_same_bits_whoever_computes_a_chunk_and_when(n, dtype):
    x, y = random_rows(n, 5, dtype=dtype)
    theta = Weights(random_network(5, 7, dtype=dtype).flat(), 7)
    rows = Rows(x, y)
    whole = Kernel(rows, 7)
    whole.measure(theta)
    whole.finish_gradient()
    for k in range(len(rows.bounds)):
        for may_keep in (True, False):
            alone = Kernel(rows, 7, range(k, k + 1), may_keep)
            alone.measure(theta)
            alone.finish_gradient()
            np.testing.assert_array_equal(alone.partial[0, :-1].numpy(), whole.partial[k, :-1].numpy())
            assert alone.partial[0, -1] <= whole.partial[0, -1]


@pytest.mark.parametrize("p", [1, 3, 5, 8])
@pytest.mark.parametrize("n", [4099, 6151])  # chunks of two widths whose hidden layers take as much aligned room
def test_chunks_of_two_widths_do_not_share_their_ones(n, p):
    x, y = random_rows(n, 18)
    flat = torch.randn(p * 20 + 1, dtype=torch.float64)
    kernel, weights = Kernel(Rows(x, y), p, may_keep=False), Weights(flat, p)
    for _ in range(2):
        kernel.measure(weights)
    gradient = Gradient(flat, p, 19)
    add_in_order(kernel.lines, gradient.total)
    asked = flat.clone().requires_grad_()
    hidden = torch.relu(torch.cat([x, x.new_ones(n, 1)], 1) @ asked[: 19 * p].view(p, 19).T)
    ((hidden @ asked[19 * p : -1] + asked[-1] - y) ** 2).mean().backward()
    torch.testing.assert_close(gradient.take(weights), asked.grad, rtol=1e-9, atol=1e-12)
