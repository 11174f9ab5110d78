"""The contenders of the benchmarks do the same arithmetic; how fast they are is nobody's test."""

import json
import subprocess
import sys

import numpy as np
import pytest

from plm_engine.benchmarks import growth, startup, step
from plm_engine.benchmarks.turns import ratio, spread, table, take_turns
from plm_engine.config import Config
from plm_engine.parallel.timing import synthetic


@pytest.mark.parametrize(("n", "p"), [(60, 3), (376, 20)])
def test_ours_eager_and_batch_take_the_same_steps(n, p):
    x, y, network = synthetic(n, p, Config())
    ours, eager, batch = step.Ours(x, y, network), step.Eager(x, y, network), step.Batch(x, y, network)
    for _ in range(20):
        ours(), eager(), batch()
    # ours takes the gradient of a step at the next one, so all three have moved twenty times
    expected = eager.network.flat().numpy()
    np.testing.assert_allclose(ours.tuning.network().flat().numpy(), expected, atol=1e-10)
    np.testing.assert_allclose(batch.tuning.flat(5).numpy(), expected, atol=1e-10)
    assert np.abs(expected - network.flat().numpy()).max() > 1e-6


def test_every_contender_has_as_many_blocks_and_ratios_are_paired():
    spent = take_turns({"a": lambda: None, "b": lambda: sum(range(200))}, blocks=3)
    assert {name: len(blocks) for name, blocks in spent.items()} == {"a": 3, "b": 3}
    assert ratio({"a": [2.0, 30.0, 4.0], "b": [1.0, 10.0, 4.0]}, "a", "b") == 2.0
    assert spread([1e-6, 3e-6, 2e-6]) == pytest.approx({"median": 2, "min": 1, "max": 3})


def test_lines_hold_what_the_table_shows():
    for module, lines in ((step, step.measure(((100, 3),))), (growth, growth.measure((100, 200)))):
        assert all(set(module.COLUMNS) <= set(line) for line in lines)
        assert len(table(lines, module.COLUMNS)) == len(lines) + 1


@pytest.mark.slow
def test_the_command_prints_one_object():
    done = subprocess.run(
        [sys.executable, "-m", "plm_engine", "bench", "startup", "--json"], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert [line["command"] for line in found["results"]] == list(startup.COMMANDS)
    assert found["machine"]["cores"] >= 1
