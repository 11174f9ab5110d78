"""What a lesson begins from: a goal that is chosen first, a network of an earlier run, rows that are dropped."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from plm_engine.config import Config
from plm_engine.datasets.prepare import Prepared
from plm_engine.datasets.scale import Scaler
from plm_engine.errors import DataError, EndedError
from plm_engine.evaluation.fitting import Sample
from plm_engine.evaluation.goal import choose
from plm_engine.evaluation.metrics import mae
from plm_engine.forecasting import Stopped, candidate_config, rplm_candidate
from plm_engine.joining import from_first
from plm_engine.network import TwoLayerNetwork
from plm_engine.predict import load_model
from plm_engine.store.paths import checked_run_id, read_json, write_json
from plm_engine.studies.work import candidate_of

if TYPE_CHECKING:
    from plm_engine.store.writer import Writer

CHOICE = "choice.json"
TELL_S = 0.5


def chosen(
    run_dir: Path, data: Prepared, config: Config, writer: Writer | None, stop: Callable[[], bool]
) -> tuple[Config, dict[str, Any]]:
    """Choose goal and start inside the training rows, once for a run; returns the configuration to train with.

    The choice is kept in the run's folder.  Of several ranks the first one chooses and tells the others: they must not
    differ, and where a training has a budget of time they would.  If it learned nothing beyond its start, the best
    candidate that trained is fitted too, and its test error is kept with the choice.

    Raises
    ------
    EndedError
        If the run was asked to end before anything was chosen.
    DataError
        If there are too few rows.
    """
    train = Sample.of(data, "train")
    kept: dict[str, Any] | None = None
    if writer is not None:
        kept = read_json(run_dir / CHOICE)
        if not kept:
            kept = _choose(data, train, config, writer, stop)
            write_json(run_dir / CHOICE, kept)
    if "RANK" in os.environ:
        kept = from_first("choice", kept)
    assert kept is not None  # without ranks there is a writer
    best = candidate_of(kept["best"])
    assert best is not None  # a choice always has one
    return candidate_config(config.replace(horizon=data.horizon), best, train), kept


def _choose(data: Prepared, train: Sample, config: Config, writer: Writer, stop: Callable[[], bool]) -> dict[str, Any]:
    told = 0.0

    def tell(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told > TELL_S:
            told = time.monotonic()
            sentence = f"Choosing the goal: {done} of {total} candidates judged."
            writer.put_meta(summary={"sentence": sentence, "progress": {"done": done, "total": total}})

    try:
        choice = choose(
            train,
            lambda candidate: rplm_candidate(config, candidate, stop),
            shuffled_seed=config.seed if data.split == "random" else None,
            told=tell,
        )
        if stop():  # a candidate that has nothing to learn ends before it asks
            raise Stopped
        kept = choice.to_mapping()
        trained = candidate_of(kept["best_trained"])
        if choice.best.least_rounds == 0 and trained is not None and len(data.y_test):
            fitted = rplm_candidate(config, trained, stop)(train)
            test = Sample.of(data, "test")
            kept["best_trained"]["test_mae"] = mae(test.y, fitted.forecast(test))
            kept["best_trained"]["about"] = fitted.about
    except Stopped as error:
        raise EndedError("The run was ended while its goal was being chosen: nothing was learned.") from error
    return kept


def network_of_run(home: Path, run_id: str, data: Prepared, config: Config) -> tuple[TwoLayerNetwork, Scaler]:
    """Return the newest network of an earlier run and the scaler it was trained with.

    Raises
    ------
    RunError
        If there is no such run or it has no network.
    DataError
        If it was trained on other drivers, or to learn something else.
    """
    model = load_model(home / checked_run_id(run_id))
    if model.features != data.features or model.target != data.target:
        raise DataError(
            f"Run {run_id} learned {model.target!r} from {', '.join(model.features)}; these data have "
            f"{data.target!r} and {', '.join(data.features)}: choose the same columns to go on."
        )
    learned = model.about.get("predict", "level")
    if learned != config.predict:
        raise DataError(f"Run {run_id} learned the {learned}: go on with --predict {learned}.")
    network = TwoLayerNetwork(len(model.features), model.output_bias)
    network.add_nodes(
        torch.from_numpy(model.hidden_weight),
        torch.from_numpy(model.hidden_bias),
        torch.from_numpy(model.output_weight),
    )
    network.node_rows = list(model.about.get("node_rows", network.node_rows))
    return network, model.scaler


def without_oldest(data: Prepared, n: int) -> Prepared:
    """Return the data without the ``n`` oldest training rows, which become *left out*.

    Raises
    ------
    DataError
        If fewer than two training rows would be left.
    """
    if not n:
        return data
    if len(data.y_train) - n < 2:
        raise DataError(f"Of {len(data.y_train)} training rows {n} are to be dropped: drop fewer with --drop-oldest.")
    dropped = {int(row) for row in data.rows_train[:n]}
    part = tuple("left out" if int(r) in dropped else p for r, p in zip(data.rows, data.part, strict=True))
    return dataclasses.replace(
        data,
        x_train=data.x_train[n:],
        y_train=data.y_train[n:],
        rows_train=data.rows_train[n:],
        latest_train=None if data.latest_train is None else data.latest_train[n:],
        rows_left_out=data.rows[[p == "left out" for p in part]],
        part=part,
    )
