"""Rows in mapped files give the bits of rows in memory, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch

from plm_engine import Config, train
from plm_engine.datasets.rooms import ALIGNED_BYTES, MEMORY, DiskRoom, order_of, parts
from plm_engine.events import ListSink
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel import helper
from plm_engine.parallel.kernel import ALIGNED, Rows
from plm_engine.parallel.single import SingleStrategy
from tests.test_resume import KeepAll, same


@pytest.fixture
def disk(tmp_path) -> DiskRoom:
    return DiskRoom(tmp_path)


def table(n: int, m: int, order: str = "F") -> tuple[np.ndarray, np.ndarray]:
    """Rows as a file's columns lie (F) or as somebody's array does (C)."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, m))
    return np.asarray(x, order=order), np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=n)


def test_an_array_lies_in_a_file_without_a_name(disk, tmp_path):
    array = disk.empty((5, 3), order="F")
    array[:] = 7.0
    assert order_of(array) == "F"
    assert list(tmp_path.iterdir()) == []
    open_files = {os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _is_open(fd)}
    assert any(name.startswith(str(tmp_path)) and name.endswith("(deleted)") for name in open_files)
    assert array.sum() == 105


def _is_open(fd: str) -> bool:
    return os.path.islink(f"/proc/self/fd/{fd}")


def test_a_full_disk_is_an_error_when_the_file_is_made_and_no_crash_later(tmp_path):
    program = (
        "import resource, signal, sys; from pathlib import Path; from plm_engine.datasets.rooms import DiskRoom;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));\n"
        "try: DiskRoom(Path(sys.argv[1])).empty((1000,))\n"
        "except OSError as error: print(error.strerror)"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)
    assert "File too large" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_after_a_kill(tmp_path):
    program = (
        "import os, signal, sys; from pathlib import Path; from plm_engine.datasets.rooms import DiskRoom;"
        "a = DiskRoom(Path(sys.argv[1])).empty((1000,)); a[:] = 1; os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_parts_cover_all_rows_once():
    for n, m in ((0, 3), (1, 1), (999_999, 3), (7, 2_000_000)):
        covered = [k for a, b in parts(n, m) for k in (a, b)]
        assert covered[:1] == [0] * (n > 0)
        assert covered[1:-1:2] == covered[2::2]
        assert covered[-1:] == [n] * (n > 0)


@pytest.mark.parametrize("n", [5, 64, 300, 5000])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_chunks_are_equal_and_as_well_aligned(disk, n, dtype):
    x, y = (torch.from_numpy(array).to(dtype) for array in table(n, 7))
    index = torch.arange(0, n, 2)
    for some in (None, index):
        here, there = Rows(x, y, index=some), Rows(x, y, index=some, room=disk)
        assert there.bounds == here.bounds
        for a, b in zip(here.xt, there.xt, strict=True):
            assert torch.equal(a, b)
            assert a.stride() == b.stride()
            assert b.data_ptr() % ALIGNED_BYTES == b.data_ptr() % (ALIGNED * b.element_size()) % ALIGNED_BYTES == 0
        assert all(torch.equal(a, b) for a, b in zip(here.minus_y, there.minus_y, strict=True))


def test_rows_chosen_by_an_index_are_those_copied_before():
    x, y = (torch.from_numpy(array) for array in table(300, 4))
    index = np.array([1, 5, 8, 200, 299, *range(20, 120)])
    index.sort()
    strategy = SingleStrategy()
    chosen = strategy.place(x, y, index)
    copied = strategy.place(x[torch.from_numpy(index)], y[torch.from_numpy(index)])
    assert all(torch.equal(a, b) for a, b in zip(chosen.xt, copied.xt, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(chosen.y, copied.y, strict=True))
    network = TwoLayerNetwork(4)
    network.add_nodes(torch.ones(2, 4).double(), torch.zeros(2).double(), torch.ones(2).double())
    assert np.array_equal(strategy.residuals(network, chosen), strategy.residuals(network, copied))


def config(**changes) -> Config:
    small = Config(goal=0.35, pick="10%", epochs=15, regularizing_epochs=15, seed=3, max_rounds=2)
    return small.replace(organize_candidates=12, cramming_draws=20, cramming_ascent=10, **changes)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"mode": "batched"}, {"dtype": "float32"}, {"cramming_search": "common"}, {"scope": "all"}],
    ids=lambda changes: "-".join(map(str, changes.values())) or "single",
)
def test_a_training_on_the_disk_ends_with_the_bytes_of_one_in_memory(disk, changes, order):
    x, y = table(200, 6, order)
    here = train(x, y, config(**changes), room=MEMORY)
    there = train(x, y, config(**changes), room=disk)
    assert here.network.n_hidden > 3
    assert same(here, there)
    assert np.array_equal(here.history[-1].predicted, there.history[-1].predicted)


@pytest.mark.skipif(not helper.can_help(), reason="a helper is forked on Linux only")
def test_a_helper_sees_the_same_file(disk, monkeypatch):
    sent = []
    monkeypatch.setattr(helper, "send_handle", lambda *given: (sent.append(given[1]), original(*given)))
    x, y = table(200, 6)
    there = train(x, y, config(mode="candidate_parallel", workers=2), room=disk)
    assert sent
    assert same(train(x, y, config(mode="candidate_parallel", workers=2)), there)
    assert train(x, y, config()).network.sha256() == there.network.sha256()


original = helper.send_handle


def test_float32_that_does_not_fit_goes_on_in_float64_on_the_disk(disk):
    x, y = table(60, 3)
    x[1] = x[0] + 1e-7
    y[1] = y[0] + 2
    told = []
    results = []
    for room in (MEMORY, disk):
        sink = ListSink()
        results.append(train(x, y, config(dtype="float32"), room=room, sink=sink))
        told.append([e.kind for e in sink.events if e.kind in ("Notice", "NodesAdded", "RoundEnded")])
    assert same(*results)
    assert told[0] == told[1]


def test_a_resumed_training_may_lie_elsewhere_than_the_one_before(disk):
    x, y = table(60, 3)
    kept = KeepAll()
    whole = train(x, y, config(), keeper=kept, room=disk)
    inside = [state for state in kept.states if state.place is not None]
    for state in [*inside[:3], *[s for s in kept.states if s.place is None]]:
        assert same(train(x, y, config(), resume=state, room=MEMORY), whole)
        assert same(train(x, y, config(), resume=state, room=disk), whole)


def test_rounds_remember_which_rows_were_learned_in_a_bit_each():
    x, y = table(61, 3)
    result = train(x, y, config(), rows=range(101, 162))
    for record in result.history:
        assert len(record.learned) == record.n_learned
        assert set(record.learned) <= set(range(101, 162))
        assert record.marks.nbytes == 8
    assert result.history[-1].n_learned > result.history[0].n_learned
