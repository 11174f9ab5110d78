"""Two machines on one: two network namespaces joined by a veth pair, a run on both of them.

Usage, as root: ``python tests/parallel/two_hosts.py HOME TRAIN_OPTIONS ...`` trains with two ranks, one in each
namespace, and prints what ``train --json`` prints.  Needs the command ``ip`` (Debian package iproute2).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ADDRESSES = ("10.231.77.1", "10.231.77.2")
PORT = 29517
TIMEOUT_S = 180


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def why_not() -> str:
    """Return why namespaces cannot be made here; empty if they can."""
    if shutil.which("ip") is None:
        return "the command 'ip' is missing (Debian package iproute2)"
    if os.geteuid():
        return "network namespaces need root"
    name = f"plmtry{os.getpid()}"
    try:
        ip("netns", "add", name)
        ip("netns", "delete", name)
    except subprocess.CalledProcessError as error:
        return f"network namespaces cannot be made here: {error.stderr.strip()}"
    return ""


@contextlib.contextmanager
def two_hosts() -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Make two namespaces that reach each other; yields their names and their interfaces."""
    spaces = (f"plma{os.getpid()}", f"plmb{os.getpid()}")
    links = ("plmveth0", "plmveth1")
    try:
        for space in spaces:
            ip("netns", "add", space)
        first = ("link", "add", links[0], "netns", spaces[0], "type", "veth")
        ip(*first, "peer", "name", links[1], "netns", spaces[1])
        for space, link, address in zip(spaces, links, ADDRESSES, strict=True):
            ip("-n", space, "addr", "add", f"{address}/24", "dev", link)
            ip("-n", space, "link", "set", link, "up")
            ip("-n", space, "link", "set", "lo", "up")
        yield spaces, links
    finally:
        for space in spaces:
            with contextlib.suppress(subprocess.CalledProcessError):
                ip("netns", "delete", space)


def processes_in(space: str) -> list[int]:
    """Return the processes in a namespace."""
    found = subprocess.run(["ip", "netns", "pids", space], check=True, capture_output=True, text=True).stdout
    return [int(word) for word in found.split()]


def start(space: str, *words: str) -> subprocess.Popen[str]:
    """Run our command line in a namespace."""
    command = ["ip", "netns", "exec", space, sys.executable, "-m", "plm_engine", *words]
    # a store of its own each, as on two machines
    environment = {**os.environ, "PLM_LAB_HOME": tempfile.gettempdir() + "/no-such-home"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=PROJECT, env=environment, text=True, **pipes)


def train_on_two(home: str, *options: str) -> tuple[str, str, int]:
    """Train on both hosts; returns the output of ``train --json``, all remarks, and the processes left behind."""
    with two_hosts() as (spaces, links):
        shared = ["--hosts", "2", "--address", ADDRESSES[0], "--port", str(PORT)]
        first = start(
            spaces[0], "train", *options, "--workers", "2", *shared, "--interface", links[0], "--home", home, "--json"
        )
        second = start(spaces[1], "join", "--workers", "2", *shared, "--host-index", "1", "--interface", links[1])
        try:
            said, remarks = first.communicate(timeout=TIMEOUT_S)
            _, more = second.communicate(timeout=30)
        finally:
            for child in (first, second):
                child.kill()
        deadline = time.monotonic() + 5
        while (left := sum(len(processes_in(space)) for space in spaces)) and time.monotonic() < deadline:
            time.sleep(0.1)
        return said, remarks + more, left


if __name__ == "__main__":
    reason = why_not()
    if reason:
        sys.exit(f"Two hosts cannot be made: {reason}.")
    printed, remarked, remaining = train_on_two(*sys.argv[1:])
    print(remarked, file=sys.stderr)
    print(printed, end="")
    sys.exit(1 if remaining or not printed else 0)
