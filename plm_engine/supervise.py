"""The supervisor of one run: waits for its turn, starts the training process, watches it, records how it ended.

It holds the run's lock from its first to its last moment; the lock, not a process number, says that the run is alive.
It writes the run's record before the training process starts and after it ended, never in between.  Cancelling is a
flag file: the training process sees it and stops at a good moment; if it does not, the whole tree is ended, all within
five seconds.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from plm_engine.errors import PLMError, RunError
from plm_engine.processes import LINUX, adopt_orphans, before_exec, descendants, end_all
from plm_engine.store import reserve
from plm_engine.store.contract import Status
from plm_engine.store.locks import Busy, Lock
from plm_engine.store.paths import OUTCOME, PROJECT, read_json
from plm_engine.store.sqlite import CANCEL, Store, Writer

log = logging.getLogger(__name__)

POLL_S = 0.1
QUEUE_POLL_S = 0.25
CO_OPERATE_S = 2.5  # from the flag to the first signal
TERMINATE_S = 0.7  # from that signal to the kill: together well below five seconds
STALL_S = 300.0  # without a heartbeat for this long, a training process is given up
LOOK_S = 2.0  # between two looks at the heartbeat


class Supervisor:
    """Supervises one run.

    Parameters
    ----------
    run_dir : Path
        The run's folder.
    lock : Lock
        The run's lock, held.
    command : sequence of str
        The training process; the run's folder is added as its last word.
    stall_s : float
        Seconds without a heartbeat after which the training process is ended.
    """

    def __init__(self, run_dir: Path, lock: Lock, command: Sequence[str], stall_s: float = STALL_S) -> None:
        self.run_dir, self.run_id, self.lock, self.stall_s = run_dir, run_dir.name, lock, stall_s
        self.command = [*command, str(run_dir)]
        self.store = Store(run_dir.parent)
        self._told_to_stop = False
        self._stalled = False
        self._known: list[psutil.Process] = []  # descendants seen, where orphans do not come to us

    def run(self) -> None:
        """See the run from the queue to its recorded end; no process of it is left afterwards."""
        try:
            if not self._wait_for_turn():
                self._record(Status.CANCELLED, "Cancelled while it waited for its turn; nothing was learned.")
                return
            with self._writer() as writer:
                writer.put_meta(supervisor_pid=os.getpid())
                writer.set_status(Status.RUNNING)
            self._train()
        except PLMError as error:
            log.error("%s", error)
            if self.run_dir.exists():  # else somebody deleted it: there is nothing to record in
                self._record(Status.FAILED, str(error))
        finally:
            if self.store.home.exists():
                self.store.queue.leave(self.run_id)
            self.lock.release()

    def stop(self, *_: object) -> None:
        """Handle SIGTERM: end as if cancelled."""
        self._told_to_stop = True

    def _wait_for_turn(self) -> bool:
        """Return True with a slot, False if cancelled before."""
        while True:
            if self._cancelled():
                return False
            if self.store.queue.take_slot(self.run_id):
                return True
            time.sleep(QUEUE_POLL_S)

    def _train(self) -> None:
        """Start the training process, watch it to its end, clear up and record."""
        try:
            with (self.run_dir / "log.txt").open("ab") as output:
                worker = subprocess.Popen(
                    self.command,
                    cwd=PROJECT,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                    preexec_fn=before_exec(),
                    env={**os.environ, "PYTHONUNBUFFERED": "1"},
                )
        except OSError as error:
            raise RunError(f"The training process cannot be started: {error}.") from error
        try:
            self._watch(worker)
        finally:
            end_all(worker, self._known, 0.0)
        if self.run_dir.exists():
            self._record_end(worker.returncode)

    def _watch(self, worker: subprocess.Popen[bytes]) -> None:
        """Return when the training process has ended, by itself or by us."""
        heartbeat, heard, looked = None, time.monotonic(), time.monotonic()
        flagged: float | None = None
        while worker.poll() is None:
            now = time.monotonic()  # stands still while the machine sleeps, so a nap is no stall
            if flagged is None and self._cancelled():
                flagged = now
                if self.run_dir.exists():  # told by a signal: pass it on to the training process
                    (self.run_dir / CANCEL).touch()
            if (flagged is not None and now - flagged > CO_OPERATE_S) or not self.run_dir.exists():
                end_all(worker, self._known, TERMINATE_S)
                return
            if now - looked > LOOK_S:
                looked = now
                if not LINUX:
                    self._known = descendants()
                latest = self.store.status(self.run_id).heartbeat
                if latest != heartbeat:
                    heartbeat, heard = latest, now
                if now - heard > self.stall_s:
                    self._stalled = True
                    end_all(worker, self._known, TERMINATE_S)
                    return
            time.sleep(POLL_S)

    def _cancelled(self) -> bool:
        return self._told_to_stop or (self.run_dir / CANCEL).exists()

    def _record_end(self, code: int) -> None:
        """Record the end from the training process's outcome and exit code."""
        outcome = read_json(self.run_dir / OUTCOME)
        status, sentence = end_of(code, outcome, cancelled=self._cancelled())
        if self._stalled:
            status = Status.FAILED
            sentence = f"The training process gave no sign of life for {self.stall_s:g} s and was ended."
        values = {key: outcome[key] for key in ("summary", "reason") if outcome.get(key)}
        self._record(status, sentence, exit_code=code, **values)

    def _record(self, status: Status, sentence: str, **values: Any) -> None:
        """Record the end, on a full disk in the room that the run held for it."""
        try:
            self._put(status, sentence, values)
        except RunError:
            if not reserve.give_up(self.run_dir):
                raise
            self._put(status, sentence, values)
        reserve.give_up(self.run_dir)

    def _put(self, status: Status, sentence: str, values: dict[str, Any]) -> None:
        with self._writer() as writer:
            writer.put_meta(**values)
            writer.set_status(status, sentence)

    def _writer(self) -> Writer:
        return Writer(self.run_dir, wait_s=10.0)


