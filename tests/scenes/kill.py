"""Kill a run at random moments, resume it, and compare the network's bytes with those of an uninterrupted run.

    python -m tests.scenes.kill --times 30
    python -m tests.scenes.kill --times 10 --workers 2 --rows-on-disk always

Each time a new run is started and one of its processes, drawn at random (supervisor, training process, torchrun or a
rank), gets SIGKILL: one time in four at a moment drawn evenly over the whole run, else over its time of learning.  Then
the run is resumed under the same id.  Runs that ended before their moment do not count.
The uninterrupted run holds its rows in memory, the others where they are told to.  Exit code 0 if every network is
equal, weights, node ids and round, and nothing is left in the temporary folder.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from plm_engine.config import Config
from plm_engine.launch import resume, start
from plm_engine.predict import load_model
from plm_engine.store import Status, Store
from plm_engine.store.paths import RESUME, new_run_id
from tests.scenes.processes import processes_of, wait_for, wait_for_end

#: learns for some seconds, most of them in organizing
SETTINGS = {"data": "copper-sample", "goal_percent": 6.0, "pick": 12, "max_rounds": 4, "epochs": 40, "seed": 1}
#: so that many kills fall behind a checkpoint inside organizing
CHECKPOINT_S = "0.2"


@dataclass
class Result:
    """What one kill led to."""

    moment_s: float
    victim: str
    status: str
    went_on_from: str
    equal: bool


def fingerprint(store: Store, run_id: str) -> tuple:
    """Return what must be equal: the bytes of the weights, the nodes and the round."""
    model = load_model(store.run_dir(run_id))
    about = model.about
    return (about["network_sha256"], tuple(about["node_ids"]), tuple(about["node_rows"]), about["round"])


def role(process: psutil.Process) -> str:
    """Name a process by what it runs."""
    words = process.cmdline()
    for word, name in (("detach", "supervisor"), ("torchrun", "torchrun"), ("supervise", "supervisor")):
        if f"plm_engine.{word}" in words:
            return name
    return "rank" if "RANK" in process.environ() else "training process"


def kill_one(
    store: Store, run_id: str, config: Config, whole_s: float, learning_s: float, draw: random.Random
) -> Result:
    """Start a run, kill one of its processes, resume it; ``equal`` is filled in by the caller."""
    anywhere, began = draw.random() < 0.25, time.monotonic()
    start(config, home=store.home, run_id=run_id)
    if not anywhere:
        wait_for(lambda: store.events(run_id, kinds=["RoundEnded"], limit=1), 60.0, "the first network")
    time.sleep(draw.uniform(0.0, whole_s if anywhere else learning_s))
    moment_s, victim = time.monotonic() - began, ""
    for process in draw.sample(found := processes_of(store.run_dir(run_id)), len(found)):
        try:
            victim = role(process)
            process.kill()
            break
        except psutil.Error:
            continue
    info = wait_for_end(store, run_id)
    if info.status is Status.FINISHED:
        return Result(moment_s, victim, info.status, "", False)
    resume(run_id, home=store.home)
    ended = wait_for_end(store, run_id)
    if ended.status is not Status.FINISHED:
        print(f"  run {run_id} after its resume: {ended.status}: {ended.sentence}\n{store.log_tail(run_id, 2000)}")
    return Result(moment_s, victim, info.status, place(store.run_dir(run_id)), False)


def place(run_dir: Path) -> str:
    """Say where the run went on."""
    if not (run_dir / RESUME).exists():
        return "the beginning"
    from plm_engine.checkpoints import load_state

    state = load_state(run_dir / RESUME)
    assert state is not None
    return "a round's end" if state.place is None else "inside organizing"


def scene(times: int, mode: str, workers: int, seed: int, settings: dict, home: Path) -> list[Result]:
    """Run the scene and return one result for each kill."""
    config = Config.from_mapping({**SETTINGS, **settings, "mode": mode, "workers": workers})
    store, draw = Store(home), random.Random(seed)
    began = time.monotonic()
    whole = start(config.replace(rows_on_disk="never"), home=home, run_id=new_run_id())
    info = wait_for_end(store, whole)
    lasted = time.monotonic() - began
    assert info.status is Status.FINISHED, info.sentence
    expected = fingerprint(store, whole)
    learned = info.summary["seconds"]["total"]
    print(
        f"{mode} x {workers}: uninterrupted {lasted:.1f} s, learning {learned:.1f} s, {info.summary['n_hidden']} nodes"
    )
    results: list[Result] = []
    while len(results) < times:
        run_id = new_run_id()
        result = kill_one(store, run_id, config, lasted, learned, draw)
        if result.status == Status.FINISHED:
            learned, lasted = 0.9 * learned, 0.9 * lasted  # this one was faster: aim earlier
            store.delete(run_id)
            continue
        result.equal = store.status(run_id).status is Status.FINISHED and fingerprint(store, run_id) == expected
        results.append(result)
        said = "equal" if result.equal else "DIFFERENT"
        print(
            f"  {len(results):3} killed {result.victim} after {result.moment_s:5.2f} s -> {result.status}, "
            f"went on from {result.went_on_from}: {said}",
            flush=True,
        )
        store.delete(run_id)
    wait_for(lambda: not processes_of(home), 10.0, "the last process")
    return results


def main(arguments: list[str] | None = None) -> int:
    """Run the scene as a command."""
    parser = argparse.ArgumentParser(prog="python -m tests.scenes.kill", description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--mode", help="single, batched, row_parallel, candidate_parallel; all that fit if not given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-rounds", type=int, default=SETTINGS["max_rounds"])
    parser.add_argument("--rows-on-disk", choices=("always", "never"), default="never")
    given = parser.parse_args(arguments)
    os.environ.setdefault("PLM_LAB_CHECKPOINT_S", CHECKPOINT_S)
    modes = ["single"] if given.workers == 1 else ["row_parallel", "candidate_parallel"]
    if given.mode:
        modes = [given.mode]
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="plm-kill-") as folder, pytest.MonkeyPatch.context() as patch:
        temporary = Path(folder) / "tmp"
        temporary.mkdir()
        patch.setenv("TMPDIR", str(temporary))
        for number, mode in enumerate(modes):
            times = given.times // len(modes) + (number < given.times % len(modes))
            settings = {"max_rounds": given.max_rounds, "rows_on_disk": given.rows_on_disk}
            results += scene(times, mode, given.workers, given.seed + number, settings, Path(folder) / mode)
        left = [path.name for path in (*temporary.iterdir(), *Path(folder).rglob(".rows-*"))]
    equal = sum(result.equal for result in results)
    places = Counter(result.went_on_from for result in results)
    victims = Counter(result.victim for result in results)
    print(f"went on from: {dict(places)}; killed: {dict(victims)}; processes left: 0")
    print(f"{equal} of {len(results)} equal; files left: {left or 'none'}")
    return 0 if equal == len(results) and not left else 1


if __name__ == "__main__":
    sys.exit(main())
