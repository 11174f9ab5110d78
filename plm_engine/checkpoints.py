"""Files that a run leaves behind, each written whole or not at all (temporary file, fsync, rename).

model.safetensors       newest complete round's network, loadable by :func:`plm_engine.predict.load_model`
model.json              what its header says, for people
rounds/round_0007.npz   one complete round: weights, learned and picked rows, predictions of all rows
predictions.csv, .parquet
checkpoint.npz          where the pupil stands, at every round's end and every ten seconds inside organizing
resume.npz              the checkpoint that a resumed run goes on from; never written while the run goes
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from safetensors.numpy import save as safetensors_bytes

from plm_engine.errors import RunError
from plm_engine.learning.state import Place, PupilState, Studied
from plm_engine.predict import MODEL_FILE, round_file
from plm_engine.predict import load_round as load_round  # saved here, read by pages too: those never load torch
from plm_engine.store.paths import CHECKPOINT

if TYPE_CHECKING:
    import pandas as pd

    from plm_engine.datasets.scale import Scaler
    from plm_engine.network import TwoLayerNetwork
    from plm_engine.training import RoundRecord


#: longest time inside organizing between two checkpoints; tests make it shorter
INTERVAL_S = 10.0
INTERVAL_VARIABLE = "PLM_LAB_CHECKPOINT_S"


def write_whole(path: Path, content: bytes | Callable[[BinaryIO], Any]) -> None:
    """Write a file so that a reader, or a crash, sees the old content or the new one, never a part.

    ``content`` may be what writes into the open file, for what is too large to be held as a whole.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            if callable(content):
                content(file)
            else:
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
    target = round_file(folder, record.number)
    target.parent.mkdir(exist_ok=True)
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
    write_whole(target, buffer.getvalue())


def save_predictions(folder: Path, parts: Callable[[], Iterable[pd.DataFrame]]) -> None:
    """Save predictions as CSV and Parquet; ``parts`` gives the table in parts, anew for each file."""

    def csv(file: BinaryIO) -> None:
        for k, part in enumerate(parts()):
            part.to_csv(file, index=False, header=k == 0)

    def parquet(file: BinaryIO) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        writer = None
        for part in parts():
            table = pa.Table.from_pandas(part, preserve_index=False)
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()

    write_whole(folder / "predictions.csv", csv)
    write_whole(folder / "predictions.parquet", parquet)


class Checkpoints:
    """Keeps the newest state of a pupil in the run's folder (see :class:`plm_engine.learning.state.Keeper`)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._interval_s = float(os.environ.get(INTERVAL_VARIABLE, INTERVAL_S))
        self._kept_at = time.monotonic()

    def due(self) -> bool:
        """Return whether the newest state is ten seconds old."""
        return time.monotonic() - self._kept_at >= self._interval_s

    def keep(self, state: PupilState) -> None:
        """Put a state in the place of the one before."""
        save_state(self.folder / CHECKPOINT, state)
        self._kept_at = time.monotonic()


def save_state(path: Path, state: PupilState) -> None:
    """Save a pupil's state: arrays, and the rest as one JSON text."""
    studied = state.studied
    about = {
        "next_id": state.next_id,
        "kept": state.kept,
        "seconds": state.seconds,
        "number": studied.number,
        "outcome": studied.outcome,
        "n_before": studied.n_before,
        "n_crammed": studied.n_crammed,
        "place": None if state.place is None else list(dataclasses.astuple(state.place)),
    }
    buffer = io.BytesIO()
    np.savez(
        buffer,
        weights=state.weights,
        node_ids=state.node_ids,
        node_rows=state.node_rows,
        residuals=state.residuals,
        generator=state.generator,
        new=studied.new,
        rows=studied.rows,
        about=np.array(json.dumps(about)),
    )
    write_whole(path, buffer.getvalue())


def load_state(path: Path) -> PupilState | None:
    """Return a pupil's state; ``None`` if there is no such file.

    Raises
    ------
    RunError
        If the file is damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        about = json.loads(str(arrays["about"]))
        studied = Studied(
            about["number"], arrays["new"], arrays["rows"], about["outcome"], about["n_before"], about["n_crammed"]
        )
        return PupilState(
            weights=arrays["weights"],
            node_ids=arrays["node_ids"],
            node_rows=arrays["node_rows"],
            next_id=about["next_id"],
            studied=studied,
            place=None if about["place"] is None else Place(*about["place"]),
            residuals=arrays["residuals"],
            generator=arrays["generator"],
            kept=about["kept"],
            seconds=about["seconds"],
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise RunError(f"The checkpoint {path.name!r} is damaged ({error}): start the run again.") from error
