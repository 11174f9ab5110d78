"""What an experiment compares: contenders (a mode and its number of workers), repeats, and the order of the trials.

No torch here: pages and the command line read and write plans.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from plm_engine.config import Config
from plm_engine.errors import ConfigError, UnavailableError
from plm_engine.machine import Machine
from plm_engine.modes import MODES

TRAIN, SWEEP = "train", "sweep"
REPEATS = 5
LARGEST_REPEATS = 100
#: a trial that takes longer is stopped and counts as not finished
TRIAL_LIMIT_S = 1800.0
SWEEP_ROWS = (471, 2_000, 10_000, 50_000, 200_000, 1_000_000)
SWEEP_HIDDEN = (4, 16, 64, 256)
SWEEP_MINUTES = 10.0
#: main memory of one process of ours before it holds any rows, measured
PROCESS_BYTES = 450 * 2**20


@dataclass(frozen=True)
class Contender:
    """One mode with its number of worker processes (GPUs for data_parallel)."""

    mode: str
    workers: int = 1

    @classmethod
    def parse(cls, text: str) -> Contender:
        """Read ``ddp:2``; without a number, ranked modes get 2 workers.

        Raises
        ------
        ConfigError
            If there is no such mode, or the number is not allowed.
        """
        found = re.fullmatch(r"([a-z_]+)(?::(\d{1,4}))?", text.strip())
        name = found[1] if found else text.strip()
        if name not in MODES or name == "auto":
            known = ", ".join(mode for mode in MODES if mode != "auto")
            raise ConfigError(
                f"Mode {text!r} cannot be compared: give some of {known}, with ':' and a count of workers."
            )
        mode = MODES[name]
        several = mode.ranked or mode.gpus > 1
        workers = int(found[2]) if found and found[2] else (2 if several else 1)
        if workers < 1 or workers > 1024 or (not several and workers != 1):
            raise ConfigError(f"Mode {name} cannot have {workers} workers: give {'1 to 1024' if several else '1'}.")
        return cls(name, workers)

    @property
    def key(self) -> str:
        """``ddp:2``, or ``single`` for modes of one process."""
        mode = MODES[self.mode]
        return f"{self.mode}:{self.workers}" if mode.ranked or mode.gpus > 1 else self.mode

    @property
    def title(self) -> str:
        """The same for people, such as ``DDP x 2``."""
        mode = MODES[self.mode]
        return f"{mode.title} × {self.workers}" if mode.ranked or mode.gpus > 1 else mode.title

    @property
    def processes(self) -> int:
        """Operating-system processes that compute."""
        return self.workers if MODES[self.mode].ranked else 1


@dataclass(frozen=True)
class Plan:
    """What to do.

    Attributes
    ----------
    kind : str
        ``"train"`` (whole trainings) or ``"sweep"`` (one step over sizes).
    contenders : tuple of Contender
    repeats : int
        Trainings of each contender, besides one warm-up.
    rows, hidden : tuple of int
        Sizes of a sweep.
    minutes : float
        Longest duration of a sweep.
    continues : str
        Run whose finished trials are taken over; empty if none.
    """

    contenders: tuple[Contender, ...]
    kind: str = TRAIN
    repeats: int = REPEATS
    rows: tuple[int, ...] = SWEEP_ROWS
    hidden: tuple[int, ...] = SWEEP_HIDDEN
    minutes: float = SWEEP_MINUTES
    continues: str = ""

    def __post_init__(self) -> None:
        if not self.contenders:
            raise ConfigError("There is nothing to compare: choose at least one mode.")
        if len(set(self.contenders)) < len(self.contenders):
            raise ConfigError("A mode is named twice with the same number of workers: name it once.")
        if not 1 <= self.repeats <= LARGEST_REPEATS:
            raise ConfigError(f"{self.repeats} repeats are not allowed: give 1 to {LARGEST_REPEATS}.")
        if not 0.1 <= self.minutes <= 24 * 60:
            raise ConfigError(f"A sweep of {self.minutes:g} minutes is not allowed: give 0.1 to 1440.")
        if any(not 10 <= n <= 10**8 for n in self.rows) or any(not 1 <= p <= 10**5 for p in self.hidden):
            raise ConfigError("A sweep's sizes are 10 to 100,000,000 rows and 1 to 100,000 hidden nodes.")

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values that :meth:`from_mapping` reads back."""
        return asdict(self)

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> Plan:
        """Rebuild from plain values; what only another version knows is left out."""
        values = {field.name: values[field.name] for field in fields(cls) if field.name in values}
        contenders = tuple(Contender(**each) for each in values["contenders"])
        sizes: dict[str, Any] = {name: tuple(values[name]) for name in ("rows", "hidden") if name in values}
        return cls(**{**values, "contenders": contenders, **sizes})

    def check(self, machine: Machine) -> None:
        """Raise :class:`UnavailableError` if the machine cannot hold this comparison."""
        for contender in self.contenders:
            gpus = len(machine.gpus or ())
            missing = MODES[contender.mode].missing(gpus)
            if missing or (contender.mode == "data_parallel" and contender.workers > gpus):
                raise UnavailableError(f"Mode {contender.key} {missing or f'needs {contender.workers} GPUs'}.")
        needed = PROCESS_BYTES * sum(
            contender.processes + MODES[contender.mode].ranked for contender in self.contenders
        )
        if needed > 0.8 * machine.memory_bytes:
            raise UnavailableError(
                f"This comparison needs about {needed / 2**30:.1f} GiB for its processes alone, and the machine has "
                f"{machine.memory_bytes / 2**30:.1f} GiB: choose fewer modes or workers."
            )

    def order(self, seed: int) -> list[tuple[int, Contender]]:
        """Return (repeat, contender) of every trial: repeat by repeat, contenders shuffled anew within each.

        So a slow hour of the machine hits every contender alike.
        """
        chance = random.Random(seed)
        trials = []
        for repeat in range(self.repeats):
            turn = list(self.contenders)
            chance.shuffle(turn)
            trials += [(repeat, contender) for contender in turn]
        return trials


def parse_contenders(texts: Iterable[str]) -> tuple[Contender, ...]:
    """Read a list such as ``single, batched, ddp:2``."""
    return tuple(Contender.parse(text) for text in texts if text.strip())


def trial_config(config: Config, contender: Contender, repeat: int) -> Config:
    """Return the configuration of one trial: seeds are shared by all contenders, and a clock ends none of them."""
    seed = (config.seed + repeat) % 2**63
    return config.replace(mode=contender.mode, workers=contender.workers, seed=seed, max_minutes=None)


def title(key: str) -> str:
    """Return a contender's name in a sentence, such as ``2 DDP processes``."""
    contender = Contender.parse(key)
    mode = MODES[contender.mode]
    what = "GPUs" if mode.gpus > 1 else "processes"
    return f"{mode.title} with {contender.workers} {what}" if mode.ranked or mode.gpus > 1 else mode.title
