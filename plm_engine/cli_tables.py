"""The two commands that read tables: ``inspect`` and ``predict``.  Loads pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from plm_engine.cli_follow import number, print_json
from plm_engine.cli_options import READING
from plm_engine.config import Config
from plm_engine.datasets.export import csv_bytes
from plm_engine.datasets.samples import load_named
from plm_engine.datasets.table import ReadOptions, Table
from plm_engine.errors import ConfigError, DataError
from plm_engine.forecast import interval_of_run
from plm_engine.predict import Model, load_model
from plm_engine.store.sqlite import Store

SHOWN_ROWS = 20


def inspect_table(given: dict[str, Any], *, as_json: bool) -> None:
    """Print how a table is read, and what it is worth under the given roles."""
    from plm_engine.datasets.inspect import inspect, lines

    config = Config.from_mapping(given)
    found = inspect(_data(config), config=config)
    if as_json:
        print_json(found)
    else:
        print("\n".join(lines(found)))


def predict_table(store: Store, run_id: str, given: dict[str, Any], out: Path | None, *, as_json: bool) -> None:
    """Forecast every row of a table that has all drivers, in the target's unit."""
    trained = Config.from_mapping(store.status(run_id).config)
    reading = {
        name: getattr(trained, name) for name in READING
    }  # as the training table was read, unless said otherwise
    config = Config.from_mapping({**reading, **given})
    model = load_model(store.run_dir(run_id))
    table = load_named(_data(config), ReadOptions.from_config(config))
    usable, left_out = _usable(table, model)
    forecasts = model.predict(usable) if len(usable) else np.empty(0)
    columns: dict[str, Any] = {"row": usable.index.to_numpy()}
    if trained.date in table.frame.columns:
        columns["date"] = pd.to_datetime(usable[trained.date]).dt.strftime("%Y-%m-%d").fillna("").to_numpy()
    columns["prediction"] = forecasts
    result = pd.DataFrame(columns)
    if out is not None:
        try:
            out.write_bytes(csv_bytes(result))
        except OSError as error:
            raise DataError(f"The forecasts cannot be written to {str(out)!r}: {error.strerror}.") from error
    on_floor = usable.index[model.on_floor(usable)].tolist() if len(usable) else []
    if as_json:
        print_json(
            {
                "run_id": run_id,
                "target": model.target,
                "network_sha256": model.about.get("network_sha256"),
                "n_rows": len(table.frame),
                "rows": result["row"].tolist(),
                **({"dates": result["date"].tolist()} if "date" in result else {}),
                "predictions": result["prediction"].tolist(),
                "left_out": left_out,
                "on_floor": on_floor,
                "interval": interval_of_run(store, run_id),
                "out": None if out is None else str(out),
            }
        )
        return
    _print_forecasts(result, model.target, left_out, on_floor, out)


def _usable(table: Table, model: Model) -> tuple[pd.DataFrame, list[int]]:
    """Return the rows that have every driver, and the 1-based numbers of the others."""
    frame = table.frame
    missing = [name for name in model.features if name not in frame.columns]
    if missing:
        raise DataError(
            f"The model needs the driver {', '.join(map(repr, missing))}, which the table does not have; "
            f"its columns are {', '.join(map(str, frame.columns))}."
        )
    drivers = frame[list(model.features)].apply(pd.to_numeric, errors="coerce")
    complete = np.isfinite(drivers.to_numpy(dtype=float)).all(axis=1)
    return frame.loc[complete], frame.index[~complete].tolist()


def _print_forecasts(
    result: pd.DataFrame, target: str, left_out: list[int], on_floor: list[int], out: Path | None
) -> None:
    """Print forecasts for people; all of them unless they went to a file."""
    shown = result if out is None else result.head(SHOWN_ROWS)
    print(f"{'row':>6}  {'date':10}  {target}" if "date" in result else f"{'row':>6}  {target}")
    for record in shown.to_dict("records"):
        date = f"{record['date']:10}  " if "date" in record else ""
        print(f"{record['row']:>6}  {date}{number(record['prediction'])}")
    if out is not None:
        print(f"{len(result)} forecasts are in {out}.")
    if left_out:
        print(f"{len(left_out)} rows lack a driver and have no forecast: {_some(left_out)}.")
    if on_floor:
        print(
            f"{len(on_floor)} rows lie where the first network is flat (its lowest training target): {_some(on_floor)}."
        )


def _some(rows: list[int]) -> str:
    return ", ".join(map(str, rows[:SHOWN_ROWS])) + (", ..." if len(rows) > SHOWN_ROWS else "")


def _data(config: Config) -> str:
    """Return the data's name; a file that exists comes before a bundled table of the same name."""
    if not config.data:
        raise ConfigError("No data is given: name a file or a bundled table with --data.")
    path = Path(config.data).expanduser()
    return str(path.resolve()) if path.is_file() else config.data
