"""Everybody at once on one data folder: readers, queued runs, command lines and pages that write.

    python -m tests.scenes.concurrency

Two processes with ten readers each stand for two app servers with ten sessions each: every reader follows the first
run as a page does (status, list of runs, new events, columns for charts).  Ten runs are started, each by two callers
at the same moment, as by a double click in two windows, and wait for one slot.  Three command lines list, show and
train; one page sets labels, changes the number of slots, cancels and deletes.  Prints what was written and read, and
every error.  Exit code 0 if there is none, no event is lost and every run was started once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from plm_engine import report
from plm_engine.config import Config
from plm_engine.launch import start
from plm_engine.store import Status, Store, new_run_id
from plm_engine.store.paths import PROJECT
from plm_engine.store.queueing import set_max_running
from tests.scenes.processes import processes_of, wait_for

SERVERS, REFRESH_S = 2, 0.1


class Errors:
    """Errors of all threads, counted."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def catch(self, who: str, act: Callable[[], object]) -> None:
        """Do something; remember what it raises, whatever it is."""
        try:
            act()
        except Exception as error:
            self.found.append(f"{who}: {type(error).__name__}: {error}")


def read_along(home: Path, run_id: str, readers: int) -> int:
    """Be one app server: follow the run in ``readers`` threads and print what was read as one JSON object."""
    errors, counts = Errors(), [0] * readers
    refreshes = [0] * readers

    def session(place: int) -> None:
        store, seq = Store(home), 0
        while True:
            info = store.status(run_id)
            for event in store.events(run_id, seq):
                if event.seq != seq + 1:
                    raise AssertionError(f"event {event.seq} came after {seq}")
                seq = event.seq
            counts[place] = seq
            store.runs()
            report.series(home, run_id)
            refreshes[place] += 1
            if not info.status.active:
                return
            time.sleep(REFRESH_S)

    together([lambda k=k: errors.catch(f"reader {k}", lambda: session(k)) for k in range(readers)])
    print(json.dumps({"read": counts, "refreshes": sum(refreshes), "errors": errors.found}))
    return 0


