"""The process of an experiment: ``python -m plm_engine.experiment.conduct PLAN_JSON RUN_DIR``.

It lets the contenders take turns in random order, one at a time, and keeps every finished trial at once: as a line of
``trials.jsonl`` and in the run's summary.  A cancelled experiment keeps its trials, and one that *continues* another
takes over the trials of the same plan.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from plm_engine.config import Config
from plm_engine.errors import DataError, PLMError, UserError
from plm_engine.events import Notice
from plm_engine.experiment.plan import SWEEP, Contender, Plan, trial_config
from plm_engine.experiment.seats import Cancelled, Seat, SeatError, end_everything
from plm_engine.experiment.trials import TRIALS, add_trial, read_trials
from plm_engine.launch import environment
from plm_engine.machine import probe
from plm_engine.processes import adopt_orphans, die_with_parent
from plm_engine.store.paths import read_json, write_json
from plm_engine.store.sqlite import Store, Writer
from plm_engine.worker import CancelFlag, outcome_of

log = logging.getLogger(__name__)
#: other processes that keep more than this share of the machine busy mark a trial
DISTURBING = 0.15
#: a sweep spends this long on a size, and never less than eight steps
CELL_S = 1.5


class Conductor:
    """Runs one experiment in its run's folder."""

    def __init__(self, run_dir: Path, config: Config, plan: Plan, writer: Writer, cancelled: CancelFlag) -> None:
        self.run_dir, self.config, self.plan, self.writer, self.cancelled = run_dir, config, plan, writer, cancelled
        self.home = run_dir.parent
        self.machine = probe(self.home)
        self.seats: dict[Contender, Seat] = {}
        self.failed: dict[str, str] = {}
        self.doing = ""
        self.total = 0

    def run(self) -> str:
        """Do all trials that are not done yet and return one sentence."""
        self.plan.check(self.machine)
        write_json(self.run_dir / "plan.json", self.plan.to_mapping())
        self._take_over()
        try:
            self._sweep() if self.plan.kind == SWEEP else self._trainings()
        finally:
            for seat in self.seats.values():
                seat.close()
            end_everything()
            self.doing = ""
            self._tell()
        finished = len(read_trials(self.run_dir))
        lost = f" {' '.join(self.failed.values())}" if self.failed else ""
        return f"{finished} of {self.total} measurements finished.{lost}"

    def _trainings(self) -> None:
        trials = self.plan.order(self.config.seed)
        self.total = len(trials)
        done = {(t["contender"], t["repeat"]) for t in read_trials(self.run_dir)}
        left = [(repeat, contender) for repeat, contender in trials if (contender.key, repeat) not in done]
        for contender in dict.fromkeys(contender for _, contender in left):
            self._say(f"Warming up {contender.title}")
            config = trial_config(self.config, contender, 0).replace(max_rounds=1)
            self._ask(contender, {"what": "train", "config": config.to_mapping()})
        for at, (repeat, contender) in enumerate(left):
            if contender.key in self.failed:
                continue
            number = self.total - len(left) + at + 1
            self._say(f"Training {number} of {self.total}: {contender.title}, repeat {repeat + 1}")
            config = trial_config(self.config, contender, repeat)
            answer = self._ask(contender, {"what": "train", "config": config.to_mapping()})
            if answer is not None:
                self._keep(contender, {"repeat": repeat, "seed": config.seed, "order": number, **answer})

    def _sweep(self) -> None:
        """Measure one step at every size, small ones first, within the plan's minutes."""
        cells = sorted(((n, p) for n in self.plan.rows for p in self.plan.hidden), key=lambda cell: cell[0] * cell[1])
        self.total = len(cells) * len(self.plan.contenders)
        done = {(t["contender"], t["rows"], t["hidden"]) for t in read_trials(self.run_dir)}
        deadline = time.monotonic() + 60 * self.plan.minutes
        slowest: dict[str, float] = {}  # seconds of a step for each row and node, at the largest size so far
        for at, (n, p) in enumerate(cells):
            for contender in self.plan.contenders:
                if contender.key in self.failed or (contender.key, n, p) in done:
                    continue
                why = self._too_much(contender, n, p, slowest.get(contender.key, 0.0), deadline - time.monotonic())
                if why:
                    self._keep(contender, {"rows": n, "hidden": p, "step_ms": None, "left_out": why})
                    continue
                number = at * len(self.plan.contenders) + 1
                self._say(f"Step {number} of {self.total}: {contender.title}, {n:,} rows, {p} nodes")
                config = trial_config(self.config, contender, 0).to_mapping()
                answer = self._ask(
                    contender, {"what": "step", "config": config, "rows": n, "hidden": p, "seconds": CELL_S}
                )
                if answer is not None:
                    slowest[contender.key] = answer["step_ms"] * answer["at_once"] / 1000 / (n * p)
                    self._keep(contender, {"rows": n, "hidden": p, **answer})

    def _too_much(self, contender: Contender, n: int, p: int, step_s: float, left_s: float) -> str:
        """Say why a size is not measured; empty if it is (``step_s``: seconds of a step for each row and node)."""
        at_once = {"batched": 8}.get(contender.mode, 1)
        needed = 8 * n * (2 * 20 + at_once * 2 * p / max(1, contender.workers if contender.mode != "batched" else 1))
        if needed * contender.processes > 0.4 * psutil.virtual_memory().available:
            return "needs too much memory"
        if CELL_S + 8 * step_s * n * p > left_s:
            return "no time left"
        return ""

    def _ask(self, contender: Contender, task: dict[str, Any]) -> dict[str, Any] | None:
        """Have a contender do a task, alone; None if it cannot, which is told once."""
        if contender.key in self.failed:
            return None
        try:
            if contender not in self.seats:
                self.seats[contender] = Seat(contender, self.run_dir / "seats" / contender.key.replace(":", "-"))
            watch = Watch(self.home, self.run_dir.name, self.seats.values())
            answer = self.seats[contender].ask(task, self.cancelled)
            if "error" in answer:
                raise DataError(answer["error"])
            return {**answer, "disturbed": watch.disturbed(), "at": time.time()}
        except SeatError as error:
            log.error("%s", error)
            self.failed[contender.key] = str(error)
            self.writer.emit(Notice(str(error)))
            return None

    def _keep(self, contender: Contender, trial: dict[str, Any]) -> None:
        add_trial(self.run_dir, {"contender": contender.key, **trial})
        self._tell()

    def _say(self, doing: str) -> None:
        self.doing = doing
        self.writer.emit(Notice(doing))
        self._tell()

    def _tell(self) -> None:
        summary = {
            "kind": "experiment",
            "mode": "comparison",
            "doing": self.doing,
            "finished": len(read_trials(self.run_dir)),
            "total": self.total,
            "plan": self.plan.to_mapping(),
            "failed": self.failed,
            "machine": {"sentence": self.machine.sentence(), "system": self.machine.system},
            "environment": environment(self.config),
        }
        self.writer.put_meta(summary=summary)
        write_json(self.run_dir / "summary.json", summary)

    def _take_over(self) -> None:
        """Copy the finished trials of the experiment that this one continues."""
        if not self.plan.continues or (self.run_dir / TRIALS).exists():
            return
        old = Store(self.home).run_dir(self.plan.continues)
        plan = read_json(old / "plan.json")
        same = plan and replace(Plan.from_mapping(plan), continues="") == replace(self.plan, continues="")
        if same and Config.from_mapping(read_json(old / "config.json")) == self.config:
            for trial in read_trials(old):
                add_trial(self.run_dir, trial)


