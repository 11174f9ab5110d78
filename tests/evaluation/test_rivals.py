import numpy as np
import pytest

from plm_engine.config import Config
from plm_engine.datasets.prepare import prepare
from plm_engine.datasets.read import read_table
from plm_engine.evaluation.chain import forward_folds, shuffled_folds
from plm_engine.evaluation.compare import compare, spread_table
from plm_engine.evaluation.fitting import Sample
from plm_engine.evaluation.rivals import backpropagation, linear_regression, ridge, rivals
from tests.evaluation.made import made


def parts(copper_csv, **options):
    prepared = prepare(read_table(copper_csv), Config(horizon=1, test_rows=95, **options))
    return Sample.of(prepared, "train"), Sample.of(prepared, "test")


def test_the_reference_figures_of_the_copper_table(copper_csv):
    train, test = parts(copper_csv)
    fits = {name: fit for name, fit in rivals().items() if name != "backpropagation"}
    lines = {line["model"]: line for line in compare(train, test, fits)}
    assert lines["persistence"]["test"]["mae"] == pytest.approx(1604.6, abs=0.1)
    assert lines["linear regression"]["test"]["mae"] == pytest.approx(2989.6, abs=0.1)
    # near-persistence is within ridge's reach, so it is not much worse
    assert lines["ridge"]["test"]["mae"] < 1.02 * 1604.6
    assert "does not beat persistence" in lines["linear regression"]["sentence"]


def test_ridge_reaches_near_persistence_where_drivers_say_nothing():
    sample = made(80, noise=0.0)
    rng = np.random.default_rng(0)
    x = sample.x.copy()
    x[:, 1:] = rng.normal(size=(80, 2))
    walk = 100 + np.cumsum(rng.normal(size=81))
    x[:, 0] = walk[:-1]
    noise = Sample(x, walk[1:], walk[:-1].copy(), sample.rows, sample.features, 0, True, 1)
    fitted = ridge(noise)
    assert fitted.about["predict"] == "change"
    drift = np.abs(fitted.forecast(noise) - noise.latest).mean()
    assert drift < 0.5 * np.abs(np.diff(walk)).mean()


def test_ridge_is_least_squares_where_the_drivers_say_everything():
    train, test = made(80, noise=1e-6), made(40, noise=1e-6, seed=5)
    off = np.abs(ridge(train).forecast(test) - test.y).mean()
    assert off < 1e-2
    assert np.abs(linear_regression(train).forecast(test) - test.y).mean() < 1e-4


def test_backpropagation_stops_early_and_repeats_to_the_bit():
    train, test = made(200), made(50, seed=3)
    one, other = backpropagation(train, seed=4), backpropagation(train, seed=4)
    assert (one.forecast(test) == other.forecast(test)).all()
    assert one.about["epochs"] <= 500
    assert one.n_parameters == 20 * (3 + 2) + 1
    assert np.abs(one.forecast(test) - test.y).mean() < np.abs(test.y - test.y.mean()).mean() / 2


def test_folds_learn_from_the_past_only():
    for fold in forward_folds(100, 4, 5):
        assert fold.train.max() <= fold.test.min() - 4
    tested = np.concatenate([fold.test for fold in forward_folds(100, 4, 5)])
    assert tested.tolist() == list(range(50, 100))


def test_shuffled_folds_test_every_row_once():
    folds = shuffled_folds(23, 4, 0)
    assert sorted(np.concatenate([fold.test for fold in folds]).tolist()) == list(range(23))
    assert all(not set(fold.train) & set(fold.test) for fold in folds)


def test_the_spread_of_repeats_is_median_mean_and_range():
    train = made(60)
    results = [compare(train, made(30, seed=s), {"persistence": rivals()["persistence"]}) for s in (1, 2, 3)]
    line = spread_table(results)[0]
    errors = sorted(r[0]["test"]["mae"] for r in results)
    assert line["test_mae"] == {
        "n": 3,
        "median": errors[1],
        "mean": pytest.approx(np.mean(errors)),
        "range": [errors[0], errors[2]],
    }


def test_a_measure_that_is_not_defined_says_so():
    train, test = made(30), made(10, seed=2)
    zero = Sample(test.x, test.y * 0, test.latest, test.rows, test.features, 0, True, 1)
    line = compare(train, zero, {"persistence": rivals()["persistence"]})[0]
    assert line["test"]["mape"] == "not defined (10 zero targets)"
    assert line["test"]["r2"] == "not defined (all targets are equal)"
