"""The training process of a run: ``python -m plm_engine.worker RUN_DIR``.

Reads the run's configuration and data, trains, writes events into the run's store and files into its folder, and says
in ``outcome.json`` how it ended.  Exit code 0: finished, 2: the user can put it right, 1: our fault, 3: cancelled.

A mode with several ranks is started again under torchrun (see ``plm_engine.multirank``); then rank 0 does what is said
above, and the others only compute.
"""

from __future__ import annotations

import errno
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plm_engine.config import Config
from plm_engine.errors import DataError, EndedError, PLMError, UserError
from plm_engine.events import Notice
from plm_engine.hosts import Hosts, several
from plm_engine.limits import one_copy
from plm_engine.modes import MODES
from plm_engine.multirank import run_ranks, show_alive, show_done, show_failure
from plm_engine.processes import die_with_parent, leave
from plm_engine.store import reserve
from plm_engine.store.paths import OUTCOME, read_json, write_json
from plm_engine.store.sqlite import CANCEL, Store, Writer
from plm_engine.tracking import place_of

if TYPE_CHECKING:
    from plm_engine.lesson import Lesson
    from plm_engine.parallel.calibrate import Choice
    from plm_engine.training import TrainResult

log = logging.getLogger(__name__)

#: what the system says where files cannot be written
NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
FINISHED, OUR_FAULT, USER_ERROR, CANCELLED = 0, 1, 2, 3
ASK_S = 0.1


class CancelFlag:
    """Says whether the run is asked to end: by the flag file, looked at ten times a second, or by a signal."""

    def __init__(self, run_dir: Path) -> None:
        self._file = run_dir / CANCEL
        self._next = 0.0
        self.up = False

    def raise_it(self, *_: object) -> None:
        """Handle a signal."""
        self.up = True

    def __call__(self) -> bool:
        """Return whether the run is to end."""
        now = time.monotonic()
        if not self.up and now >= self._next:
            self._next = now + ASK_S
            self.up = self._file.exists()
        return self.up


def check_fingerprint(run_dir: Path, sha256: str) -> None:
    """Refuse data that are not the ones the run was started with.

    Raises
    ------
    DataError
        If the file changed in between.
    """
    recorded = Store(run_dir.parent).status(run_dir.name).extra.get("data", {})
    if recorded.get("sha256") and recorded["sha256"] != sha256:
        raise DataError(
            f"The data file {recorded.get('path')!r} changed after the run was started: start the run again."
        )


def learn(run_dir: Path, config: Config, stop: Callable[[], bool]) -> TrainResult:
    """Train as the configuration says, into the run's folder; rank 0 of several, or the only process."""
    from plm_engine.lesson import Lesson

    with Writer(run_dir, wait_s=10.0, beat=True) as writer:
        lesson = Lesson(run_dir, config, writer)
        check_fingerprint(run_dir, lesson.table.sha256)
        if lesson.placement.on_disk:
            writer.emit(Notice(lesson.placement.reason))
        choice = _calibrated(lesson)
        if choice is not None:
            if config.mode == "auto" or choice.threads > 1:
                writer.emit(Notice(choice.reason))
            lesson.note("auto" if config.mode == "auto" else "threads", choice.to_mapping())
        place = place_of(config.log_to, run_dir.parent)
        if place is None:
            return lesson.learn(stop)
        from plm_engine.trackers import tracked

        lesson.sink = sink = tracked(writer, place, run_dir.name, config)
        try:
            return lesson.learn(stop)
        finally:
            sink.close()


def follow(run_dir: Path, config: Config) -> None:
    """Compute as one of the other ranks: the same program, nothing written."""
    from plm_engine.lesson import Lesson

    lesson = Lesson(run_dir, config, None)
    _calibrated(lesson)
    if MODES[lesson.config.mode].ranked:
        lesson.learn(lambda: False)


def _calibrated(lesson: Lesson) -> Choice | None:
    """Let mode *auto* choose, on all ranks together, and mode *single* its threads; None for every other mode."""
    mode = lesson.config.mode
    if mode not in ("auto", "single"):
        return None
    from plm_engine.parallel.calibrate import calibrate, choose_threads, cores

    shape = lesson.prepared.x_train.shape
    if mode == "auto":
        workers = lesson.config.workers
        if "RANK" not in os.environ:  # asked for or not, more processes than cores never pay
            workers = min(workers, cores()) if workers > 1 else cores()
        choice = calibrate(lesson.config.replace(workers=workers), *shape)
        if choice.threads > 1 and "RANK" in os.environ:
            saved = one_copy(shape[0], shape[1], workers, lesson.config.dtype)
            choice = replace(choice, reason=f"{choice.reason} {saved}")
    else:
        choice = choose_threads(lesson.config, *shape)
    lesson.config = lesson.config.replace(mode=choice.mode, workers=choice.workers)
    lesson.threads, lesson.made = choice.threads, choice.strategy
    return choice


