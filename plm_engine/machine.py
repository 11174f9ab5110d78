"""What this machine has: cores, memory, GPUs; and how much of its memory this process holds.

GPUs are asked for in a process of its own, because only torch knows them reliably and the web process must not load
torch.  The answer is kept as JSON in the store's folder, for as long as torch and the machine stay the same.

Of the memory a process holds, some only it can give back (anonymous) and some lies in files.  The system counts the
most of all (``ru_maxrss``) but not of each kind, so on Linux a thread looks ten times a second; what lasts shorter may
be missed.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import resource
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import Any

import psutil

from plm_engine.store.paths import PROJECT, home_dir, read_json, write_json

MACHINE_FILE = "machine.json"
PROBE_S = 120.0
PROBE = """
import json, torch
found = []
if torch.cuda.is_available():
    for j in range(torch.cuda.device_count()):
        about = torch.cuda.get_device_properties(j)
        found.append({"name": about.name, "memory_bytes": about.total_memory})
print("PROBE" + json.dumps(found))
"""

LOOK_S = 0.1
STATUS = Path("/proc/self/status")
_NAMES = {"RssAnon": "anonymous", "RssFile": "in_files", "RssShmem": "shared"}
_peaks: dict[str, int] = {}
_looking = threading.Lock()


@dataclass(frozen=True)
class Gpu:
    """One CUDA device, its memory in bytes."""

    name: str
    memory_bytes: int


@dataclass(frozen=True)
class Machine:
    """What a machine has.

    Attributes
    ----------
    system : str
        Operating system and architecture, in words.
    cores : int
        Processor cores that this process may use (containers may allow fewer than there are).
    physical_cores : int or None
        Cores of the machine without hyper-threading; None where the system does not say.
    memory_bytes : int
        Main memory in bytes; of the container where one sets a limit.
    gpus : tuple of Gpu or None
        CUDA devices; None where they have not been asked for, or could not be.
    torch : str
        Version of torch that was asked.
    remark : str
        Why the GPUs are not known; empty where they are.
    """

    system: str
    cores: int
    physical_cores: int | None
    memory_bytes: int
    gpus: tuple[Gpu, ...] | None
    torch: str
    remark: str = ""

    def sentence(self) -> str:
        """Return the machine in words, such as ``2 cores, 7.8 GiB of memory, no GPU``."""
        if self.gpus is None:
            gpus = "GPUs not known"
        elif not self.gpus:
            gpus = "no GPU"
        else:
            gpus = ", ".join(f"{gpu.name} ({gpu.memory_bytes / 2**30:.0f} GiB)" for gpu in self.gpus)
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        return f"{cores}, {self.memory_bytes / 2**30:.1f} GiB of memory, {gpus}"


def known(home: str | PathLike[str] | None = None) -> Machine:
    """Return what is known at once; ``gpus`` is None until :func:`probe` was called on this machine."""
    kept = read_json(home_dir(home) / MACHINE_FILE)
    now = _now()
    if kept.get("same") != _same(now) or not isinstance(kept.get("gpus"), list):
        return now
    return Machine(**{**asdict(now), "gpus": tuple(Gpu(**gpu) for gpu in kept["gpus"]), "remark": ""})


def probe(home: str | PathLike[str] | None = None, *, again: bool = False) -> Machine:
    """Return everything, asking torch in a process of its own where it was not asked before (some seconds)."""
    machine = known(home)
    if machine.gpus is not None and not again:
        return machine
    gpus, remark = _ask_torch()
    machine = Machine(**{**asdict(_now()), "gpus": gpus, "remark": remark})
    if gpus is not None:
        folder = home_dir(home)
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / MACHINE_FILE, {"same": _same(machine), "gpus": [asdict(gpu) for gpu in gpus]})
    return machine


def own_cores() -> int:
    """Return how many cores this process may use, hyper-threading apart."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(psutil.cpu_count(logical=False) or usable, usable)


def _now() -> Machine:
    """Return all but the GPUs."""
    try:
        torch = metadata.version("torch")
    except metadata.PackageNotFoundError:
        torch = ""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Machine(
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        cores=cores,
        physical_cores=psutil.cpu_count(logical=False),
        memory_bytes=min(psutil.virtual_memory().total, _container_limit()),
        gpus=None,
        torch=torch,
        remark="The GPUs of this machine have not been asked for yet.",
    )


def _container_limit() -> int:
    """Return the memory limit of the control group in bytes; huge where there is none."""
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):  # another system, or the word "max"
        return sys.maxsize


def _same(machine: Machine) -> dict[str, Any]:
    """Return what must be unchanged for a kept answer to hold."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return {"node": platform.node(), "system": machine.system, "torch": machine.torch, "visible": visible}


def _ask_torch() -> tuple[tuple[Gpu, ...] | None, str]:
    """Return the GPUs, or None and why they are not known."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROBE],
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"The GPUs could not be asked for: {error}."
    for line in done.stdout.splitlines():
        if line.startswith("PROBE"):
            return tuple(Gpu(**gpu) for gpu in json.loads(line.removeprefix("PROBE"))), ""
    last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
    return None, f"The GPUs could not be asked for: {last}"


def held() -> dict[str, int]:
    """Return bytes of each kind, ``anonymous``, ``in_files`` and ``shared``; nothing where the system does not tell."""
    try:
        lines = (line.split() for line in STATUS.read_text().splitlines())
    except OSError:
        return {}
    return {_NAMES[kind]: 1024 * int(words[0]) for name, *words in lines if (kind := name.rstrip(":")) in _NAMES}


def own_peak_memory() -> int:
    """Return the most main memory that this process has held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def watch_memory() -> None:
    """Look at this process's memory from now on, from a thread of its own; calling it again does nothing."""
    if not held() or not _looking.acquire(blocking=False):
        return

    def look() -> None:
        while True:
            _look()
            time.sleep(LOOK_S)

    with contextlib.suppress(RuntimeError):  # too little memory for a thread: the run goes on and says so if it must
        threading.Thread(target=look, name="memory", daemon=True).start()


def anonymous_peak() -> int:
    """Return the most anonymous memory seen since :func:`watch_memory`, in bytes; 0 where nobody has looked."""
    if _looking.locked():
        _look()
    return _peaks.get("anonymous", 0)


def _look() -> None:
    with contextlib.suppress(ValueError):
        for kind, size in held().items():
            _peaks[kind] = max(size, _peaks.get(kind, 0))
