"""The command line that repeats a run gives back exactly its settings."""

import shlex

import pytest

from plm_engine.cli import parser
from plm_engine.cli_options import config_from
from plm_engine.command_line import command_of
from plm_engine.config import PRESETS, Config


def read_back(command: str) -> Config:
    words = shlex.split(command)
    assert words[:4] == ["python", "-m", "plm_engine", "train"]
    return config_from(parser().parse_args(words[3:]))


@pytest.mark.parametrize(
    "config",
    [
        Config(),
        Config(data="two-drivers", target="harvest_t_per_ha", goal=0.1 + 0.2, seed=2**63 - 1),
        Config(data="/tmp/a b/'quoted' $HOME.csv", drivers=("x1", "x 2", "-x3"), missing_codes=("-999", "-1")),
        Config(data="d", drivers=("one, two", "three")),
        Config(data="d", latest_price="", test_rows=0, horizon=4),
        Config(data="d", reorganizing=False, mode="row_parallel", workers=3, scope="all"),
        Config(data="d", goal_auto=True, predict="log-change"),
        *(Config.preset(name, data="copper-sample", seed=3) for name in PRESETS),
    ],
    ids=lambda config: command_of(config)[27:60] or "defaults",
)
def test_a_command_gives_back_the_settings(config):
    assert read_back(command_of(config)) == config


def test_only_what_differs_from_the_defaults_is_written():
    assert command_of(Config(data="d", seed=1)) == "python -m plm_engine train --data=d --seed=1"
