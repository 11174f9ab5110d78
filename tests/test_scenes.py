"""Short forms of the long scenes (see ``tests/scenes``): killed runs that are resumed, and everybody at once."""

from __future__ import annotations

import pytest

from tests.scenes import concurrency, kill


def test_everybody_at_once_loses_nothing(capsys):
    done = concurrency.main(["--readers", "4", "--runs", "4", "--events", "600"])
    assert done == 0, capsys.readouterr().out
    figures = dict(line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines() if "{" not in line)
    assert int(figures["events of the watched run"]) == 600
    assert int(figures["events read by all readers"]) == 8 * 600


@pytest.mark.slow
def test_killed_and_resumed_runs_end_with_the_same_bytes(capsys, monkeypatch):
    monkeypatch.setenv("PLM_LAB_CHECKPOINT_S", "0.2")
    assert kill.main(["--times", "3", "--max-rounds", "2", "--rows-on-disk", "always"]) == 0
    assert "3 of 3 equal" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "where"), [("row_parallel", "always"), ("candidate_parallel", "never")])
def test_killed_and_resumed_runs_of_two_processes_end_with_the_same_bytes(capsys, monkeypatch, mode, where):
    monkeypatch.setenv("PLM_LAB_CHECKPOINT_S", "0.2")
    how = ["--workers", "2", "--mode", mode, "--max-rounds", "1", "--rows-on-disk", where]
    assert kill.main(["--times", "1", *how]) == 0
    assert "1 of 1 equal" in capsys.readouterr().out
