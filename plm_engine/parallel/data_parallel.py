"""``torch.nn.DataParallel``: one process, rows scattered over the CUDA devices at every forward pass.

With fewer than two CUDA devices torch silently computes on one device; that would not be this mode, so it is refused.
"""

from __future__ import annotations

import torch
from torch import nn

from plm_engine.errors import UnavailableError
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.ddp import ModuleTuning
from plm_engine.parallel.kernel import Rows
from plm_engine.parallel.single import SingleStrategy


class DataParallelStrategy(SingleStrategy):
    """Rows scattered over ``workers`` CUDA devices by torch.

    Raises
    ------
    UnavailableError
        If the machine has fewer CUDA devices, or fewer than two were asked for.
    """

    def __init__(self, constants: AdamConstants, workers: int) -> None:
        found = torch.cuda.device_count()
        if workers < 2 or found < workers:
            raise UnavailableError(
                f"Mode data_parallel on {workers} GPUs needs at least 2 CUDA GPUs, and as many as asked for; "
                f"{found} found."
            )
        super().__init__(constants, "cuda:0")
        self._devices = list(range(workers))

    def open(self, network: TwoLayerNetwork, rows: Rows, penalty: float) -> ModuleTuning:
        """Begin a tuning over a freshly wrapped module."""
        if "whole" not in rows.extra:
            rows.extra["whole"] = (torch.cat(rows.x).contiguous(), torch.cat(rows.y))
        x, y = rows.extra["whole"]
        inner = network.copy()
        module = nn.DataParallel(inner, device_ids=self._devices)
        return ModuleTuning(network, module, inner, x, y, rows.n_rows, penalty, self.constants)
