"""The network as a fit function, for comparisons, backtests and intervals: ``plm_engine.evaluation`` knows no torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from plm_engine.config import Config
from plm_engine.datasets.target import TargetForm
from plm_engine.evaluation.fitting import Fit, Fitted, Sample
from plm_engine.evaluation.goal import Candidate, goal_of, options_of
from plm_engine.learning.outcome import EndReason
from plm_engine.training import train


class Stopped(Exception):
    """A fit was asked to end before it was done."""


def rplm(config: Config, stop: Callable[[], bool] = lambda: False) -> Fit:
    """Return the fit function of the network under a configuration; its data options are not used.

    The fit raises :class:`Stopped` when ``stop`` says so.
    """

    def fit(sample: Sample) -> Fitted:
        known = sample.take(~np.isnan(sample.latest)) if TargetForm(config.predict).needs_latest else sample
        return fitted_network(known, config.replace(horizon=sample.horizon), stop)

    return fit


def rplm_candidate(config: Config, candidate: Candidate, stop: Callable[[], bool] = lambda: False) -> Fit:
    """Return the fit function of one candidate for goal and start; its goal is worked out from the rows it learns."""

    def fit(sample: Sample) -> Fitted:
        return rplm(candidate_config(config, candidate, sample), stop)(sample)

    return fit


def candidate_config(config: Config, candidate: Candidate, sample: Sample) -> Config:
    """Return ``config`` with a candidate's start, form, organizing and, from the rows of ``sample``, goal."""
    return config.replace(**options_of(asdict(candidate), goal_of(candidate, sample)))


def fitted_network(sample: Sample, config: Config, stop: Callable[[], bool] = lambda: False) -> Fitted:
    """Train on a sample, on one device in this process."""
    latest = None if np.isnan(sample.latest).any() else sample.latest
    result = train(
        sample.x,
        sample.y,
        config.replace(mode="single", workers=1, goal_auto=False),
        latest=latest,
        rows=[int(row) for row in sample.rows],
        features=sample.features,
        stop=stop,
    )
    if result.reason is EndReason.STOPPED:
        raise Stopped
    last = result.history[-1]
    about = {
        "n_hidden": last.n_hidden,
        "rounds": last.number,
        "goal": result.goal,
        "start": config.start,
        "predict": config.predict,
        "reason": str(result.reason),
        "train_mae": last.train_mae,
        "seed": config.seed,
    }
    return Fitted(
        lambda rows: result.predict(rows.x, rows.latest) if len(rows) else np.empty(0),
        result.network.n_weights,
        about,
    )
