"""How many processes a run is started with, and how many mode auto may use."""

from types import SimpleNamespace

import numpy as np
import pytest

from plm_engine import worker
from plm_engine.config import Config
from plm_engine.hosts import Hosts
from plm_engine.parallel import calibrate, choose
from plm_engine.parallel.calibrate import Choice

HERE, FAR = Hosts(), Hosts(2, 0, "10.0.0.1", 29500, "eth0")


@pytest.mark.parametrize(
    ("helped", "hosts", "workers", "ranks"),
    [(True, HERE, 1, 1), (True, HERE, 2, 1), (True, FAR, 4, 4), (False, HERE, 2, 2), (False, HERE, 1, 1)],
)
def test_auto_starts_ranks_only_where_forked_helpers_cannot_do_the_same(monkeypatch, helped, hosts, workers, ranks):
    monkeypatch.setattr(choose, "may_help", lambda config: helped)
    assert worker.ranks_wanted(Config(mode="auto", workers=workers), hosts) == ranks


@pytest.mark.parametrize(("mode", "workers"), [("single", 1), ("batched", 1), ("ddp", 3), ("candidate_parallel", 2)])
def test_every_other_mode_is_started_as_it_was_asked_for(mode, workers):
    assert worker.ranks_wanted(Config(mode=mode, workers=workers), HERE) == workers


@pytest.mark.parametrize(("asked", "used"), [(1, 3), (2, 2), (8, 3)])
def test_auto_in_one_process_uses_as_many_cores_as_it_was_given(monkeypatch, asked, used):
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setattr(calibrate, "cores", lambda: 3)
    seen = []

    def choosing(config, n_rows, n_features):
        seen.append((config.workers, n_rows, n_features))
        return Choice("single", 1, "Because.", {}, None)

    monkeypatch.setattr(calibrate, "calibrate", choosing)
    lesson = SimpleNamespace(
        config=Config(mode="auto", workers=asked), prepared=SimpleNamespace(x_train=np.zeros((7, 2)))
    )
    assert worker._calibrated(lesson).mode == "single"
    assert seen == [(used, 7, 2)]
    assert (lesson.config.mode, lesson.config.workers) == ("single", 1)
