"""The parallel layer for a network of your own, without RPLM: wrap it, step, read it back.

Any ``nn.Sequential(nn.Linear, nn.ReLU, nn.Linear)`` with one output.  Steps are full-batch Adam on the mean squared
error, as ``torch.optim.Adam`` takes them; the rows, or the hidden nodes, are shared out over the processes that
torchrun started.
"""

from __future__ import annotations

from types import TracebackType

import torch
from torch import Tensor, nn

from plm_engine.errors import ConfigError
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.ddp import DDPStrategy
from plm_engine.parallel.model_parallel import ModelParallelStrategy
from plm_engine.parallel.ranked import RankedStrategy
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.row_parallel import RowParallelStrategy
from plm_engine.parallel.strategy import Measured

MODES: dict[str, type[RankedStrategy]] = {
    "row_parallel": RowParallelStrategy,
    "ddp": DDPStrategy,
    "model_parallel": ModelParallelStrategy,
}


class Parallel:
    """A two-layer network trained by all processes together; a context manager.

    Parameters
    ----------
    model : nn.Sequential
        Linear (m to p), ReLU, Linear (p to 1); equal on all processes.  Gets the trained weights at the end.
    x : Tensor, shape (N, m)
    y : Tensor, shape (N,)
        All rows, on every process.
    mode : str
        ``row_parallel`` (the same bits on any number of processes), ``ddp`` or ``model_parallel``.
    penalty : float
        lambda of the weight penalty lambda / n_weights * sum of squares.

    Attributes
    ----------
    rank, size : int
        This process among its peers.

    Raises
    ------
    ConfigError
        If the model has another form, or there is no such mode.
    UnavailableError
        If torchrun did not start this process.
    """

    def __init__(
        self, model: nn.Sequential, x: Tensor, y: Tensor, mode: str = "row_parallel", *, penalty: float = 0.0
    ) -> None:
        if mode not in MODES:
            raise ConfigError(f"Mode {mode!r} cannot wrap a network: give one of {', '.join(MODES)}.")
        self._first, self._last = _layers(model)
        self.ranks = Ranks("cuda" if x.is_cuda else "cpu")
        self.rank, self.size = self.ranks.rank, self.ranks.size
        self._strategy = MODES[mode](AdamConstants(), self.ranks)
        network = TwoLayerNetwork(x.shape[1], dtype=x.dtype, device=x.device)
        network.add_nodes(self._first.weight.data, self._first.bias.data, self._last.weight.data[0])
        network.output_bias.data.copy_(self._last.bias.data[0])
        self._tuning = self._strategy.open(network, self._strategy.place(x, y), penalty)

    def step(self, step_size: float) -> Measured:
        """Take one step and return loss and largest residual after it, equal on all processes."""
        measured = self._tuning.trial(step_size)
        self._tuning.keep()
        return measured

    @torch.no_grad()
    def close(self) -> None:
        """Write the weights back into the model and leave the group."""
        network = self._tuning.network()
        self._first.weight.copy_(network.hidden_weight)
        self._first.bias.copy_(network.hidden_bias)
        self._last.weight.copy_(network.output_weight[None])
        self._last.bias.copy_(network.output_bias[None])
        self._strategy.close()

    def __enter__(self) -> Parallel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()


def _layers(model: nn.Module) -> tuple[nn.Linear, nn.Linear]:
    parts = list(model) if isinstance(model, nn.Sequential) else []
    if (
        len(parts) != 3
        or not isinstance(parts[0], nn.Linear)
        or not isinstance(parts[1], nn.ReLU)
        or not isinstance(parts[2], nn.Linear)
        or parts[2].out_features != 1
        or parts[0].bias is None
        or parts[2].bias is None
    ):
        raise ConfigError(
            "Only nn.Sequential(nn.Linear, nn.ReLU, nn.Linear) with biases and one output can be wrapped; "
            f"this model is {type(model).__name__} of {', '.join(type(p).__name__ for p in parts) or 'other parts'}."
        )
    return parts[0], parts[2]
