"""The two commands that read tables: ``inspect`` and ``predict``.  Loads pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from plm_engine.cli_follow import number, print_json
from plm_engine.cli_options import READING
from plm_engine.config import Config
from plm_engine.datasets.export import csv_bytes
from plm_engine.datasets.samples import load_named
from plm_engine.datasets.table import ReadOptions
from plm_engine.errors import ConfigError, DataError
from plm_engine.forecast import Forecasts, forecast_rows, settings_of
from plm_engine.predict import load_model
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
    trained = settings_of(store, run_id)
    # as the training table was read, unless said otherwise
    reading = {name: getattr(trained, name) for name in READING}
    config = Config.from_mapping({**reading, **given})
    model = load_model(store.run_dir(run_id))
    table = load_named(_data(config), ReadOptions.from_config(config))
    found = forecast_rows(store, run_id, table)
    result, usable = found.table, table.frame.loc[found.table["row"]]
    left_out = table.frame.index.difference(usable.index).tolist()
    date = next(iter(table.names("date")), "") if trained.date is None else trained.date
    if date in table.frame.columns:
        dates = pd.to_datetime(usable[date])
        form = "%Y-%m-%d" if (dates.dropna() == dates.dropna().dt.normalize()).all() else "%Y-%m-%d %H:%M"
        result.insert(1, "date", dates.dt.strftime(form).fillna("").to_numpy())
    if out is not None:
        try:
            out.write_bytes(csv_bytes(result))
        except OSError as error:
            raise DataError(f"The forecasts cannot be written to {str(out)!r}: {error.strerror}.") from error
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
                "persistence": result["latest"].tolist() if "latest" in result else None,
                "left_out": left_out,
                "on_floor": usable.index[model.on_floor(usable)].tolist(),
                "interval": found.interval,
                "notes": found.notes,
                "out": None if out is None else str(out),
            }
        )
        return
    _print_forecasts(found, out)


def _print_forecasts(found: Forecasts, out: Path | None) -> None:
    """Print forecasts for people; all of them unless they went to a file."""
    shown = found.table if out is None else found.table.head(SHOWN_ROWS)
    dated, interval = "date" in shown, found.interval
    level = "" if interval is None else f"  {interval['level']:.0%} interval"
    print(f"{'row':>6}  {'date':10}  {found.target}{level}" if dated else f"{'row':>6}  {found.target}{level}")
    for record in shown.to_dict("records"):
        date = f"{record['date']:10}  " if dated else ""
        ends = f"  {number(record['low'])} to {number(record['high'])}" if interval is not None else ""
        print(f"{record['row']:>6}  {date}{number(record['prediction'])}{ends}")
    if out is not None:
        print(f"{len(found.table)} forecasts are in {out}.")
    for note in found.notes:
        print(note)


def _data(config: Config) -> str:
    """Return the data's name; a file that exists comes before a bundled table of the same name."""
    if not config.data:
        raise ConfigError("No data is given: name a file or a bundled table with --data.")
    path = Path(config.data).expanduser()
    return str(path.resolve()) if path.is_file() else config.data
