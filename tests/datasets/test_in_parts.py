"""Large tables are measured and compared in parts, with the bytes of doing it at once."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from plm_engine.config import Config
from plm_engine.datasets import large, rooms, scale
from plm_engine.datasets.conflicts import Scaled, contradictions, near_duplicates
from plm_engine.datasets.groups import group_numbers, maybe_equal
from plm_engine.datasets.prepare import Prepared, prepare
from plm_engine.datasets.read import read_table
from plm_engine.datasets.samples import size_before
from plm_engine.datasets.scale import Scaler, centre_and_spread
from plm_engine.errors import DataError
from plm_engine.evaluation.least_squares import least_squares, on_line


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("m", [1, 2, 7, 40])
def test_spreads_measured_in_parts_have_the_bytes_of_numpy(rng, monkeypatch, order, m):
    x = rng.normal(size=(3001, m)) * 10.0 ** rng.integers(-9, 9, m)
    x[:, 0] = 48 * 0.1
    x = np.asarray(x + 1e3, order=order)
    whole = centre_and_spread(x)
    for part in (3, 1000, 3001 * m - 1):
        monkeypatch.setattr(rooms, "PART", part)
        monkeypatch.setattr(scale, "PART", part)
        for a, b in zip(whole, centre_and_spread(x), strict=True):
            assert np.array_equal(a, b)
    assert whole[1][0] == 0
    assert whole[1][1:] == pytest.approx(x.std(axis=0)[1:], rel=1e-9)


def test_equal_rows_are_numbered_as_numpy_numbers_them(rng):
    x = rng.integers(-2, 3, size=(500, 4)).astype(float)
    x[x == 0] *= rng.choice([-1.0, 1.0], size=(x == 0).sum())
    some = maybe_equal(x)
    expected = np.unique(x[some] + 0.0, axis=0, return_inverse=True)[1].reshape(-1)
    assert np.array_equal(group_numbers(x, some), expected)
    assert len(group_numbers(x, some[:0])) == 0
    alone = np.array([[0.5, 1.0], [1.0, 2.0], [1.0, 3.0]])
    assert maybe_equal(alone).tolist() == []


def test_conflicts_and_near_duplicates_do_not_depend_on_the_parts(rng, monkeypatch):
    x = rng.normal(size=(300, 3))
    x[7], x[40], x[41] = x[3], x[90], x[90] + 1e-9
    y, rows = rng.normal(size=300) * 10, np.arange(1, 301)
    scaler = Scaler.fit(x, y)
    whole = contradictions(x, y, rows), near_duplicates(scaler.x(x), y, rows, 0.01)
    assert [c.rows for c in whole[0]] == [(4, 8), (41, 91)]
    assert whole[1]
    monkeypatch.setattr(rooms, "PART", 10)
    assert (contradictions(x, y, rows), near_duplicates(Scaled(scaler, x), y, rows, 0.01)) == whole


@pytest.mark.parametrize("collinear", [False, True])
def test_least_squares_in_parts_agrees_with_scikit_learn(rng, monkeypatch, collinear):
    x = rng.normal(size=(2000, 5)) * [1, 1e-6, 1e6, 3, 1] + 50
    if collinear:
        x[:, 4] = x[:, 0]
    y = x @ [1, 2e5, -3e-6, 1, 4] + rng.normal(size=2000)
    scaler = Scaler.fit(x, y)
    monkeypatch.setattr(rooms, "PART", 1003)
    line = least_squares(scaler, x, y)
    model = LinearRegression().fit(scaler.x(x), scaler.y(y))
    assert line[0] == pytest.approx(model.coef_, rel=1e-9)
    assert line[1] == pytest.approx(model.intercept_, abs=1e-12)
    assert on_line(scaler, x, *line) == pytest.approx(model.predict(scaler.x(x)), rel=1e-8, abs=1e-10)


@pytest.fixture
def small_is_large(monkeypatch) -> None:
    monkeypatch.setattr(large, "LARGE_BYTES", 1)
    monkeypatch.setattr(large, "HEAD_BYTES", 2_000)
    monkeypatch.setattr(large, "BATCH_ROWS", 70)


def equal(one: Prepared, other: Prepared) -> None:
    for name, value in vars(one).items():
        found = getattr(other, name)
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, found, equal_nan=True), name
            if value.ndim == 2:
                assert rooms.order_of(value) == rooms.order_of(found), name
        else:
            assert value == found, name


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("changes", [{}, {"split": "random"}, {"drivers": ("a", "c")}], ids=str)
@pytest.mark.parametrize("constant", [False, True])
def test_a_table_on_the_disk_is_prepared_to_the_same_arrays(rng, tmp_path, name, changes, constant):
    import pandas as pd

    frame = pd.DataFrame(rng.normal(size=(400, 4)), columns=["a", "b", "c", "y"])
    frame["b"] = 3.5 if constant else frame["b"]
    path = tmp_path / name
    frame.to_parquet(path, index=False) if name == "t.parquet" else frame.to_csv(path, index=False)
    config = Config(data=str(path), target="y", test_rows=50, **changes)
    disk = rooms.DiskRoom(tmp_path / "rows")
    disk.folder.mkdir()
    assert size_before(config) == (400, 4)
    tables = read_table(path), read_table(path, None, disk)
    pd.testing.assert_frame_equal(tables[0].frame, tables[1].frame, check_exact=True)
    equal(prepare(tables[0], config), prepare(tables[1], config, room=disk))
    assert list(disk.folder.iterdir()) == []


@pytest.mark.usefixtures("small_is_large")
def test_only_in_memory_is_the_size_of_a_file_limited_by_what_fits_there(tmp_path, monkeypatch, rng):
    import pandas as pd

    path = tmp_path / "t.parquet"
    pd.DataFrame(rng.normal(size=(400, 4)), columns=list("abcy")).to_parquet(path, index=False)
    for module in (large, "plm_engine.datasets.read", "plm_engine.datasets.parquet"):
        monkeypatch.setattr(*((module, "MAX_BYTES") if module is large else (f"{module}.MAX_BYTES",)), 5_000)
    assert len(read_table(path, None, rooms.DiskRoom(tmp_path)).frame) == 400
    with pytest.raises(DataError, match=r"larger than|more than"):
        read_table(path)


@pytest.mark.usefixtures("small_is_large")
def test_the_size_of_a_file_is_told_without_reading_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1;2\n3;4")
    assert large.size_of(path) == (2, 2)
    path.write_bytes(b"PK\x03\x04\0\0\nzip")
    assert large.size_of(path) is None
    path.write_bytes(b"PAR1 is not enough")
    assert large.size_of(path) is None
    assert large.size_of(tmp_path / "none.csv") is None
