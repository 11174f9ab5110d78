"""Every model on the same rows of the same split: errors, skill, size, time, interval and what drivers matter."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from plm_engine.evaluation.backtest import plain
from plm_engine.evaluation.fitting import Fit, Sample
from plm_engine.evaluation.importance import permutation_importance
from plm_engine.evaluation.intervals import interval_for
from plm_engine.evaluation.metrics import Metrics, Undefined, metrics, skill
from plm_engine.evaluation.rivals import PERSISTENCE

LEAKING = (
    "The split is random: rows next to a test row in time were trained on, so these errors are smaller than those of "
    "real forecasts (leakage)."
)
ONE_SEED = "From one seed: another seed can change the test error a lot; repeat with several seeds."


def compare(
    train: Sample,
    test: Sample,
    fits: Mapping[str, Fit],
    *,
    level: float | None = None,
    importance_repeats: int = 0,
    shuffled_seed: int | None = None,
) -> list[dict[str, Any]]:
    """Fit every model on ``train`` and measure it on both parts.

    Parameters
    ----------
    train, test : Sample
        Rows of one split.
    fits : mapping
        Name -> fit function; persistence first, for the skill of the others.
    level : float or None
        Level of the prediction intervals; none if None.
    importance_repeats : int
        Shuffles of each driver; 0 for no importance.
    shuffled_seed : int or None
        Given where the split is random: intervals are then calibrated on shuffled folds too.

    Returns
    -------
    list of dict
        Plain values, one per model: ``model``, ``train`` and ``test`` measures, ``skill``, ``n_parameters``,
        ``seconds``, ``about``, ``predicted`` (test rows), ``interval``, ``importance``, ``sentence``.
    """
    lines: list[dict[str, Any]] = []
    naive: Any = Undefined("no persistence to compare with")
    for name, fit in fits.items():
        began = time.perf_counter()
        fitted = fit(train)
        seconds = time.perf_counter() - began
        predicted = fitted.forecast(test)
        on_test = metrics(test.y, predicted)
        if name == PERSISTENCE:
            naive = on_test.mae
        worth = skill(on_test.mae, naive)
        line: dict[str, Any] = {
            "model": name,
            "train": _plain(metrics(train.y, fitted.forecast(train))),
            "test": _plain(on_test),
            "skill": plain(worth),
            "n_parameters": fitted.n_parameters,
            "seconds": seconds,
            "about": fitted.about,
            "predicted": [float(v) for v in predicted],
            "sentence": verdict(name, worth),
        }
        if level is not None:
            line["interval"] = _interval(fit, train, test, predicted, level, shuffled_seed)
        if importance_repeats:
            line["importance"] = [asdict(i) for i in permutation_importance(fitted, test, repeats=importance_repeats)]
        lines.append(line)
    return lines


def verdict(name: str, worth: Any) -> str:
    """Say in words whether a model beats persistence."""
    if name == PERSISTENCE:
        return "The forecast to beat: the latest known price."
    if isinstance(worth, Undefined):
        return f"Compared with persistence: {worth}."
    if worth > 0:
        return f"{name} beats persistence: its test error is {worth:.1%} smaller."
    if worth == 0:
        return f"{name} does not beat persistence: its test error is the same."
    return f"{name} does not beat persistence: its test error is {-worth:.1%} larger."


def spread(values: Iterable[Any]) -> dict[str, Any]:
    """Return median, mean and range of the values that are numbers, and how many there are."""
    numbers = [float(v) for v in values if isinstance(v, (int, float)) and np.isfinite(v)]
    if not numbers:
        return {"n": 0, "median": None, "mean": None, "range": None}
    return {
        "n": len(numbers),
        "median": float(np.median(numbers)),
        "mean": float(np.mean(numbers)),
        "range": [min(numbers), max(numbers)],
    }


def spread_table(results: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Put the comparisons of several seeds or splits together, one line per model with the spread of its figures."""
    names = list(dict.fromkeys(line["model"] for lines in results for line in lines))
    table = []
    for name in names:
        own = [line for lines in results for line in lines if line["model"] == name]
        entry: dict[str, Any] = {"model": name, "repeats": len(own)}
        for part in ("train", "test"):
            entry[f"{part}_mae"] = spread(line[part]["mae"] for line in own)
        entry["skill"] = spread(line["skill"] for line in own)
        entry["seconds"] = spread(line["seconds"] for line in own)
        entry["n_parameters"] = spread(line["n_parameters"] for line in own)
        hidden = [line["about"]["n_hidden"] for line in own if "n_hidden" in line["about"]]
        if hidden:
            entry["n_hidden"] = spread(hidden)
        rounds = [line["about"]["rounds"] for line in own if "rounds" in line["about"]]
        if rounds:
            entry["least_rounds"] = min(rounds)
        table.append(entry)
    return table


def _interval(
    fit: Fit, train: Sample, test: Sample, predicted: np.ndarray, level: float, shuffled_seed: int | None
) -> dict[str, Any]:
    found = interval_for(fit, train, level, shuffled_seed=shuffled_seed)
    if isinstance(found, Undefined):
        return {"level": level, "half_width": None, "note": str(found)}
    return {**asdict(found), "test_coverage": plain(found.coverage(test.y, predicted))}


def _plain(measured: Metrics) -> dict[str, Any]:
    values = asdict(measured)
    return {key: values[key] if key == "n" else plain(getattr(measured, key)) for key in values}
