"""The learning goal and the first network, chosen by forecasts inside the training rows.

A candidate is a first network (least squares, ridge or persistence), what is learned of the target, and the share of
training rows that the first network has already learned.  The share fixes the goal on any set of rows: the error that
this share of them stays within.  Share 1 is a goal that the first network meets by itself: it learns nothing, and is
there to be beaten.  All candidates are judged by the mean absolute error on forward-chained folds of the training rows
(by shuffled folds only where the split itself is random); test rows are never seen.

Ties: of candidates whose errors differ by less than 0.01 % the one listed first wins, which is the one that learns
least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from plm_engine.datasets.target import TargetForm
from plm_engine.errors import DataError, NumericalError
from plm_engine.evaluation.chain import Fold, forward_folds, shuffled_folds
from plm_engine.evaluation.fitting import Fit, Sample
from plm_engine.evaluation.starts import line_residuals

#: shares of the training rows that the first network has learned, from nothing to learn to a tenth of the rows
SHARES = (1.0, 0.998, 0.995, 0.99, 0.98, 0.96, 0.93, 0.9)
STARTS = ("persistence", "ridge", "least-squares")
FOLDS = 4
TIE = 1e-4


@dataclass(frozen=True)
class Candidate:
    """One way to begin and how much to leave to learn; ``predict`` is what is learned (see ``TargetForm``)."""

    start: str
    predict: str
    share: float


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
    """

    candidate: Candidate
    goal: float
    mae: float = np.inf
    n_hidden: float = np.nan
    least_rounds: int = 0
    note: str = ""


@dataclass
class Choice:
    """What was chosen, and from what.

    Attributes
    ----------
    best : Judged
        The candidate with the smallest validation error.
    best_trained : Judged or None
        The best one that trained at least one round in every fold.
    judged : list of Judged
    n_validation : int
        Rows forecast.
    how : str
        How the folds were made, for people.
    """

    best: Judged
    best_trained: Judged | None
    judged: list[Judged] = field(default_factory=list)
    n_validation: int = 0
    how: str = ""

    @property
    def sentence(self) -> str:
        """Say what was chosen."""
        c = self.best.candidate
        said = (
            f"Chosen inside the training rows: goal {self.best.goal:,.4g}, start {c.start}, learning the {c.predict} "
            f"(validation MAE {self.best.mae:,.4g} over {self.n_validation} rows, {self.how})."
        )
        if self.best.least_rounds == 0:
            said += " This network learned nothing beyond its start."
            if self.best_trained is not None:
                t = self.best_trained
                said += (
                    f" The best one that trained: goal {t.goal:,.4g}, start {t.candidate.start}, "
                    f"validation MAE {t.mae:,.4g}."
                )
        return said

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values: what was chosen, and every candidate with its validation error and nodes."""

        def plain(judged: Judged | None) -> dict[str, Any] | None:
            if judged is None:
                return None
            values = asdict(judged)
            return {**values.pop("candidate"), **values}

        return {
            "best": plain(self.best),
            "best_trained": plain(self.best_trained),
            "candidates": [plain(judged) for judged in self.judged],
            "n_validation": self.n_validation,
            "how": self.how,
            "sentence": self.sentence,
        }


def candidates(sample: Sample, shares: Sequence[float] = SHARES) -> list[Candidate]:
    """Return the candidates that the data allow: changes, and persistence, only where a latest price is known."""
    if sample.has_latest:
        lines = [("persistence", "change"), ("ridge", "change"), ("least-squares", "level")]
    else:
        lines = [("ridge", "level"), ("least-squares", "level")]
    return [Candidate(start, predict, share) for share in shares for start, predict in lines]


def goal_for_share(candidate: Candidate, sample: Sample) -> float:
    """Return the goal, in the target's unit, that the candidate's share of the rows is within at the start."""
    known = sample.take(~np.isnan(sample.latest)) if sample.has_latest else sample
    form = TargetForm(candidate.predict)
    _, errors = line_residuals(candidate.start, known.x, known.y, known.latest, form, known.horizon)
    size = np.sort(np.abs(errors))
    if candidate.share >= 1:
        goal = 1.01 * float(size[-1])
    else:
        # half-way between two neighbouring errors; at least one row is left to learn
        k = min(max(int(candidate.share * len(size)), 1), len(size) - 1)
        goal = float(size[k - 1] + size[k]) / 2
    return goal if goal > 0 else 1e-9 * max(1.0, float(np.abs(known.y).max()))


def choose(
    sample: Sample,
    fit_of: Callable[[Candidate], Fit],
    *,
    tried: Iterable[Candidate] | None = None,
    n_folds: int = FOLDS,
    shuffled_seed: int | None = None,
    told: Callable[[int, int], None] = lambda done, total: None,
    stop: Callable[[], bool] = lambda: False,
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
    stop : callable
        Asked between candidates; true judges no more.

    Raises
    ------
    DataError
        If there are too few rows, or no candidate can be trained.
    """
    folds = (
        forward_folds(len(sample), sample.horizon, n_folds)
        if shuffled_seed is None
        else shuffled_folds(len(sample), n_folds, shuffled_seed)
    )
    listed = list(candidates(sample) if tried is None else tried)
    judged = []
    for number, candidate in enumerate(listed):
        if judged and stop():
            break
        judged.append(_judge(candidate, sample, folds, fit_of(candidate)))
        told(number + 1, len(listed))
    best = _best(judged)
    if best is None:
        raise DataError(f"No goal can be chosen: {judged[0].note}")
    how = f"{len(folds)} forward-chained folds" if shuffled_seed is None else f"{len(folds)} shuffled folds, leaking"
    trained = _best([j for j in judged if j.least_rounds > 0])
    return Choice(best, trained, judged, sum(len(fold.test) for fold in folds), how)


def _best(judged: list[Judged]) -> Judged | None:
    able = [j for j in judged if np.isfinite(j.mae)]
    if not able:
        return None
    lowest = min(j.mae for j in able)
    return next(j for j in able if j.mae <= lowest * (1 + TIE))


def _judge(candidate: Candidate, sample: Sample, folds: list[Fold], fit: Fit) -> Judged:
    judged = Judged(candidate, goal_for_share(candidate, sample))
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
    judged.mae = float(np.concatenate(errors).mean())
    judged.n_hidden, judged.least_rounds = float(np.mean(nodes)), int(min(rounds))
    return judged
