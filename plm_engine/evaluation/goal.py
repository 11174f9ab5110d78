"""The learning goal and the first network, chosen by forecasts inside the training rows.

A candidate is a first network (least squares, ridge or persistence), what is learned of the target, how organizing is
done, and a share that fixes the goal on any set of rows: that share of the largest error the first network makes
on them.  Below 1 at least one row is left to learn; above 1 the first network meets the goal by itself, learns
nothing, and is there to be beaten.  All candidates are judged by the mean absolute error on forward-chained folds of
the training rows (on shuffled folds only where the split itself is random); test rows are never seen.

The one-standard-error rule decides: of all candidates whose validation error is not above the smallest by more than
one standard error of the difference, the one that changes its first network least is chosen.  Taking the smallest
error itself would choose by luck: there are dozens of candidates and few hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plm_engine.datasets.target import TargetForm
from plm_engine.errors import DataError, NumericalError
from plm_engine.evaluation.chain import Fold, forward_folds, shuffled_folds
from plm_engine.evaluation.fitting import Fit, Sample
from plm_engine.evaluation.starts import line_residuals

Floats = NDArray[np.float64]
#: goal as a share of the largest error of the first network, from nothing to learn to much
SHARES = (1.01, 0.999, 0.99, 0.97, 0.92, 0.85, 0.7, 0.55)
#: how organizing is done -> the options that do it; the later, the further it moves the network from its start.  A goal
#: near the start's largest error is loose: reorganizing then accepts networks that forecast much worse.
ORGANIZING: dict[str, dict[str, Any]] = {
    "off": {"reorganizing": False, "regularizing_epochs": 0},
    "without regularizing": {"regularizing_epochs": 0},
    "with strong regularizing": {"regularizing_lambda": 10.0},
    "as published": {},
}
WHOLE = "as published"
#: most rows, the newest, that candidates are judged on
MOST_ROWS = 2_000
FOLDS = 6


@dataclass(frozen=True)
class Candidate:
    """How to begin, what is learned (see ``TargetForm``), how organizing is done, and how much is left to learn."""

    start: str
    predict: str
    share: float
    organizing: str = WHOLE


@dataclass
class Judged:
    """A candidate's forecasts inside the training rows.

    Attributes
    ----------
    candidate : Candidate
    goal : float
        On all training rows, in the target's unit.
    mae : float
        Mean absolute error over the validation rows; infinite if some fold could not be trained.
    n_hidden : float
        Mean number of hidden nodes.
    least_rounds : int
        Fewest rounds in any fold: 0 means that some fold learned nothing beyond the start.
    note : str
        Why it could not be trained; empty if it could.
    errors : ndarray
        Absolute error of each validation row, in time order.
    """

    candidate: Candidate
    goal: float
    mae: float = np.inf
    n_hidden: float = np.nan
    least_rounds: int = 0
    note: str = ""
    errors: Floats = field(default_factory=lambda: np.empty(0), repr=False)


@dataclass
class Choice:
    """What was chosen, and from what.

    Attributes
    ----------
    best : Judged
        The candidate chosen.
    best_trained : Judged or None
        The one chosen, by the same rule, among those that trained at least one round in every fold.
    best_organized : Judged or None
        The same among those that also organize: the mechanism with no module switched off but regularizing.
    judged : list of Judged
    n_validation : int
        Rows forecast.
    how : str
        How the folds were made, for people.
    """

    best: Judged
    best_trained: Judged | None
    best_organized: Judged | None = None
    judged: list[Judged] = field(default_factory=list)
    n_validation: int = 0
    how: str = ""

    @property
    def sentence(self) -> str:
        """Say what was chosen."""
        c = self.best.candidate
        said = (
            f"Chosen inside the training rows: goal {self.best.goal:,.4g}, start {c.start}, learning the {c.predict}, "
            f"organizing {c.organizing} "
            f"(validation MAE {self.best.mae:,.4g} over {self.n_validation} rows, {self.how})."
        )
        if self.best.least_rounds == 0:
            said += " This network learned nothing beyond its start."
            if self.best_trained is not None:
                t = self.best_trained
                said += (
                    f" The best one that trained: goal {t.goal:,.4g}, start {t.candidate.start}, organizing "
                    f"{t.candidate.organizing}, validation MAE {t.mae:,.4g}."
                )
        return said

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values: what was chosen, and every candidate with its validation error and nodes."""

        def plain(judged: Judged | None) -> dict[str, Any] | None:
            if judged is None:
                return None
            values = asdict(judged)
            del values["errors"]
            return {**values.pop("candidate"), **values}

        return {
            "best": plain(self.best),
            "best_trained": plain(self.best_trained),
            "best_organized": plain(self.best_organized),
            "candidates": [plain(judged) for judged in self.judged],
            "n_validation": self.n_validation,
            "how": self.how,
            "sentence": self.sentence,
        }


