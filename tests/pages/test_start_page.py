"""The Start page: one press shows the pupil at work; the machine and the newest runs are named."""

import pytest

from pages.parts import client
from plm_engine.datasets import samples
from plm_engine.store import Store
from tests.pages.conftest import page_text
from tests.pages.test_train_page import Recorder, button, write_run


@pytest.fixture
def recorder(app) -> Recorder:
    recorder = Recorder()
    client.use(recorder)
    return recorder


def test_the_start_page_says_what_this_is_and_what_the_machine_has(app, home):
    write_run(Store(home))
    app.run()
    assert not app.exception
    said = page_text(app)
    assert "Pupil Learning Mechanism" in said
    assert "Cores:" in said
    assert "Finished" in said
    primary = [b.label for b in app.button if b.proto.type == "primary"]
    assert primary == ["Watch it learn"]


@pytest.mark.parametrize(
    ("label", "data"), [("Watch it learn", "copper-sample"), ("Watch it draw a surface", "two-drivers")]
)
def test_one_press_starts_a_quick_look_and_shows_it_live(app, recorder, label, data):
    app.run()
    button(app, label).click().run()
    assert not app.exception
    [(run_id, config)] = recorder.started
    assert (config.data, config.goal_percent) == (data, 12.0)
    assert config.target is not None
    assert app.title[0].value == "How it learns"
    assert app.query_params["run"] == run_id


def test_the_teaching_table_is_what_its_script_makes():
    from data import make_two_drivers

    lines = make_two_drivers.OUTPUT.read_text(encoding="utf-8").splitlines()[1:]
    assert [tuple(map(float, line.split(","))) for line in lines] == make_two_drivers.make()
    guide = samples.column_guide("two-drivers")
    assert set(guide) == {"rain_mm", "warmth_c", "harvest_t_per_ha"}
