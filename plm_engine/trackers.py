"""What talks to TensorBoard and MLflow, each by its own package; loaded only where a run is logged to one of them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from plm_engine.config import Config
from plm_engine.events import Sink
from plm_engine.tracking import NAMES, Place, TrackingSink

EXPERIMENT = "PLM Lab"
#: MLflow takes at most this many settings at once, and texts up to this length
MOST_SETTINGS, LONGEST_SETTING = 100, 500


def tracked(inner: Sink, place: Place, run_id: str, config: Config) -> TrackingSink:
    """Return a listener that hands on to ``inner`` and logs to ``place`` besides."""
    trackers: dict[str, type[TensorBoard] | type[MLflow]] = {"tensorboard": TensorBoard, "mlflow": MLflow}
    open_tracker = trackers[place.kind]
    return TrackingSink(inner, NAMES[place.kind], lambda: open_tracker(place.address, run_id), config.changed())


class TensorBoard:
    """Event files in ``FOLDER/RUN``, by torch's own writer."""

    def __init__(self, address: str, run_id: str) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer: Any = SummaryWriter(str(Path(address).expanduser() / run_id), flush_secs=5)

    def begin(self, settings: dict[str, Any]) -> None:
        """Note the run's settings, as a table."""
        rows = "\n".join(f"| {name} | {value} |" for name, value in settings.items())
        self._writer.add_text("settings", f"| setting | value |\n|:--|:--|\n{rows}", 0)

    def measure(self, values: dict[str, float], step: int) -> None:
        """Note numbers at a step."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def end(self, finished: bool) -> None:
        """Write everything and close."""
        self._writer.close()


class MLflow:
    """One MLflow run, by MLflow's own client: a server, a database, or a folder (``file:``)."""

    def __init__(self, address: str, run_id: str) -> None:
        # a server that is away must not be asked for minutes; a folder as the store must be allowed by name
        for name, value in (("MAX_RETRIES", "2"), ("TIMEOUT", "10")):
            os.environ.setdefault(f"MLFLOW_HTTP_REQUEST_{name}", value)
        os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
        from mlflow.tracking import MlflowClient

        self._client: Any = MlflowClient(address)
        experiment = self._client.get_experiment_by_name(EXPERIMENT)
        number = experiment.experiment_id if experiment else self._client.create_experiment(EXPERIMENT)
        self._run: str = self._client.create_run(number, run_name=run_id).info.run_id

    def begin(self, settings: dict[str, Any]) -> None:
        """Note the run's settings."""
        from mlflow.entities import Param

        kept = list(settings.items())[:MOST_SETTINGS]
        params = [Param(name, str(value)[:LONGEST_SETTING]) for name, value in kept]
        self._client.log_batch(self._run, params=params)

    def measure(self, values: dict[str, float], step: int) -> None:
        """Note numbers at a step."""
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        metrics = [Metric(name, value, now, step) for name, value in values.items()]
        self._client.log_batch(self._run, metrics=metrics)

    def end(self, finished: bool) -> None:
        """Close the run."""
        self._client.set_terminated(self._run, "FINISHED" if finished else "KILLED")
