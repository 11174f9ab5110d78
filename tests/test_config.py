import dataclasses

import pytest

from plm_engine.cli_options import GROUP_TITLES
from plm_engine.config import EXCLUSIVE, PRESET_TEXT, PRESETS, Config, options
from plm_engine.errors import ConfigError


def test_every_option_describes_itself():
    for name, described in options().items():
        assert described.help.endswith("."), name
        assert described.group in GROUP_TITLES, name
        if described.kind in (int, float):
            assert described.low is not None, name


def test_defaults_are_those_of_the_algorithm():
    config = Config()
    assert (config.pick, config.epochs, config.regularizing_epochs, config.cramming) == (1, 50, 50, "offset")
    assert (config.first_step, config.step_floor, config.step_growth, config.step_shrink) == (1e-3, 1e-6, 1.2, 0.7)
    assert (config.adam_beta1, config.adam_beta2, config.adam_epsilon) == (0.9, 0.999, 1e-8)
    assert (config.regularizing_lambda, config.dtype, config.split) == (1e-3, "float64", "chronological")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"goal": -1}, ["--goal", "-1", "at least 0"]),
        ({"goal": float("nan")}, ["--goal", "nan"]),
        ({"epochs": 0}, ["--epochs", "0", "from 1"]),
        ({"epochs": 2.5}, ["--epochs", "2.5"]),
        ({"epochs": True}, ["--epochs", "True"]),
        ({"cramming": "triangle"}, ["--cramming", "triangle", "offset, symmetric"]),
        ({"mode": "warp"}, ["--mode", "warp", "single"]),
        ({"drivers": "x1"}, ["--drivers", "x1", "list of column names"]),
        ({"goal": 1.0, "goal_percent": 5.0}, ["--goal", "--goal-percent", "exclude each other"]),
        ({"test_rows": 3, "test_share": 20.0}, ["--test-rows", "--test-share"]),
        ({"goal": 0.0}, ["goal is 0"]),
        ({"first_step": 1e-7}, ["--step-floor", "--first-step"]),
        ({"mode": "single", "workers": 2}, ["--workers", "2"]),
        ({"split": None}, ["--split", "needs a value"]),
    ],
)
def test_a_value_that_is_not_allowed_is_one_sentence(given, words):
    with pytest.raises(ConfigError) as caught:
        Config(**given)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert all(word in sentence for word in words), sentence


def test_whole_numbers_may_come_as_floats_and_numbers_as_ints():
    config = Config(epochs=30.0, goal=4000)
    assert (config.epochs, config.goal) == (30, 4000.0)
    assert isinstance(config.epochs, int)


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_build_and_a_given_option_wins(name):
    assert PRESET_TEXT[name]
    assert Config.preset(name).goal_percent == PRESETS[name]["goal_percent"]
    config = Config.preset(name, goal=4000, seed=7)
    assert (config.goal, config.goal_percent, config.seed) == (4000, None, 7)


def test_unknown_presets_and_options_are_named():
    with pytest.raises(ConfigError, match="'slow'"):
        Config.preset("slow")
    with pytest.raises(ConfigError, match="'gaol'"):
        Config.from_mapping({"gaol": 4})


def test_plain_values_and_toml_lead_back_to_the_same_config(tmp_path):
    config = Config.preset("quick", drivers=("a b", "c"), seed=3)
    assert Config.from_mapping(config.to_mapping()) == config
    path = tmp_path / "run.toml"
    path.write_text('preset = "quick"\nseed = 3\ndrivers = ["a b", "c"]\n')
    assert Config.from_toml(path) == config
    path.write_text("seed = ")
    with pytest.raises(ConfigError, match=r"run\.toml"):
        Config.from_toml(path)


def test_changed_holds_only_what_differs():
    assert Config(seed=4, goal=2.0).changed() == {"seed": 4, "goal": 2.0}


def test_goal_in_the_unit_of_the_target():
    assert Config(goal=4000).goal_in_units(0, 10) == 4000
    assert Config(goal_percent=5).goal_in_units(100, 300) == 10
    assert Config().goal_in_units(100, 300) == EXCLUSIVE["goal"][2] / 100 * 200
    with pytest.raises(ConfigError, match="range is 0"):
        Config().goal_in_units(5, 5)


def test_it_cannot_be_changed_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().seed = 1
    assert Config().replace(seed=1).seed == 1


@pytest.mark.parametrize("pick", ["5%", " 5 %", 0.05])
def test_rows_to_pick_may_be_a_share(pick):
    config = Config(pick=pick)
    assert (config.pick_share, config.rows_to_pick(200_000), config.rows_to_pick(7)) == (5.0, 10_000, 1)
    assert Config.from_mapping(config.to_mapping()) == config
    assert Config(pick=12).rows_to_pick(200_000) == 12


@pytest.mark.parametrize("pick", ["5", "x%", "200%", 1.5, 0.0, "-1%"])
def test_a_share_that_is_none_is_refused(pick):
    with pytest.raises(ConfigError, match="--pick"):
        Config(pick=pick)
