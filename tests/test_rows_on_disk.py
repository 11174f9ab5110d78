"""Whether rows lie on the disk: who decides, that it is told, that it bounds the memory, and that it changes no bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from plm_engine import Config, train
from plm_engine.datasets import large
from plm_engine.datasets.rooms import DiskRoom
from plm_engine.errors import DataError
from plm_engine.estimate import ask
from plm_engine.launch import start
from plm_engine.lesson import Lesson
from plm_engine.limits import IN_MEMORY_BYTES, Limits, memory_needed, place_rows
from plm_engine.machine import anonymous_peak, held, watch_memory
from plm_engine.reading import read_and_prepare
from plm_engine.store import Store
from plm_engine.store.paths import PROJECT, write_json
from tests.scenes.processes import wait_for_end

GIB = 2**30
linux = pytest.mark.skipif(not held(), reason="the kinds of memory are told on Linux only")


def wide_table(path, n: int, m: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(0)
    writer = None
    for a in range(0, n, 10_000):
        x = draw.normal(size=(min(10_000, n - a), m))
        y = x[:, 0] + np.abs(x[:, 1]) + 0.1 * draw.normal(size=len(x))
        part = pa.table({**{f"x{j}": x[:, j] for j in range(m)}, "y": y / 1.3})
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    writer.close()


def test_rows_go_on_the_disk_where_they_would_take_too_much_memory_or_are_asked_to():
    small, many = (1000, 18), (2_000_000, 18)
    assert not place_rows(Config(), *small).on_disk
    assert place_rows(Config(), *many).on_disk
    assert place_rows(Config(rows_on_disk="always"), *small).on_disk
    assert not place_rows(Config(rows_on_disk="never"), *many).on_disk
    held_bytes = place_rows(Config(), *small).rows_bytes
    assert held_bytes == memory_needed(*small) - memory_needed(0, 18)
    assert place_rows(Config(), *small, allowed=2.1 * held_bytes).on_disk is False
    assert place_rows(Config(), *small, allowed=1.9 * held_bytes).on_disk
    assert "and at most 1.0 GiB are given to them" in place_rows(Config(), *many, 100 * GIB).reason
    assert "asked for" in place_rows(Config(rows_on_disk="always"), *small).reason
    assert place_rows(Config(), *many).rows_bytes > IN_MEMORY_BYTES


def test_the_memory_of_rows_on_the_disk_does_not_grow_with_the_drivers():
    def on_disk(rows, features, **changes):
        return place_rows(Config(rows_on_disk="always", **changes), rows, features, nodes=50).needed

    assert on_disk(10**6, 200) - on_disk(10**6, 18) < 0.2 * 8 * 10**6 * (200 - 18)
    assert on_disk(2 * 10**6, 18) - on_disk(10**6, 18) < 0.25 * memory_needed(10**6, 18)
    workers = {"mode": "row_parallel", "workers": 2}
    assert on_disk(10**6, 18, **workers) == 2 * on_disk(10**6, 18)
    for more in ({"mode": "batched"}, {"start": "ridge"}, {"goal_auto": True}):
        assert on_disk(10**6, 18, **more) > on_disk(10**6, 18) + 100_000_000
    cells = place_rows(Config(rows_on_disk="always"), 10**6, 18, by_cells=True).needed
    assert cells > on_disk(10**6, 18) + GIB


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "plain.csv"
    draw = np.random.default_rng(2)
    table = draw.normal(size=(400, 5))
    table[:, 4] = np.sin(2 * table[:, 0]) + table[:, 1] + 0.2 * table[:, 4]
    np.savetxt(path, table, delimiter=",", header="a,b,c,d,y", comments="", fmt="%.9g")
    return path


def lesson_config(path, **changes) -> Config:
    small = {"goal": 0.4, "pick": "20%", "epochs": 15, "regularizing_epochs": 15, "max_rounds": 2, "test_rows": 60}
    return Config(data=str(path), target="y", **small, organize_candidates=8, cramming_draws=20).replace(**changes)


@pytest.mark.parametrize("batches", [False, True])
def test_a_lesson_on_the_disk_keeps_what_one_in_memory_keeps(plain, tmp_path, monkeypatch, batches):
    if batches:
        monkeypatch.setattr(large, "LARGE_BYTES", 1)
        monkeypatch.setattr(large, "HEAD_BYTES", 2_000)
    results = []
    for where in ("never", "always"):
        folder = tmp_path / where
        folder.mkdir()
        lesson = Lesson(folder, lesson_config(plain, rows_on_disk=where), None)
        assert lesson.placement.on_disk == isinstance(lesson.room, DiskRoom) == (where == "always")
        results.append(lesson.learn(lambda: False))
        assert not [path for path in folder.iterdir() if path.name.startswith(".rows")]
    here, there = results
    assert here.network.sha256() == there.network.sha256()
    assert here.network.n_hidden > 3
    assert [r.test_mae for r in here.history] == [r.test_mae for r in there.history]


@pytest.mark.parametrize(
    "mode",
    [{"mode": "single"}, {"mode": "auto"}, {"mode": "row_parallel", "workers": 2}],
    ids=lambda mode: mode["mode"],
)
def test_a_real_run_on_the_disk_says_so_and_ends_with_the_same_bytes(home, plain, mode):
    digests = set()
    for where in ("never", "always"):
        run_id = start(lesson_config(plain, rows_on_disk=where, **mode), home=home)
        info = wait_for_end(Store(home), run_id)
        assert info.status == "finished", info.sentence
        told = [e.payload["sentence"] for e in Store(home).events(run_id, 0, ("Notice",))]
        assert any("mapped files on the disk" in sentence for sentence in told) == (where == "always")
        assert info.summary["rows_on_disk"]["on_disk"] == (where == "always")
        assert info.summary["rows_on_disk"]["reason"]
        digests.add(info.summary["network_sha256"])
        assert not list(Store(home).run_dir(run_id).glob(".rows*"))
    assert len(digests) == 1


def test_what_does_not_fit_in_memory_is_let_in_on_the_disk(home, plain):
    rows = 400
    config = lesson_config(plain)
    in_memory = memory_needed(rows, 4, columns=5)
    on_disk = place_rows(config, rows, 4, columns=5, on_disk=True).needed
    share = 0.5
    assert on_disk != in_memory
    machine = 40_000_000  # of this size not even Python would run
    with pytest.raises(DataError, match=r"or float32\.$"):
        read_and_prepare(config, Limits(memory_share=share), machine)
    with pytest.raises(DataError, match=r"or let the rows lie on the disk \(--rows-on-disk auto\)\.$"):
        read_and_prepare(config.replace(rows_on_disk="never"), Limits(memory_share=share), machine)


def test_a_large_table_is_let_in_on_the_disk_where_memory_would_not_do(plain, monkeypatch):
    from plm_engine import limits

    monkeypatch.setattr(limits, "TABLE_COPIES", 10**6)
    machine = 2 * place_rows(lesson_config(plain), 400, 4, columns=5, on_disk=True, by_cells=True).needed
    with pytest.raises(DataError, match="GiB of memory"):
        read_and_prepare(lesson_config(plain, rows_on_disk="never"), Limits(), machine)
    found = read_and_prepare(lesson_config(plain), Limits(), machine)
    assert found.placement.on_disk
    assert found.placement.needed < machine


def test_the_estimate_knows_where_rows_lie(home, plain):
    found = ask(lesson_config(plain, rows_on_disk="always", max_minutes=0.05), seconds=2, home=home)
    expected = place_rows(lesson_config(plain), 400, 4, columns=5, nodes=50, on_disk=True).needed
    assert found.memory_bytes == pytest.approx(expected, rel=0.2)


def test_the_library_puts_rows_on_the_disk_if_asked(monkeypatch, tmp_path):
    import tempfile

    made = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(DiskRoom, "file", lambda self, size, file=DiskRoom.file: made.append(size) or file(self, size))
    x = np.random.default_rng(0).normal(size=(80, 3))
    one = train(x, x[:, 0] ** 2, Config(goal=0.5, pick=10, max_rounds=1))
    assert made == []
    other = train(x, x[:, 0] ** 2, Config(goal=0.5, pick=10, max_rounds=1, rows_on_disk="always"))
    assert made
    assert one.network.sha256() == other.network.sha256()
    assert list(tmp_path.iterdir()) == []


def test_the_option_is_one_of_the_command_line():
    words = ["train", "--data", "copper-sample", "--rows-on-disk", "sometimes"]
    done = subprocess.run([sys.executable, "-m", "plm_engine", *words], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "auto" in done.stderr
    assert "always" in done.stderr


@linux
def test_anonymous_memory_is_seen_and_a_file_is_not_part_of_it(tmp_path):
    watch_memory()
    before = held()
    array = DiskRoom(tmp_path).empty((8_000_000,))
    array[:] = 1
    after = held()
    assert after["in_files"] + after["shared"] - before["in_files"] - before["shared"] > 60_000_000
    assert after["anonymous"] - before["anonymous"] < 10_000_000
    ones = np.ones(8_000_000)
    assert anonymous_peak() > before["anonymous"] + 60_000_000
    del ones, array


def bounded(tmp_path, table, where, mib):
    folder = tmp_path / f"runs-{where}-{mib}" / "run"
    folder.mkdir(parents=True)
    write_json(folder.parent / "settings.json", {"limits": {"rows": 10**7, "upload_mb": 10_000}})
    words = [sys.executable, "-m", "tests.bounded_program", str(folder), str(table), where, str(mib)]
    env = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}  # the other one reserves much more than it uses
    done = subprocess.run(words, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@linux
@pytest.mark.slow
def test_a_table_is_learned_in_less_memory_than_one_copy_of_its_rows_and_in_memory_it_is_not(tmp_path):
    table = tmp_path / "wide.parquet"
    n, m = 70_000, 400
    wide_table(table, n, m)
    one_copy, limit = 8 * n * m, 180
    assert limit * 2**20 < one_copy
    there = bounded(tmp_path, table, "always", limit)
    assert there.get("rounds") == 1, there
    assert there["on_disk"]
    assert not [name for name in there["left"] if name.startswith(".rows")]
    here = bounded(tmp_path, table, "never", limit)
    assert here.get("refused"), here


@linux
@pytest.mark.slow
def test_the_prediction_for_rows_on_the_disk_is_kept(tmp_path):
    table = tmp_path / "long.parquet"
    wide_table(table, 600_000, 18)
    there = bounded(tmp_path, table, "always", 100_000)
    assert 0.5 * there["needed"] < there["anonymous"] + 140_000_000 < there["needed"]
    here = bounded(tmp_path, table, "never", 100_000)
    assert here["sha256"] == there["sha256"]
    assert here["anonymous"] > there["anonymous"] + 3 * 8 * 600_000 * 18
