"""How one option of the configuration describes itself, and how a value is checked against that description.

``option(...)`` makes a dataclass field whose metadata is an :class:`Option`: unit, range, choices and one sentence.
The command line, the TOML reader and the pages all build themselves from it, so an option is described once.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from dataclasses import dataclass
from typing import Any

from plm_engine.errors import ConfigError


@dataclass(frozen=True)
class Option:
    """What people need to know about one option.

    Attributes
    ----------
    kind : type
        ``float``, ``int``, ``str``, ``bool`` or ``tuple`` (of column names).
    help : str
        One sentence for people.
    unit : str
        Unit of the value; empty where it has none.
    low, high : float or None
        Smallest and largest allowed value (both allowed themselves).
    choices : tuple of str
        The allowed words, for options that are a choice.
    optional : bool
        Whether ``None`` (not given) is allowed.
    group : str
        Where forms show it: ``data``, ``goal``, ``learning``, ``steps``, ``earlier``, ``budget``, ``machine``,
        ``doors`` (to other tools) or ``limits``.
    metavar : str
        Placeholder in ``--help``.
    """

    kind: type
    help: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    group: str = "learning"
    metavar: str = ""

    def allowed(self) -> str:
        """Say in words which values are allowed."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        unit = f" {self.unit}" if self.unit else ""
        if self.low is not None and self.high is not None:
            return f"from {self.low:g} to {self.high:g}{unit}"
        if self.low is not None:
            return f"at least {self.low:g}{unit}"
        words: dict[Any, str] = {bool: "true or false", tuple: "a list of column names", str: "text"}
        return words.get(self.kind, f"a number{unit}")


def option(default: Any, kind: type, help: str, **details: Any) -> Any:
    """Return a dataclass field described by an :class:`Option`."""
    return dataclasses.field(default=default, metadata={"option": Option(kind, help, **details)})


def flag(name: str) -> str:
    """Return the command-line spelling of an option: ``max_minutes`` -> ``--max-minutes``."""
    return "--" + name.replace("_", "-")


def checked(name: str, described: Option, value: Any) -> Any:
    """Return ``value`` converted to the option's type.

    Raises
    ------
    ConfigError
        If the value has the wrong type or lies outside the allowed values; the sentence names the option, the value
        and what is allowed.
    """
    if value is None:
        if described.optional:
            return None
        raise ConfigError(f"Option {flag(name)} needs a value: give {described.allowed()}.")
    converted = _converted(described.kind, value)
    in_range = converted is not None and (
        not isinstance(converted, (int, float))
        or isinstance(converted, bool)
        or (
            math.isfinite(converted)
            and (described.low is None or converted >= described.low)
            and (described.high is None or converted <= described.high)
        )
    )
    if not in_range or (described.choices and converted not in described.choices):
        raise ConfigError(f"Option {flag(name)} is {value!r}, which is not allowed: give {described.allowed()}.")
    return converted


def _converted(kind: type, value: Any) -> Any:
    """Convert without losing anything: ``3.0`` is an int, ``3.5`` and ``True`` are not.  ``None`` means it is not."""
    if kind is bool:
        return value if isinstance(value, bool) else None
    if kind is str:
        return value if isinstance(value, str) else None
    if kind is tuple:
        is_list = isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value)
        return tuple(value) if is_list else None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):  # NumPy's numbers are Real, too
        return None
    if kind is float:
        return float(value)
    if not float(value).is_integer():
        return None
    return int(value) if isinstance(value, numbers.Integral) else int(float(value))