def together(acts: list[Callable[[], object]]) -> None:
    """Do several things at once and wait for all."""
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Scene:
    """The scene on one data folder."""

    def __init__(self, home: Path, events: int, per_second: float, runs: int) -> None:
        self.store, self.errors = Store(home), Errors()
        self.data = home.parent / "data.csv"
        self.data.write_text("x1,x2,y\n" + "\n".join(f"{k},{k * k % 7},{k % 5}" for k in range(30)))
        self.ids = [new_run_id() for _ in range(runs)]
        self.lengths = [events] + [max(100, events // 20)] * (runs - 1)
        self.per_second = per_second
        self.commands = self.pages_wrote = 0
        self.over = threading.Event()

    def start(self, place: int) -> None:
        """Start one run, from two windows at once."""
        words = [sys.executable, "-m", "tests.scenes.talker", str(self.lengths[place]), str(self.per_second)]
        config = Config(data=str(self.data))

        def click() -> None:
            start(config, home=self.store.home, run_id=self.ids[place], command=words)

        together([lambda: self.errors.catch("start", click)] * 2)

    def command_line(self, *words: str, again: bool = True) -> None:
        """Use the command line, over and over until the scene is over."""
        while True:
            done = subprocess.run(
                [sys.executable, "-m", "plm_engine", *words, "--home", str(self.store.home), "--json"],
                cwd=PROJECT,
                capture_output=True,
                text=True,
                check=False,
            )
            self.commands += 1
            if done.returncode or "Traceback" in done.stderr or "locked" in done.stderr:
                self.errors.found.append(f"command {words[0]}: exit code {done.returncode}: {done.stderr[-400:]}")
            else:
                self.errors.catch(f"command {words[0]}", lambda text=done.stdout: json.loads(text))
            if not again or self.over.is_set():
                return

    def page(self) -> None:
        """Write as pages do: names, slots, a cancelled and a deleted run."""
        self.errors.catch("cancel", lambda: self.store.request_cancel(self.ids[-1]))
        turn = 0
        while not self.over.wait(0.05):
            run_id, turn = self.ids[turn % len(self.ids)], turn + 1
            self.errors.catch("label", lambda r=run_id, t=turn: self.store.set_labels(r, name=f"try {t}"))
            self.errors.catch("slots", lambda t=turn: set_max_running(self.store.home, 1 + t % 2))
            self.pages_wrote += 2

    def play(self, readers: int) -> dict:
        """Play the scene and return the figures."""
        self.store.home.mkdir()
        together([lambda k=k: self.start(k) for k in range(len(self.ids))])
        wait_for(lambda: all(self.store.run_dir(r).exists() for r in self.ids), 10.0, "the runs")
        watched = self.ids[0]
        words = [sys.executable, "-m", "tests.scenes.concurrency", "--read", watched, "--readers", str(readers)]
        servers = [
            subprocess.Popen([*words, "--home", str(self.store.home)], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
            for _ in range(SERVERS)
        ]
        train = ("train", "--data", "copper-sample", "--max-minutes", "0.02")
        others = [
            threading.Thread(target=act)
            for act in (
                self.page,
                lambda: self.command_line("list"),
                lambda: self.command_line("show", watched),
                lambda: self.command_line(*train, again=False),
            )
        ]
        for thread in others:
            thread.start()
        for run_id in self.ids[:-1]:
            wait_for(lambda r=run_id: not self.store.status(r).status.active, 300.0, f"the end of {run_id}")
        self.over.set()
        for thread in others:
            thread.join()
        wait_for(lambda: not any(r.status.active for r in self.store.runs()), 60.0, "the last run")
        said = [json.loads(server.communicate(timeout=60)[0]) for server in servers]
        return self.figures(said)

    def figures(self, said: list[dict]) -> dict:
        """Compare what was written with what was read."""
        written, stored, twice, states = 0, 0, 0, {}
        for run_id in self.ids:
            folder = self.store.run_dir(run_id)
            info = self.store.status(run_id)
            states[str(info.status)] = states.get(str(info.status), 0) + 1
            if (folder / "started.txt").exists():
                twice += len((folder / "started.txt").read_text().split()) != 1
                written += int((folder / "written.txt").read_text())
            elif info.status is not Status.CANCELLED:
                self.errors.found.append(f"run {run_id} was never started: {info.sentence}")
            events = self.store.events(run_id)
            if [event.seq for event in events] != list(range(1, len(events) + 1)):
                self.errors.found.append(f"run {run_id} has gaps")
            stored += len(events)
        watched = int((self.store.run_dir(self.ids[0]) / "written.txt").read_text())
        read = [count for server in said for count in server["read"]]
        self.errors.catch("delete", lambda: self.store.delete(self.ids[1]))
        for server in said:
            self.errors.found += server["errors"]
        return {
            "runs": states,
            "events written": written,
            "events stored": stored,
            "events lost": written - stored,
            "readers": len(read),
            "events of the watched run": watched,
            "events read by all readers": sum(read),
            "events missed by readers": sum(watched - count for count in read),
            "refreshes": sum(server["refreshes"] for server in said),
            "commands": self.commands,
            "labels and settings written": self.pages_wrote,
            "runs started twice": twice,
            "processes left": len(processes_of(self.store.home)),
            "errors": len(self.errors.found),
        }


def main(arguments: list[str] | None = None) -> int:
    """Run the scene as a command."""
    parser = argparse.ArgumentParser(prog="python -m tests.scenes.concurrency", description=__doc__.splitlines()[0])
    parser.add_argument("--readers", type=int, default=10, help="sessions of each of the two servers")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--events", type=int, default=5_000, help="events of the watched run")
    parser.add_argument("--per-second", type=float, default=250.0)
    parser.add_argument("--read", metavar="RUN", help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.read:
        return read_along(given.home, given.read, given.readers)
    with tempfile.TemporaryDirectory(prefix="plm-many-") as folder:
        scene = Scene(Path(folder) / "home", given.events, given.per_second, given.runs)
        figures = scene.play(given.readers)
    for name, value in figures.items():
        print(f"{name:28} {value}")
    for error in scene.errors.found[:20]:
        print(f"  {error}")
    faults = ("events lost", "events missed by readers", "runs started twice", "processes left", "errors")
    return 1 if any(figures[name] for name in faults) else 0


if __name__ == "__main__":
    sys.exit(main())
