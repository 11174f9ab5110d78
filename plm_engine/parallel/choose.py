"""Which strategy a configuration asks for, and on which device."""

from __future__ import annotations

import torch

from plm_engine.config import Config
from plm_engine.errors import UnavailableError
from plm_engine.parallel.adam import AdamConstants
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


def make_strategy(config: Config) -> Strategy:
    """Return the strategy that ``config.mode`` names."""
    constants = AdamConstants(config.adam_beta1, config.adam_beta2, config.adam_epsilon)
    return SingleStrategy(constants, choose_device(config))
