"""The one door from the pages to the engine: data, runs and their files.  Tests put another object behind it.

Everything here returns values or raises one of the project's errors; nothing draws.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from pages.parts import kept_tables, uploads
from pages.parts.choice import Choice, data_options
from pages.parts.language import named, say, text
from plm_engine import estimate, launch, machine, replay, report
from plm_engine.config import Config
from plm_engine.datasets import samples
from plm_engine.datasets.checks import raise_if_contradictory
from plm_engine.datasets.prepare import Prepared
from plm_engine.datasets.read import Finding, Table, read_bytes
from plm_engine.datasets.roles import COPPER_DRIVERS, Roles, resolve_roles, suggest_roles
from plm_engine.datasets.target import TargetForm
from plm_engine.datasets.usable import duplicate_dates
from plm_engine.errors import DataError, NoRunError, RunError, UserError
from plm_engine.estimate import Estimate
from plm_engine.experiment.start import NAME as NAME_OF_EXPERIMENT
from plm_engine.experiment.start import is_experiment
from plm_engine.limits import Limits, place_rows
from plm_engine.onnx_export import onnx_bytes
from plm_engine.predict import load_model
from plm_engine.store import RunInfo, Store, home_dir, new_run_id
from plm_engine.studies.plan import KINDS as STUDIES


class Lab:
    """What the pages can ask for.

    Parameters
    ----------
    home : Path or None
        The store's folder; :func:`plm_engine.store.home_dir` decides where it is not given.
    """

    def __init__(self, home: Path | None = None) -> None:
        self.home = home_dir(home)
        self.store = Store(self.home)

    # data

    def data_keys(self) -> dict[str, str]:
        """Return key -> title of every table that can be picked: the bundled ones and those in ``data/local``."""
        return {sample.key: sample.title for sample in samples.samples()}

    def about(self, data: str) -> str:
        """Return a sentence on a table that can be picked; empty for uploads."""
        return next((sample.text for sample in samples.samples() if sample.key == data), "")

    def save_upload(self, name: str, content: bytes) -> str:
        """Keep an uploaded file and return its key; a file that is no table is refused and not kept.

        Raises
        ------
        DataError
            With the reason, in one sentence.
        """
        Limits.of(self.home).check_file(uploads.shown_name(name), len(content))
        read_bytes(content, uploads.shown_name(name))
        return uploads.save(self.home, name, content)

    def config(self, choice: Choice, preset: str | None = None, **learning: Any) -> Config:
        """Return the configuration of a data choice, on a preset and with learning options if given.

        Only tables that can be picked are let through: a link must not name any file of the server.
        """
        data = str(choice.get("data", ""))
        if data.startswith(uploads.PREFIX):
            source = str(uploads.path_of(self.home, data))
        elif data in self.data_keys():
            source = data
        else:
            raise DataError(f"There is no table {data[:60]!r} here: pick one on the Data page, or upload it there.")
        values = {**choice, **learning, "data": source}
        return Config.from_mapping(values) if preset is None else Config.preset(preset, **values)

    def table(self, config: Config) -> Table:
        """Return the table as read; kept in memory, so that a click does not read the file again."""
        with st.spinner(say("data.reading"), show_time=False):
            table = kept_tables.table(config)
        Limits.of(self.home).within(config).check_table(table.n_rows_read, len(table.columns))
        return table

    def suggested(self, table: Table, target: str | None = None) -> Roles:
        """Return the roles that the columns' names and contents suggest, for a target if one is chosen."""
        return suggest_roles(table, target)

    def duplicate_question(self, table: Table, config: Config) -> Finding | None:
        """Return the question which row to keep where a date occurs more than once; None where none does."""
        return duplicate_dates(table.frame, resolve_roles(table, config))

    def check(self, prepared: Prepared, config: Config) -> None:
        """Raise if the goal cannot be met, or the memory is too small: better now than in the run."""
        if not config.goal_auto:  # a goal that is chosen is one that can be met
            goal = config.goal_in_units(float(prepared.y_train.min()), float(prepared.y_train.max()))
            rows, form, latest = prepared.rows_train, TargetForm(config.predict), prepared.latest_train
            raise_if_contradictory(prepared.x_train, prepared.y_train, rows, goal, form, latest)
        n_rows, features = len(prepared.y_train) + len(prepared.y_test), prepared.x_train.shape[1]
        limits, memory = Limits.of(self.home).within(config), machine.known(self.home).memory_bytes
        allowed = limits.memory_share * memory
        needed = place_rows(config, n_rows, features, allowed, train=len(prepared.y_train)).needed
        limits.check_memory(needed, memory, held=config.rows_on_disk == "never")

    def prepared(self, config: Config) -> Prepared:
        """Return the rows as they would be learned: in time order, split and checked."""
        with st.spinner(say("data.checking"), show_time=False):
            return kept_tables.prepared(config)

    def title(self, data: str) -> str:
        """Return what to call a table: an upload's own name, a sample's title, or the file's name."""
        if data.startswith(uploads.PREFIX):
            data = str(uploads.path_of(self.home, data))
        known = uploads.name_of(Path(data)) or named(self.data_keys().get(data, "")) or Path(data).name
        return known or say("data.unnamed")

    def column_guide(self, data: str, roles: Roles) -> dict[str, str]:
        """Return column -> what it stands for: of the bundled tables, and of any recognised as the copper table."""
        known = data in {sample.key for sample in samples.SAMPLES}
        return samples.column_guide(data) if known or roles.copper else {}

    def choice_of(self, config: dict[str, Any]) -> Choice:
        """Return the data choice that a run's configuration came from, to go on with the same data."""
        choice = {name: config[name] for name in data_options() if config.get(name) is not None}
        path = Path(str(choice.get("data", "")))
        if uploads.name_of(path) is not None:
            choice["data"] = uploads.PREFIX + path.name
        return {name: tuple(value) if isinstance(value, list) else value for name, value in choice.items()}

    # the machine

    def machine(self) -> machine.Machine:
        """Return what is known about this machine; its GPUs are asked for meanwhile, once per process."""
        found = machine.known(self.home)
        if found.gpus is None and not _probes.get(self.home):
            _probes[self.home] = threading.Thread(target=machine.probe, args=(self.home,), daemon=True)
            _probes[self.home].start()
        return found

    def probing(self) -> bool:
        """Return whether the GPUs are being asked for just now."""
        asked = _probes.get(self.home)
        return asked is not None and asked.is_alive()

    # runs

    def estimate(self, config: Config) -> Estimate:
        """Return what a training is expected to take, after some seconds of it."""
        return estimate.ask(config, home=self.home)

    def start(self, config: Config, run_id: str) -> str:
        """Start a run in the background; starting the same id again changes nothing."""
        return launch.start(config, home=self.home, run_id=run_id, name=self.title(config.data))

    def new_run_id(self) -> str:
        """Return an id for a run about to be started."""
        return new_run_id()

    def run(self, run_id: str) -> RunInfo:
        """Return what is known about a run (:class:`~plm_engine.errors.RunError` if there is none)."""
        with _no_folder(run_id):
            return self.store.status(run_id)

    def runs(self) -> list[RunInfo]:
        """Return all runs, newest first."""
        return self.store.runs()

    def damaged(self) -> list[str]:
        """Return the ids of the runs that cannot be read, which :meth:`runs` leaves out."""
        return self.store.damaged()

    def series(self, run_id: str) -> report.Series:
        """Return the run's events as columns for charts; only what is new is read from the store."""
        return report.series(self.home, run_id)

    def tape(self, run_id: str) -> replay.Tape:
        """Return the run's steps for its replay; only what is new is read from the store."""
        return replay.tape(self.home, run_id)

    def two_drivers(self, run: RunInfo, tape: replay.Tape) -> np.ndarray | None:
        """Return the two drivers' values at the tape's rows; None unless there are two, or if the table is gone."""
        if len(tape.features) != 2:
            return None
        try:
            prepared = self.prepared(Config.from_stored(run.config)[0])
        except UserError:
            return None
        place = {int(row): j for j, row in enumerate(prepared.rows)}
        if any(int(row) not in place for row in tape.rows):
            return None
        drivers: np.ndarray = prepared.x[[place[int(row)] for row in tape.rows]]
        return drivers

    def cancel(self, run_id: str) -> None:
        """Ask for the end of a run."""
        with _no_folder(run_id):
            self.store.request_cancel(run_id)

    def set_labels(self, run_id: str, **labels: str) -> None:
        """Set what people say about a run: ``name``, ``tags``, ``note``; an empty text removes one."""
        with _no_folder(run_id):
            self.store.set_labels(run_id, **labels)

    def delete(self, run_id: str) -> None:
        """Delete a run that has ended."""
        with _no_folder(run_id):
            self.store.delete(run_id)
        report.forget(self.home, run_id)
        replay.forget(self.home, run_id)

    def log(self, run_id: str) -> str:
        """Return the end of the run's log."""
        return self.store.log_tail(run_id)

    def predictions(self, run_id: str) -> bytes | None:
        """Return the run's predictions as CSV; None before there are any."""
        return _bytes(self.store.run_dir(run_id) / "predictions.csv")

    def model(self, run_id: str) -> bytes | None:
        """Return the run's newest network (safetensors; its header says how to use it); None before there is one."""
        return _bytes(self.store.run_dir(run_id) / "model.safetensors")

    def onnx(self, run_id: str) -> bytes:
        """Return the run's newest network as ONNX (:class:`~plm_engine.errors.RunError` if it cannot be one)."""
        return onnx_bytes(load_model(self.store.run_dir(run_id)))


