"""Start a run in the background and come back at once: for pages, the command line and notebooks.

The chain: this function makes the run's folder (exclusively, with its lock held), ``plm_engine.detach`` forks into
``plm_engine.supervise``, which starts ``plm_engine.worker``.  The lock passes from hand to hand and is never free in
between.  Nothing here imports torch, pandas or numpy.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from plm_engine import __version__
from plm_engine.config import Config
from plm_engine.errors import ConfigError, DataError, RunError
from plm_engine.events import Notice
from plm_engine.limits import Limits
from plm_engine.modes import MODES
from plm_engine.store import reserve
from plm_engine.store.contract import RunInfo, Status
from plm_engine.store.locks import HANDS_OVER, Lock
from plm_engine.store.paths import (
    CHECKPOINT,
    OUTCOME,
    PROJECT,
    RESUME,
    checked_run_id,
    new_run_id,
    read_json,
    write_json,
)
from plm_engine.store.sqlite import CANCEL, Store, Writer, checked_labels
from plm_engine.tracking import place_of

PACKAGES = ("torch", "numpy", "pandas", "scikit-learn", "safetensors", "pyarrow", "psutil", "streamlit", "plotly")
#: those whose arithmetic decides about bits
DECIDE = ("plm-lab", "torch", "numpy", "pandas", "scikit-learn")
DETACH_WAIT_S = 30.0
#: says that a run has another training process than ours
COMMAND = "command.json"


def start(
    config: Config,
    *,
    home: str | os.PathLike[str] | None = None,
    run_id: str | None = None,
    name: str = "",
    command: Sequence[str] | None = None,
    job: Mapping[str, Any] | None = None,
) -> str:
    """Start a run, or queue it, and return its id; starting the same id twice starts one run.

    Parameters
    ----------
    config : Config
        What to do; ``config.data`` names a file or a bundled table.
    home : path or None
        The store's folder; see :func:`plm_engine.store.home_dir`.
    run_id : str or None
        An id from :func:`plm_engine.store.new_run_id`, for callers that may call twice; a fresh one if None.
    name : str
        Label for people.
    command : sequence of str or None
        Another training process than ``plm_engine.worker`` (compound jobs, tests); gets the run's folder as its last
        word.
    job : mapping or None
        What a compound job is asked to do (plain values); recorded with the run, where ``command`` finds it.

    Raises
    ------
    ConfigError, DataError
        If there is no such data.
    RunError
        If the run cannot be stored or started.
    """
    store = Store(home)
    run_id = new_run_id() if run_id is None else checked_run_id(run_id)
    if store.run_dir(run_id).exists():
        return run_id
    checked_labels({"name": name})
    place_of(config.log_to, store.home)  # a tool that is not installed is told now
    limits = Limits.of(store.home).within(config)
    config, fingerprint = _with_data(config, limits)
    asked = {"data": fingerprint, "limits": asdict(limits), **({"job": dict(job)} if job else {})}
    lock = store.create_held(run_id, config, {**asked, **environment(config)})
    if lock is None:
        return run_id
    try:
        if name:
            store.set_labels(run_id, name=name)
        if command:
            write_json(store.run_dir(run_id) / COMMAND, {"command": list(command)})
        store.queue.draw(run_id)
        _start_supervisor(store.run_dir(run_id), lock, command or ())
    except (OSError, subprocess.SubprocessError, RunError) as error:
        sentence = f"The run's supervisor cannot be started: {error}."
        with Writer(store.run_dir(run_id)) as writer:
            writer.set_status(Status.FAILED, sentence)
        lock.release()
        raise RunError(sentence) from error
    lock.close_copy()
    return run_id


def resume(run_id: str, *, home: str | os.PathLike[str] | None = None) -> str:
    """Let an interrupted run go on from its newest checkpoint, under the same id, and come back at once.

    It ends with the network, bit for bit, of an uninterrupted run, if the machine and the versions are the same; see
    :func:`not_promised`.  Without a checkpoint it begins once more.

    Returns
    -------
    sentence : str
        Why equality with an uninterrupted run is not promised; empty if it is.

    Raises
    ------
    RunError
        If the run still goes, is finished, is a compound job, or cannot be started.
    ConfigError
        If another version made it, with settings that are not known here.
    """
    store = Store(home)
    info, run_dir = store.status(run_id), store.run_dir(run_id)
    refuse_to_resume(info, run_dir)
    remark = not_promised(info)
    lock = store.hold(run_id)
    try:
        if store.status(run_id).status is Status.FINISHED:  # of two at once the other one was faster
            raise RunError(f"Run {run_id} is finished: there is nothing to resume.")
        _make_ready(run_dir, remark)
        store.queue.draw(run_id)
        _start_supervisor(run_dir, lock, ())
    except (OSError, subprocess.SubprocessError, RunError) as error:
        lock.release()
        raise error if isinstance(error, RunError) else RunError(f"Run {run_id} cannot be resumed: {error}.") from error
    lock.close_copy()
    return remark


def _make_ready(run_dir: Path, remark: str) -> None:
    """Put the newest checkpoint where it is not written any more, and let the run wait for its turn again."""
    if (run_dir / CHECKPOINT).exists():
        copy = run_dir / f".{RESUME}.part"
        shutil.copyfile(run_dir / CHECKPOINT, copy)
        os.replace(copy, run_dir / RESUME)
    reserve.hold(run_dir)
    for stale in (CANCEL, OUTCOME):
        (run_dir / stale).unlink(missing_ok=True)
    with Writer(run_dir, wait_s=10.0) as writer:
        writer.reopen()
        if remark:
            writer.emit(Notice(remark))


def refuse_to_resume(info: RunInfo, run_dir: Path) -> None:
    """Raise :class:`~plm_engine.errors.UserError` if a run cannot be resumed."""
    if info.status.active:
        raise RunError(f"Run {info.id} is {info.status}: there is nothing to resume.")
    if info.status is Status.FINISHED:
        raise RunError(f"Run {info.id} is finished: there is nothing to resume. Start a new run instead.")
    if "plm_engine.worker" not in read_json(run_dir / COMMAND).get("command", ["plm_engine.worker"]):
        raise RunError(
            f"Run {info.id} is a job of many trainings: give its own command again, with --resume {info.id}."
        )
    Config.to_repeat(info.config)


def not_promised(info: RunInfo) -> str:
    """Return why a resumed run may end with other bits than an uninterrupted one; empty if it ends with the same."""
    now, changed = environment(Config.from_stored(info.config)[0]), []
    then = {"versions": {}, **info.extra}
    mode = info.config.get("mode", "single")
    if mode in MODES and not MODES[mode].exact and mode not in ("batched", "auto"):  # these two end like single
        changed.append(f"mode {mode} makes no promise about bits")
    for package in DECIDE:
        before, after = then["versions"].get(package), now["versions"].get(package)
        if before != after:
            changed.append(f"{package} was {before or 'not there'} and is {after or 'not there'}")
    changed += [
        f"{key} was {then.get(key, 'not known')} and is {now[key]}"
        for key in ("python", "machine")
        if then.get(key) != now[key]
    ]
    if not changed:
        return ""
    return f"That the network equals an uninterrupted run's bit for bit is not promised: {'; '.join(changed)}."


def environment(config: Config) -> dict[str, Any]:
    """Return what the result may depend on besides data and config: versions, system, seed."""
    versions = {"plm-lab": __version__}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {
        "versions": versions,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "seed": config.seed,
    }


def _start_supervisor(run_dir: Path, lock: Lock, command: Sequence[str]) -> None:
    """Start the detached supervisor and hand it the lock."""
    if not HANDS_OVER:
        lock.release()
    fd = lock.fd if HANDS_OVER else -1
    details: dict[str, Any] = {"pass_fds": (fd,), "start_new_session": True} if HANDS_OVER else {}
    if sys.platform == "win32":
        details["creationflags"] = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    with (run_dir / "log.txt").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "plm_engine.detach", str(run_dir), str(fd), *command],
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            close_fds=True,
            **details,
        )
    if HANDS_OVER and process.wait(DETACH_WAIT_S) != 0:
        raise RunError(f"its first process ended with code {process.returncode}")


def _with_data(config: Config, limits: Limits) -> tuple[Config, dict[str, Any]]:
    """Return the config with an absolute data path, and the data's fingerprint."""
    if not config.data:
        raise ConfigError("No data is given: name a file or a bundled table with --data.")
    path, is_file = data_path(config.data)
    if path is None:  # made by a library, such as scikit-learn's tables: its version is its fingerprint
        return config, {"name": config.data, "path": None, "bytes": None, "sha256": None}
    try:
        size = path.stat().st_size
        limits.check_file(path.name, size)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"The data file {str(path)!r} cannot be read: {error.strerror}.") from error
    if is_file:
        config = config.replace(data=str(path))  # the training process has another working folder
    return config, {"name": path.name, "path": str(path), "bytes": size, "sha256": digest}


def data_path(name: str) -> tuple[Path | None, bool]:
    """Return the file behind ``name`` (None if a library makes the table), and whether ``name`` is a path to it."""
    path = Path(name).expanduser()
    if path.is_file():
        return path.resolve(), True
    from plm_engine.datasets.samples import resolve  # only now: it may load pandas

    found = resolve(name)
    if isinstance(found, Path):
        return found.resolve(), True
    inside = getattr(found, "path", None)
    return (None if inside is None else Path(inside).resolve()), False
