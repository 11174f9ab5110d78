"""What the strategies with several ranks share, in a group of one rank: the same collectives, no other process."""

import pytest
import torch.distributed as dist

from plm_engine.learning.descent import StepSizes
from plm_engine.learning.outcome import Outcome
from plm_engine.learning.understanding import Understanding
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.model_parallel import ModelParallelStrategy
from plm_engine.parallel.ranked import ASK_EVERY
from plm_engine.parallel.ranks import Ranks
from plm_engine.parallel.row_parallel import RowParallelStrategy
from tests.helpers import random_network, random_rows


@pytest.fixture
def ranks(monkeypatch):
    monkeypatch.setenv("RANK", "0")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield Ranks()
    dist.destroy_process_group()


@pytest.mark.parametrize("kind", [RowParallelStrategy, ModelParallelStrategy])
@pytest.mark.parametrize("asked", range(ASK_EVERY))
def test_a_long_tuning_is_interrupted_wherever_the_exchanges_stand_when_it_begins(ranks, kind, asked):
    strategy = kind(AdamConstants(), ranks)
    for _ in range(asked):
        strategy.agree(False)
    x, y = random_rows(200, 5)
    tried = []

    def ends_at_last():
        tried.append(None)
        assert len(tried) < 10, "asked again and again, and never heard"
        return True

    rule = Understanding(1e-12, 100_000, StepSizes(), stop=ends_at_last)
    strategy.tune(random_network(5, 6), strategy.place(x, y), rule)
    assert rule.outcome is Outcome.STOPPED
    assert rule.kept <= 2 * ASK_EVERY
