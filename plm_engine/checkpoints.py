"""Files that a run leaves behind, each written whole or not at all (temporary file, fsync, rename).

model.safetensors       newest complete round's network, loadable by :func:`plm_engine.predict.load_model`
model.json              what its header says, for people
rounds/round_0007.npz   one complete round: weights, learned and picked rows, predictions of all rows
predictions.csv, .parquet
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save as safetensors_bytes

from plm_engine.predict import MODEL_FILE

if TYPE_CHECKING:
    import pandas as pd

    from plm_engine.datasets.scale import Scaler
    from plm_engine.network import TwoLayerNetwork
    from plm_engine.training import RoundRecord


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a crash, sees the old content or the new one, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def weights_of(network: TwoLayerNetwork) -> dict[str, np.ndarray]:
    """Return W (p, m), b (p,), w_out (p,), w_0 () as arrays."""
    tensors = {
        "W": network.hidden_weight,
        "b": network.hidden_bias,
        "w_out": network.output_weight,
        "w_0": network.output_bias,
    }
    return {name: np.asarray(tensor.detach().cpu().numpy(), order="C") for name, tensor in tensors.items()}


def save_model(
    folder: Path,
    network: TwoLayerNetwork,
    scaler: Scaler,
    features: tuple[str, ...],
    target: str,
    **about: Any,
) -> None:
    """Save a model; ``about`` holds further plain values, such as the goal and the driver's training ranges."""
    header = {
        "features": list(features),
        "target": target,
        "scaler": scaler.to_mapping(),
        "node_ids": network.node_ids,
        "node_rows": network.node_rows,
        "network_sha256": network.sha256(),
        **about,
    }
    text = json.dumps(header)
    write_whole(folder / MODEL_FILE, safetensors_bytes(weights_of(network), {"about": text}))
    write_whole(folder / "model.json", json.dumps(header, indent=2).encode())


def save_round(folder: Path, record: RoundRecord) -> None:
    """Save one round for replay."""
    target = folder / "rounds"
    target.mkdir(exist_ok=True)
    arrays: dict[str, Any] = {
        **weights_of(record.network),
        "node_ids": np.array(record.network.node_ids),
        "node_rows": np.array([row or 0 for row in record.network.node_rows]),
        "picked": record.picked,
        "learned": record.learned,
        "predicted": record.predicted,
    }
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    write_whole(target / f"round_{record.number:04d}.npz", buffer.getvalue())


def load_round(folder: Path, number: int) -> dict[str, np.ndarray]:
    """Return the arrays of one round (see :func:`save_round`; a ``node_rows`` of 0 means none)."""
    with np.load(folder / "rounds" / f"round_{number:04d}.npz", allow_pickle=False) as arrays:
        return dict(arrays)


def save_predictions(folder: Path, table: pd.DataFrame) -> None:
    """Save predictions as CSV and Parquet."""
    writers: dict[str, Callable[[io.BytesIO], Any]] = {
        "predictions.csv": lambda buffer: table.to_csv(buffer, index=False),
        "predictions.parquet": lambda buffer: table.to_parquet(buffer, index=False),
    }
    for name, write in writers.items():
        buffer = io.BytesIO()
        write(buffer)
        write_whole(folder / name, buffer.getvalue())
