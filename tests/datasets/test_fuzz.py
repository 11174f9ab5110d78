"""Whatever the bytes, the loader returns a table or one of its own errors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plm_engine.config import Config
from plm_engine.datasets.inspect import describe
from plm_engine.datasets.read import ReadOptions, Table, read_bytes
from plm_engine.errors import ConfigError, DataError

#: ``PLM_FUZZ=10000 pytest tests/datasets/test_fuzz.py`` runs it longer
EXAMPLES = int(os.environ.get("PLM_FUZZ", "120"))
usual = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CELLS = st.one_of(
    st.sampled_from(
        ["", "-", "n/a", "57,418", "57.418,50", "1e400", "inf", "5741B", "=1+1", "3.4K", "-0.52%", "\0", '"']
    ),
    st.floats().map(repr),
    st.dates().map(str),
    st.text(max_size=8),
)


def check(data: bytes, options: ReadOptions) -> None:
    try:
        table = read_bytes(data, "fuzz", options)
    except DataError as error:
        if "\n" in str(error):
            pytest.fail(f"more than one line: {error!r}")
        return
    assert isinstance(table, Table)
    assert len(table.frame.columns) == len(set(table.frame.columns)) == len(table.columns)
    assert len(table.frame) == table.n_rows_read == len(table.lines)
    try:
        describe(table, Config())
    except ConfigError as error:
        pytest.fail(f"not the loader's own error: {error}")


@usual
@given(data=st.binary(max_size=600))
def test_random_bytes(data: bytes) -> None:
    check(data, ReadOptions())


@usual
@given(
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=6), min_size=1, max_size=12),
    separator=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]),
    options=st.builds(
        ReadOptions,
        decimal=st.sampled_from([None, ".", ","]),
        date_format=st.sampled_from([None, "day-first", "month-first"]),
        separator=st.sampled_from([None, ",", ";"]),
        missing_codes=st.sampled_from([(), ("-999",)]),
    ),
)
def test_generated_tables(rows: list[list[str]], separator: str, encoding: str, options: ReadOptions) -> None:
    text = "\n".join(separator.join(row) for row in rows)
    check(text.encode(encoding, errors="replace"), options)


@usual
@given(data=st.data())
def test_mutated_cases(data: st.DataObject, cases_dir: Path) -> None:
    files = sorted(p for p in cases_dir.iterdir() if p.name[0].isdigit() and p.stat().st_size < 9000)
    content = bytearray(data.draw(st.sampled_from(files)).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    check(bytes(content), ReadOptions())
