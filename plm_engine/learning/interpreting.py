"""Interpreting: the first network, one hidden node that is the linear regression.

ALGORITHM section 1.  Ordinary least squares of y - min(y) on the standardised drivers over the training rows gives
beta (m,) and beta_0; the network has W_1 = beta, b_1 = beta_0, output weight 1 and output bias min(y).  It equals the
linear regression wherever that predicts at least min(y); below, it is flat: the floor.

Choices made: the minimum-norm solution on centred columns (as scikit-learn's ``LinearRegression``), which stays sane
with collinear drivers and with more drivers than rows; ``two-sided`` adds the node -ReLU(-u), which makes the start
exactly linear; ``line`` starts from another linear function (ridge, persistence) in the same way.  The solver runs on
the CPU, where LAPACK's rank-revealing driver exists, in float64 always.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from plm_engine.network import TwoLayerNetwork


def interpreting(
    x: Tensor, y: Tensor, *, two_sided: bool = False, line: tuple[np.ndarray, float] | None = None
) -> TwoLayerNetwork:
    """Return the first network.

    Parameters
    ----------
    x : Tensor, shape (N, m)
        Standardised drivers of the training rows.
    y : Tensor, shape (N,)
        Standardised targets.
    two_sided : bool
        Add the second node, without which the network is flat below min(y).
    line : (ndarray of shape (m,), float) or None
        Coefficients and intercept, in standardised units, of the linear function to start from; least squares if None.

    Returns
    -------
    TwoLayerNetwork
        With p = 1 (or 2), on the device and in the precision of ``x``.
    """
    y64 = y.double().cpu()
    lowest = y64.min()
    if line is None:
        x64 = x.double().cpu()
        x_mean, y_mean = x64.mean(dim=0), (y64 - lowest).mean()
        beta = torch.linalg.lstsq(x64 - x_mean, (y64 - lowest - y_mean)[:, None], driver="gelsd").solution[:, 0]
        beta_0 = y_mean - x_mean @ beta
    else:
        beta, beta_0 = torch.from_numpy(line[0]).double(), line[1] - lowest
    network = TwoLayerNetwork(x.shape[1], float(lowest), dtype=x.dtype, device=x.device)
    network.add_nodes(beta[None, :], beta_0[None], torch.ones(1))
    if two_sided:
        network.add_nodes(-beta[None, :], -beta_0[None], -torch.ones(1))
    return network
