"""Forecasts for rows without a target: what is named, and where the interval comes from."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from plm_engine import cli
from plm_engine.config import Config
from plm_engine.datasets.read import read_bytes
from plm_engine.datasets.table import ReadOptions
from plm_engine.errors import DataError
from plm_engine.forecast import forecast_rows, interval_of_run, reading_of
from plm_engine.store.sqlite import Store


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> tuple[Store, str]:
    """A finished run over two drivers."""
    folder = tmp_path_factory.mktemp("forecast")
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0, 1, size=(2, 60))
    frame = pd.DataFrame({"a": a, "b": b, "y": 10 + 2 * a - b + 0.05 * rng.normal(size=60)})
    frame.to_csv(folder / "t.csv", index=False)
    home = folder / "home"
    assert (
        cli.main(["train", "--data", str(folder / "t.csv"), "--target", "y", "--goal", "1", "--home", str(home)]) == 0
    )
    store = Store(home)
    return store, store.runs()[-1].id


def rows(**columns) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    frame.index = pd.Index(range(1, len(frame) + 1))
    return frame


def test_rows_without_a_target_are_forecast(trained):
    store, run_id = trained
    found = forecast_rows(store, run_id, rows(b=[0.5, 0.25], a=[0.5, 0.75]))
    assert found.table["prediction"].tolist() == pytest.approx([10.5, 11.25], abs=0.1)
    assert found.target == "y"
    assert found.notes == []


def test_what_is_odd_about_rows_and_columns_is_named(trained):
    store, run_id = trained
    found = forecast_rows(store, run_id, rows(a=[0.5, 7.0, None], b=[0.5, 0.5, 0.5], comment=["", "", "x"]))
    assert found.table["row"].tolist() == [1, 2]
    told = " ".join(found.notes)
    assert "No forecast for row 3: a driver is missing there." in told
    assert found.table["outside"].tolist() == ["", "a"]
    assert "did not learn from them: comment" in told
    assert "a lies outside the range learned from" in told
    assert "in row 2: the forecast extrapolates" in told


def test_new_rows_are_read_as_the_run_was_told_and_doubts_are_notes(trained, home):
    store, run_id = trained
    doubtful = read_bytes(b"a;b\n1,418;2,123\n")
    assert "can be read in two ways" in forecast_rows(store, run_id, doubtful).notes[0]
    assert reading_of(store, run_id) == ReadOptions()
    config = Config(data="t.csv", decimal=",", missing_codes=("-999",), encoding="big5", date_format="day-first")
    assert Store(home).create("0" * 12, config)
    reading = ReadOptions(decimal=",", missing_codes=("-999",), date_format="day-first")
    assert reading_of(Store(home), "0" * 12) == reading
    table = read_bytes(b"a;b\n1,418;-999\n", "", reading)
    assert table.frame["a"].tolist() == [1.418]
    assert table.frame["b"].isna().all()


def test_a_whole_model_forecasts_though_the_record_is_damaged(trained, tmp_path, capsys):
    store, run_id = trained
    shutil.copytree(store.run_dir(run_id), tmp_path / run_id)
    (tmp_path / run_id / "run.db").write_bytes(b"This is no database." * 400)
    (tmp_path / "new.csv").write_text("a,b\n0.5,0.5\n")
    new = ["--data", str(tmp_path / "new.csv"), "--json"]
    assert cli.main(["predict", "--run", run_id, "--home", str(store.home), *new]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert cli.main(["predict", "--run", run_id[:6], "--home", str(tmp_path), *new]) == 0
    saved = json.loads(capsys.readouterr().out)
    assert saved["predictions"] == whole["predictions"]
    assert saved["notes"][0].startswith(f"The store of run {run_id} cannot be read: file is not a database.")
    assert "saved network forecasts all the same" in saved["notes"][0]


def test_a_renamed_column_is_suggested(trained):
    store, run_id = trained
    with pytest.raises(DataError, match=r"needs 'b', which the rows do not have\. Is 'B\.' the column 'b', renamed"):
        forecast_rows(store, run_id, rows(a=[0.5], **{"b.": [0.5]}).rename(columns={"b.": "B."}))


def test_rows_without_a_number_are_refused(trained):
    store, run_id = trained
    with pytest.raises(DataError, match="No row has a number in every one of a, b"):
        forecast_rows(store, run_id, rows(a=["x"], b=[1.0]))


@pytest.mark.slow
def test_the_interval_is_that_of_a_comparison_of_this_run(trained):
    store, run_id = trained
    assert interval_of_run(store, run_id) is None
    words = ["compare", "--run", run_id, "--home", str(store.home), "--importance", "0", "--jobs", "1", "--json"]
    assert cli.main(words) == 0
    interval = interval_of_run(store, run_id)
    assert interval is not None
    assert interval["level"] == 0.9
    table = forecast_rows(store, run_id, rows(a=[0.5], b=[0.5])).table
    assert table["high"][0] - table["low"][0] == pytest.approx(2 * interval["half_width"])


def test_pages_can_import_it_without_torch():
    code = "import sys, plm_engine.forecast; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
