import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from plm_engine.errors import ContradictionError
from plm_engine.estimator import ContradictionWarning, PLMRegressor
from tests.helpers import random_rows


def rows(n=60, m=3, seed=0):
    x, y = random_rows(n, m, seed=seed)
    return x.numpy(), y.numpy()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_own_checks_pass_with_none_excluded():
    results = check_estimator(PLMRegressor())
    failed = [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")]
    assert failed == []
    # the one check scikit-learn itself skips needs an environment variable and asks for an optional package
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}


def test_every_training_row_is_within_the_goal():
    x, y = rows()
    model = PLMRegressor(goal=0.5).fit(x, y)
    assert np.abs(model.predict(x) - y).max() <= 0.5 * (1 + 1e-9)
    assert (model.n_features_in_, model.goal_, model.reason_) == (3, 0.5, "goal met")
    assert model.n_hidden_ >= 1


def test_it_predicts_what_the_engine_predicts():
    from plm_engine import Config, train

    x, y = rows()
    result = train(x, y, Config(goal=0.7, pick=5, interpreting="two-sided", seed=3))
    assert PLMRegressor(goal=0.7, seed=3).fit(x, y).predict(x) == pytest.approx(result.predict(x), rel=1e-12)


def test_a_clone_and_a_pickle_do_the_same():
    x, y = rows()
    model = PLMRegressor(goal=0.6, seed=2).fit(x, y)
    again = clone(model)
    assert not hasattr(again, "n_hidden_")
    assert (again.fit(x, y).predict(x) == model.predict(x)).all()
    assert (pickle.loads(pickle.dumps(model)).predict(x) == model.predict(x)).all()


def test_names_of_a_frame_are_kept_and_checked():
    x, y = rows()
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    model = PLMRegressor(goal=1.0).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c"]])


def test_it_works_in_pipeline_grid_search_and_time_series_split():
    x, y = rows(50)
    pipeline = make_pipeline(StandardScaler(), PLMRegressor(max_rounds=2))
    search = GridSearchCV(pipeline, {"plmregressor__goal_percent": [15, 40]}, cv=TimeSeriesSplit(3))
    search.fit(x, y)
    assert search.best_params_["plmregressor__goal_percent"] in (15, 40)
    assert np.isfinite(cross_val_score(PLMRegressor(max_rounds=1), x, y, cv=TimeSeriesSplit(3))).all()


def test_partial_fit_goes_on_and_keeps_what_was_learned():
    x, y = rows(60)
    model = PLMRegressor(goal=0.5).partial_fit(x[:40], y[:40])
    before = model.n_rounds_
    model.partial_fit(x[40:], y[40:])
    assert before >= 1
    assert np.abs(model.predict(x) - y).max() <= 0.5 * (1 + 1e-9)
    anew = PLMRegressor(goal=0.5).fit(x, y)
    assert model.n_rounds_ < anew.n_rounds_


def test_contradictions_widen_the_goal_with_a_warning_or_raise():
    x, y = np.array([[0.0], [0.0], [1.0], [2.0]]), np.array([0.0, 4.0, 1.0, 2.0])
    with pytest.warns(ContradictionWarning, match="widened to 2"):
        model = PLMRegressor(goal=0.1).fit(x, y)
    assert model.goal_ == pytest.approx(2.0)
    with pytest.raises(ContradictionError):
        PLMRegressor(goal=0.1, contradictions="raise").fit(x, y)