@contextmanager
def _no_folder(run_id: str) -> Iterator[None]:
    """Say that there is no such run without the server's folder, which is nothing to a page's reader."""
    try:
        yield
    except NoRunError:
        raise RunError(say("run.gone", run=run_id)) from None


_lab: Any = None
#: store folder -> the thread that waits for the process which asks torch for GPUs
_probes: dict[Path, threading.Thread] = {}


def lab() -> Lab:
    """Return the object behind the door: a :class:`Lab` on the store's folder, or what a test put there."""
    return _lab if _lab is not None else Lab()


def use(other: Any) -> None:
    """Put another object behind the door; None puts the real one back."""
    global _lab
    _lab = other


def name_of(client: Any, run: RunInfo) -> str:
    """Return the name a person gave the run, else that of its table; of a study's or an experiment's job, both."""
    table = str(client.title(str(run.config.get("data", ""))))
    kind = (run.extra.get("job") or {}).get("kind")
    study = say(f"study.{kind}") if kind in STUDIES else ""
    if run.name and run.name not in (NAME_OF_EXPERIMENT, text("en", f"study.{kind}") if study else ""):
        return named(run.name)
    return " · ".join(filter(None, (study or named(run.name), table)))


def page_of(run: RunInfo) -> str:
    """Return the page that shows a run: an experiment, a study, or a training."""
    job = (run.extra.get("job") or {}).get("kind")
    return "speedup" if is_experiment(run.labels) else "compare" if job in STUDIES else "train"


def trained(client: Any) -> list[RunInfo]:
    """Return the finished trainings, newest first: what a study or a forecast can start from."""
    runs: list[RunInfo] = client.runs()
    return [r for r in runs if r.status == "finished" and not r.extra.get("job") and not is_experiment(r.labels)]


#: bundled table and target -> its unit
_UNITS = {("two-drivers", "harvest_t_per_ha"): "unit.harvest", ("diabetes", "progression"): "unit.score"}


def unit_of(prepared: Prepared, data: str) -> str:
    """Return the target's unit: known for the thesis's copper table and bundled ones, else named after the column."""
    if prepared.roles.copper:
        return say("unit.copper")
    return say(_UNITS.get((data, prepared.target), "unit.of"), target=prepared.target)


def unit_of_run(run: RunInfo) -> str:
    """Return the unit of a run's target; the copper table is known by its columns, before them by its roles."""
    target = run.summary.get("target") or run.config.get("target") or "y"
    columns = set(run.summary.get("features") or ())
    copper = target == "y" and (columns.issuperset(COPPER_DRIVERS) or run.config.get("latest_price") == "x5")
    known = _UNITS.get((str(run.config.get("data")), target), "unit.of")
    return say("unit.copper" if copper else known, target=target)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
