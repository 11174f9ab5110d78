"""Threads that share the chunks of a step change nothing but the time."""

import pytest
import torch

from plm_engine.learning.descent import StepSizes
from plm_engine.learning.regularizing import Regularizing
from plm_engine.learning.understanding import Understanding
from plm_engine.parallel import crew
from plm_engine.parallel.crew import Crew
from plm_engine.parallel.single import SingleStrategy
from tests.helpers import random_network, random_rows


@pytest.mark.parametrize("size", [1, 2, 3])
def test_shares_are_contiguous_and_small_work_stays_together(size):
    mine = Crew(size)
    things = list(range(7))
    shares = mine.shares(things, crew.CROSS_OVER)
    assert [thing for share in shares for thing in share] == things
    assert len(shares) == size
    assert mine.shares(things, crew.CROSS_OVER - 1) == [things]
    done = []
    mine.each(shares, done.append)
    assert sorted(done) == sorted(shares)
    mine.close()


def test_an_error_on_another_thread_reaches_the_caller():
    mine = Crew(2)
    with pytest.raises(ZeroDivisionError):
        mine.each([[1], [0]], lambda share: 1 / share[0])
    mine.close()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize(("n", "p"), [(64, 3), (4501, 20), (30_001, 40)])
def test_the_bits_do_not_depend_on_the_number_of_threads(n, p, dtype, monkeypatch):
    monkeypatch.setattr(crew, "CROSS_OVER", 0)
    x, y = random_rows(n, 5, dtype=dtype)
    network = random_network(5, p, dtype=dtype)
    ends = []
    for threads in (1, 2, 3):
        strategy = SingleStrategy(threads=threads)
        rows = strategy.place(x, y)
        understood, smaller = Understanding(1e-9, 8, StepSizes()), Regularizing(1e3, 8, StepSizes())
        tuned = strategy.tune(network, rows, understood)
        ends.append((tuned.flat(), strategy.tune(tuned, rows, smaller, 0.01).flat(), understood.at, smaller.at))
        strategy.close()
    for other in ends[1:]:
        assert torch.equal(ends[0][0], other[0])
        assert torch.equal(ends[0][1], other[1])
        assert ends[0][2:] == other[2:]
