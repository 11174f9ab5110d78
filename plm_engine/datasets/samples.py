"""Tables that can be picked by name: the bundled synthetic one, scikit-learn's, and what the user put in data/local."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from plm_engine.config import Config
from plm_engine.datasets.large import size_of
from plm_engine.datasets.read import ReadOptions, read_table
from plm_engine.datasets.rooms import MEMORY, Room
from plm_engine.datasets.table import Column, FileFormat, Table
from plm_engine.errors import DataError

DATA_DIR = Path(__file__).resolve().parents[2] / "data"
LOCAL_DIR = DATA_DIR / "local"
SYNTHETIC = DATA_DIR / "copper_synthetic_weekly.csv"
TWO_DRIVERS = DATA_DIR / "two_drivers.csv"
_LOCAL_KINDS = (".csv", ".tsv", ".txt", ".xlsx", ".parquet")


@dataclass(frozen=True)
class Sample:
    """A table that can be picked by its key.

    ``path`` is None for a table that a library brings along.
    """

    key: str
    title: str
    text: str
    path: Path | None = None


_BUNDLED = (
    Sample(
        "copper-sample",
        "Copper, weekly (synthetic sample)",
        "471 synthetic weekly rows, made by a seeded script: the price y (CNY per tonne) four weeks after x1 to x18.",
        SYNTHETIC,
    ),
    Sample(
        "diabetes",
        "Diabetes (scikit-learn)",
        "442 real patients, ten drivers; the target is the progress of the disease a year later. Not a time series.",
    ),
    Sample(
        "two-drivers",
        "Harvests, two drivers (synthetic, for teaching)",
        "160 invented fields: rain and warmth against the harvest. Two drivers can be drawn as a map, so you can see "
        "what was learned. Four fields have a story of their own. Not a time series.",
        TWO_DRIVERS,
    ),
)


def samples() -> list[Sample]:
    """Return what can be picked now: the bundled tables, then every table file in ``data/local``."""
    local = []
    if LOCAL_DIR.is_dir():
        files = sorted(p for p in LOCAL_DIR.iterdir() if p.suffix.lower() in _LOCAL_KINDS and p.is_file())
        local = [Sample(p.name, p.name, "Your file in data/local.", p) for p in files]
    return [*_BUNDLED, *local]


#: the tables that are always there; :func:`samples` adds the user's own
SAMPLES = _BUNDLED


def resolve(name: str) -> Path | Sample:
    """Return the sample with this key, or the path of this file.

    Raises
    ------
    DataError
        If there is neither.
    """
    known = samples()
    for sample in known:
        if sample.key == name:
            return sample
    try:
        if name and Path(name).is_file():
            return Path(name)
    except (OSError, ValueError):
        pass
    keys = ", ".join(s.key for s in known)
    raise DataError(f"There is no file and no table called {name!r}: give a path, or one of {keys}.")


def load_named(name: str, options: ReadOptions | None = None, room: Room = MEMORY) -> Table:
    """Read a table by path or by the key of a sample."""
    found = resolve(name)
    if isinstance(found, Path):
        return read_table(found, options, room)
    if found.path is None:
        return _diabetes()
    table = read_table(found.path, options)
    table.source = found.title
    return table


def load(config: Config, room: Room = MEMORY) -> Table:
    """Read the table of a run, as its configuration says; the numbers of a large one lie in ``room``."""
    if not config.data:
        raise DataError("No data was chosen: give a file or the name of a table with --data.")
    return load_named(config.data, ReadOptions.from_config(config), room)


def size_before(config: Config) -> tuple[int, int] | None:
    """Return rows and columns of a large table that has not been read; None where only reading it tells."""
    found = resolve(config.data) if config.data else None
    path = found.path if isinstance(found, Sample) else found
    return None if path is None else size_of(path)


def _diabetes() -> Table:
    from sklearn.datasets import load_diabetes

    frame: pd.DataFrame = load_diabetes(as_frame=True, scaled=False).frame
    frame = frame.astype(float).rename(columns={"target": "progression"})
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="row")
    columns = [Column(name, name, j + 1, "number") for j, name in enumerate(frame.columns)]
    digest = hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()
    lines = {row: row + 1 for row in frame.index}
    kind = FileFormat("scikit-learn", header_row=None)
    return Table(frame, columns, [], [], kind, lines, len(frame), digest, "diabetes")


def column_guide(name: str) -> dict[str, str]:
    """Return what the columns of a table stand for, column to text; empty where nothing is known.

    Parameters
    ----------
    name : str
        Key of a sample or path of a file.  A file with the thesis's column names gets the same guide: it says itself
        what is certain and what is inferred.
    """
    if name in _COLUMNS:
        return dict(_COLUMNS[name])
    guide = DATA_DIR / "COLUMNS.md"
    if not guide.is_file():
        return {}
    rows = [line.strip().strip("|").split("|") for line in guide.read_text(encoding="utf-8").splitlines()]
    cells = [[c.strip() for c in row] for row in rows if len(row) == 4]
    return {column: f"{text} Unit: {unit}. ({how})" for column, unit, text, how in cells[2:]}


_COLUMNS = {
    "two-drivers": {
        "rain_mm": "Rain in the growing season. Unit: mm.",
        "warmth_c": "Mean temperature of the growing season. Unit: degrees Celsius.",
        "harvest_t_per_ha": "Harvest of the field. Unit: tonnes per hectare.",
    },
    "diabetes": {
        "age": "Age. Unit: years.",
        "sex": "Sex, coded 1 and 2.",
        "bmi": "Body mass index. Unit: kg per square metre.",
        "bp": "Mean blood pressure. Unit: mm Hg.",
        "s1": "Total serum cholesterol. Unit: mg per dl.",
        "s2": "Low-density lipoproteins. Unit: mg per dl.",
        "s3": "High-density lipoproteins. Unit: mg per dl.",
        "s4": "Total cholesterol divided by HDL.",
        "s5": "Logarithm of serum triglycerides.",
        "s6": "Blood sugar. Unit: mg per dl.",
        "progression": "Progress of the disease one year later, a score.",
    },
}
