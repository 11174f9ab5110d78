"""The Runs page: all runs, newest first, and what can be done with one."""

from plm_engine.store import Status, Store
from tests.pages.conftest import messages, open_page
from tests.pages.test_train_page import button, write_run


def test_without_runs_the_page_says_what_to_do(app):
    open_page(app, "runs")
    assert "No run yet" in messages(app)


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
    assert table["Target"].iloc[1] == "y (units of y)"


def test_open_leads_to_the_chosen_run(app, home):
    store = Store(home)
    older = write_run(store)
    write_run(store)
    open_page(app, "runs")
    app.selectbox[0].set_value(older).run()
    button(app, "Open").click().run()
    assert app.query_params["run"] == older
    assert "Hidden nodes" in [metric.label for metric in app.metric]


def test_deleting_takes_a_second_press(app, home):
    store = Store(home)
    kept, gone = write_run(store), write_run(store)
    open_page(app, "runs")
    assert app.selectbox[0].value == gone
    button(app, "Yes, delete it").click().run()
    assert [run.id for run in store.runs()] == [kept]
    assert not app.exception


def test_a_run_that_still_goes_cannot_be_deleted(app, home):
    store = Store(home)
    run_id = write_run(store, status=None)
    with store.hold(run_id):
        open_page(app, "runs")
        assert "Yes, delete it" not in [b.label for b in app.button]