class Watch:
    """Notices what else used the machine between its making and :meth:`disturbed`."""

    def __init__(self, home: Path, run_id: str, seats: Any) -> None:
        self._home, self._run, self._seats = home, run_id, list(seats)
        self._began, self._busy, self._own = time.monotonic(), busy_seconds(), self._own_seconds()

    def disturbed(self) -> list[str]:
        """Return sentences; empty if nothing else trained and the machine was otherwise quiet."""
        said = []
        queue = Store(self._home).queue
        if any(ticket.running and ticket.run_id != self._run for ticket in queue.tickets()):
            said.append("Another run trained meanwhile.")
        others = busy_seconds() - self._busy - (self._own_seconds() - self._own)
        share = others / max(1e-3, time.monotonic() - self._began) / (psutil.cpu_count() or 1)
        if share > DISTURBING:
            said.append(f"Other programs used {100 * share:.0f} % of the processors.")
        return said

    def _own_seconds(self) -> float:
        mine = psutil.Process().cpu_times()
        return mine.user + mine.system + sum(seat.cpu_seconds() for seat in self._seats)


def busy_seconds() -> float:
    """Return the processor seconds that the whole machine has spent on anything."""
    times = psutil.cpu_times()
    return sum(times) - times.idle - getattr(times, "iowait", 0.0) - getattr(times, "guest", 0.0)


def run(run_dir: Path, plan: Plan) -> int:
    """Run an experiment to its end, write its outcome and return the exit code."""
    flag = CancelFlag(run_dir)
    signal.signal(signal.SIGTERM, flag.raise_it)
    try:
        config = Config.from_mapping(read_json(run_dir / "config.json"))
        with Writer(run_dir, wait_s=10.0, beat=True) as writer:
            conductor = Conductor(run_dir, config, plan, writer, flag)
            sentence, status, code = conductor.run(), "finished", 0
            if conductor.failed and not read_trials(run_dir):
                raise PLMError(" ".join(conductor.failed.values()))
    except Cancelled:
        kept = len(read_trials(run_dir))
        sentence, status, code = (
            f"Cancelled; {kept} finished measurements are kept and can be continued.",
            "cancelled",
            3,
        )
    except Exception as error:
        code, sentence = outcome_of(error)
        status = "failed"
        log.log(logging.INFO if isinstance(error, UserError) else logging.ERROR, sentence, exc_info=True)
    summary = read_json(run_dir / "summary.json")
    write_json(run_dir / "outcome.json", {"status": status, "sentence": sentence, "reason": status, "summary": summary})
    return code


if __name__ == "__main__":
    die_with_parent()
    adopt_orphans()
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.INFO)
    sys.exit(run(Path(sys.argv[-1]), Plan.from_mapping(json.loads(sys.argv[-2]))))
