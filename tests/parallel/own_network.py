"""A two-layer network of your own on two processes.

Start it with ``python -m torch.distributed.run --standalone --nproc-per-node 2 tests/parallel/own_network.py`` in this
project's folder, with ``PYTHONPATH=.``.
"""

import torch
from torch import nn

from plm_engine.parallel.wrap import Parallel

torch.manual_seed(0)
x = torch.randn(1000, 5, dtype=torch.float64)
y = torch.sin(2 * x[:, 0]) + 0.5 * x[:, 1]
mine = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)).double()
with Parallel(mine, x, y, mode="row_parallel") as parallel:
    for _ in range(200):
        measured = parallel.step(0.01)
if parallel.rank == 0:
    print(f"mean squared error {measured.loss:.17g} on {parallel.size} processes")
