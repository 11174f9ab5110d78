"""Real experiments of a minute or less on the bundled sample, in the background as the page starts them."""

from __future__ import annotations

import os
import signal

import pytest

from plm_engine.config import Config
from plm_engine.experiment import results
from plm_engine.experiment.plan import SWEEP, Plan, parse_contenders
from plm_engine.experiment.start import continue_, estimate, is_experiment, start
from plm_engine.experiment.sweeps import sweep_table
from plm_engine.experiment.trials import read_trials
from plm_engine.store import Status
from tests.runs.conftest import Scene, scene  # noqa: F401 - a fixture

QUICK = Config(data="copper-sample", goal_percent=15.0, pick=10, epochs=20, max_rounds=1, seed=3)
TWO = Plan(parse_contenders(["single", "candidate_parallel:2"]), repeats=2)


def trials(scene: Scene, run_id: str) -> list[dict]:  # noqa: F811
    return read_trials(scene.store.run_dir(run_id))


@pytest.mark.slow
def test_an_experiment_measures_every_mode_as_often_as_asked(scene):  # noqa: F811
    run_id = start(QUICK, TWO, home=scene.store.home)
    info = scene.wait(run_id, seconds=120)
    assert info.status is Status.FINISHED, info.sentence
    assert is_experiment(info.labels)
    found = results.load(scene.store.run_dir(run_id))
    assert sorted(zip(found.trials["contender"], found.trials["repeat"], strict=True)) == [
        ("candidate_parallel:2", 1), ("candidate_parallel:2", 2), ("single", 1), ("single", 2),
    ]  # fmt: skip
    assert "ended with the very network of Single" in found.mae_sentence
    assert found.conclusion.startswith("On this machine")
    assert (found.summary["peak_memory_mib"] > 50).all()
    assert found.summary.loc["candidate_parallel:2", "communicating_s"] > 0
    scene.nothing_is_left()


@pytest.mark.slow
def test_a_cancelled_experiment_keeps_its_trials_and_is_continued(scene):  # noqa: F811
    plan = Plan(parse_contenders(["single", "batched"]), repeats=6)
    run_id = start(QUICK, plan, home=scene.store.home)
    scene.wait_for(lambda: len(trials(scene, run_id)) >= 2, 60)
    scene.store.request_cancel(run_id)
    info = scene.wait(run_id, seconds=6)
    assert info.status is Status.CANCELLED
    scene.nothing_is_left()
    kept = trials(scene, run_id)
    assert 2 <= len(kept) < 12
    again = continue_(run_id, home=scene.store.home)
    assert scene.wait(again, seconds=90).status is Status.FINISHED
    assert trials(scene, again)[: len(kept)] == kept
    assert len(trials(scene, again)) == 12


@pytest.mark.slow
def test_a_mode_whose_processes_die_is_named_and_the_others_go_on(scene):  # noqa: F811
    plan = Plan(parse_contenders(["single", "candidate_parallel:2"]), repeats=20)
    run_id = start(QUICK, plan, home=scene.store.home)
    alive = scene.store.run_dir(run_id) / "seats" / "candidate_parallel-2" / "ranks" / "alive-1"
    scene.wait_for(lambda: len(trials(scene, run_id)) >= 2, 60)
    os.kill(int(alive.read_text().split()[0]), signal.SIGKILL)
    scene.wait_for(lambda: scene.store.status(run_id).summary.get("failed"), 20)
    said = scene.store.status(run_id).summary["failed"]["candidate_parallel:2"]
    assert "Rank 1 of 2 was ended by signal SIGKILL" in said
    before = len(trials(scene, run_id))
    scene.wait_for(lambda: len(trials(scene, run_id)) > before + 1, 30)
    scene.store.request_cancel(run_id)
    scene.wait(run_id, seconds=6)
    scene.nothing_is_left()


@pytest.mark.slow
def test_a_sweep_measures_steps_over_sizes(scene):  # noqa: F811
    modes = parse_contenders(["single", "batched", "row_parallel:2", "model_parallel:2"])
    plan = Plan(modes, SWEEP, rows=(471, 3000), hidden=(4,), minutes=3.0)  # else sizes are left out
    run_id = start(QUICK, plan, home=scene.store.home)
    info = scene.wait(run_id, seconds=120)
    assert info.status is Status.FINISHED, info.sentence
    table = sweep_table(trials(scene, run_id))
    assert len(table) == 8
    assert (table["step_ms"] > 0).all()


@pytest.mark.slow
def test_the_duration_is_estimated_from_a_short_training():
    found = estimate(QUICK, TWO)
    assert 5 < found.seconds < 600
    assert "Single" in found.sentence


@pytest.mark.slow
def test_data_that_cannot_be_learned_from_end_it_with_the_sentence(scene):  # noqa: F811
    table = scene.data.with_name("contradiction.csv")
    table.write_text("a,y\n" + "".join(f"{k % 20},{k % 20 + 50 * (k >= 40)}\n" for k in range(60)))
    config = Config(data=str(table), target="y", goal=1.0, test_rows=0)
    info = scene.wait(start(config, TWO, home=scene.store.home), seconds=60)
    assert info.status is Status.FAILED
    assert info.user_error
    assert "goal" in info.sentence
    scene.nothing_is_left()
