"""Numbers, durations and states in words: one spelling for every page."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from pages.parts.language import say, told
from plm_engine.report import PHASES

#: state of a run -> colour of its badge and its icon; its name and meaning are in the catalogue
STATUSES: dict[str, tuple[str, str]] = {
    "queued": ("gray", ":material/hourglass_empty:"),
    "running": ("blue", ":material/model_training:"),
    "finished": ("green", ":material/check_circle:"),
    "cancelled": ("orange", ":material/cancel:"),
    "failed": ("red", ":material/error:"),
    "lost": ("red", ":material/link_off:"),
}
ACTIVE = ("queued", "running")
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
    """Return "2,504 to 4,553", both ends with the same decimals unless one is whole; ``–`` for none."""
    if not ends:
        return "–"
    both = [ends[0], ends[-1]]
    low, high = map(number, both) if any(float(end).is_integer() for end in both) else aligned(both)
    return say("number.range", low=low, high=high)


def percent(share: float) -> str:
    """Return a share as whole per cent, such as ``90 %``."""
    return f"{100 * share:.0f} %"


def capitalised(text: str) -> str:
    """Return a text that begins with a capital letter; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def number(value: float | str | None, digits: int = 4) -> str:
    """Return a number people can read: thousands separated, at least ``digits`` significant digits, ``–`` for none.

    A text says why there is no number.
    """
    if isinstance(value, str):
        return plain(told(value))
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, int) or (math.isfinite(value) and float(value).is_integer() and abs(value) < 1e9):
        return f"{value:,.0f}"
    size = abs(value)
    if 1e9 <= size < 1e15:
        return f"{float(f'{value:.{digits}g}'):,.0f}"
    if not math.isfinite(value) or size >= 1e9 or size < 1e-4:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{value:,.{max(1, decimals)}f}"
    exact = text.rstrip("0").rstrip(".")
    return exact if float(exact.replace(",", "")) == value else text


def amount(value: str, unit: str) -> str:
    """Return a number, or the blank of a chart that holds one, with its unit; there may be none."""
    return f"{value} {unit}".rstrip() if unit in ("", "%") else say("unit.amount", value=value, unit=unit)


def joined(entries: Iterable[object]) -> str:
    """Return a list as one text, divided as the language does it."""
    return say("row.comma").join(map(str, entries))


def listed(text: str) -> list[str]:
    """Return the entries of a list that somebody typed, divided by commas of either language."""
    return [entry.strip() for entry in re.split("[,，、]", text) if entry.strip()]


def aligned(values: Sequence[float | None], digits: int = 4) -> list[str]:
    """Return a column's numbers with the same decimals, which give the largest of them ``digits`` digits."""
    known = [abs(value) for value in values if isinstance(value, int | float) and math.isfinite(value)]
    largest = max(known, default=0.0)
    if not 1e-4 <= largest < 1e9 or all(float(value).is_integer() for value in known):
        return [number(value, digits) for value in values]
    decimals = max(1, digits - 1 - math.floor(math.log10(largest)))
    fits = [isinstance(value, int | float) and math.isfinite(value) for value in values]
    return [f"{value:,.{decimals}f}" if fit else number(value) for value, fit in zip(values, fits, strict=True)]


def spelled(frame: pd.DataFrame, digits: int = 5, times: Sequence[str] = ()) -> Styler:
    """Return a table whose numbers are shown as people read them, and sorted as numbers all the same.

    The columns ``times`` hold seconds, and are shown as durations.
    """
    numbers = [name for name in frame if pd.api.types.is_numeric_dtype(frame[name].infer_objects())]

    def shown(value: float) -> str:
        return number(value if not isinstance(value, np.integer) else int(value), digits)

    plain_numbers = [name for name in numbers if name not in times]
    return frame.style.format(shown, subset=plain_numbers, na_rep="–").format(duration, subset=list(times), na_rep="–")


def duration(seconds: float | None) -> str:
    """Return a duration such as ``40 ms``, ``0.4 s``, ``12 s``, ``3 min 05 s`` or ``2 h 10 min``."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if 0 < seconds < 0.001:
        return say("number.under_ms")
    if 0 < seconds < 0.1:
        return say("number.ms", n=f"{1000 * seconds:.0f}")
    if seconds < 10:
        return say("number.s", n=f"{max(seconds, 0):.1f}")
    whole = round(seconds)
    if whole < 60:
        return say("number.s", n=whole)
    if whole < 3600:
        return say("number.min_s", m=whole // 60, s=f"{whole % 60:02d}")
    return say("number.h_min", h=whole // 3600, m=f"{whole % 3600 // 60:02d}")


def moment(unix: float | None) -> str:
    """Return a point in time in the server's time zone."""
    return "–" if not unix else time.strftime("%Y-%m-%d %H:%M", time.localtime(unix))


def status_name(status: str) -> str:
    """Return what a state of a run is called."""
    return say(f"status.{status}") if status in STATUSES else status


def phase_name(phase: str) -> str:
    """Return what a module, or a part of one, is called."""
    return say(f"phase.{phase}") if phase in PHASES else phase.replace("_", " ").capitalize()


def baseline_name(name: str) -> str:
    """Return what a simple forecast is called."""
    return say(f"baseline.{name}") if name in ("persistence", "linear regression") else told(name)


def setting(value: object) -> str:
    """Return the value of a setting as people read it: numbers with thousands separated, several with commas."""
    if isinstance(value, list | tuple):
        return joined(value) or "–"
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return say("word.yes" if value else "word.no")
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}"
    return told(value)


def status_badge(status: str, said: str = "") -> str:
    """Return the Markdown of a coloured badge for a run's state, named ``said`` where it is called otherwise."""
    colour, icon = STATUSES.get(status, ("gray", ":material/help:"))
    return f":{colour}-badge[{icon} {said or status_name(status)}]"


def shown(sentence: object) -> str:
    """Return a sentence of the engine in the language of this session, for Streamlit's Markdown."""
    return plain(told(" ".join(str(sentence).split())))


def time_axis(dates: Sequence[str], n: int) -> list[str] | list[int]:
    """Return dates where each of ``n`` rows has one, else positions 1 to n in time order."""
    return list(dates) if n and len(dates) == n and all(dates) else list(range(1, n + 1))
