"""Tables to chart specifications: plain values, one series for each part, no markup from names."""

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest

from pages.parts import charts, colours
from pages.parts.live_chart import packed


def unpacked(values: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(values["bdata"]), dtype=f"<{values['dtype']}")


def test_packed_numbers_survive_with_missing_and_huge_ones():
    assert unpacked(packed([1.5, -2.0])).tolist() == [1.5, -2.0]
    assert np.isnan(unpacked(packed([np.nan, 1.0]))[0])
    assert unpacked(packed([1e200, 1.0])).tolist() == [1e200, 1.0]
    assert unpacked(packed([])).tolist() == []


def test_predictions_are_split_into_training_and_test_and_rows_left_out_have_none():
    parts = ("train", "train", "left out", "test")
    figure = charts.predictions_chart([1, 2, 3, 4], [1.0, 2, 3, 4], [1.1, 2.1, 3.1, 4.1], parts, "y", "t", "run")
    by_name = {trace["name"]: unpacked(trace["y"]) for trace in figure["data"]}
    assert list(by_name) == ["Actual", "Predicted, training", "Predicted, test"]
    assert np.isnan(by_name["Predicted, training"]).tolist() == [False, False, True, True]
    assert np.isnan(by_name["Predicted, test"]).tolist() == [True, True, True, False]
    [band] = figure["layout"]["shapes"]
    assert (band["x0"], band["x1"]) == (4, 4)


def test_predictions_far_off_do_not_flatten_the_rest_and_are_counted():
    actual, predicted = np.array([10.0, 20.0]), np.array([11.0, 9_999.0])
    figure = charts.predictions_chart([1, 2], actual, predicted, ("train", "test"), "y", "t", "run")
    low, high = figure["layout"]["yaxis"]["range"]
    assert low < 10 < 20 < high < 100
    assert charts.outside(actual, predicted).tolist() == [1]
    near = charts.predictions_chart([1, 2], actual, np.array([11.0, 19.0]), ("train", "test"), "y", "t", "run")
    assert "range" not in near["layout"]["yaxis"]


def test_a_random_split_has_no_band_and_no_lines():
    parts = ("train", "test") * 5
    figure = charts.split_chart(list(range(10)), np.arange(10.0), parts, "y", "t", "data")
    assert "shapes" not in figure["layout"]
    assert {trace["mode"] for trace in figure["data"]} == {"markers"}


def test_the_goal_is_a_line_over_the_whole_run():
    steps = {"understanding": ([1.0, 2.0], [9.0, 5.0])}
    figure = charts.residual_chart(steps, ([3.0], [4.0]), 4.5, "t", "run")
    goal = next(trace for trace in figure["data"] if trace["name"] == "Learning goal")
    assert unpacked(goal["x"]).tolist() == [1.0, 3.0]
    assert unpacked(goal["y"]).tolist() == [4.5, 4.5]
    assert len(charts.residual_chart({}, ((), ()), 4.5, "t", "run")["data"]) == 1


def test_the_two_parts_of_organizing_stand_for_the_whole():
    seconds = {"organizing": 3.0, "organizing_regularizing": 1.0, "organizing_understanding": 2.0, "total": 4.0}
    bars = charts.phases_chart(seconds, "run")["data"][0]
    assert bars["x"] == [1.0, 2.0]


@pytest.mark.parametrize("name", ["<b>y</b>", "<a href='javascript:x'>y</a>"])
def test_markup_in_a_target_name_is_text(name):
    figure = charts.predictions_chart([1], [1.0], [1.0], ("train",), name, name, "run")
    assert "<b>" not in json.dumps(figure)
    assert "<a " not in json.dumps(figure)


def test_every_chart_keeps_the_readers_choices_for_one_run():
    figures = [
        charts.nodes_chart([0.0], [1.0], "r1"),
        charts.loss_chart({"understanding": ([0.0], [1.0])}, "r1"),
        charts.residual_chart({}, ((), ()), None, "t", "r1"),
        charts.phases_chart({"cramming": 1.0}, "r1"),
        charts.predictions_chart([1], [1.0], None, ("train",), "y", "t", "r1"),
    ]
    assert {figure["layout"]["uirevision"] for figure in figures} == {"r1"}
    json.dumps(figures)


def test_a_module_has_one_colour_on_every_page():
    parts = Path(charts.__file__).parent
    names = ["interpreting", "picking", "understanding", "cramming", "organizing"]
    drawn = re.search(r"const MODULE_COLOURS = (\[.*\])", (parts / "replay_draw.js").read_text("utf-8"))
    assert json.loads(drawn[1])[:5] == [colours.MODULES[name] for name in names]
    styles = (parts / "replay.css").read_text("utf-8")
    for place, name in enumerate(names[1:], 1):
        assert re.search(rf"\.rp-m{place} {{ background: {colours.MODULES[name]}", styles)
    bars = charts.phases_chart({"picking": 1.0, "cramming": 2.0}, "run")["data"][0]
    assert bars["marker"]["color"] == [colours.MODULES["picking"], colours.MODULES["cramming"]]
    assert {colour for *_, colour in charts.TUNING} <= set(colours.MODULES.values())


def test_loss_residual_and_time_can_have_a_log_axis():
    figures = [
        charts.loss_chart({"understanding": ([0.0], [1.0])}, "r"),
        charts.residual_chart({}, ((), ()), None, "t", "r"),
        charts.phases_chart({"cramming": 1.0}, "r"),
    ]
    assert [figure["log"]["axis"] for figure in figures] == ["yaxis", "yaxis", "xaxis"]
    for figure in figures:
        log = figure["log"]
        assert (figure["layout"][log["axis"]].get("type") == "log") is log["on"]


def test_the_goals_line_has_a_length_after_a_single_round():
    start, end = unpacked(charts.residual_chart({}, ([3.0], [4.0]), 4.5, "t", "run")["data"][-1]["x"])
    assert start < 3.0 < end
