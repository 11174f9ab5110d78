"""What keeps a server, and the files of its users, safe; each line here is a promise of the README."""

from __future__ import annotations

import json
import sqlite3
import tomllib
from pathlib import Path

import pytest

from plm_engine.config import Config
from plm_engine.errors import RunError
from plm_engine.launch import start
from plm_engine.report import run_table
from plm_engine.store import Status, Store
from plm_engine.store.writer import SCHEMA
from tests.scenes.processes import wait_for_end

PROJECT = Path(__file__).resolve().parent.parent
OLD = {
    "status": "finished",
    "sentence": "Every row is learned.",
    "created": 1.7e9,
    "started": 1.7e9,
    "ended": 1.7e9 + 5,
}


@pytest.fixture
def served() -> dict:
    return tomllib.loads((PROJECT / ".streamlit" / "config.toml").read_text())


def test_the_server_listens_on_this_machine_alone_and_checks_where_requests_come_from(served):
    assert served["server"]["address"] == "127.0.0.1"
    assert served["server"]["enableXsrfProtection"] is True
    assert served["server"].get("enableCORS", True) is True
    assert 0 < served["server"]["maxUploadSize"] <= 200
    assert served["client"]["showErrorDetails"] == "none"
    assert served["browser"]["gatherUsageStats"] is False


def test_a_run_of_the_first_version_still_opens(tmp_path):
    """The values that the first version recorded, without all that came later."""
    folder = tmp_path / "0123456789ab"
    folder.mkdir()
    db = sqlite3.connect(folder / "run.db")
    db.execute("PRAGMA journal_mode=WAL")
    db.executescript(SCHEMA)
    db.execute("PRAGMA user_version=1")
    db.executemany("INSERT INTO meta VALUES(?, ?)", [(key, json.dumps(value)) for key, value in OLD.items()])
    event = {"round": 0, "n_learned": 3, "n_train": 3}
    db.execute("INSERT INTO event VALUES(1, 0.5, 1.7e9, 'RoundStarted', ?)", [json.dumps(event)])
    db.commit()
    db.close()
    store = Store(tmp_path)
    info = store.status("0123456789ab")
    assert (info.status, info.elapsed_s(), info.resumed) == (Status.FINISHED, 5.0, 0)
    assert [e.payload for e in store.events("0123456789ab")] == [event]
    assert len(run_table(tmp_path)) == 1


@pytest.mark.parametrize("name", ["../../evil", "$(touch evil)", "; rm -rf .", "<img src=x onerror=alert(1)>", "a\0b"])
def test_a_name_reaches_neither_a_path_nor_a_shell(tmp_path, name):
    data = tmp_path / "data.csv"
    data.write_text("x,y\n1,2\n3,4\n")
    home = tmp_path / "home"
    run_id = start(Config(data=str(data)), home=home, name=name, command=["true"])
    store = Store(home)
    assert store.status(run_id).name == name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "home"]
    wait_for_end(store, run_id)
    assert not list(tmp_path.rglob("*evil*"))
    with pytest.raises(RunError, match="not the id of a run"):
        store.status(name)
