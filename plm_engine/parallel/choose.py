"""Which strategies a configuration asks for, and on which device."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from plm_engine.config import Config
from plm_engine.errors import BugError, UnavailableError
from plm_engine.parallel.adam import AdamConstants
from plm_engine.parallel.batched import BatchedStrategy
from plm_engine.parallel.helped import HelpedStrategy
from plm_engine.parallel.helper import can_help
from plm_engine.parallel.single import SingleStrategy
from plm_engine.parallel.strategy import Strategy


def choose_device(config: Config) -> str:
    """Return ``"cpu"`` or ``"cuda"``.

    Raises
    ------
    UnavailableError
        If CUDA was asked for and this machine has none.
    """
    available = torch.cuda.is_available()
    if config.device == "cuda" and not available:
        raise UnavailableError("Option --device is cuda, but this machine has no CUDA GPU: give cpu or auto.")
    return "cuda" if available and config.device != "cpu" else "cpu"


def may_help(config: Config) -> bool:
    """Whether helpers forked from this process can tune candidates: not among ranks, and not on CUDA."""
    return "RANK" not in os.environ and choose_device(config) == "cpu" and can_help()


def make_strategies(config: Config, threads: int = 1) -> tuple[Strategy, Strategy]:
    """Return the strategy of organizing, and the one of everything else (the same where the scope is ``all``).

    ``threads`` share the row chunks of large steps in mode ``single``.
    """
    constants = AdamConstants(config.adam_beta1, config.adam_beta2, config.adam_epsilon)
    device = choose_device(config)
    if config.mode == "single":
        inner: Strategy = SingleStrategy(constants, device, threads)
        return inner, inner
    if config.mode == "batched":
        inner = BatchedStrategy(constants, device)
        return inner, inner
    if config.mode == "data_parallel":
        from plm_engine.parallel.data_parallel import DataParallelStrategy

        inner = DataParallelStrategy(constants, config.workers)
        return inner, inner if config.scope == "all" else SingleStrategy(constants, "cuda:0")
    if config.mode == "candidate_parallel" and may_help(config):
        # outside organizing it is a single device, whose helpers share cramming's search for gaps, whatever the scope
        inner = HelpedStrategy(constants, config.workers)
        return inner, inner
    return _ranked(config, constants, device_of_ranks(config, device))


def device_of_ranks(config: Config, device: str) -> str:
    """Return where the ranks of this machine compute: each needs a GPU of its own, else all compute on processors.

    Raises
    ------
    UnavailableError
        If CUDA was asked for and this machine has too few GPUs.
    """
    ranks, found = int(os.environ.get("LOCAL_WORLD_SIZE", config.workers)), torch.cuda.device_count()
    if device == "cuda" and found < ranks:
        if config.device == "cuda":
            raise UnavailableError(
                f"Mode {config.mode} with {ranks} workers on this machine needs {ranks} CUDA GPUs; {found} found."
            )
        return "cpu"
    return device


@contextmanager
def one_group(config: Config) -> Iterator[None]:
    """Keep one group of ranks for all trainings inside; nothing happens in a process without ranks.

    A group that is left and joined anew at once finds the addresses of the old one and fails.
    """
    if "RANK" not in os.environ:
        yield
        return
    from plm_engine.parallel.ranks import Ranks

    ranks = Ranks(device_of_ranks(config, choose_device(config)))
    yield
    ranks.close()  # not after a failure: the peers may be gone


def _ranked(config: Config, constants: AdamConstants, device: str) -> tuple[Strategy, Strategy]:
    # torch.distributed takes a while to load and is needed by these modes only
    from plm_engine.parallel.candidate_parallel import CandidateParallelStrategy
    from plm_engine.parallel.ddp import DDPStrategy
    from plm_engine.parallel.model_parallel import ModelParallelStrategy
    from plm_engine.parallel.ranked import RankedStrategy
    from plm_engine.parallel.ranks import Ranks
    from plm_engine.parallel.row_parallel import RowParallelStrategy

    kinds: dict[str, type[RankedStrategy]] = {
        "ddp": DDPStrategy,
        "row_parallel": RowParallelStrategy,
        "model_parallel": ModelParallelStrategy,
        "candidate_parallel": CandidateParallelStrategy,
    }
    if config.mode not in kinds:
        raise BugError(f"Mode {config.mode!r} has no strategy.")
    ranks = Ranks(device)
    inner = kinds[config.mode](constants, ranks)
    return inner, inner if config.scope == "all" else RankedStrategy(constants, ranks)
