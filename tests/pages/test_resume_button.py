"""The Resume button of a run that did not end by itself."""

from __future__ import annotations

import pytest

from plm_engine import launch
from plm_engine.errors import RunError
from plm_engine.launch import COMMAND
from plm_engine.store import Status, Store
from plm_engine.store.paths import write_json
from tests.pages.conftest import messages, open_page, page_text
from tests.pages.test_train_page import write_run


def labels(app) -> list[str]:
    return [button.label for button in app.button]


@pytest.mark.parametrize("status", [Status.CANCELLED, Status.FAILED, None], ids=["cancelled", "failed", "lost"])
def test_an_interrupted_run_goes_on_when_asked_to(app, home, monkeypatch, status):
    run_id = write_run(Store(home), status=status)
    asked = []
    monkeypatch.setattr(launch, "resume", lambda run, home: asked.append((run, home)))
    open_page(app, "train", run=run_id)
    next(button for button in app.button if button.label == "Resume").click().run()
    assert not app.exception
    assert asked == [(run_id, home)]


def test_why_equality_is_not_promised_is_said(app, home):
    run_id = write_run(Store(home), status=Status.CANCELLED)  # it recorded no versions
    open_page(app, "train", run=run_id)
    assert "bit for bit is not promised: plm-lab was not there" in page_text(app)


def test_a_run_that_cannot_be_resumed_says_so_when_asked(app, home, monkeypatch):
    run_id = write_run(Store(home), status=Status.CANCELLED)

    def refuse(run: str, home: object) -> str:
        raise RunError("Run is held by its processes.")

    monkeypatch.setattr(launch, "resume", refuse)
    open_page(app, "train", run=run_id)
    next(button for button in app.button if button.label == "Resume").click().run()
    assert "held by its processes" in messages(app)


def test_a_finished_run_and_a_job_of_many_trainings_have_no_such_button(app, home):
    store = Store(home)
    open_page(app, "train", run=write_run(store))
    assert "Resume" not in labels(app)
    job = write_run(store, status=Status.CANCELLED)
    write_json(store.run_dir(job) / COMMAND, {"command": ["another"]})
    open_page(app, "train", run=job)
    assert "Resume" not in labels(app)
