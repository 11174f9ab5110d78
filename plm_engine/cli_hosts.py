"""Runs on several machines: what ``train`` needs for them, and the command ``join`` for every machine but the first."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from plm_engine.config import Config
from plm_engine.errors import ConfigError
from plm_engine.hosts import Hosts, add_arguments
from plm_engine.modes import MODES
from plm_engine.multirank import RankGroup
from plm_engine.processes import adopt_orphans


def worker_command(arguments: argparse.Namespace, config: Config) -> list[str] | None:
    """Return the training process of a run on several machines; None for one on this machine alone.

    Raises
    ------
    ConfigError
        If the hosts are not well described, or the mode cannot use them.
    """
    hosts = Hosts.from_parsed(arguments)
    if hosts.count == 1:
        return None
    if hosts.index:
        raise ConfigError(f"This is machine {hosts.index}, which does not keep the run: use the command 'join' on it.")
    if not MODES[config.mode].ranked:
        ranked = ", ".join(mode.name for mode in MODES.values() if mode.ranked)
        raise ConfigError(f"Mode {config.mode} cannot use several machines: give one of {ranked} with --mode.")
    hosts.check_workers(config.workers)
    return [sys.executable, "-m", "plm_engine.worker", *hosts.words()]


def add_join(parser: argparse.ArgumentParser) -> None:
    """Add the flags of ``join``."""
    parser.add_argument("--workers", type=int, required=True, metavar="N", help="Worker processes of the run in all.")
    add_arguments(parser)


def join(arguments: argparse.Namespace) -> int:
    """Compute for a run that another machine keeps, until it ends; its settings and data come from there."""
    hosts = Hosts.from_parsed(arguments)
    if hosts.count == 1 or hosts.index == 0:
        raise ConfigError("Only machines 1, 2, ... of several join: give --hosts and --host-index, or use 'train'.")
    hosts.check_workers(arguments.workers)
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="plm-lab-") as folder:
        run_dir = Path(folder)
        group = RankGroup(run_dir, arguments.workers, hosts, ["-m", "plm_engine.worker", str(run_dir)])
        try:
            sentence = group.watch(lambda: False)
        except KeyboardInterrupt:
            sentence = "Interrupted; the run ends on the other machines too."
        code = group.end()
        if not sentence and code == 0:
            print("The run has ended; machine 0 keeps it.", file=sys.stderr)
            return 0
        print(sentence or group.failure(code) or group.no_word(), file=sys.stderr)
        return 1
