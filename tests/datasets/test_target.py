import numpy as np
import pytest

from plm_engine.datasets.target import FORMS, TargetForm
from plm_engine.errors import DataError


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
