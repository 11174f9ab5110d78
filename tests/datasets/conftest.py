"""Short ways to read a file or text and to prepare it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from plm_engine.datasets.read import ReadOptions, Table, read_bytes, read_table


@pytest.fixture
def case(cases_dir: Path) -> Callable[..., Table]:
    """Read one of the hostile files by the beginning of its name."""

    def read(name: str, **options) -> Table:
        (path,) = cases_dir.glob(f"{name}*")
        return read_table(path, ReadOptions(**options))

    return read


@pytest.fixture
def csv() -> Callable[..., Table]:
    """Read text or bytes as if they were a file."""

    def read(content: str | bytes, **options) -> Table:
        data = content.encode() if isinstance(content, str) else content
        return read_bytes(data, "typed.csv", ReadOptions(**options))

    return read
