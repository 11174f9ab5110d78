"""Who trains now and who waits: tickets in the home folder, drawn in order.

A ticket is an empty file ``queue/<number>-<run id>``; with ``.running`` at its end its run has a slot.  Numbers are
drawn under one lock for the whole home, so that the order survives clocks that go back.  A ticket whose run's lock is
free belongs to nobody and is swept away.  A compound job is one run and so has one ticket; its parts never queue.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from plm_engine.errors import RunError
from plm_engine.store.locks import Lock, is_held
from plm_engine.store.paths import read_json, write_json

TICKET = re.compile(r"(\d{12})-([0-9a-f]{12})(\.running)?")
SETTINGS = "settings.json"
LARGEST_MAX_RUNNING = 64


@dataclass(frozen=True)
class Ticket:
    """One place in the queue, or one slot."""

    number: int
    run_id: str
    running: bool

    @property
    def file_name(self) -> str:
        """Name of the ticket's file."""
        return f"{self.number:012d}-{self.run_id}" + (".running" if self.running else "")


class Queue:
    """The queue of a home folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "queue"

    def draw(self, run_id: str) -> None:
        """Join the end of the queue; the caller holds the run's lock."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._locked():
            last = max((ticket.number for ticket in self.tickets()), default=0)
            (self.folder / Ticket(last + 1, run_id, False).file_name).touch()

    def take_slot(self, run_id: str) -> bool:
        """Take a slot if it is this run's turn; return whether the run has one now."""
        with self._locked():
            ours = [ticket for ticket in self.tickets() if ticket.run_id == run_id]
            if not ours:
                raise RunError(f"Run {run_id} has lost its place in the queue: start it again.")
            if ours[0].running:
                return True
            live = [t for t in self.tickets() if t.run_id == run_id or self._alive(t)]
            waiting = [ticket for ticket in live if not ticket.running]
            if len(live) - len(waiting) >= max_running(self.home) or waiting[0].run_id != run_id:
                return False
            ticket = self.folder / ours[0].file_name
            ticket.rename(ticket.with_name(ticket.name + ".running"))
            return True

    def leave(self, run_id: str) -> None:
        """Give the slot or the place back, and sweep away tickets of runs that died."""
        with self._locked():
            for ticket in self.tickets():
                if ticket.run_id == run_id or not self._alive(ticket):
                    (self.folder / ticket.file_name).unlink(missing_ok=True)

    def tickets(self) -> list[Ticket]:
        """Return all tickets in order, dead ones too."""
        if not self.folder.is_dir():
            return []
        matches = (TICKET.fullmatch(path.name) for path in self.folder.iterdir())
        return sorted((Ticket(int(m[1]), m[2], bool(m[3])) for m in matches if m), key=lambda t: t.number)

    def positions(self) -> dict[str, int]:
        """Return the place of every waiting run, 1 = next."""
        waiting = [t.run_id for t in self.tickets() if not t.running and self._alive(t)]
        return {run_id: place for place, run_id in enumerate(waiting, start=1)}

    def _alive(self, ticket: Ticket) -> bool:
        return is_held(self.home / ticket.run_id / "lock")

    def _locked(self) -> Lock:
        self.folder.mkdir(parents=True, exist_ok=True)
        return Lock(self.folder / "lock", wait_s=30.0)


def max_running(home: Path) -> int:
    """Return how many runs may train at once (1 unless the home's settings say otherwise)."""
    value = read_json(home / SETTINGS).get("max_running", 1)
    allowed = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LARGEST_MAX_RUNNING
    return value if allowed else 1


def set_max_running(home: Path, value: int) -> None:
    """Set how many runs may train at once.

    Raises
    ------
    RunError
        If ``value`` is not a whole number from 1 to 64.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_MAX_RUNNING:
        raise RunError(f"{value!r} runs at once is not allowed: give a whole number from 1 to {LARGEST_MAX_RUNNING}.")
    home.mkdir(parents=True, exist_ok=True)
    write_json(home / SETTINGS, {**read_json(home / SETTINGS), "max_running": value})
