"""The argument parsers: errors in one sentence, and flags that are only made when their command is used."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from plm_engine.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are ours: one sentence, no usage text around it.

    Parameters
    ----------
    fill : callable or None
        Adds the flags, at the first use: one command's flags and libraries must not slow down all others.
    """

    def __init__(self, *words: Any, fill: Callable[[Parser], None] | None = None, **details: Any) -> None:
        super().__init__(*words, **details)
        self._fill = fill

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Add the flags where that is still to be done, and parse."""
        if self._fill is not None:
            fill, self._fill = self._fill, None
            fill(self)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise :class:`ConfigError` instead of leaving the program."""
        raise ConfigError(f"{message[:1].upper()}{message[1:]}: '{self.prog} --help' shows what is allowed.")
