import numpy as np
import pytest

from plm_engine.datasets.conflicts import raise_if_contradictory
from plm_engine.datasets.target import FORMS, TargetForm
from plm_engine.errors import ContradictionError, DataError


@pytest.mark.parametrize("kind", FORMS)
def test_there_and_back_is_the_level(kind):
    y, latest = np.array([10.0, 12.5, 9.0]), np.array([9.0, 13.0, 9.0])
    form = TargetForm(kind)
    assert form.level(form.learned(y, latest), latest) == pytest.approx(y)


def test_cases_worked_by_hand():
    y, latest = [10.0, 20.0], [8.0, 40.0]
    assert TargetForm("change").learned(y, latest).tolist() == [2, -20]
    assert TargetForm("log-change").learned(y, latest) == pytest.approx(np.log([1.25, 0.5]))
    assert TargetForm("log-change").goal(6.0, latest) == 6 / 24
    assert TargetForm("change").goal(6.0, latest) == 6


@pytest.mark.parametrize(
    ("kind", "y", "latest", "words"),
    [
        ("change", [1.0], None, "--latest-price"),
        ("change", [1.0], [np.nan], "not known for every one"),
        ("log-change", [0.0], [1.0], "target is 0"),
        ("log-change", [1.0], [-2.0], "latest price is -2"),
    ],
)
def test_what_cannot_be_learned_is_named(kind, y, latest, words):
    with pytest.raises(DataError, match=words):
        TargetForm(kind).learned(y, latest)


def test_a_contradiction_of_log_changes_is_said_in_the_target_s_unit_too():
    """Rows 1 and 3 have equal drivers, latest price 100 and targets 100 and 150: log changes 0 and log 1.5."""
    x, latest = np.array([[1.0], [2.0], [1.0]]), np.array([100.0, 100.0, 100.0])
    with pytest.raises(ContradictionError) as told:
        raise_if_contradictory(
            x, np.array([100.0, 90.0, 150.0]), np.arange(1, 4), 5.0, TargetForm("log-change"), latest
        )
    least = np.log(1.5) / 2
    assert told.value.smallest_goal == pytest.approx(100 * least)
    assert "The learning goal 5 cannot be met" in str(told.value)
    assert f"log changes up to {2 * least:g} apart, which is {200 * least:g} in the target's unit" in str(told.value)
    assert f"The smallest goal that can be met is {100 * least:g}:" in str(told.value)
    form, y = TargetForm("log-change"), np.array([100.0, 90.0, 150.0])
    raise_if_contradictory(x, y, np.arange(1, 4), told.value.smallest_goal * 1.0001, form, latest)
