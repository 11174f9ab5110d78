"""Runs that another version made, with an option that is gone and a value that is not allowed: no page breaks."""

import pytest

from pages.parts import take_away
from plm_engine import launch
from plm_engine.cli import main
from plm_engine.errors import ConfigError
from plm_engine.store import Status, Store
from plm_engine.store.paths import read_json, write_json
from tests.pages.conftest import messages, open_page
from tests.pages.test_train_page import button, write_run


def foreign_run(store: Store, **details) -> str:
    """Make a run of whose settings this version knows one not, and allows one not."""
    run_id = write_run(store, **details)
    folder = store.run_dir(run_id)
    config = {**read_json(folder / "config.json"), "epochs": -3, "soothing": 0.5}
    write_json(folder / "config.json", config)
    with store.writer(run_id) as writer:
        writer.put_meta(config=config)
    return run_id


@pytest.mark.parametrize("page", ["train", "replay", "compare", "forecast", "runs", "start", "speedup"])
def test_no_page_breaks(app, home, page):
    run_id = foreign_run(Store(home), status=Status.FINISHED if page != "train" else Status.CANCELLED)
    open_page(app, page, **({"run": run_id} if page not in ("runs", "start") else {}))
    if page == "train":
        assert "Resume" not in [one.label for one in app.button]  # it would be another run


def test_its_settings_start_a_new_run_as_far_as_they_are_known(app, home):
    run_id = foreign_run(Store(home))
    open_page(app, "train", like=run_id)
    said = messages(app)
    assert "Another version of the program made that run" in said
    assert "Option 'soothing' is not known to this version." in said
    assert "is -3, which is not allowed: give from 1 to" in said
    assert not button(app, "Start").disabled


def test_it_is_not_repeated_with_other_settings(app, home):
    store = Store(home)
    run_id = foreign_run(store)
    open_page(app, "train", run=run_id)
    button(app, "Repeat with these seeds").click().run()
    assert "cannot be repeated as it was: start a new run with its settings instead. Option" in messages(app)
    assert [run.id for run in store.runs()] == [run_id]


def test_the_command_line_says_one_sentence(home, capsys):
    store = Store(home)
    run_id = foreign_run(store, status=Status.CANCELLED)
    assert main(["show", run_id, "--home", str(home)]) == 0
    assert "Option 'soothing' is not known to this version." in capsys.readouterr().out
    for command in (["resume", run_id], ["compare", "--run", run_id], ["train", "--continue", run_id]):
        assert main([*command, "--home", str(home)]) == 2
        said = capsys.readouterr().err
        assert "cannot be repeated as it was" in said
        assert "Traceback" not in said
    with pytest.raises(ConfigError, match="made by another version"):
        launch.resume(run_id, home=home)


def test_the_command_that_repeats_it_is_without_them(home):
    store = Store(home)
    command = take_away.command_line(store.status(foreign_run(store)))
    assert "--data=copper-sample" in command
    assert "soothing" not in command
    assert "epochs" not in command
