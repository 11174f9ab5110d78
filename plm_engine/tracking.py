"""Logging a run to TensorBoard or MLflow while it trains: off unless asked for, and never a reason for a run to end.

``--log-to tensorboard``, ``tensorboard:FOLDER``, ``mlflow`` or ``mlflow:ADDRESS``.  Without a place TensorBoard's files
go to ``tensorboard/`` in the store's folder; MLflow's go where ``MLFLOW_TRACKING_URI`` says, else to ``mlruns/`` there.
Neither package is needed otherwise: ``pip install tensorboard`` or ``pip install mlflow``.

This file is light; what talks to the packages is ``trackers.py``.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from plm_engine.errors import ConfigError
from plm_engine.events import Event, Notice, RoundEnded, RunEnded, RunStarted, Sink, StepKept

log = logging.getLogger(__name__)

#: name -> package that must be there
PACKAGES = {"tensorboard": "tensorboard", "mlflow": "mlflow"}
NAMES = {"tensorboard": "TensorBoard", "mlflow": "MLflow"}
#: fields of events that are logged
OF_STEP = ("loss", "step_size", "largest_residual", "n_hidden")
OF_ROUND = ("n_learned", "n_hidden", "largest_residual", "train_mae", "test_mae")
#: events that wait to be sent; what comes while so many wait is left out, so that a slow server slows nothing down
MOST_WAITING = 20_000
#: how long a run's end waits for what was not sent yet
CLOSE_S = 20.0


@dataclass(frozen=True)
class Place:
    """Where a run is logged to: ``kind`` is a key of :data:`PACKAGES`, ``address`` a folder or an address."""

    kind: str
    address: str


class Tracker(Protocol):
    """One of the tools; its methods run in a thread of their own."""

    def begin(self, settings: dict[str, Any]) -> None:
        """Note the run's settings."""

    def measure(self, values: dict[str, float], step: int) -> None:
        """Note numbers at a step."""

    def end(self, finished: bool) -> None:
        """Write everything and close."""


def place_of(log_to: str | None, home: Path) -> Place | None:
    """Return where the option ``log_to`` leads; None if nothing is to be logged.

    Raises
    ------
    ConfigError
        If it names no tool that is known, or one that is not installed.
    """
    if not log_to:
        return None
    kind, _, address = log_to.partition(":")
    if kind not in PACKAGES:
        known = "tensorboard, tensorboard:FOLDER, mlflow or mlflow:ADDRESS"
        raise ConfigError(f"Option --log-to is {log_to!r}, which names no tool that is known: give {known}.")
    if find_spec(PACKAGES[kind]) is None:
        raise ConfigError(
            f"Option --log-to is {log_to!r}, but {NAMES[kind]} is not installed: pip install {PACKAGES[kind]}, or "
            "leave the option out."
        )
    if not address and kind == "mlflow":
        address = os.environ.get("MLFLOW_TRACKING_URI") or (home / "mlruns").as_uri()
    return Place(kind, address or str(home / "tensorboard"))


def installed(kind: str) -> bool:
    """Return whether the package of a tool is there."""
    return find_spec(PACKAGES[kind]) is not None


class TrackingSink:
    """Hands every event on to the run's own listener, and its numbers to a tool in a thread beside the training.

    Parameters
    ----------
    inner : Sink
        The run's listener, which always comes first.
    name : str
        What the tool is called in the notice if it fails.
    open_tracker : callable
        Opens the tool; called in the thread, because it may take seconds or fail.
    settings : dict
        The run's settings, as plain values.
    """

    def __init__(self, inner: Sink, name: str, open_tracker: Callable[[], Tracker], settings: dict[str, Any]) -> None:
        self._inner, self._name, self._settings = inner, name, settings
        self._waiting: queue.Queue[Event | None] = queue.Queue(MOST_WAITING)
        self._failure: str | None = None
        self._told = False
        self._thread = threading.Thread(target=self._work, args=(open_tracker,), name="tracker", daemon=True)
        self._thread.start()

    def emit(self, event: Event) -> None:
        """Take one event."""
        self._inner.emit(event)
        self._tell_failure()
        if self._failure is None and isinstance(event, (StepKept, RoundEnded, RunStarted, RunEnded)):
            try:
                self._waiting.put_nowait(event)
            except queue.Full:
                log.info("%s is too slow: a %s was not logged to it", self._name, event.kind)

    def close(self) -> None:
        """Wait for what was not sent yet, but not for long."""
        try:
            self._waiting.put(None, timeout=CLOSE_S)
        except queue.Full:
            self._failure = self._failure or "it did not take what was sent"
        self._thread.join(CLOSE_S)
        if self._thread.is_alive():
            self._failure = self._failure or f"it did not answer for {CLOSE_S:g} s"
        self._tell_failure()

    def _tell_failure(self) -> None:
        if self._failure is not None and not self._told:
            self._told = True
            sentence = f"Logging to {self._name} stopped: {self._failure}. The training is not affected."
            self._inner.emit(Notice(sentence))

    def _work(self, open_tracker: Callable[[], Tracker]) -> None:
        """Send what waits, until the end or the first failure."""
        finished = False
        try:
            tracker = open_tracker()
            tracker.begin(self._settings)
            while (event := self._waiting.get()) is not None:
                finished = finished or isinstance(event, RunEnded)
                values, step = numbers_of(event)
                if values:
                    tracker.measure(values, step)
            tracker.end(finished)
        except Exception as error:  # whatever a foreign package raises must not end a run
            log.warning("logging to %s stopped", self._name, exc_info=True)
            self._failure = " ".join(str(error).split())[:200] or type(error).__name__


def numbers_of(event: Event) -> tuple[dict[str, float], int]:
    """Return what is logged of an event, by name, and its step: kept steps of the run, or rounds."""
    if isinstance(event, StepKept):
        return {f"step/{name}": float(getattr(event, name)) for name in OF_STEP}, event.kept
    if isinstance(event, RoundEnded):
        found = {f"round/{name}": getattr(event, name) for name in OF_ROUND}
        found |= {f"seconds/{phase}": spent for phase, spent in event.seconds.items()}
        return {name: float(value) for name, value in found.items() if value is not None}, event.round
    return {}, 0
