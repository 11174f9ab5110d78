"""How ranks get what only the first one has, over the rendezvous' store: settings, table, a goal that was chosen.

Rank 0 puts them there, under names of this run; the others wait for them.  A bundled table that a library makes is not
sent: its name is enough.
"""

from __future__ import annotations

import json
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from plm_engine.config import Config
from plm_engine.errors import DataError, PeerLostError
from plm_engine.launch import data_path
from plm_engine.store.paths import write_json

WAIT = timedelta(minutes=5)
PREFIX = "plm-lab"
ASK_S = 0.2


def shared_config(run_dir: Path, config: Config | None) -> Config:
    """Return the run's configuration on every rank, with the table as a file on this machine.

    Parameters
    ----------
    run_dir : Path
        This rank's folder; on other machines it gets the table.
    config : Config or None
        On rank 0 the configuration, elsewhere None.
    """
    store = _store()
    if config is not None:
        path, is_file = data_path(config.data)
        store.set("data", path.read_bytes() if path is not None and is_file else b"")
        about = {"config": config.to_mapping(), "file": path.name if path is not None and is_file else ""}
        store.set("config", json.dumps(about))
        return config
    try:
        about = json.loads(store.get("config"))
        table = store.get("data")
    except RuntimeError as error:
        raise PeerLostError(f"The first machine sent no settings within {WAIT}: {error}") from error
    config = Config.from_mapping(about["config"])
    if about["file"]:
        config = config.replace(data=str(_kept(run_dir, about["file"], table)))
    write_json(run_dir / f"config-{os.environ['RANK']}.json", config.to_mapping())
    return config


def from_first(name: str, value: dict[str, Any] | None) -> dict[str, Any]:
    """Return on every rank the plain values that rank 0 gives, however long it takes to find them.

    Parameters
    ----------
    name : str
        What it is; used once in a run.
    value : dict or None
        On rank 0 the values, elsewhere None.
    """
    store = _store()
    if value is not None:
        store.set(name, json.dumps(value))
        return value
    try:
        while not store.check([name]):  # torchrun ends this process where rank 0 ends without a word
            time.sleep(ASK_S)
        told: dict[str, Any] = json.loads(store.get(name))
    except RuntimeError as error:
        raise PeerLostError(f"Rank 0 left before it had told its {name}: {error}") from error
    return told


def _kept(run_dir: Path, name: str, table: bytes) -> Path:
    """Write the table beside the rank's files; only its ending is taken from the other machine's name."""
    path = run_dir / f"table-{os.environ['RANK']}{Path(name).suffix.lower()[:8]}"
    try:
        path.write_bytes(table)
    except OSError as error:
        raise DataError(f"The table cannot be kept in {str(run_dir)!r}: {error.strerror}.") from error
    return path


def _store() -> Any:
    """Return the store that torchrun's rendezvous keeps on the first machine."""
    import torch.distributed as dist

    host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    return dist.PrefixStore(PREFIX, dist.TCPStore(host, port, is_master=False, timeout=WAIT))
