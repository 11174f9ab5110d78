"""Tables as read and as prepared, kept in memory for all visitors, so that a click does not read a file again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts.choice import data_options
from plm_engine.config import Config
from plm_engine.datasets import samples
from plm_engine.datasets.prepare import Prepared, prepare
from plm_engine.datasets.read import Table

_READING = ("sheet", "encoding", "separator", "decimal", "date_format", "missing_codes")
_LEARNING_GOAL = ("goal", "goal_percent")


def table(config: Config) -> Table:
    """Return the table as read."""
    reading = {name: getattr(config, name) for name in ("data", *_READING)}
    return _table(_stamp(config.data), tuple(reading.items()))


def prepared(config: Config) -> Prepared:
    """Return the rows as they would be learned."""
    options = tuple((name, getattr(config, name)) for name in (*data_options(), *_LEARNING_GOAL))
    return _prepared(_stamp(config.data), options)


def _stamp(data: str) -> tuple[int, int]:
    """Return what tells that a file was changed; samples have no file of the user's."""
    try:
        found = Path(data).stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


@st.cache_resource(max_entries=16, show_spinner=False)
def _table(stamp: tuple[int, int], reading: tuple[tuple[str, Any], ...]) -> Table:
    return samples.load(Config.from_mapping(dict(reading)))


@st.cache_resource(max_entries=16, show_spinner=False)
def _prepared(stamp: tuple[int, int], data: tuple[tuple[str, Any], ...]) -> Prepared:
    values = dict(data)
    kept = _table(stamp, tuple((name, values[name]) for name in ("data", *_READING)))
    return prepare(kept, Config.from_mapping(values))
