"""A run's log in lines: every kind of event that has one, in order, with its second."""

from plm_engine import run_log
from plm_engine.events import EVENT_TYPES
from plm_engine.store import Store
from tests.pages.replay_story import write_story


def test_a_run_is_told_in_lines_from_its_start_to_its_end(tmp_path):
    store = Store(tmp_path)
    told = run_log.lines(store, write_story(store))
    assert "data prepared: 4 rows, target y" in told[0]
    assert "learning begins: 3 training rows, 1 test row, 2 drivers, goal 2, mode single" in told[1]
    assert any("round 1    crammed row 2: 3 hidden nodes added" in line for line in told)
    assert any("round 2    node 4 dropped, 2 hidden nodes" in line for line in told)
    assert "round 2    ended: 3 of 3 rows learned, 2 hidden nodes, largest residual 1" in told[-2]
    assert told[-1].endswith("ended: Every training row is within the learning goal.")
    seconds = [float(line.split(" s ")[0]) for line in told]
    assert seconds == sorted(seconds)


def test_the_newest_lines_are_those_at_the_end(tmp_path):
    store = Store(tmp_path)
    run_id = write_story(store)
    newest = store.events(run_id)[-1].seq
    assert run_log.lines(store, run_id, 3, newest) == run_log.lines(store, run_id)[-3:]


def test_every_line_is_of_an_event_that_exists():
    assert set(run_log._LINES) <= set(EVENT_TYPES)
