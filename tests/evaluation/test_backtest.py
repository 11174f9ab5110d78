import numpy as np
import pytest

from plm_engine.errors import DataError
from plm_engine.evaluation.backtest import Plan, forecast_origin, summary
from plm_engine.evaluation.fitting import Fitted, Sample
from plm_engine.evaluation.rivals import linear_regression, persistence
from tests.evaluation.made import copper, made


def test_persistence_on_the_copper_table_at_rolling_origins(copper_csv):
    sample, plan = copper(copper_csv, horizon=4), Plan(280, 4, 4)
    results = [forecast_origin(sample, plan, o, {"persistence": persistence}) for o in plan.origins(len(sample))]
    told = summary(results, plan)
    assert told["n_forecasts"] == 191
    assert told["table"][0]["mae"] == pytest.approx(1493.3, abs=0.1)


def test_targets_later_than_the_origin_less_the_horizon_never_train():
    plan = Plan(20, 5, 4)
    assert plan.train(20).tolist() == list(range(17))  # 0, ..., t - h
    assert plan.test(20, 100).tolist() == [20, 21, 22, 23, 24]
    assert plan.test(98, 100).tolist() == [98, 99]
    assert len(Plan(20, 5, 1).train(20)) == 20


def test_a_sliding_window_keeps_its_length_and_drops_the_oldest():
    plan = Plan(20, 1, 3, "sliding", window_rows=10)
    assert plan.train(30).tolist() == list(range(18, 28))
    assert len(Plan(20, 1, 3, "sliding").train(50)) == len(Plan(20, 1, 3).train(20))


def test_a_planted_future_target_is_not_seen():
    sample, plan = made(60, horizon=4), Plan(30, 3, 4)
    poisoned = sample.y.copy()
    seen: list[float] = []

    def spy(train: Sample) -> Fitted:
        seen.append(float(train.y.max()))
        return persistence(train)

    for origin in plan.origins(60):
        poisoned[:] = sample.y
        poisoned[origin - 3 :] = 1e9  # every target that is not known yet
        planted = Sample(sample.x, poisoned, sample.latest, sample.rows, sample.features, 0, True, 4)
        forecast_origin(planted, plan, origin, {"spy": spy})
    assert max(seen) < 1e3
    # the newest known target does train: moving the poison one row back shows it
    poisoned[:] = sample.y
    poisoned[30 - 4 :] = 1e9
    planted = Sample(sample.x, poisoned, sample.latest, sample.rows, sample.features, 0, True, 4)
    forecast_origin(planted, plan, 30, {"spy": spy})
    assert max(seen) == 1e9


def test_scalers_see_the_training_rows_only():
    sample, plan = made(60), Plan(40, 1, 1)
    before = forecast_origin(sample, plan, 40, {"lr": linear_regression})["models"]["lr"]["predicted"]
    x, y = sample.x.copy(), sample.y.copy()
    x[41:], y[40:] = 1e6, -1e6  # test rows, but for the drivers of the row forecast
    other = Sample(x, y, sample.latest, sample.rows, sample.features, 0, True, 1)
    assert forecast_origin(other, plan, 40, {"lr": linear_regression})["models"]["lr"]["predicted"] == before


def test_cumulative_skill_ends_at_the_skill_of_the_table():
    sample, plan = made(50), Plan(20, 3, 1)
    fits = {"persistence": persistence, "linear regression": linear_regression}
    told = summary([forecast_origin(sample, plan, o, fits) for o in plan.origins(50)], plan)
    line = told["table"][1]
    assert told["cumulative_skill"]["linear regression"][-1] == pytest.approx(line["skill"])
    assert line["sentence"].startswith("linear regression has smaller errors than persistence")
    assert np.mean(told["by_origin"]["persistence"]) > np.mean(told["by_origin"]["linear regression"])


def test_results_of_origins_may_come_in_any_order():
    sample, plan = made(40), Plan(20, 4, 1)
    results = [forecast_origin(sample, plan, o, {"persistence": persistence}) for o in plan.origins(40)]
    told, other = summary(results, plan), summary(results[::-1], plan)
    assert (told["by_origin"], told["table"][0]["mae"]) == (other["by_origin"], other["table"][0]["mae"])


@pytest.mark.parametrize("first", [3, 60])
def test_an_impossible_first_origin_is_named(first):
    with pytest.raises(DataError, match=f"first origin is {first}.*60 usable rows"):
        Plan(first, 1, 4).origins(60)
