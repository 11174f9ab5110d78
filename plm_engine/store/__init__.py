"""Runs as they are kept: see :mod:`plm_engine.store.contract` for the promises."""

from plm_engine.store.contract import RunInfo, RunStore, RunWriter, Status, StoredEvent
from plm_engine.store.paths import checked_run_id, home_dir, new_run_id
from plm_engine.store.sqlite import Store, Writer

__all__ = [
    "RunInfo",
    "RunStore",
    "RunWriter",
    "Status",
    "Store",
    "StoredEvent",
    "Writer",
    "checked_run_id",
    "home_dir",
    "new_run_id",
]
