"""A second process on this machine that tunes prune candidates for this one, forked from it.

Forking takes some 40 ms and starting a new interpreter with torch more than a second, which small trainings do not
last; so the helper is forked, once a run, where the system can.  It is made to be harmless: it closes every file it
inherited, runs no finalizer, tells nobody anything, and ends with its parent, for which it looks while it waits and
while it works.  Nothing depends on it: candidates that a lost or stopped helper does not answer for are tuned by the
parent, which comes to the same bits.

Both take the next candidate by reading one byte from the same pipe, so neither waits for the other until the
candidates run out.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

import numpy as np
import torch

from plm_engine.errors import NumericalError
from plm_engine.network import TwoLayerNetwork
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.chunks import chunk_bounds
from plm_engine.parallel.kernel import Rows, chunks_in
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import StepRule

#: a helper that takes this many times as long as our own longest tuning, and this many seconds, stands still
PATIENCE, PATIENCE_S = 20.0, 5.0
#: most candidates of one pass, each a byte in the pipe
MOST = 200
#: most numbers in the weights of one pass, in memory that both share and that is only taken up where it is used
ROOM = 8_000_000
POLL_S = 0.05
#: a helper that waits looks so often whether its parent lives
LOOK_S = 1.0
ASK_EVERY = 8


def can_help() -> bool:
    """Whether this system forks: on macOS a forked process may not use the system's mathematics."""
    return hasattr(os, "fork") and sys.platform == "linux"


class Tokens:
    """The candidates of a pass that nobody has begun, shared by both processes, and where the pass ends.

    Word 0 of the shared memory is the number of the pass, the others are the first candidate each process accepted.

    Attributes
    ----------
    weights : Tensor, shape (ROOM,)
        Shared memory for the candidates' weights.
    """

    def __init__(self, sides: int) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        self._shared = np.frombuffer(mmap.mmap(-1, 8 * (1 + sides)), dtype=np.int64)
        self.weights = torch.frombuffer(mmap.mmap(-1, 8 * ROOM), dtype=torch.float64)
        self.files = (self._read, self._write)

    def begin(self, count: int) -> int:
        """Begin a pass with so many candidates; returns its number."""
        self.give_up()
        self._shared[1:] = count
        self._shared[0] += 1
        os.write(self._write, bytes(range(count)))
        return int(self._shared[0])

    def give_up(self) -> None:
        """Take back all candidates that nobody has begun, and end those that are being tuned elsewhere."""
        self._shared[1:] = -1
        with contextlib.suppress(BlockingIOError):
            while os.read(self._read, MOST):
                pass

    def taken(self, number: int) -> Iterator[int]:
        """Take one candidate of a pass after the other, up to the first accepted one."""
        with contextlib.suppress(BlockingIOError):
            while self.is_open(number):
                j = os.read(self._read, 1)[0]
                if j < self.end:
                    yield j

    def accept(self, j: int, side: int) -> None:
        """Say that candidate ``j`` met its goal: those after it are not needed."""
        self._shared[1 + side] = min(j, int(self._shared[1 + side]))

    @property
    def end(self) -> int:
        """Candidates from here on are not needed."""
        return int(self._shared[1:].min())

    def is_open(self, number: int) -> bool:
        """Whether this is still the pass."""
        return int(self._shared[0]) == number

    def close(self) -> None:
        """Close the pipe."""
        for file in self.files:
            os.close(file)


