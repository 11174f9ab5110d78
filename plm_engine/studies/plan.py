"""What a study is asked to do.  No torch here: pages and the command line make and read plans."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import Any

from plm_engine.config import Config
from plm_engine.errors import ConfigError

COMPARE, BACKTEST, ABLATE = "compare", "backtest", "ablate"
#: names of the network in tables; the last two where a goal was chosen: the best one that trained at least one round,
#: and the best one that also organized
RPLM, TRAINED, ORGANIZED = "RPLM", "RPLM that trained", "RPLM that trained and organized"
#: stands between such a name and a seed, where there are several
SEED = " (seed "
KINDS = (COMPARE, BACKTEST, ABLATE)
#: modules switched off or swapped, as the options that do it; None is the mechanism as it is
VARIANTS: dict[str, dict[str, Any]] = {
    "all modules": {},
    "no picking order": {"picking": "random"},
    "one random direction": {"cramming_draws": 1, "cramming_ascent": 0},
    "no regularizing": {"regularizing_epochs": 0},
    "no reorganizing": {"reorganizing": False},
}
#: fields that do not change any result
IMMATERIAL = ("jobs", "resume_from")


@dataclass(frozen=True)
class Study:
    """A compound job.

    Attributes
    ----------
    kind : str
        ``"compare"``, ``"backtest"`` or ``"ablate"``.
    seeds : int
        Repeats of the network, from the configuration's seed on.
    splits : int
        Random splits to repeat over, with seeds 0, 1, ...; 0: the configuration's own split, once.
    level : float
        Of prediction intervals.
    importance : int
        Shuffles of each driver; 0: none.
    width : int
        Hidden nodes of the backpropagation network.
    first_origin, step, window, window_rows, rechoose_every
        Of a backtest; see ``plm_engine.evaluation.backtest.Plan``.  Its horizon is the configuration's.
    jobs : int
        Processes at once; 0: one for each core.
    resume_from : str or None
        Run whose finished parts are taken over.
    """

    kind: str
    seeds: int = 1
    splits: int = 0
    level: float = 0.9
    importance: int = 10
    width: int = 20
    first_origin: int = 0
    step: int = 1
    window: str = "expanding"
    window_rows: int | None = None
    rechoose_every: int = 12
    jobs: int = 0
    resume_from: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ConfigError(f"A study of kind {self.kind!r} is not known: give one of {', '.join(KINDS)}.")
        limits = {"seeds": (1, 1000), "splits": (0, 1000), "importance": (0, 1000), "width": (1, 100_000)}
        limits |= {"jobs": (0, 1024), "first_origin": (0, 10**9), "step": (1, 10**6), "rechoose_every": (1, 10**6)}
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not isinstance(value, int) or not low <= value <= high:
                shown = name.replace("_", "-")
                raise ConfigError(f"Option --{shown} is {value!r}, which is not allowed: give {low} to {high}.")
        if not 0 < self.level < 1:
            raise ConfigError(f"The level of an interval is {self.level!r}: give a share between 0 and 1, such as 0.9.")

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> Study:
        """Rebuild from :meth:`to_mapping`; an unknown name is an error."""
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ConfigError(f"A study has no option {unknown[0]!r}: give one of {', '.join(sorted(known))}.")
        return cls(**values)

    @classmethod
    def from_stored(cls, values: dict[str, Any]) -> Study:
        """Rebuild what was stored; what only another version knows is left out."""
        return cls(**{field.name: values[field.name] for field in dataclasses.fields(cls) if field.name in values})

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values."""
        return dataclasses.asdict(self)

    def same_work(self, other: Study) -> bool:
        """Whether both have the same results on the same data."""
        mine, theirs = self.to_mapping(), other.to_mapping()
        return all(mine[name] == theirs[name] for name in mine if name not in IMMATERIAL)

    def processes(self) -> int:
        """Return how many processes to use."""
        return self.jobs or len(
            os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
        )


@dataclass(frozen=True)
class Part:
    """A part to do: the pieces it keeps (names of files in ``parts``), and what tells it apart."""

    pieces: tuple[str, ...]
    origins: tuple[int, ...] = ()
    split: int = 0
    seed: int = 0
    variant: str = ""


def split_configs(study: Study, config: Config) -> list[Config]:
    """Return the configuration of every split of a comparison or an ablation."""
    if not study.splits:
        return [config]
    return [config.replace(split="random", seed=seed) for seed in range(study.splits)]