def ranks_wanted(config: Config, hosts: Hosts) -> int:
    """Return how many ranks a run is started with; 1 means this process alone (which may have threads and helpers).

    What mode *auto* would gain from ranks on one machine, forked helpers and threads give it without torchrun's start.
    """
    if config.mode == "auto" and config.workers > 1 and hosts.count == 1:
        from plm_engine.parallel.choose import may_help

        return 1 if may_help(config) else config.workers
    return config.workers if MODES[config.mode].ranked or config.mode == "auto" else 1


def outcome_of(error: BaseException) -> tuple[int, str]:
    """Return the exit code and the sentence for an error."""
    if isinstance(error, UserError):
        return USER_ERROR, str(error)
    if _is_out_of_memory(error):
        return USER_ERROR, "The machine's memory ran out: use fewer rows, or float32; what was learned is kept."
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return USER_ERROR, (
            f"The run's files cannot be written ({error.strerror}): make room, or make its folder writable, and resume "
            "the run; what was learned up to the last checkpoint is kept."
        )
    fault = str(error) if isinstance(error, PLMError) else f"{type(error).__name__}: {error}"
    return OUR_FAULT, f"The program made a mistake, which is our fault, not yours; the log says more ({fault})."


def _is_out_of_memory(error: BaseException) -> bool:
    """Return whether memory ran out; torch says so in a RuntimeError for the main memory, in its own for a GPU's."""
    named = type(error).__name__ == "OutOfMemoryError"
    return named or isinstance(error, MemoryError) or "can't allocate memory" in str(error)


def say_end(run_dir: Path, outcome: dict[str, Any]) -> None:
    """Write how the run ended, on a full disk in the room that the run held for it."""
    try:
        write_json(run_dir / OUTCOME, outcome)
    except OSError:
        if reserve.give_up(run_dir):
            write_json(run_dir / OUTCOME, outcome)


def run(run_dir: Path, hosts: Hosts | None = None) -> int:
    """Run to the end, write the outcome and return the exit code."""
    flag = CancelFlag(run_dir)
    if "RANK" in os.environ:
        return _run_rank(run_dir, int(os.environ["RANK"]), flag)
    signal.signal(signal.SIGTERM, flag.raise_it)
    try:
        config = Config.to_repeat(read_json(run_dir / "config.json"))
        hosts = hosts or Hosts()
        ranks = ranks_wanted(config, hosts)
        if MODES[config.mode].ranked or ranks > 1:
            return run_ranks(run_dir, ranks, hosts, flag)
        result = learn(run_dir, config, flag)
    except Exception as error:
        code, sentence = _logged(error)
        say_end(run_dir, {"status": _status(error), "sentence": sentence})
        return CANCELLED if isinstance(error, EndedError) else code
    return _record(run_dir, result, cancelled=flag.up)


def _run_rank(run_dir: Path, rank: int, flag: CancelFlag) -> int:
    """Run as one rank; a signal ends it at once, since what was learned is kept at every round's end."""
    try:
        show_alive(run_dir, rank)
        config = Config.to_repeat(read_json(run_dir / "config.json")) if rank == 0 or not several() else None
        if config is None or several():
            from plm_engine.joining import shared_config

            config = shared_config(run_dir, config)
        from plm_engine.parallel.choose import one_group

        with one_group(config):
            if rank:
                follow(run_dir, config)
            else:
                result = learn(run_dir, config, flag)
    except Exception as error:
        code, sentence = _logged(error)
        show_failure(run_dir, rank, error, sentence, user_error=code == USER_ERROR)
        if rank == 0:
            say_end(run_dir, {"status": _status(error), "sentence": sentence})
        return code
    if rank == 0:
        _record(run_dir, result, cancelled=flag.up)
    show_done(run_dir, rank)
    return FINISHED  # for torchrun every other code is a failure; the outcome says whether it was cancelled


def _status(error: Exception) -> str:
    return "cancelled" if isinstance(error, EndedError) else "failed"


def _logged(error: Exception) -> tuple[int, str]:
    code, sentence = outcome_of(error)
    log.log(logging.INFO if code == USER_ERROR else logging.ERROR, sentence, exc_info=True)
    return code, sentence


def _record(run_dir: Path, result: TrainResult, *, cancelled: bool) -> int:
    from plm_engine.learning.outcome import EndReason

    cancelled = cancelled and result.reason is EndReason.STOPPED
    outcome: dict[str, Any] = {
        "status": "cancelled" if cancelled else "finished",
        "sentence": result.sentence,
        "reason": str(result.reason),
        "summary": read_json(run_dir / "summary.json"),
    }
    say_end(run_dir, outcome)
    return CANCELLED if cancelled else FINISHED


if __name__ == "__main__":
    die_with_parent()
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.INFO)
    code = run(Path(sys.argv[-1]), Hosts.from_arguments(sys.argv[1:-1]))
    if "RANK" in os.environ:
        leave(code)
    sys.exit(code)
