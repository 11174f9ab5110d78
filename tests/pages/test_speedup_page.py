"""The Speed-up page without a browser: what can be chosen, what cannot and why, and an experiment's results."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import client
from plm_engine.config import Config
from plm_engine.experiment.plan import SWEEP, Plan, parse_contenders
from plm_engine.experiment.start import LABEL
from plm_engine.experiment.trials import add_trial
from plm_engine.machine import Machine
from plm_engine.store import Status, Store, new_run_id
from tests.experiment.made import trial
from tests.pages.conftest import messages, open_page, page_text

PLAN = Plan(parse_contenders(["single", "batched", "ddp:2"]), repeats=2)


class TwoCores(client.Lab):
    """The real thing on a machine with two cores and no GPU."""

    def machine(self) -> Machine:
        return Machine("Linux", 2, 2, 8 * 2**30, (), "2")


@pytest.fixture
def lab(app: AppTest, home) -> TwoCores:
    made = TwoCores(home)
    client.use(made)
    return made


def experiment(home, plan: Plan, trials: list[dict], status: Status = Status.FINISHED) -> str:
    """Store an ended experiment and return its id."""
    store, run_id = Store(home), new_run_id()
    store.create(run_id, Config(data="copper-sample"))
    run_dir = store.run_dir(run_id)
    (run_dir / "plan.json").write_text(json.dumps(plan.to_mapping()))
    for each in trials:
        add_trial(run_dir, each)
    machine = {"system": "Linux", "sentence": "2 cores"}
    summary = {"kind": "experiment", "plan": plan.to_mapping(), "machine": machine, "finished": len(trials), "total": 6}
    (run_dir / "summary.json").write_text(json.dumps(summary))
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        writer.put_meta(summary=summary)
        writer.set_status(status, "6 of 6 measurements finished.")
    store.set_labels(run_id, kind=LABEL)
    return run_id


def test_what_the_machine_lacks_is_disabled_and_says_what_it_needs(app, lab):
    page = open_page(app, "speedup")
    boxes = {box.label: box for box in page.checkbox}
    assert boxes["DataParallel"].disabled
    assert "Needs 2 CUDA GPUs; none found." in page_text(page)
    assert not boxes["DistributedDataParallel"].disabled
    counts = [box.label for box in page.number_input if " for " in box.label]
    assert counts
    assert all(label.startswith("CPU worker processes") for label in counts)


def test_start_waits_for_the_estimate(app, lab):
    page = open_page(app, "speedup")
    (start,) = [button for button in page.button if button.label == "Start"]
    assert start.disabled


def test_nothing_chosen_is_said_in_words(app, lab):
    page = open_page(app, "speedup")
    for box in page.checkbox:
        if box.value:
            box.uncheck()
    page.run()
    assert "nothing to compare" in messages(page)


def test_more_workers_than_cores_is_allowed_with_a_warning(app, lab):
    page = open_page(app, "speedup")
    (count,) = [box for box in page.number_input if box.label.endswith("for DistributedDataParallel")]
    count.set_value(3).run()
    assert "More than the 2 cores" in page_text(page)


def test_results_are_shown_with_conclusion_table_and_csv(app, lab, home):
    trials = [trial("single", r, 1.0) for r in range(2)] + [trial("batched", r, 0.5) for r in range(2)]
    trials += [trial("ddp:2", r, 4.0, communicating_s=3.0, network_sha256=f"x{r}") for r in range(2)]
    page = open_page(app, "speedup", run=experiment(home, PLAN, trials))
    text = page_text(page)
    assert "DistributedDataParallel with 2 processes took 4.00 times as long" in text
    assert "ended with the very network of Single" in text
    for heading in ("The four measures", "Speed-up and parallel efficiency", "Time in each module", "Communication"):
        assert heading in text
    (table,) = page.dataframe
    assert table.value["Mode"].tolist() == ["Single", "Batched candidates", "DistributedDataParallel × 2"]
    assert table.value["Times Single"].tolist() == ["1", "0.5", "4"]


def test_disturbed_measurements_are_marked(app, lab, home):
    trials = [trial("single", r, 1.0, disturbed=["Another run trained meanwhile."]) for r in range(2)]
    page = open_page(app, "speedup", run=experiment(home, PLAN, trials))
    assert "2 measurements were made while something else used this machine" in messages(page)


def test_a_cancelled_experiment_offers_to_go_on(app, lab, home):
    page = open_page(app, "speedup", run=experiment(home, PLAN, [trial("single", 0, 1.0)], Status.CANCELLED))
    assert "Continue it" in [button.label for button in page.button]


def test_a_sweep_shows_what_was_left_out_as_missing(app, lab, home):
    plan = Plan(parse_contenders(["single", "ddp:2"]), SWEEP, rows=(471, 10**6), hidden=(4,))
    cells = [
        {"contender": key, "rows": n, "hidden": 4, "step_ms": ms, "left_out": "" if ms else "no time left"}
        for key, n, ms in (("single", 471, 0.1), ("ddp:2", 471, 0.4), ("single", 10**6, 9.0), ("ddp:2", 10**6, None))
    ]
    page = open_page(app, "speedup", run=experiment(home, plan, cells))
    assert "Where does it pay?" in page_text(page)
    assert not page.exception


@pytest.mark.parametrize("run", ["nix", "../../etc", "0123456789ab"])
def test_a_link_to_no_experiment_is_one_sentence(app, lab, run):
    page = open_page(app, "speedup", run=run)
    assert re.search(r"There is no run|is not the id of a run", messages(page))
