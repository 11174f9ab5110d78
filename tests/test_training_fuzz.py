"""Training on small random tables, any goal, any mode: it ends, with the goal met or a reason given.

A longer run: ``PLM_LAB_FUZZ=1000 python -m pytest tests/test_training_fuzz.py``.
"""

from __future__ import annotations

import os
import time

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from plm_engine import Config, train
from plm_engine.errors import UserError
from plm_engine.learning.outcome import EndReason

EXAMPLES = int(os.environ.get("PLM_LAB_FUZZ", "40"))
LONGEST_S = 30.0

#: few different values, so that rows are equal, columns constant and targets contradict each other often
FEW = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 3.0, 1e-9, 1 + 1e-15])
ANY = st.floats(-1e200, 1e200, allow_nan=False)
SCALES = st.sampled_from([1.0, 1e-9, 1e13, 1e200, 1e-200])


@st.composite
def tables(draw) -> tuple[np.ndarray, np.ndarray]:
    n, m = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["few", "any", "normal"]))
    if kind == "normal":
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        x, y = rng.normal(size=(n, m)), rng.normal(size=n)
    else:
        values = FEW if kind == "few" else ANY
        x = np.array(draw(st.lists(values, min_size=n * m, max_size=n * m))).reshape(n, m)
        y = np.array(draw(st.lists(values, min_size=n, max_size=n)))
    if kind != "any":
        x, y = x * draw(SCALES), y * draw(SCALES)
    if draw(st.booleans()):  # a collinear, an equal or a nearly equal row
        x[-1] = x[0] * draw(st.sampled_from([1.0, 1 + 1e-14, 1 + 1e-6]))
    return x, y


OPTIONS = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(["single", "batched"]),
        "dtype": st.sampled_from(["float64", "float32"]),
        "cramming": st.sampled_from(["offset", "symmetric"]),
        "interpreting": st.sampled_from(["one-sided", "two-sided"]),
        "picking": st.sampled_from(["lts", "random"]),
        "pick": st.integers(1, 6),
        "epochs": st.integers(1, 12),
        "regularizing_epochs": st.integers(0, 12),
        "regularizing_lambda": st.sampled_from([0.0, 1e-3, 1e6]),
        "first_step": st.sampled_from([1e-3, 1.0, 10.0]),
        "step_growth": st.sampled_from([1.0, 1.2, 10.0]),
        "cramming_draws": st.sampled_from([1, 20]),
        "cramming_ascent": st.sampled_from([0, 20]),
        "seed": st.integers(0, 9),
    }
)
#: share of the target's range
GOALS = st.sampled_from([1e-12, 1e-6, 1e-3, 0.05, 0.3, 1.0, 1e6])


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), GOALS, OPTIONS)
@example((np.array([[0.0], [1.0]]), np.array([0.0, 1e13])), 1e-3, {"dtype": "float32"})
def test_training_ends_with_the_goal_met_or_a_reason_in_words(table, share, options):
    x, y = table
    spread = y.max() / 2 - y.min() / 2
    goal = float(share * spread) or 0.5
    began = time.monotonic()
    result, refusal = None, "."
    try:
        result = train(x, y, Config(goal=goal, **options))
    except UserError as error:
        refusal = str(error)
    assert time.monotonic() - began < LONGEST_S
    assert refusal.endswith(".")
    assert "\n" not in refusal
    if result is None:
        return
    assert isinstance(result.reason, EndReason)
    assert result.sentence.endswith(".")
    for record in result.history:
        assert np.isfinite([record.largest_residual, record.train_mae]).all()
    learned = [len(record.learned) for record in result.history]
    if result.reason is not EndReason.ROUNDING:
        assert learned == sorted(set(learned))  # every round learned at least one row more
    predicted = result.predict(x)
    assert np.isfinite(predicted).all()
    if result.reason is EndReason.GOAL_MET:
        precision = np.finfo(options.get("dtype", "float64")).eps
        rounding = 1e3 * precision * (spread + np.finfo("float64").eps / precision * np.abs(y).max())
        assert np.abs(predicted - y).max() <= goal * (1 + 1e-6) + rounding
