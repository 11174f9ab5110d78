"""Small random networks and rows, the same on every call."""

from __future__ import annotations

import torch

from plm_engine.network import TwoLayerNetwork


def random_rows(
    n: int, m: int, *, seed: int = 0, dtype: torch.dtype = torch.float64
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return x (n, m) and y (n,)."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, m, generator=generator, dtype=torch.float64)
    y = torch.sin(2 * x[:, 0]) + 0.3 * torch.randn(n, generator=generator, dtype=torch.float64)
    return x.to(dtype), y.to(dtype)


def random_network(m: int, p: int, *, seed: int = 1, dtype: torch.dtype = torch.float64) -> TwoLayerNetwork:
    """Return a network with p hidden nodes over m drivers."""
    generator = torch.Generator().manual_seed(seed)
    network = TwoLayerNetwork(m, 0.1, dtype=dtype)
    draw = [torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((p, m), (p,), (p,))]
    network.add_nodes(0.5 * draw[0], 0.3 * draw[1], 0.5 * draw[2])
    return network
