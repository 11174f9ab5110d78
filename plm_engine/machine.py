"""What this machine has: cores, memory, GPUs.

GPUs are asked for in a process of its own, because only torch knows them reliably and the web process must not load
torch.  The answer is kept as JSON in the store's folder, for as long as torch and the machine stay the same.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from os import PathLike
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
