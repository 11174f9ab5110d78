"""Training on small random tables, any goal, any mode: it ends, with the goal met or a reason given.

The modes with several processes train on two ranks that are started once.  Every mode is compared with ``single``: the
exact ones end with its bytes.

A longer run: ``PLM_LAB_FUZZ=1000 python -m pytest tests/test_training_fuzz.py``.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from plm_engine.learning.outcome import EndReason
from plm_engine.modes import MODES
from tests.rank_pool import RankPool, answer

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


RANKED = [name for name, mode in MODES.items() if mode.ranked]
OPTIONS = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(["single", "batched", *RANKED]),
        "scope": st.sampled_from(["organizing", "all"]),
        "dtype": st.sampled_from(["float64", "float32"]),
        "cramming": st.sampled_from(["offset", "symmetric"]),
        "interpreting": st.sampled_from(["one-sided", "two-sided"]),
        "picking": st.sampled_from(["lts", "random"]),
        "pick": st.one_of(st.integers(1, 6), st.just("40%")),
        "cramming_shared": st.sampled_from([0, 0, 2]),
        "cramming_search": st.sampled_from(["own", "common"]),
        "organize_candidates": st.sampled_from([None, None, 1, 4]),
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


@pytest.fixture(scope="module")
def pool():
    """Two ranks, started when first asked for, and anew after a failure (hypothesis then tries smaller tables)."""
    pools: list[RankPool] = []

    def train_on_two(*task):
        if not pools:
            pools.append(RankPool())
        try:
            return pools[0].answer(*task)
        except BaseException:
            pools.pop().close()
            raise

    yield train_on_two
    for each in pools:
        each.close()


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(table=tables(), share=GOALS, options=OPTIONS)
@example(table=(np.array([[0.0], [1.0]]), np.array([0.0, 1e13])), share=1e-3, options={"dtype": "float32"})
@example(  # two rows nearer to each other than float32 tells: what is learned of the rounded ones is not of the rows
    table=(np.array([[0.12573022], [-0.13210486], [0.12573035]]), np.array([0.10490012, -0.53566937, 0.36159505])),
    share=1e-6,
    options={"dtype": "float32", "epochs": 1, "cramming_draws": 1, "cramming_ascent": 0},
)
def test_training_ends_with_the_goal_met_or_a_reason_in_words(pool, table, share, options):
    x, y = table
    goal = float(share * (y.max() / 2 - y.min() / 2)) or 0.5
    began = time.monotonic()
    alone = answer(x, y, goal, {**options, "mode": "single"})
    check(alone, y, goal, options)
    mode = options.get("mode", "single")
    if mode != "single":
        told = pool(x, y, goal, options) if mode in RANKED else answer(x, y, goal, options)
        check(told, y, goal, options)
        if MODES[mode].exact or "refusal" in alone:
            assert told == alone
    assert time.monotonic() - began < LONGEST_S


def check(told: dict, y: np.ndarray, goal: float, options: dict) -> None:
    if "refusal" in told:
        assert told["refusal"].endswith(".")
        assert "\n" not in told["refusal"]
        return
    reason = EndReason(told["reason"])
    assert told["sentence"].endswith(".")
    assert np.isfinite(told["measured"]).all()
    learned = told["learned"]
    if reason is not EndReason.ROUNDING:
        assert learned == sorted(set(learned))  # every round learned at least one row more
    predicted = np.array(told["predicted"])
    assert np.isfinite(predicted).all()
    if reason is EndReason.GOAL_MET:
        precision = np.finfo(options.get("dtype", "float64")).eps
        spread = y.max() / 2 - y.min() / 2
        rounding = 1e3 * precision * (spread + np.finfo("float64").eps / precision * np.abs(y).max())
        assert np.abs(predicted - y).max() <= goal * (1 + 1e-6) + rounding
