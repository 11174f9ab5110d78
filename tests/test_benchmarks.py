"""The contenders of the benchmarks do the same arithmetic; how fast they are is nobody's test."""

import json
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from plm_engine import cli
from plm_engine.benchmarks import growth, growth_runs, run, startup, step
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


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_without_a_part_all_are_measured_in_turn(monkeypatch, capsys, form):
    monkeypatch.setattr(step, "measure", partial(step.measure, ((100, 3),)))
    monkeypatch.setattr(run, "measure", partial(run.measure, goal_percent=30, repeats=1))
    assert cli.main(["bench", "--rows", "200,400", "--rounds", "1", *form]) == 0
    said = capsys.readouterr().out
    modules = {"step": step, "run": run, "growth": growth_runs, "startup": startup}
    if form:
        found = json.loads(said)
        assert list(found["parts"]) == list(modules)
        for part, module in modules.items():
            assert all(set(module.COLUMNS) <= set(line) for line in found["parts"][part]["results"])
        assert [line["rows"] for line in found["parts"]["growth"]["steps"]] == [200, 400]
        return
    lines = said.splitlines()
    for part, module in modules.items():
        heading = lines[lines.index(f"{part}:") + 1]
        assert all(name in heading for name in module.COLUMNS.values())
