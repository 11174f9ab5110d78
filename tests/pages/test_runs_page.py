"""The Runs page: all runs, newest first, searched, named, cloned, compared and deleted."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.store import Status, Store, new_run_id
from tests.pages.conftest import messages, open_page, page_text
from tests.pages.test_train_page import button, write_run


def pick(app, *runs: str) -> None:
    app.multiselect(key="runs:picked").set_value(list(runs)).run()
    assert not app.exception, [e.value for e in app.exception]


def test_without_runs_the_page_says_what_to_do(app):
    open_page(app, "runs")
    assert "No run yet" in page_text(app)
    button(app, "Start the first run").click().run()
    assert app.title[0].value == "Train"


def test_all_runs_are_listed_newest_first_with_missing_numbers_left_empty(app, home):
    store = Store(home)
    first = write_run(store)
    second = write_run(store, status=Status.FAILED, rounds=0)
    open_page(app, "runs")
    table = app.dataframe[0].value
    assert list(table["Run"]) == [second, first]
    assert list(table["Status"]) == ["Failed", "Finished"]
    assert table["Test MAE"].isna().tolist() == [True, False]
    assert table["Training MAE"].iloc[1] == 0.5
    assert table["Target"].iloc[1] == "y"


def test_runs_that_cannot_be_read_are_counted_and_named_without_the_servers_folder(app, home):
    store = Store(home)
    kept, damaged, gone = (write_run(store) for _ in range(3))
    (store.run_dir(damaged) / "run.db").write_bytes(b"This is no database." * 400)
    (store.run_dir(gone) / "run.db").unlink()
    open_page(app, "runs")
    assert list(app.dataframe[0].value["Run"]) == [kept]
    assert "2 runs left out" in page_text(app)
    assert damaged in page_text(app)
    assert gone in page_text(app)
    assert str(home) not in page_text(app)


@pytest.mark.parametrize("page", ["train", "replay", "compare", "speedup"])
def test_a_link_to_no_run_says_so_without_the_servers_folder(app, home, page):
    open_page(app, page, run="0123456789ab")
    assert "There is no run 0123456789ab: it may have been deleted." in messages(app)
    assert str(home) not in messages(app)


def test_open_leads_to_the_chosen_run(app, home):
    store = Store(home)
    older = write_run(store)
    write_run(store)
    open_page(app, "runs")
    pick(app, older)
    button(app, "Open").click().run()
    assert app.query_params["run"] == older
    assert "Hidden nodes" in [metric.label for metric in app.metric]


def test_deleting_takes_a_second_press(app, home):
    store = Store(home)
    kept, gone = write_run(store), write_run(store)
    open_page(app, "runs")
    assert app.multiselect(key="runs:picked").value == [gone]
    button(app, "Yes, delete it").click().run()
    assert [run.id for run in store.runs()] == [kept]
    assert not app.exception


def test_several_runs_are_deleted_at_once(app, home):
    store = Store(home)
    ids = [write_run(store) for _ in range(3)]
    open_page(app, "runs")
    pick(app, *ids[:2])
    button(app, "Yes, delete 2 runs").click().run()
    assert [run.id for run in store.runs()] == ids[2:]


def test_a_run_that_still_goes_cannot_be_deleted(app, home):
    store = Store(home)
    run_id = write_run(store, status=None)
    with store.hold(run_id):
        open_page(app, "runs")
        pick(app, run_id)
        assert "Yes, delete it" not in [b.label for b in app.button]


def test_name_tags_and_note_are_kept_and_searched_for(app, home):
    store = Store(home)
    other, run_id = write_run(store), write_run(store)
    open_page(app, "runs")
    app.text_input(key=f"label:name:{run_id}").set_value("Best <b>so far</b>")
    app.text_input(key=f"label:tags:{run_id}").set_value("thesis, copper")
    app.text_area(key=f"label:note:{run_id}").set_value("Wider goal.")
    button(app, "Keep").click().run()
    labels = store.status(run_id).labels
    assert (labels["name"], labels["tags"], labels["note"]) == ("Best <b>so far</b>", "thesis, copper", "Wider goal.")
    app.text_input(key="runs:search").set_value("THESIS wider").run()
    assert list(app.dataframe[0].value["Run"]) == [run_id]
    app.text_input(key="runs:search").set_value("").run()
    app.multiselect(key="runs:tags").set_value(["copper"]).run()
    assert list(app.dataframe[0].value["Run"]) == [run_id]
    app.multiselect(key="runs:tags").set_value([]).run()
    assert set(app.dataframe[0].value["Run"]) == {run_id, other}
    app.text_input(key="runs:search").set_value("no such run").run()
    assert "None of the 2 runs" in messages(app)


def other_run(store: Store, **settings) -> str:
    """Make a finished run with its own settings and nothing learned."""
    run_id = new_run_id()
    assert store.create(run_id, Config(data="copper-sample", target="y", **settings), {})
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        writer.put_meta(summary={"mae": {"train": 1.0, "test": 2.0}, "target": "y", "goal": 3.0})
        writer.set_status(Status.FINISHED)
    return run_id


def test_a_comparison_shows_only_the_settings_that_differ_and_errors_against_the_baseline(app, home):
    store = Store(home)
    base, other = write_run(store), other_run(store, seed=7, pick=3)
    store.set_labels(base, name="Base", baseline="yes")
    store.set_labels(other, name="Other")
    open_page(app, "runs")
    pick(app, base, other)
    button(app, "Compare 2 runs").click().run()
    assert app.query_params["compare"] == [base, other]
    differing, results = (frame.value for frame in app.dataframe)
    assert differing.to_dict("records") == [
        {"Setting": "New rows in each round", "Base": "1", "Other": "3"},
        {"Setting": "Seed", "Base": "0", "Other": "7"},
    ]
    assert list(results["Run"]) == ["Base", "Other"]
    assert results["Test MAE against baseline (%)"].tolist() == [0.0, 100.0]
    app.selectbox(key="compare:baseline").set_value("").run()
    assert "Test MAE against baseline (%)" not in app.dataframe[1].value


def test_a_comparison_says_that_errors_are_one_seeds_and_where_targets_differ(app, home):
    store = Store(home)
    base, other = write_run(store), other_run(store, seed=7)
    store.set_labels(base, baseline="yes")
    open_page(app, "runs", compare=[base, other])
    assert "are of one seed each" in page_text(app)
    assert not app.warning
    with store.writer(other) as writer:
        writer.put_meta(summary={"mae": {"train": 1.0, "test": 2.0}, "target": "weight", "goal": 3.0})
    open_page(app, "runs", compare=[base, other])
    assert "different targets" in app.warning[0].value
    against = app.dataframe[1].value["Test MAE against baseline (%)"]
    assert against[0] == 0.0
    assert np.isnan(against[1])


def test_a_link_to_a_comparison_names_the_runs_that_are_gone(app, home):
    run_id = write_run(Store(home))
    open_page(app, "runs", compare=[run_id, "f" * 12, "../x"])
    assert len(app.warning) == 2
    assert "started with the same settings" in page_text(app)


def test_cloning_fills_the_form_with_the_runs_table_and_settings(app, home):
    run_id = other_run(Store(home), seed=41, goal=123.5, pick=9, max_nodes=77)
    open_page(app, "runs")
    pick(app, run_id)
    button(app, "Clone with these settings").click().run()
    assert app.query_params["like"] == run_id
    values = {box.label: box.value for box in app.number_input}
    assert values["Seed"] == 41
    assert values["New rows in each round (rows)"] == 9
    assert 123.5 in values.values()
    assert 77 in values.values()


def test_a_note_too_long_is_refused(home):
    store = Store(home)
    run_id = write_run(store)
    with pytest.raises(RunError):
        store.set_labels(run_id, note="x" * 201)


@pytest.mark.parametrize("view", ["run_view", "study_view", "speedup_view"])
def test_a_run_that_is_deleted_while_it_is_watched_is_one_sentence(view, app):
    def page(view):
        import importlib

        from pages.parts.client import lab

        importlib.import_module(f"pages.parts.{view}")._live(lab(), "0123456789ab", True, "")

    one = AppTest.from_function(page, kwargs={"view": view}).run()
    assert not one.exception
    assert len(one.error) == 1
