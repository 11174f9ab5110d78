"""How ranks on other machines get a run's settings and its table: from the first one, over the rendezvous' store.

Rank 0 puts both there, under names of this run; the others wait for them.  A bundled table that a library makes is not
sent: its name is enough.
"""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from plm_engine.config import Config
from plm_engine.errors import DataError, PeerLostError
from plm_engine.launch import data_path
from plm_engine.store.paths import write_json

WAIT = timedelta(minutes=5)
PREFIX = "plm-lab"


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