def candidates(sample: Sample, shares: Sequence[float] = SHARES) -> list[Candidate]:
    """Return the candidates that the data allow, those that change their first network least first.

    Changes, and persistence, only where a latest price is known.
    """
    if sample.has_latest:
        lines = [("persistence", "change"), ("ridge", "change"), ("least-squares", "level")]
    else:
        lines = [("ridge", "level"), ("least-squares", "level")]
    return [
        Candidate(start, predict, share, how)
        for share in shares
        for how in (ORGANIZING if share < 1 else ("off",))
        for start, predict in lines
    ]


def options_of(chosen: Mapping[str, Any], goal: float) -> dict[str, Any]:
    """Return the options that train a candidate, given as plain values, to a goal in the target's unit."""
    return {
        "goal": goal,
        "goal_percent": None,
        "goal_auto": False,
        "start": chosen["start"],
        "predict": chosen["predict"],
        "interpreting": "two-sided",
        **ORGANIZING[chosen["organizing"]],
    }


def goal_of(candidate: Candidate, sample: Sample) -> float:
    """Return a candidate's goal on the rows of ``sample``, in the target's unit."""
    known = sample.take(~np.isnan(sample.latest)) if sample.has_latest else sample
    form = TargetForm(candidate.predict)
    _, errors = line_residuals(candidate.start, known.x, known.y, known.latest, form, known.horizon)
    goal = candidate.share * float(np.abs(errors).max())
    return goal if goal > 0 else 1e-9 * max(1.0, float(np.abs(known.y).max()))


def choose(
    sample: Sample,
    fit_of: Callable[[Candidate], Fit],
    *,
    tried: Iterable[Candidate] | None = None,
    n_folds: int = FOLDS,
    shuffled_seed: int | None = None,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> Choice:
    """Judge candidates inside ``sample`` and choose.

    Parameters
    ----------
    sample : Sample
        The training rows, in time order.
    fit_of : callable
        Candidate -> fit function of the network.
    tried : iterable of Candidate or None
        All that the data allow if None.
    shuffled_seed : int or None
        Judge on shuffled folds made with this seed; only for splits that are random themselves.
    told : callable
        Gets the number of candidates judged and their total.

    Raises
    ------
    DataError
        If there are too few rows, or no candidate can be trained.
    """
    sample = sample.take(slice(-MOST_ROWS, None))
    folds = (
        forward_folds(len(sample), sample.horizon, n_folds)
        if shuffled_seed is None
        else shuffled_folds(len(sample), n_folds, shuffled_seed)
    )
    listed = list(candidates(sample) if tried is None else tried)
    judged: list[Judged] = []
    for number, candidate in enumerate(listed):
        judged.append(_judge(candidate, sample, folds, fit_of(candidate)))
        told(number + 1, len(listed))
    # neighbouring errors in time are alike: their forecasts overlap and quiet weeks follow quiet weeks
    lags = 0 if shuffled_seed is not None else max(sample.horizon, round(sum(len(f.test) for f in folds) ** (1 / 3)))
    best = _best(judged, lags)
    if best is None:
        raise DataError(f"No goal can be chosen: {judged[0].note}")
    how = f"{len(folds)} forward-chained folds" if shuffled_seed is None else f"{len(folds)} shuffled folds, leaking"
    trained = [j for j in judged if j.least_rounds > 0]
    organized = [j for j in trained if j.candidate.organizing != "off"]
    return Choice(best, _best(trained, lags), _best(organized, lags), judged, len(best.errors), how)


def standard_error(difference: Floats, lags: int) -> float:
    """Return the standard error of a mean of values in time order, allowing for correlation up to ``lags`` rows.

    Newey & West (1987): autocovariances with falling weights, so that the variance is never negative.
    """
    n = len(difference)
    centred = difference - difference.mean()
    variance = float(centred @ centred) / n
    for k in range(1, min(lags, n - 1) + 1):
        variance += 2 * (1 - k / (lags + 1)) * float(centred[k:] @ centred[:-k]) / n
    return float(np.sqrt(max(variance, 0.0) / n))


def _best(judged: list[Judged], lags: int) -> Judged | None:
    """Apply the one-standard-error rule; the standard error of a difference is taken over its paired rows."""
    able = [j for j in judged if np.isfinite(j.mae)]
    if not able:
        return None
    lowest = min(able, key=lambda j: j.mae)

    def worse(judged: Judged) -> bool:
        difference = judged.errors - lowest.errors
        return bool(difference.mean() > standard_error(difference, lags))

    return next(j for j in able if not worse(j))


def _judge(candidate: Candidate, sample: Sample, folds: list[Fold], fit: Fit) -> Judged:
    judged = Judged(candidate, goal_of(candidate, sample))
    errors, nodes, rounds = [], [], []
    for fold in folds:
        try:
            fitted = fit(sample.take(fold.train))
        except (DataError, NumericalError) as error:
            judged.note = str(error)
            return judged
        errors.append(np.abs(fitted.forecast(sample.take(fold.test)) - sample.y[fold.test]))
        nodes.append(fitted.about.get("n_hidden", 0))
        rounds.append(fitted.about.get("rounds", 0))
    judged.errors = np.concatenate(errors)
    judged.mae = float(judged.errors.mean())
    judged.n_hidden, judged.least_rounds = float(np.mean(nodes)), int(min(rounds))
    return judged
