"""The command line: exit codes, one object with --json, one sentence for a mistake, flags over file over preset."""

from __future__ import annotations

import functools
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plm_engine import launch
from plm_engine.cli import main, parser
from plm_engine.cli_follow import SECONDS, Progress
from plm_engine.cli_options import config_from
from plm_engine.config import Config, options
from plm_engine.errors import ConfigError
from plm_engine.events import Phase
from plm_engine.store import RunInfo, Status, Store, new_run_id
from plm_engine.store.contract import StoredEvent
from tests.runs.conftest import FAKE

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("x,y\n1,2\n3,4\n")
    return path


@pytest.fixture
def fake(monkeypatch):
    """Let ``train`` start a fake training process of the given behaviour."""

    def use(behaviour: str) -> None:
        command = [sys.executable, *FAKE, behaviour]
        monkeypatch.setattr(launch, "start", functools.partial(launch.start, command=command))

    return use


@pytest.fixture
def finished(home) -> str:
    """A finished run in the store."""
    store, run_id = Store(home), new_run_id()
    store.create(run_id, Config(goal=4000, target="y"), {"data": {"name": "copper.csv"}})
    with store.writer(run_id) as writer:
        writer.set_status(Status.RUNNING)
        writer.put_meta(summary={"n_hidden": 31, "rounds": 9, "mae": {"train": 964.5, "test": 3836.25}})
        writer.set_status(Status.FINISHED, "Every row is learned.")
    store.set_labels(run_id, name="first try")
    return run_id


def config(*words: str) -> Config:
    return config_from(parser().parse_args(["train", *words]))


def test_every_option_has_a_flag_and_reaches_the_config():
    given = {
        "data": "t.csv", "target": "y", "date": "day", "latest_price": "x5", "goal": "4000", "pick": "1",
        "epochs": "50", "split": "random", "test_rows": "95", "horizon": "4", "cramming": "symmetric",
        "max_minutes": "1.5", "max_nodes": "80", "mode": "single", "workers": "1", "seed": "9223372036854775807",
    }  # fmt: skip
    made = config(*(word for name, value in given.items() for word in ("--" + name.replace("_", "-"), value)))
    assert {name: str(getattr(made, name)) for name in given} == given | {"goal": "4000.0"}
    flags = set(parser().parse_args(["train"]).__dict__)
    assert not [name for name in options() if f"set_{name}" in flags], "a flag that is not given leaves no trace"


@pytest.mark.parametrize("words", [["x1,x2,x 3"], ["x1", "x2", "x 3"], ["x1,", "x2,", "x 3"]])
def test_drivers_are_one_list_or_several_words(words):
    assert config("--drivers", *words).drivers == ("x1", "x2", "x 3")


def test_a_negative_code_is_a_value_not_a_flag():
    assert config("--missing-codes", "-999").missing_codes == ("-999",)


def test_a_share_of_the_rows_to_pick_is_given_and_taken_back(tmp_path):
    assert config("--preset", "standard", "--pick", "5%").rows_to_pick(200_000) == 10_000
    file = tmp_path / "run.toml"
    file.write_text('pick = "2.5%"\n')
    assert config("--config", str(file)).pick_share == 2.5
    assert config("--config", str(file), "--pick", "7").rows_to_pick(200_000) == 7


