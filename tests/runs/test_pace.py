"""The remaining time against runs that were recorded (times and learned rows at the ends of their rounds)."""

import json
from pathlib import Path

import numpy as np
import pytest

from plm_engine.pace import LEAST_ROUNDS, remaining

RECORDED = json.loads((Path(__file__).parent / "paces.json").read_text("utf-8"))


def judged(run: dict) -> list[tuple[float, bool, float]]:
    """Return share done, whether the range held the truth, and middle over truth, at every round's end but the last."""
    ends, learned, found = run["at_s"], run["n_learned"], []
    for n in range(LEAST_ROUNDS, len(ends)):
        said = remaining(ends[:n], learned[:n], run["n_train"], ends[n - 1], run["pick"])
        if said is not None:
            truth = ends[-1] - ends[n - 1]
            done = (ends[n - 1] - ends[0]) / (ends[-1] - ends[0])
            found.append((done, said.low_s <= truth <= said.high_s, said.middle_s / truth))
    return found


def test_the_range_holds_the_truth_in_most_moments_of_recorded_runs():
    shares = [np.mean([held for _, held, _ in found]) for run in RECORDED if (found := judged(run))]
    assert len(shares) >= 15
    assert np.mean(shares) > 0.85
    late = [held for run in RECORDED for done, held, _ in judged(run) if done > 0.5]
    assert np.mean(late) > 0.85


def test_the_middle_is_of_the_right_size():
    ratios = [ratio for run in RECORDED for _, _, ratio in judged(run)]
    assert 0.5 < np.median(ratios) < 1.6


def test_a_steady_run_is_told_narrowly_near_its_end():
    ends, learned = [float(k) for k in range(1, 20)], [5 * k for k in range(1, 20)]
    said = remaining(ends, learned, 100, ends[-1], pick=5)
    assert said.low_s < 1.0 < said.high_s < 2.5


def test_nothing_is_said_at_the_beginning_or_without_progress():
    assert remaining([], [], 100, 0.0) is None
    assert remaining([1.0, 2.0, 3.0], [5, 10, 15], 100, 3.0) is None
    assert remaining([1.0, 2.0, 3.0, 4.0, 5.0], [5, 5, 5, 5, 5], 100, 5.0) is None
    assert remaining([1.0, 2.0, 3.0, 4.0, 5.0], [96, 97, 98, 99, 100], 100, 5.0) is None


def test_the_range_does_not_flicker_and_shrinks_as_time_passes():
    run = max(RECORDED, key=lambda one: len(one["at_s"]))
    ends, learned = run["at_s"][:20], run["n_learned"][:20]
    first = remaining(ends, learned, run["n_train"], ends[-1], run["pick"])
    assert first == remaining(ends, learned, run["n_train"], ends[-1], run["pick"])
    later = remaining(ends, learned, run["n_train"], ends[-1] + 0.1, run["pick"])
    assert later.high_s == pytest.approx(first.high_s - 0.1)


def test_a_time_budget_ends_the_range():
    run = max(RECORDED, key=lambda one: len(one["at_s"]))
    ends, learned = run["at_s"][:20], run["n_learned"][:20]
    said = remaining(ends, learned, run["n_train"], ends[-1], run["pick"], budget_s=ends[-1] + 0.5)
    assert said.budget
    assert said.high_s == pytest.approx(0.5)
