"""Contenders that take turns: the one way in which these benchmarks measure."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

BLOCKS = 7
BLOCK_S = 0.06


def take_turns(contenders: Mapping[str, Callable[[], None]], blocks: int = BLOCKS) -> dict[str, list[float]]:
    """Return the seconds of one call of each contender, block by block.

    Every block of a contender lasts about 0.06 s (at least three calls); in each round every contender has one block.
    """
    calls = {}
    for name, call in contenders.items():
        call()
        began = time.perf_counter()
        call()
        calls[name] = max(3, int(BLOCK_S / max(time.perf_counter() - began, 1e-7)))
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(blocks):
        for name, call in contenders.items():
            began = time.perf_counter()
            for _ in range(calls[name]):
                call()
            spent[name].append((time.perf_counter() - began) / calls[name])
    return spent


def ratio(spent: Mapping[str, list[float]], above: str, below: str) -> float:
    """Return the median over the blocks of one contender's time over another's."""
    return statistics.median(a / b for a, b in zip(spent[above], spent[below], strict=True))


def spread(seconds: list[float], unit: float = 1e-6) -> dict[str, float]:
    """Return median, smallest and largest, in units of ``unit`` seconds."""
    scaled = [value / unit for value in seconds]
    return {"median": statistics.median(scaled), "min": min(scaled), "max": max(scaled)}


def table(rows: list[Mapping[str, Any]], columns: Mapping[str, str]) -> list[str]:
    """Return the lines of a table; ``columns`` maps keys to headings."""
    cells = [list(columns.values())] + [[_shown(row.get(key)) for key in columns] for row in rows]
    widths = [max(len(line[j]) for line in cells) for j in range(len(columns))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