def test_flags_override_the_file_which_overrides_the_preset(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('preset = "quick"\nepochs = 50\npick = 3\ngoal = 100.0\n')
    made = config("--config", str(file), "--pick", "1")
    assert (made.epochs, made.pick, made.goal, made.goal_percent) == (50, 1, 100.0, None)
    assert made.max_minutes == Config.preset("quick").max_minutes
    made = config("--config", str(file), "--goal-percent", "5")
    assert (made.goal, made.goal_percent) == (None, 5.0)
    assert config("--preset", "quick").goal_percent == Config.preset("quick").goal_percent


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["train", "--goal", "4", "--goal-percent", "5"], "exclude each other"),
        (["train", "--pick", "0"], "--pick is 0"),
        (["train", "--pick", "many"], "--pick is 'many'"),
        (["train", "--goal", "nan"], "--goal is nan"),
        (["train", "--preset", "fast"], "Preset 'fast' is not known"),
        (["train", "--config", "/no/such.toml"], "cannot be read"),
        (["train", "--no-such-flag"], "--no-such-flag"),
        (["train"], "No data is given"),
        (["train", "--data", "no-such-table"], "no-such-table"),
        (["inspect"], "No data is given"),
        (["show", "ffffffffffff"], "no run ffffffffffff"),
        (["show", "../../etc"], "no run"),
        (["cancel", "ffffffffffff"], "no run"),
        (["predict", "--data", "x.csv"], "--run"),
        (["dance"], "dance"),
        ([], "COMMAND"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_mistake_is_one_sentence_and_exit_code_2(home, capsys, words, part, as_json):
    code = main([*words, "--json"] if as_json else words)
    out, err = capsys.readouterr()
    assert code == 2
    assert part in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    if as_json:
        assert json.loads(out)["error"] == err.strip()
    else:
        assert out == ""


def test_a_training_that_finishes_prints_one_object_and_exits_0(home, data, fake, capsys):
    fake("finish")
    assert main(["train", "--data", str(data), "--json", "--name", "try"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert (result["status"], result["reason"]) == ("finished", "goal met")
    assert (result["n_hidden"], result["rounds"], result["picked"]) == (7, 3, [[1], [2], [3]])
    assert set(result["seconds"]) == {
        "interpreting", "picking", "understanding", "cramming", "organizing", "organizing_regularizing",
        "organizing_understanding", "total",
    }  # fmt: skip
    assert {"run_id", "mode", "mae", "max_residual", "network_sha256", "environment"} <= set(result)
    assert set(result["mae"]) == {"train", "test"}
    assert err == ""
    assert Store(home).status(result["run_id"]).name == "try"


@pytest.mark.parametrize(
    ("behaviour", "code", "sentence"),
    [("user-error", 2, "Column 'z' is not in the table.\n"), ("crash", 1, "did not say why; the log says more.\n")],
)
def test_a_training_that_fails_says_why(home, data, fake, capsys, behaviour, code, sentence):
    fake(behaviour)
    assert main(["train", "--data", str(data), "--json"]) == code
    out, err = capsys.readouterr()
    assert json.loads(out)["status"] == "failed"
    assert err.endswith(sentence)


def _driver(behaviour: str, data: Path, *words: str) -> list[str]:
    code = (
        "import functools, sys; from plm_engine import cli, launch;"
        f"launch.start = functools.partial(launch.start, command=[sys.executable, *{FAKE!r}, {behaviour!r}]);"
        f"sys.exit(cli.main(['train', '--data', {str(data)!r}, *{words!r}]))"
    )
    return [sys.executable, "-c", code]


def test_ctrl_c_cancels_the_run_and_keeps_what_was_learned(home, data):
    process = subprocess.Popen(
        _driver("long", data, "--json"), cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    store, deadline = Store(home), time.monotonic() + 20
    while not (store.runs() and store.events(store.runs()[0].id)) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 1
    result = json.loads(out)
    assert result["status"] == "cancelled"
    assert result["n_hidden"] == 7
    assert "Cancelled after 1 round." in err
    assert "Traceback" not in err


def test_a_terminal_sees_a_progress_bar_on_standard_error(home, data):
    controller, terminal = pty.openpty()
    process = subprocess.Popen(_driver("finish", data), cwd=PROJECT, stdout=subprocess.PIPE, stderr=terminal, text=True)
    out, _ = process.communicate(timeout=30)
    os.close(terminal)
    shown = os.read(controller, 100_000).decode()
    os.close(controller)
    assert process.returncode == 0
    assert "\r" in shown
    assert "3/3 rows" in shown or "2/3 rows" in shown
    assert "finished: Every row is learned." in out


def test_the_progress_line_says_rows_round_nodes_and_phase():
    progress = Progress(io.StringIO())
    payload = {"n_learned": 50, "n_train": 100, "round": 4, "n_hidden": 9, "phase": "organizing_regularizing"}
    progress._known.update(StoredEvent(1, 0.0, 0.0, "RoundStarted", payload).payload)
    info = RunInfo("0" * 12, Status.RUNNING, "", created=0.0, started=0.0, ended=61.0)
    assert progress.line(info) == (
        "[############............] 50/100 rows  round 4  9 nodes  organizing: regularizing  00:01:01"
    )
    progress.update(info, [])
    assert progress._stream.getvalue() == "", "nothing where there is no terminal"


def test_list_and_show_in_words_and_as_one_object(home, finished, capsys):
    assert main(["list"]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert all(part in line for part in (finished, "finished", "31", "3,836.25", "copper.csv", "first try"))
    assert main(["list", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["runs"]
    assert (row["run_id"], row["status"], row["mae"]["test"], row["name"]) == (
        finished, "finished", 3836.25, "first try",
    )  # fmt: skip
    assert main(["show", finished[:6]]) == 0
    shown = capsys.readouterr().out
    assert "MAE              train 964.50, test 3,836.25 (in the unit of y)" in shown
    assert "goal=4000.0" in shown
    assert main(["show", finished, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["goal"] == 4000


def test_list_without_runs_says_what_to_do(home, capsys):
    assert main(["list"]) == 0
    assert "train --data copper-sample" in capsys.readouterr().out


def test_cancelling_an_ended_run_is_a_mistake_in_words(finished, capsys):
    assert main(["cancel", finished]) == 2
    assert "is finished already" in capsys.readouterr().err


def test_cancel_ends_a_run(home, data, capsys):
    run_id = launch.start(Config(data=str(data)), home=home, command=[sys.executable, *FAKE, "long"])
    store, deadline = Store(home), time.monotonic() + 20
    while not store.events(run_id) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert main(["cancel", run_id, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "cancelled"


def test_home_is_a_flag_before_it_is_a_variable(home, finished, tmp_path, capsys):
    main(["list", "--json", "--home", str(tmp_path / "other")])
    assert json.loads(capsys.readouterr().out)["runs"] == []


def test_numbers_that_json_does_not_know_become_null(home, capsys):
    store, run_id = Store(home), new_run_id()
    store.create(run_id, Config())
    with store.writer(run_id) as writer:
        writer.put_meta(summary={"mae": {"train": float("nan"), "test": float("inf")}})
    assert main(["show", run_id, "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out, parse_constant=pytest.fail)["mae"] == {"train": None, "test": None}


@pytest.mark.parametrize("words", [["--help"], ["train", "--help"], ["list"], ["list", "--json"]])
def test_help_and_list_load_no_heavy_library(home, finished, words):
    code = (
        "import sys\nfrom plm_engine.cli import main\n"
        f"try:\n    main({words!r})\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print([m for m in ('torch', 'pandas', 'numpy', 'sklearn', 'streamlit') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert done.stderr.strip() == "[]"
    assert done.stdout


def test_a_reader_that_leaves_early_is_no_error(home, finished):
    done = subprocess.run(
        f"{sys.executable} -m plm_engine show {finished} --json | true",
        shell=True, cwd=PROJECT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stderr


def test_a_preset_config_error_is_not_swallowed():
    with pytest.raises(ConfigError, match="uses one process"):
        config("--workers", "4")


def test_seconds_are_told_of_every_module():
    assert list(SECONDS) == [*Phase, "total"]
