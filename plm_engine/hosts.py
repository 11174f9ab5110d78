"""Where the ranks of a run are: on this machine, or on several that start torchrun each and meet at an address.

What a person gave is turned into torchrun's arguments.  With several machines the rendezvous is *static*: the first
one listens at an address and port that all are told.
"""

from __future__ import annotations

import argparse
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from plm_engine.errors import ConfigError, UnavailableError

#: tells a rank on how many hosts its run is
COUNT = "PLM_LAB_HOSTS"


LARGEST = 1024


@dataclass(frozen=True)
class Hosts:
    """The machines of a run, seen from one of them.

    Attributes
    ----------
    count : int
        Machines.
    index : int
        This one; 0 is the first, which keeps the run.
    address, port : str, int
        Where the first one listens.
    interface : str
        Network interface to use, such as ``eth0``; without it gloo may pick the loopback, out of the others' reach.
    """

    count: int = 1
    index: int = 0
    address: str = ""
    port: int = 0
    interface: str = ""

    @classmethod
    def from_arguments(cls, words: Sequence[str]) -> Hosts:
        """Return the hosts that the words after a program's name describe; none: this machine alone."""
        parser = argparse.ArgumentParser(prog="plm_engine.worker", allow_abbrev=False)
        add_arguments(parser)
        return cls.from_parsed(parser.parse_args(words))

    @classmethod
    def from_parsed(cls, parsed: argparse.Namespace) -> Hosts:
        """Return the hosts that parsed arguments describe.

        Raises
        ------
        ConfigError
            If something is missing or not allowed.
        """
        if parsed.hosts == 1:
            return cls()
        hosts = cls(parsed.hosts, parsed.host_index, parsed.address, parsed.port, parsed.interface)
        if not 2 <= hosts.count <= LARGEST or not 0 <= hosts.index < hosts.count:
            raise ConfigError(
                f"Host {hosts.index} of {hosts.count} is not allowed: hosts are numbered from 0, at most {LARGEST}."
            )
        if not hosts.address or not 1 <= hosts.port <= 65535:
            raise ConfigError(
                "Several hosts need --address (of the first host, as the others reach it) and --port (1 to 65535)."
            )
        return hosts

    def words(self) -> list[str]:
        """Return what :meth:`from_arguments` reads back."""
        if self.count == 1:
            return []
        numbers = [f"--hosts={self.count}", f"--host-index={self.index}", f"--port={self.port}"]
        return [*numbers, f"--address={self.address}", f"--interface={self.interface}"]

    def check_workers(self, workers: int) -> None:
        """Raise :class:`ConfigError` unless every host gets the same number of ranks."""
        if workers % self.count:
            raise ConfigError(
                f"{workers} workers cannot be shared out evenly over {self.count} hosts: give a multiple."
            )

    def ranks_here(self, workers: int) -> range:
        """Return the ranks that run on this host, an equal share on each."""
        share = workers // self.count
        return range(self.index * share, (self.index + 1) * share)

    def arguments(self, ranks_here: int) -> list[str]:
        """Return torchrun's arguments; on one host torchrun takes a free port by itself."""
        if self.count == 1:
            return ["--standalone", f"--nproc-per-node={ranks_here}"]
        where = [f"--master-addr={self.address}", f"--master-port={self.port}"]
        return [f"--nnodes={self.count}", f"--node-rank={self.index}", *where, f"--nproc-per-node={ranks_here}"]

    def environment(self) -> dict[str, str]:
        """Return the variables that bind the collectives to the interface given."""
        names = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME") if self.interface else ()
        return {COUNT: str(self.count), **dict.fromkeys(names, self.interface)}

    def check(self) -> None:
        """Raise :class:`UnavailableError` now if the port is taken: torch itself would take a minute to say so."""
        if self.count == 1 or self.index:
            return
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.address, self.port))
            except OSError as error:
                raise UnavailableError(
                    f"The ranks cannot meet at {self.address}:{self.port} ({error.strerror}): give an address of this "
                    "machine with --address and a free port with --port."
                ) from error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags that describe several hosts."""
    group = parser.add_argument_group("several machines")
    group.add_argument("--hosts", type=int, default=1, metavar="N", help="Machines that share the run [default 1].")
    group.add_argument("--host-index", type=int, default=0, metavar="I", help="Which of them this is; 0 keeps the run.")
    group.add_argument("--address", default="", metavar="HOST", help="Where the others reach machine 0.")
    group.add_argument("--port", type=int, default=29500, metavar="N", help="Free port of machine 0 [default 29500].")
    group.add_argument(
        "--interface", default="", metavar="NAME", help="Network interface that leads to the others, such as eth0."
    )


def several() -> bool:
    """Return whether this process is a rank of a run on several hosts."""
    return int(os.environ.get(COUNT, "1")) > 1
