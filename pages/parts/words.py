"""Numbers, durations and states in words: one spelling for every page."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence

#: what each state of a run is called, the colour of its badge, its icon and what it means
STATUS_TEXT: dict[str, tuple[str, str, str, str]] = {
    "queued": ("Waiting", "gray", ":material/hourglass_empty:", "Waits until another run has ended."),
    "running": ("Learning", "blue", ":material/model_training:", "Learns in the background; you may close this page."),
    "finished": ("Finished", "green", ":material/check_circle:", "Ended by itself."),
    "cancelled": ("Cancelled", "orange", ":material/cancel:", "Was cancelled; what it had learned is kept."),
    "failed": ("Failed", "red", ":material/error:", "Could not go on."),
    "lost": ("Lost", "red", ":material/link_off:", "Ended without a word, as after a power cut."),
}
ACTIVE = ("queued", "running")
PRESET_NAMES = {"quick": "Quick look", "standard": "Standard", "thorough": "Thorough", "published": "As published"}
PHASE_NAMES = {
    "interpreting": "Interpreting",
    "picking": "Picking",
    "understanding": "Understanding",
    "cramming": "Cramming",
    "organizing": "Organizing",
    "organizing_regularizing": "Organizing: regularizing",
    "organizing_understanding": "Organizing: after removals",
}
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:])")


def worded(text: object) -> str:
    """Return a text on one line, with options that it spells for the command line named in words."""
    return _FLAG.sub(lambda match: f"‘{match[1].replace('-', ' ')}’", " ".join(str(text).split()))


def plain(text: object) -> str:
    """Return a text that Streamlit's Markdown shows as it is; column and file names may hold anything.

    Options that a sentence spells for the command line are named in words: ``--missing-codes`` becomes
    ‘missing codes’.
    """
    return _MARKUP.sub(r"\\\1", worded(text))


def number_range(ends: Sequence[float] | None) -> str:
    """Return "2,504 to 4,553"; ``–`` for none."""
    return " to ".join(number(end) for end in ends) if ends else "–"


def number(value: float | str | None, digits: int = 4) -> str:
    """Return a number people can read: thousands separated, at least ``digits`` significant digits, ``–`` for none.

    A text says why there is no number, and stays.
    """
    if isinstance(value, str):
        return plain(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, int) or (math.isfinite(value) and float(value).is_integer() and abs(value) < 1e9):
        return f"{value:,.0f}"
    size = abs(value)
    if not math.isfinite(value) or size >= 1e9 or size < 1e-4:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{value:,.{max(1, decimals)}f}"
    exact = text.rstrip("0").rstrip(".")
    return exact if float(exact.replace(",", "")) == value else text


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return ``1 row`` or ``7,000 rows``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def duration(seconds: float | None) -> str:
    """Return a duration such as ``40 ms``, ``0.4 s``, ``12 s``, ``3 min 05 s`` or ``2 h 10 min``."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if 0 < seconds < 0.1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{max(seconds, 0):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def moment(unix: float | None) -> str:
    """Return a point in time in the server's time zone."""
    return "–" if not unix else time.strftime("%Y-%m-%d %H:%M", time.localtime(unix))


def status_badge(status: str, said: str = "") -> str:
    """Return the Markdown of a coloured badge for a run's state, named ``said`` where another language is wanted."""
    name, colour, icon, _ = STATUS_TEXT.get(status, (status, "gray", ":material/help:", ""))
    return f":{colour}-badge[{icon} {said or name}]"


def time_axis(dates: Sequence[str], n: int) -> list[str] | list[int]:
    """Return dates where each of ``n`` rows has one, else positions 1 to n in time order."""
    return list(dates) if n and len(dates) == n and all(dates) else list(range(1, n + 1))