class Helper:
    """The other process, as its parent sees it."""

    def __init__(self, constants: AdamConstants, tokens: Tokens, side: int) -> None:
        self._here, there = Pipe()
        with socket.socket(fileno=os.dup(self._here.fileno())) as here:  # who stands still must not block us
            here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(PATIENCE_S), 0))
        self._rows: Any = None
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            _be_helper(there, _Servant(constants, tokens, side, parent), tokens)
        there.close()

    @property
    def lost(self) -> bool:
        """Whether it does not answer any more."""
        return self._pid == 0

    def ask(self, number: int, candidates: Sequence[TwoLayerNetwork], rows: Rows, rule: StepRule) -> None:
        """Let it take part in a pass over candidates of one size, which all follow the same kind of rule."""
        shape, dtype = (len(candidates), candidates[0].n_weights), candidates[0].hidden_weight.dtype
        try:
            if self._rows is not rows:
                self._show(rows)
                self._rows = rows
            self._here.send(("pass", number, shape, dtype, rule.again()))
        except OSError:
            self.end()

    def _show(self, rows: Rows) -> None:
        """Let it see the rows: the same file where they lie in one, else a copy of its own."""
        y = torch.cat(rows.y).numpy()
        if rows.file is None:
            self._here.send(("rows", torch.cat(rows.x).numpy(), y))
            return
        self._here.send(("file", rows.file.array.nbytes, rows.n_features, y))
        send_handle(self._here, rows.file.fd, self._pid)

    def call(self, number: int, function: Callable[[list[Any]], list[Any]], things: list[Any]) -> None:
        """Let it call ``function(things)``; :meth:`answers` yields the results as those of candidate 0."""
        try:
            self._here.send(("call", number, function, things))
        except OSError:
            self.end()

    def answers(self, number: int, patience: float, needed: Callable[[], bool]) -> Iterator[tuple[int, Any, Any]]:
        """Yield candidate, weights (None: not needed) and state of rule of all that was tuned there in this pass.

        Parameters
        ----------
        patience : float
            Seconds to wait for one answer.
        needed : callable
            Asked while waiting: whether anything is still waited for.
        """
        deadline = time.monotonic() + patience
        try:
            while not self.lost:
                if self._here.poll(0 if not needed() else POLL_S):
                    of, j, flat, state = self._here.recv()
                    if of != number:
                        continue
                    if j is None:
                        return
                    yield j, flat, state
                    deadline = time.monotonic() + patience
                elif not needed():
                    return
                elif time.monotonic() > deadline:
                    self.end()
        except (EOFError, OSError):
            self.end()

    def end(self) -> None:
        """End the process."""
        if self._pid:
            pid, self._pid = self._pid, 0
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            self._here.close()


def _be_helper(there: Connection, servant: _Servant, tokens: Tokens) -> None:
    """Be the helper; does not return."""
    try:
        gc.disable()  # what was inherited (connections, files) must not be finalized here
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # the parent ends it
        mine = {there.fileno(), *tokens.files, 0, 1, 2}
        for name in os.listdir("/proc/self/fd"):
            if int(name) not in mine:
                with contextlib.suppress(OSError):
                    os.close(int(name))
        torch.set_num_threads(1)
        servant.serve(there)
    finally:
        os._exit(0)


class _Servant(SingleStrategy):
    """The helper at work."""

    def __init__(self, constants: AdamConstants, tokens: Tokens, side: int, parent: int) -> None:
        super().__init__(constants)
        self._tokens, self._side, self._parent = tokens, side, parent
        self._asked = self._pass = self._candidate = 0

    def serve(self, there: Connection) -> None:
        """Tune what is asked for, until the parent has gone."""
        rows: Any = None
        while True:
            while not there.poll(LOOK_S):
                self._end_with_parent()
            kind, *said = there.recv()
            if kind == "rows":
                x, y = (torch.from_numpy(array) for array in said)
                rows = self.place(x, y)
                continue
            if kind == "file":
                size, n_features, y = said
                fd = recv_handle(there)
                file = np.frombuffer(mmap.mmap(fd, size), dtype=np.uint8)
                xt = chunks_in(file, chunk_bounds(len(y)), n_features, torch.from_numpy(y).dtype)
                os.close(fd)
                rows = Rows.over(xt, torch.from_numpy(y))
                continue
            if kind == "call":
                self._pass, function, things = said
                there.send((self._pass, 0, function(things), None))
                there.send((self._pass, None, None, None))
                continue
            self._pass, (count, size), dtype, rule = said
            flats = self._tokens.weights[: count * size].view(count, size)
            like = _template(rows.n_features, flats[0].to(dtype))
            for j in self._tokens.taken(self._pass):
                self._candidate, own = j, rule.again()
                try:
                    tuned = self.tune(like.with_flat(flats[j].to(dtype)), rows, own)
                except NumericalError:  # the parent comes to it, unless it has gone on to other weights by now
                    continue
                if own.met:
                    self._tokens.accept(j, self._side)
                # short, so that the parent need not read before it wants to
                there.send((self._pass, j, tuned.flat().numpy() if own.matters(0.0) else None, own.state()))
            there.send((self._pass, None, None, None))

    def to_end(self, rule: StepRule) -> bool:
        """End a tuning that is not needed any more."""
        self._asked += 1
        if self._asked % ASK_EVERY:
            return False
        self._end_with_parent()
        return self._candidate > self._tokens.end or not self._tokens.is_open(self._pass)

    def _end_with_parent(self) -> None:
        """End this process if its parent has gone: then another one has taken it over."""
        if os.getppid() != self._parent:
            os._exit(1)


def _template(n_features: int, flat: torch.Tensor) -> TwoLayerNetwork:
    """Return a network of the size of these weights, whose nodes have no history."""
    p = (len(flat) - 1) // (n_features + 2)
    return TwoLayerNetwork.restored(flat, n_features, list(range(1, p + 1)), [None] * p, p + 1)
