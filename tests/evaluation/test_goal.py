import numpy as np
import pytest

from plm_engine.config import Config
from plm_engine.errors import DataError
from plm_engine.evaluation.fitting import Fitted, Sample
from plm_engine.evaluation.goal import Candidate, candidates, choose, goal_of
from plm_engine.forecasting import candidate_config, rplm_candidate
from tests.evaluation.made import made

FEW = [
    Candidate("persistence", "change", 1.01, "off"),
    Candidate("least-squares", "level", 1.01, "off"),
    Candidate("least-squares", "level", 0.9, "off"),
]


def fit_of(candidate):
    return rplm_candidate(Config(pick=5), candidate)


def test_the_start_that_forecasts_best_is_chosen():
    """y is linear in two drivers, so least squares forecasts far better than the latest price."""
    choice = choose(made(80), fit_of, tried=FEW)
    assert choice.best.candidate.start == "least-squares"
    assert choice.best_trained is not None
    assert choice.best_trained.least_rounds >= 1
    assert len(choice.judged) == 3


def test_persistence_is_kept_where_nothing_is_better_by_more_than_luck():
    rng = np.random.default_rng(4)
    walk = 100 + np.cumsum(rng.normal(size=91))
    x = np.column_stack([walk[:-1], rng.normal(size=(90, 2))])
    sample = Sample(x, walk[1:], walk[:-1].copy(), np.arange(1, 91), ("p", "a", "b"), 0, True, 1)
    choice = choose(sample, fit_of, tried=FEW)
    assert choice.best.candidate.start == "persistence"
    assert "learned nothing beyond its start" in choice.sentence
    assert "The best one that trained: goal" in choice.sentence


def test_rows_that_are_not_training_rows_are_never_seen():
    sample = made(60)
    seen: set[int] = set()

    def spy(candidate):
        def fit(train: Sample) -> Fitted:
            seen.update(train.rows.tolist())
            return Fitted(lambda rows: rows.latest, 0, {"n_hidden": 1, "rounds": 0})

        return fit

    choose(sample.take(np.arange(40)), spy, tried=FEW)
    assert max(seen) <= 40


def test_a_share_below_one_leaves_a_row_to_learn_and_above_one_none():
    sample = made(50)
    for candidate in candidates(sample):
        largest = goal_of(candidate, sample) / candidate.share
        off = np.abs(
            rplm_candidate(Config(max_rounds=1), Candidate(candidate.start, candidate.predict, 1.01, "off"))(
                sample
            ).forecast(sample)
            - sample.y
        ).max()
        assert off == pytest.approx(largest, rel=1e-6)
        if candidate.share < 0.9:
            break


def test_candidates_without_a_latest_price_learn_levels_only():
    sample = made(50)
    bare = Sample(sample.x, sample.y, sample.latest, sample.rows, sample.features, None, False, 1)
    assert {(c.start, c.predict) for c in candidates(bare)} == {("ridge", "level"), ("least-squares", "level")}


def test_a_candidate_becomes_options():
    strong = Candidate("persistence", "change", 0.9, "with strong regularizing")
    config = candidate_config(Config(goal_auto=True), strong, made(50))
    assert (config.goal_auto, config.start, config.predict) == (False, "persistence", "change")
    assert (config.regularizing_lambda, config.reorganizing) == (10, True)
    assert config.goal is not None
    config = candidate_config(Config(goal_auto=True), Candidate("ridge", "change", 0.9, "off"), made(50))
    assert (config.regularizing_epochs, config.reorganizing) == (0, False)


def test_the_best_one_that_organized_is_told_apart_from_one_that_only_trained():
    tried = [*FEW, Candidate("least-squares", "level", 0.9, "as published")]
    choice = choose(made(80), fit_of, tried=tried)
    assert choice.best_trained is not None
    assert choice.best_organized is not None
    assert choice.best_trained.candidate.organizing == "off"
    assert choice.best_organized.candidate.organizing == "as published"
    assert choose(made(80), fit_of, tried=FEW).best_organized is None


def test_too_few_rows_are_named():
    with pytest.raises(DataError, match="There are 6 training rows"):
        choose(made(6), fit_of, tried=FEW)


def test_the_choice_is_kept_as_plain_values():
    told = choose(made(60), fit_of, tried=FEW).to_mapping()
    assert {c["start"] for c in told["candidates"]} == {"persistence", "least-squares"}
    assert all(isinstance(c["mae"], float) for c in told["candidates"])
