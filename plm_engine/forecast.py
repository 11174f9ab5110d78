"""Forecasts for rows without a target, from a run's newest network: for the Forecast page and scripts; no torch.

Columns that are missing, perhaps renamed, extra, or outside the range the run learned from are named.  Intervals come
from a comparison made of the same run (``compare --run RUN``), whose calibration scores are forward-chained refits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from plm_engine.config import Config
from plm_engine.datasets.table import ReadOptions, Table
from plm_engine.errors import DataError, RunError
from plm_engine.predict import Model, load_model
from plm_engine.store.paths import read_json
from plm_engine.store.sqlite import Store
from plm_engine.studies.plan import COMPARE
from plm_engine.studies.start import results_about

SHOWN = 10


@dataclass(frozen=True)
class Forecasts:
    """Forecasts in the target's unit.

    Attributes
    ----------
    table : DataFrame
        One row per row that has every driver: ``row`` (1-based data row), ``prediction``; where an interval is known,
        ``low`` and ``high``; ``latest`` (persistence's forecast) where the rows hold the latest price; ``outside``, the
        drivers outside the range learned from, divided by commas.
    target : str
    interval : dict or None
        ``level``, ``half_width``, ``n_scores`` and ``test_coverage``; None if none was calibrated.
    notes : list of str
        What to know about the rows and columns, in sentences.
    """

    table: pd.DataFrame
    target: str
    interval: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)


def forecast_rows(store: Store, run_id: str, rows: pd.DataFrame | Table) -> Forecasts:
    """Forecast every row that has all drivers; the index of a frame is the 1-based data row.

    What is doubtful about the numbers of a table that was read comes first among the notes.

    Raises
    ------
    RunError
        If the run has no network yet.
    DataError
        If a driver is missing, with the column that may be meant; or no row has every driver.
    """
    model = load_model(store.run_dir(run_id))
    needed = _needed(model)
    frame, doubts = (rows, []) if isinstance(rows, pd.DataFrame) else (rows.frame, _doubts(rows))
    _check_columns(frame, needed)
    numbers = frame[needed].apply(pd.to_numeric, errors="coerce")
    complete = np.isfinite(numbers.to_numpy(dtype=float)).all(axis=1)
    if not complete.any():
        raise DataError(f"No row has a number in every one of {', '.join(needed)}: fill them in.")
    usable = numbers.loc[complete]
    notes = _notes(frame, usable, model, needed)
    left_out = [int(row) for row in frame.index[~complete]]
    if left_out:
        notes.insert(0, f"No forecast for {_rows(left_out)}: a driver is missing there.")
    table = pd.DataFrame({"row": usable.index.to_numpy(), "prediction": model.predict(usable)})
    try:
        interval = interval_of_run(store, run_id)
    except RunError as error:  # the record is damaged; the network is a file of its own
        interval = None
        doubts.insert(0, f"{error} The saved network forecasts all the same, without an interval.")
    if interval is not None:
        table["low"] = table["prediction"] - interval["half_width"]
        table["high"] = table["prediction"] + interval["half_width"]
    latest = model.about.get("latest_price")
    if latest in frame.columns:
        table["latest"] = pd.to_numeric(frame.loc[complete, latest], errors="coerce").to_numpy()
    table["outside"] = _outside(usable, model)
    return Forecasts(table, model.target, interval, [*doubts, *notes])


def _doubts(table: Table) -> list[str]:
    return [finding.sentence for finding in table.findings if finding.kind == "ambiguous_decimal"]


def reading_of(store: Store, run_id: str) -> ReadOptions:
    """Return how numbers and dates were said to be written in the run's own table; new rows come from the same place.

    Encoding, separator and sheet belong to one file and are found out anew.
    """
    config = settings_of(store, run_id)
    return ReadOptions(decimal=config.decimal, date_format=config.date_format, missing_codes=config.missing_codes)


def settings_of(store: Store, run_id: str) -> Config:
    """Return a run's settings that are known: as recorded, or from the file beside the record where that is damaged."""
    try:
        values = store.status(run_id).config
    except RunError:
        values = read_json(store.run_dir(run_id) / "config.json")
    return Config.from_stored(values)[0]


def interval_of_run(store: Store, run_id: str) -> dict[str, Any] | None:
    """Return the interval that the newest finished comparison of this very run calibrated; None if there is none."""
    from plm_engine.studies.results import network_interval  # only now: it loads scikit-learn, which takes a second

    for _, result in results_about(store, store.status(run_id), COMPARE):
        found = network_interval(result)
        if found is not None:
            return found
    return None


def needed_columns(store: Store, run_id: str) -> list[str]:
    """Return the columns that rows to forecast need."""
    return _needed(load_model(store.run_dir(run_id)))


def _needed(model: Model) -> list[str]:
    latest = model.about.get("latest_price")
    if model.about.get("predict", "level") != "level" and latest not in model.features:
        return [*model.features, str(latest)]
    return list(model.features)


def _check_columns(frame: pd.DataFrame, needed: list[str]) -> None:
    names = [str(name) for name in frame.columns]
    missing = [name for name in needed if name not in names]
    if not missing:
        return
    free = {name.lower(): name for name in names if name not in needed}
    hints = [(name, get_close_matches(name.lower(), list(free), 1)) for name in missing]
    renamed = "".join(f" Is '{free[near[0]]}' the column '{name}', renamed?" for name, near in hints if near)
    raise DataError(
        f"The model needs {', '.join(map(repr, missing))}, which the rows do not have.{renamed} "
        f"The columns given are {', '.join(names[:20])}."
    )


def _notes(frame: pd.DataFrame, usable: pd.DataFrame, model: Model, needed: list[str]) -> list[str]:
    notes = []
    spare = frame.columns[[kind.kind != "M" for kind in frame.dtypes]]  # dates are shown, though not learned from
    extra = [str(name) for name in spare if name not in needed and name != model.target]
    if extra:
        shown = ", ".join(extra[:SHOWN]) + (", ..." if len(extra) > SHOWN else "")
        notes.append(f"Not used, because the run did not learn from them: {shown}.")
    for name, (low, high) in _ranges(model).items():
        outside = usable.index[(usable[name] < low) | (usable[name] > high)]
        if len(outside):
            notes.append(
                f"{name} lies outside the range learned from ({_number(low)} to {_number(high)}) in "
                f"{_rows([int(row) for row in outside])}: the forecast extrapolates."
            )
    on_floor = usable.index[model.on_floor(usable)]
    if len(on_floor):
        notes.append(
            f"The first network is flat (its lowest training target) in {_rows([int(row) for row in on_floor])}."
        )
    return notes


def _ranges(model: Model) -> dict[str, tuple[float, float]]:
    """Return the range of each driver over the training rows."""
    return {name: (low, high) for name, (low, high) in (model.about.get("training_ranges") or {}).items()}


def _outside(usable: pd.DataFrame, model: Model) -> list[str]:
    """Return, for each row, the drivers outside the range learned from."""
    ranges = _ranges(model)
    names, found = list(ranges), np.zeros((len(usable), len(ranges)), dtype=bool)
    for k, (low, high) in enumerate(ranges.values()):
        values = usable[names[k]].to_numpy(dtype=float)
        found[:, k] = (values < low) | (values > high)
    return [", ".join(name for name, out in zip(names, row, strict=True) if out) for row in found]


def _number(value: float) -> str:
    """Return a number with thousands separated, never as a power of ten where people would not write one."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


def _rows(rows: list[int]) -> str:
    shown = ", ".join(map(str, rows[:SHOWN])) + (f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else "")
    return f"row {shown}" if len(rows) == 1 else f"rows {shown}"
