"""The bundled synthetic table: regenerated to the byte, and calibrated."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.samples import DATA_DIR, SYNTHETIC, column_guide, load, samples


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sample", DATA_DIR / "make_sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return pd.read_csv(SYNTHETIC)


def test_the_script_writes_the_same_bytes_again(script: ModuleType) -> None:
    assert script.make().encode() == SYNTHETIC.read_bytes()


def test_it_has_the_columns_of_the_thesis_and_a_weekly_date(frame: pd.DataFrame) -> None:
    assert list(frame.columns) == ["date", *[f"x{i}" for i in range(1, 19)], "y"]
    assert len(frame) == 471
    assert set(pd.to_datetime(frame["date"]).diff().dropna().dt.days) == {7}


@pytest.mark.parametrize(("name", "lag"), [("x2", 7), ("x3", 6), ("x4", 5), ("x5", 4)])
def test_the_lagged_columns_are_the_target_of_earlier_rows(frame: pd.DataFrame, name: str, lag: int) -> None:
    assert np.array_equal(frame[name].iloc[lag:], frame["y"].iloc[:-lag])


def test_means_and_spreads_are_those_it_was_calibrated_to(script: ModuleType, frame: pd.DataFrame) -> None:
    wanted = {name: c[:2] for name, c in script.DRIVERS.items()} | {"y": (script.PRICE_MEAN, script.PRICE_SPREAD)}
    for name, (mean, spread) in wanted.items():
        assert abs(frame[name].mean() - mean) < 0.02 * spread, name
        assert abs(frame[name].std(ddof=0) / spread - 1) < 0.02, name


def test_the_price_moves_as_much_in_one_and_in_four_weeks(script: ModuleType, frame: pd.DataFrame) -> None:
    y = frame["y"]
    assert abs(y.diff().abs().mean() / script.CHANGE_1 - 1) < 0.02
    assert abs((y - frame["x5"]).abs().mean() / script.CHANGE_4 - 1) < 0.02


def test_the_constants_are_those_of_the_real_table(script: ModuleType, copper_csv) -> None:
    real = pd.read_csv(copper_csv)
    for name, (mean, spread, *_) in script.DRIVERS.items():
        assert abs(real[name].mean() - mean) < 0.01 * spread, name
        assert abs(real[name].std(ddof=0) / spread - 1) < 0.01, name
    assert abs((real["y"] - real["x5"]).abs().mean() - script.CHANGE_4) < 0.1
    assert abs(real["y"].diff().abs().mean() - script.CHANGE_1) < 0.1


def test_no_row_of_the_real_table_is_in_it(frame: pd.DataFrame, copper_csv) -> None:
    real = pd.read_csv(copper_csv)
    seen = {tuple(row) for row in real.to_numpy()}
    assert not any(tuple(row) in seen for row in frame[real.columns].to_numpy())
    # not even one week's set of prices in a row
    assert not set(zip(real["x5"], real["y"], strict=True)) & set(zip(frame["x5"], frame["y"], strict=True))


def test_it_is_recognised_as_copper_and_raises_no_warning() -> None:
    config = Config(data="copper-sample", horizon=4)
    prepared = prepare(load(config), config)
    assert (prepared.target, prepared.roles.latest_price, prepared.roles.date) == ("y", "x5", "date")
    assert prepared.roles.copper
    assert prepared.rows_left_out.tolist() == [374, 375, 376]
    assert [f for f in prepared.findings if f.severity != "info"] == []


def test_wherever_it_is_named_the_word_synthetic_stands() -> None:
    sample = next(s for s in samples() if s.key == "copper-sample")
    assert "synthetic" in sample.title
    assert "synthetic" in sample.text
    assert "synthetic" in SYNTHETIC.name


def test_the_guide_explains_every_column_and_says_what_is_inferred() -> None:
    guide = column_guide("copper-sample")
    assert set(guide) == {"date", "y", *[f"x{i}" for i in range(1, 19)]}
    assert "inferred" in guide["x7"]
    assert "certain" in guide["x5"]


def test_the_diabetes_table_has_442_patients_and_a_guide() -> None:
    table = load(Config(data="diabetes"))
    assert table.frame.shape == (442, 11)
    assert set(column_guide("diabetes")) == set(table.names())
