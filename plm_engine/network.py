"""The two-layer adaptive network (2LANN), whose hidden layer changes size.

f(x) = w_0 + sum_i w_i ReLU(b_i + W_i x)

Shapes: N rows, m drivers (``n_features``), p hidden nodes (``n_hidden``); W is (p, m), b and w_out are (p,), w_0 is ().
Source: Tsaih, Chien & Chien (2023), arXiv 2307.16141.  All values live in standardised units; the scaler that leads
back to the target's unit belongs to the data layer.

Choices made: every hidden node carries a stable id, never used twice in a run, and the row it was crammed for, so that
a run can be told and replayed; ``W``, ``b`` and ``w_out`` are separate parameters, so that autograd, DataParallel and
DistributedDataParallel see an ordinary module.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from plm_engine.errors import BugError


class TwoLayerNetwork(nn.Module):
    """A two-layer ReLU network whose hidden nodes can be added and removed.

    Parameters
    ----------
    n_features : int
        Number of drivers m.
    output_bias : float
        w_0 of the empty network.
    dtype, device
        Of all parameters.

    Attributes
    ----------
    hidden_weight : Parameter, shape (p, m)
    hidden_bias : Parameter, shape (p,)
    output_weight : Parameter, shape (p,)
    output_bias : Parameter, shape ()
    node_ids : list of int
        Stable id of each hidden node, in the order of the weights.
    node_rows : list of int or None
        1-based data row each node was crammed for; ``None`` for the nodes of interpreting.
    """

    def __init__(
        self,
        n_features: int,
        output_bias: float = 0.0,
        *,
        dtype: torch.dtype = torch.float64,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        none = torch.empty(0, dtype=dtype, device=device)
        self.hidden_weight = nn.Parameter(none.new_empty(0, n_features))
        self.hidden_bias = nn.Parameter(none.clone())
        self.output_weight = nn.Parameter(none.clone())
        self.output_bias = nn.Parameter(none.new_tensor(float(output_bias)))
        self.node_ids: list[int] = []
        self.node_rows: list[int | None] = []
        self._next_id = 1

    @property
    def n_hidden(self) -> int:
        """Number of hidden nodes p."""
        return self.hidden_weight.shape[0]

    @property
    def n_features(self) -> int:
        """Number of drivers m."""
        return self.hidden_weight.shape[1]

    @property
    def next_id(self) -> int:
        """Id that the next new node will get."""
        return self._next_id

    @property
    def n_weights(self) -> int:
        """Number of weights and biases: p (m + 2) + 1."""
        return self.n_hidden * (self.n_features + 2) + 1

    def forward(self, x: Tensor) -> Tensor:
        """Return f(x), shape (N,), for standardised rows ``x`` of shape (N, m)."""
        hidden = torch.relu(torch.addmm(self.hidden_bias, x, self.hidden_weight.T))
        return torch.mv(hidden, self.output_weight) + self.output_bias

    @torch.no_grad()
    def add_nodes(
        self, weight: Tensor, bias: Tensor, output_weight: Tensor, row: int | Sequence[int] | None = None
    ) -> tuple[int, ...]:
        """Append q hidden nodes and return their new ids.

        Parameters
        ----------
        weight : Tensor, shape (q, m)
        bias, output_weight : Tensor, shape (q,)
        row : int, sequence of int, or None
            1-based data row they are crammed for, or one for each.
        """
        q = len(bias)
        if weight.shape != (q, self.n_features) or output_weight.shape != (q,):
            raise BugError(
                f"New nodes must have shapes ({q}, {self.n_features}), ({q},), ({q},); got "
                f"{tuple(weight.shape)}, {tuple(bias.shape)}, {tuple(output_weight.shape)}."
            )
        like = self.hidden_weight
        self.hidden_weight = nn.Parameter(torch.cat([self.hidden_weight.data, weight.to(like)]))
        self.hidden_bias = nn.Parameter(torch.cat([self.hidden_bias.data, bias.to(like)]))
        self.output_weight = nn.Parameter(torch.cat([self.output_weight.data, output_weight.to(like)]))
        ids = tuple(range(self._next_id, self._next_id + q))
        self.node_ids += ids
        self.node_rows += [row] * q if row is None or isinstance(row, int) else list(row)
        self._next_id += q
        return ids

    @torch.no_grad()
    def remove_nodes(self, positions: Sequence[int]) -> None:
        """Drop the hidden nodes at ``positions`` (0-based, in the order of the weights)."""
        gone = set(positions)
        if not gone <= set(range(self.n_hidden)):
            raise BugError(f"Positions {sorted(gone)} are not all among the {self.n_hidden} hidden nodes.")
        stay = [k for k in range(self.n_hidden) if k not in gone]
        self.hidden_weight = nn.Parameter(self.hidden_weight.data[stay])
        self.hidden_bias = nn.Parameter(self.hidden_bias.data[stay])
        self.output_weight = nn.Parameter(self.output_weight.data[stay])
        self.node_ids = [self.node_ids[k] for k in stay]
        self.node_rows = [self.node_rows[k] for k in stay]

    def copy(self) -> TwoLayerNetwork:
        """Return an independent copy with the same node ids."""
        return self.with_flat(self.flat())

    def without(self, position: int) -> TwoLayerNetwork:
        """Return a copy that lacks the hidden node at ``position``."""
        smaller = self._shell()
        for name in ("hidden_weight", "hidden_bias", "output_weight"):
            old = getattr(self, name).data
            smaller.register_parameter(name, nn.Parameter(torch.cat([old[:position], old[position + 1 :]])))
        smaller.register_parameter("output_bias", nn.Parameter(self.output_bias.data.clone()))
        del smaller.node_ids[position], smaller.node_rows[position]
        return smaller

    @classmethod
    def restored(
        cls, flat: Tensor, n_features: int, node_ids: Sequence[int], node_rows: Sequence[int | None], next_id: int
    ) -> TwoLayerNetwork:
        """Return the network that was taken down as ``flat`` (see :meth:`flat`), its nodes and :attr:`next_id`."""
        p = len(node_ids)
        if flat.shape != (p * (n_features + 2) + 1,) or len(node_rows) != p:
            raise BugError(f"{len(flat)} weights do not make a network of {p} nodes over {n_features} drivers.")
        like = cls(n_features, dtype=flat.dtype, device=flat.device)
        like.hidden_weight = nn.Parameter(flat.new_empty(p, n_features))
        like.node_ids, like.node_rows, like._next_id = list(node_ids), list(node_rows), next_id
        return like.with_flat(flat)

    @torch.no_grad()
    def flat(self) -> Tensor:
        """Return all weights as one new vector, shape (p (m + 2) + 1,).

        Order: the rows (W_i, b_i) one after the other, then w_out, then w_0: the layout in which tuning works,
        because x with a column of ones appended makes the hidden layer one matrix product.
        """
        hidden = torch.cat([self.hidden_weight.data, self.hidden_bias.data[:, None]], dim=1)
        return torch.cat([hidden.reshape(-1), self.output_weight.data, self.output_bias.data.reshape(1)])

    @torch.no_grad()
    def with_flat(self, flat: Tensor) -> TwoLayerNetwork:
        """Return a network with these nodes and the weights of ``flat`` (see :meth:`flat`)."""
        p, m = self.n_hidden, self.n_features
        new = self._shell()
        hidden = flat[: p * (m + 1)].view(p, m + 1)
        weights = {
            "hidden_weight": hidden[:, :m].clone(memory_format=torch.contiguous_format),
            "hidden_bias": hidden[:, m].clone(memory_format=torch.contiguous_format),
            "output_weight": flat[p * (m + 1) : -1].clone(),
            "output_bias": flat[-1].clone(),
        }
        for name, values in weights.items():
            new.register_parameter(name, nn.Parameter(values))
        return new

    def _shell(self) -> TwoLayerNetwork:
        """Return a network with these nodes and no weights yet (organizing makes very many)."""
        new = TwoLayerNetwork.__new__(TwoLayerNetwork)
        nn.Module.__init__(new)
        new.node_ids, new.node_rows, new._next_id = list(self.node_ids), list(self.node_rows), self._next_id
        return new

    def sha256(self) -> str:
        """Return the digest of the little-endian bytes of W, b, w_out, w_0, in that order."""
        digest = hashlib.sha256()
        for tensor in (self.hidden_weight, self.hidden_bias, self.output_weight, self.output_bias):
            array = tensor.detach().cpu().contiguous().numpy()
            digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
        return digest.hexdigest()