def end_of(code: int, outcome: dict[str, Any], *, cancelled: bool) -> tuple[Status, str]:
    """Decide how a run ended.

    Parameters
    ----------
    code : int
        Exit code of the training process; minus the signal's number if a signal ended it.
    outcome : dict
        What the training process wrote before it ended; empty if it could not.
    cancelled : bool
        Whether the cancel flag was up at the end.

    Returns
    -------
    status, sentence
        A finished run stays finished though the flag came in its last moment; a flagged run is never *failed* for
        having been ended by us.
    """
    said, sentence = outcome.get("status"), str(outcome.get("sentence") or "")
    if said == Status.FINISHED and code == 0:
        return Status.FINISHED, sentence
    if said == Status.CANCELLED or code == 3 or (cancelled and said != Status.FAILED):
        return Status.CANCELLED, sentence if said == Status.CANCELLED else ""
    if said == Status.FAILED and sentence:
        return Status.FAILED, sentence
    if code < 0:
        return Status.FAILED, (
            f"The training process was killed by signal {-code} ({_signal_name(-code)}), which the system also does "
            "when memory runs out; all that was learned up to the last complete round is kept."
        )
    return Status.FAILED, f"The training process ended with code {code} and did not say why; the log says more."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def default_command() -> list[str]:
    """Return the command of the training process, without the run's folder."""
    return [sys.executable, "-m", "plm_engine.worker"]


def main(arguments: Sequence[str]) -> None:
    """Run as ``RUN_DIR LOCK_FD [COMMAND ...]``; a lock number below 0 means: take the lock yourself."""
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.INFO)
    run_dir, lock_fd, command = Path(arguments[0]), int(arguments[1]), list(arguments[2:])
    try:
        lock = Lock.inherited(lock_fd) if lock_fd >= 0 else Lock(run_dir / "lock", wait_s=10.0)
    except Busy:
        log.error("Run %s has a supervisor already.", run_dir.name)
        return
    supervisor = Supervisor(run_dir, lock, command or default_command())
    adopt_orphans()
    signal.signal(signal.SIGTERM, supervisor.stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    supervisor.run()


if __name__ == "__main__":
    main(sys.argv[1:])
