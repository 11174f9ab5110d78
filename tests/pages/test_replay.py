"""The replay: events to steps, steps to sentences and bytes, and the page around the player."""

import base64
import json

import numpy as np
import pytest

from pages.parts import replay_spec
from plm_engine import replay
from plm_engine.errors import RunError
from plm_engine.store import Store
from tests.pages.conftest import open_page, page_text
from tests.pages.replay_story import GOAL, write_story
from tests.pages.test_train_page import write_run


@pytest.fixture
def story(home):
    store = Store(home)
    return replay.tape(home, write_story(store))


def residuals(spec: dict, frame: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(spec["frames"][frame]["r"]), dtype=np.int8)


def test_every_module_of_every_round_is_a_step(story):
    kinds = [(step.round, step.kind) for step in story.steps]
    first = [(1, "picking"), (1, "understanding"), (1, "cramming"), (1, "organizing")]
    second = [(2, "picking"), (2, "understanding"), (2, "organizing"), (2, "end")]
    assert kinds == [(0, "interpreting"), *first, *second]


def test_nodes_appear_when_crammed_and_vanish_when_organized(story):
    by_kind = {(step.round, step.kind): step for step in story.steps}
    assert by_kind[1, "cramming"].added == (2, 3, 4)
    assert by_kind[1, "organizing"].removed == ()
    assert by_kind[2, "organizing"].removed == (2, 4)
    assert [step.n_hidden for step in story.steps] == [1, 1, 1, 4, 4, 4, 4, 2, 2]


def test_the_picture_changes_only_where_the_network_is_complete(story):
    assert [step.frame for step in story.steps] == [0, 0, 0, 0, 1, 1, 1, 2, 2]


def test_a_place_in_the_drawing_is_used_again(home):
    store = Store(home)
    reader = replay.TapeReader(store, write_story(store))
    tape = reader.read()
    assert sorted(tape.slots.values()) == [0, 1, 2, 3]
    assert tape.n_slots == 4
    again = replay.StoredEvent(99, 9.0, 9.0, "NodesAdded", {"nodes": [5, 6], "row": 4, "residual": 1.0})
    reader._on_nodes(again)
    assert {tape.slots[5], tape.slots[6]} == {tape.slots[2], tape.slots[4]}
    assert tape.n_slots == 4


def test_each_step_is_said_in_a_plain_sentence(story):
    names = replay_spec.Names(story)
    said = [replay_spec.sentence(step, names, story) for step in story.steps]
    assert "1 of 3 rows are close enough" in said[0]
    assert said[1] == "The pupil picks the easiest row that it does not know yet: week 2015-03-02."
    assert said[3] == "Week 2015-03-02 would not fit, so three nodes were added for it alone."
    assert "every picked row fits" in said[6]
    assert "2 were not needed and vanished, 2 nodes stay" in said[7]
    assert said[8] == "Every training row is within the learning goal. The pupil ends with 2 nodes."


def test_bytes_say_exactly_which_rows_are_within_the_goal(story):
    spec = json.loads(replay_spec.spec(story, "t"))
    assert (spec["goal"], spec["goalByte"]) == (GOAL, 31)
    inside = [np.abs(residuals(spec, frame)) <= 31 for frame in range(3)]
    assert [list(map(bool, one)) for one in inside] == [[True, False, False], [True, True, False], [True, True, True]]
    assert residuals(spec, 0).tolist() == [-8, 78, -93]


def test_a_surface_is_made_only_of_two_drivers_with_known_ranges(story):
    assert "surface" not in json.loads(replay_spec.spec(story, "t"))
    assert all(frame.surface is None for frame in story.frames.values())


def test_a_live_run_is_read_on_and_keeps_what_it_has(home):
    store = Store(home)
    run_id = write_story(store, ended=False)
    tape = replay.tape(home, run_id)
    assert (len(tape.steps), tape.ended) == (6, False)
    assert replay.tape(home, run_id) is tape
    before = tape.version
    replay.tape(home, run_id)
    assert tape.version == before
    json.loads(replay_spec.spec(tape, "t"))


def test_a_run_without_round_files_is_still_told(home):
    store = Store(home)
    tape = replay.tape(home, write_run(store))
    assert tape.frames[2].output == {}
    json.loads(replay_spec.spec(tape, "t"))


def test_many_rows_are_thinned_out_but_never_the_picked_ones():
    n = 4_000
    tape = replay.Tape(rows=np.arange(1, n + 1), actual=np.zeros(n), part=("train",) * n, goal=1.0, n_train=n)
    tape.frames[0] = replay.Frame(np.zeros(n), frozenset())
    tape.steps = [replay.Step("picking", 1, 0.0, rows=(1_234, 3_999))]
    spec = json.loads(replay_spec.spec(tape, "t"))
    assert len(spec["labels"]) <= replay_spec.MOST_ROWS + 2
    assert {"Row 1,234", "Row 3,999"} <= set(spec["labels"])
    assert len(spec["steps"][0]["p"]) == 2


def test_the_page_shows_the_player_and_the_words(app, home):
    run_id = write_story(Store(home))
    open_page(app, "replay", run=run_id)
    said = page_text(app)
    assert app.title[0].value == "How it learns"
    assert "three nodes are added" in said
    assert not app.error


@pytest.mark.parametrize("run", ["nosuch", "../../etc", "0" * 12])
def test_a_link_to_no_run_is_said_in_words(app, run):
    open_page(app, "replay", run=run)
    assert len(app.error) == 1
    assert "nothing to replay" in page_text(app)


def test_without_a_run_in_the_address_one_can_be_picked(app, home):
    run_id = write_story(Store(home))
    open_page(app, "replay")
    assert app.selectbox[0].value == run_id
    next(b for b in app.button if b.label == "Replay it").click().run()
    assert app.query_params["run"] == run_id
    with pytest.raises(RunError):
        replay.tape(home, "f" * 12)
