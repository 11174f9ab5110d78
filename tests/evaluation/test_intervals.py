import numpy as np
import pytest

from plm_engine.config import Config
from plm_engine.errors import ConfigError, DataError
from plm_engine.evaluation.fitting import Fitted, Sample
from plm_engine.evaluation.importance import permutation_importance
from plm_engine.evaluation.intervals import calibration_scores, interval_for, interval_from
from plm_engine.evaluation.metrics import Undefined
from plm_engine.evaluation.rivals import linear_regression, ridge
from plm_engine.forecasting import rplm
from tests.evaluation.made import made


def independent(n: int, seed: int) -> Sample:
    """Independent, identically distributed rows with a bent mean and noise that is not normal."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = x[:, 0] - 0.5 * x[:, 1] + 0.3 * np.abs(x[:, 2]) + rng.standard_t(5, size=n)
    return Sample(x, y, np.full(n, np.nan), np.arange(1, n + 1), ("a", "b", "c"), None, False, 1)


@pytest.mark.parametrize("fit", [linear_regression, ridge])
def test_a_90_percent_interval_covers_90_percent_of_fresh_rows(fit):
    train, fresh = independent(1800, 1), independent(2000, 2)
    scores = calibration_scores(fit, train)
    assert len(scores) >= 1000
    covered = interval_from(scores, 0.9).coverage(fresh.y, fit(train).forecast(fresh))
    assert isinstance(covered, float)
    assert 0.86 <= covered <= 0.94


@pytest.mark.slow
def test_the_network_s_intervals_cover_too_though_its_training_errors_are_within_the_goal():
    train, fresh = independent(1800, 1), independent(2000, 2)
    fit = rplm(Config(goal_percent=22, pick=50, interpreting="two-sided", max_rounds=2))
    scores = calibration_scores(fit, train)
    assert len(scores) >= 1000
    fitted = fit(train)
    assert fitted.about["rounds"] >= 1
    covered = interval_from(scores, 0.9).coverage(fresh.y, fitted.forecast(fresh))
    assert isinstance(covered, float)
    assert 0.86 <= covered <= 0.94


def test_the_score_at_the_conformal_rank_is_taken():
    found = interval_from(np.arange(1.0, 20.0), 0.9)  # 19 scores: rank ceil(20 * 0.9) = 18
    assert found.half_width == 18
    low, high = found.around([100.0])
    assert (low[0], high[0]) == (82.0, 118.0)


def test_too_few_scores_say_how_many_are_needed():
    with pytest.raises(DataError, match="8 scores are too few for an interval of 90%: 9 are needed"):
        interval_from(np.arange(8.0), 0.9)
    assert interval_from(np.arange(9.0), 0.9).half_width == 8
    assert isinstance(interval_for(linear_regression, made(12), 0.99), Undefined)
    with pytest.raises(ConfigError, match="level of an interval is 90"):
        interval_from(np.arange(100.0), 90)


def test_scores_come_from_rows_that_were_not_learned():
    """A model that knows its training rows by heart has calibration errors of unseen rows."""
    sample = made(60, noise=0.0)

    def by_heart(train: Sample) -> Fitted:
        known = {tuple(x): y for x, y in zip(train.x, train.y, strict=True)}
        return Fitted(lambda rows: np.array([known.get(tuple(x), 0.0) for x in rows.x]))

    assert calibration_scores(by_heart, sample).min() > 50


def test_the_driver_that_matters_comes_first_and_one_without_use_is_near_zero():
    train, test = made(100, noise=0.01), made(60, noise=0.01, seed=8)
    found = permutation_importance(linear_regression(train), test, repeats=5)
    assert [i.driver for i in found] == ["x1", "x2", "x3"]
    assert found[0].mean > found[1].mean > 0.5
    assert abs(found[2].mean) < 0.05
    assert found[0].lowest <= found[0].mean <= found[0].highest
    assert found[0].spread > 0


def test_shuffling_the_latest_price_moves_the_price_that_changes_are_counted_from():
    test = made(30)
    naive = Fitted(lambda rows: rows.latest)
    assert permutation_importance(naive, test, repeats=3)[0].driver == "x1"
    assert permutation_importance(naive, test, repeats=3)[0].mean > 0
