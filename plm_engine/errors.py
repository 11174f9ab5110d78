"""One tree of errors: what a user can put right, and what is our fault.

A :class:`UserError` carries one plain sentence that says what was wrong, the value, where it was (row, column,
option) and what to do.  Pages and the command line show that sentence and nothing else.  A :class:`BugError` means
that the program broke one of its own promises: the sentence is logged with its traceback and shown as "our fault".
"""

from __future__ import annotations


class PLMError(Exception):
    """Base of everything this project raises on purpose."""


class UserError(PLMError):
    """Something the user can put right; ``str(error)`` is the sentence to show."""


class ConfigError(UserError):
    """An option has a value that is not allowed, or two options exclude each other."""


class DataError(UserError):
    """A table cannot be read, or cannot be used the way it was asked to be."""


class ContradictionError(DataError):
    """Rows with equal drivers have targets further apart than the learning goal allows.

    Attributes
    ----------
    groups : tuple of tuple of int
        1-based data row numbers of each conflicting group.
    smallest_goal : float
        Smallest learning goal that any network could meet, in the target's unit.
    """

    def __init__(self, sentence: str, groups: tuple[tuple[int, ...], ...], smallest_goal: float) -> None:
        super().__init__(sentence)
        self.groups = groups
        self.smallest_goal = smallest_goal


class NumericalError(UserError):
    """Arithmetic left the range of floating-point numbers; the sentence says where and what to change."""


class UnavailableError(UserError):
    """A mode or device was asked for that this machine does not have."""


class RunError(UserError):
    """A run cannot be found, started, read, cancelled or deleted."""


class NoRunError(RunError):
    """There is no such run; it may have been deleted meanwhile."""


class EndedError(UserError):
    """A run was asked to end before it had anything to keep."""


class PeerLostError(PLMError):
    """A process lost contact with its peers: one of them ended; which one and why is known elsewhere."""


class BugError(PLMError):
    """A promise of the program itself was broken: never the user's fault."""
