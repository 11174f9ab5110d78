"""The choice of a mode on the Train page: what the machine has, and what another mode would need."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import client
from plm_engine.machine import Gpu, Machine
from plm_engine.modes import MODES
from tests.pages.conftest import open_page

GPU = Gpu("Some GPU", 8 * 2**30)


def opened(app: AppTest, home, gpus: tuple[Gpu, ...]) -> AppTest:
    """The Train page on a machine with two cores."""

    class Ours(client.Lab):
        def machine(self) -> Machine:
            return Machine("Linux", 2, 2, 8 * 2**30, gpus, "2")

    client.use(Ours(home))
    return open_page(app, "train")


def modes(page: AppTest):
    (radio,) = [radio for radio in page.radio if "Single" in radio.options]
    return radio


@pytest.mark.parametrize(("gpus", "found"), [((), "none"), ((GPU,), "1")])
def test_a_mode_that_the_machine_cannot_run_is_disabled_and_says_what_it_needs(app, home, gpus, found):
    page = opened(app, home, gpus)
    assert MODES["data_parallel"].title not in modes(page).options
    (lacking,) = [radio for radio in page.radio if radio.label == "DataParallel"]
    assert lacking.disabled
    assert list(lacking.proto.captions) == [f"Needs 2 CUDA GPUs; {found} found."]


def test_without_gpus_workers_are_processes_and_more_than_cores_are_said_to_be(app, home):
    page = opened(app, home, ())
    modes(page).set_value("ddp").run()
    (count,) = [field for field in page.number_input if "DistributedDataParallel" in field.label]
    assert count.label == "CPU worker processes for DistributedDataParallel"
    assert (count.min, count.value) == (2, 2)
    count.set_value(5).run()
    assert any("2 cores" in caption.value for caption in page.caption)


def test_with_two_gpus_every_mode_is_offered_and_counts_end_at_the_gpus(app, home):
    page = opened(app, home, (GPU, GPU))
    assert set(modes(page).options) == {mode.title for mode in MODES.values()}
    modes(page).set_value("data_parallel").run()
    (count,) = [field for field in page.number_input if "DataParallel" in field.label]
    assert count.label.startswith("GPUs")
    assert (count.min, count.max) == (2, 2)
