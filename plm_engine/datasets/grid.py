"""A grid of cells to names and columns: where the header is, what is blank, what is a footer."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from plm_engine.datasets.columns import shown
from plm_engine.datasets.dates import looks_like_date
from plm_engine.datasets.numbers import NumberStyle, is_missing
from plm_engine.datasets.table import Column, Finding, Grid, Rejected, counted, some

_STYLES = (NumberStyle(".", suffixes=True), NumberStyle(",", suffixes=True))
_SEARCHED = 60


@dataclass
class Body:
    """Names and cells of a table, column by column.

    ``cells[j][i]`` is the cell of column j in data row i + 1, found at ``lines[i]``.
    """

    columns: list[Column]
    cells: list[list[Any]]
    lines: list[int]
    header_row: int | None
    findings: list[Finding] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    trailing_blank: int = 0


def blank(cell: Any) -> bool:
    """Return whether nothing stands in a cell (a spelling of "missing" is something)."""
    return cell is None or (isinstance(cell, str) and not cell.strip(" \t\r\n\u3000\u00a0"))


def is_value(cell: Any) -> bool:
    """Return whether a cell is a number or a date, however written: what headers are not made of."""
    if isinstance(cell, bool):
        return False
    if not isinstance(cell, str):
        return cell is not None
    text = cell.strip().removesuffix("%")
    if not text or not any(c.isdigit() for c in text):
        return False
    return any(isinstance(s.parse(text), float) for s in _STYLES) or looks_like_date(text)


def find_header(rows: list[list[Any]]) -> int | None:
    """Return the index of the header row, ``-1`` for a table without one, None if there is no table.

    The header is the row of texts right above the first row of values that is about as wide as the table.
    """
    head = rows[:_SEARCHED]
    filled = [sum(not blank(c) for c in row) for row in head]
    widest = max(filled, default=0)
    if widest == 0:
        return None
    wide = [n * 2 >= widest for n in filled]
    values = [sum(is_value(c) for c in row) for row in head]
    first = next((i for i in range(len(head)) if values[i] and (wide[i] or values[i] * 4 >= widest)), None)
    if first is None:
        return next(i for i, n in enumerate(filled) if n == widest)
    above = next((i for i in range(first - 1, -1, -1) if wide[i] and not values[i]), None)
    if above is not None:
        return above
    # a header may hold a number among its names; a row of nothing but values is data
    named = filled[first] - values[first]
    return first if named * 2 > filled[first] or (named and _are_years(head[first])) else -1


def _are_years(row: list[Any]) -> bool:
    """Return whether the values of a row are years in order, as in the header ``country, 2019, 2020``."""
    values = [str(c).strip() for c in row if is_value(c)]
    years = [int(v) for v in values if len(v) == 4 and v.isdigit() and 1800 <= int(v) <= 2200]
    return len(years) == len(values) > 1 and years == sorted(set(years))


def body_of(grid: Grid) -> Body | None:
    """Split a grid into header and columns; None if it holds no table."""
    rows, lines = grid.rows, grid.lines
    at = find_header(rows)
    if at is None:
        return None
    findings: list[Finding] = []
    header: list[Any] = list(rows[at]) if at >= 0 else []
    data, data_lines, dropped = _without_blank_rows(rows[at + 1 :], lines[at + 1 :])
    data, data_lines, footer = _without_footer(data, data_lines, len(header))
    if footer:
        findings.append(footer)
    width = max(len(header), _usual_width(data)) if at >= 0 else _usual_width(data)
    if at < 0:
        findings.append(
            Finding(
                "no_header",
                "warning",
                "The first row holds values, not names: the columns are called 'column 1', 'column 2' and so on.",
            )
        )
    header += [None] * (width - len(header))
    data, rejected = _in_step(data, data_lines, width)
    cells = [list(column) for column in zip(*data, strict=True)] if data else [[] for _ in range(width)]
    columns, keep, name_findings = _named(header, cells, grid.hidden, with_header=at >= 0)
    nameless = width - len(keep)
    if dropped or nameless:
        findings.append(_blank_finding(dropped, nameless))
    header_row = lines[at] if at >= 0 else None
    return Body(columns, [cells[j] for j in keep], data_lines, header_row, findings + name_findings, rejected)


def _blank_finding(rows: int, columns: int) -> Finding:
    parts = []
    if rows:
        parts.append(counted(rows, "empty row"))
    if columns:
        parts.append(counted(columns, "nameless empty column"))
    return Finding("blank_dropped", "info", f"{' and '.join(parts)} left out.")


def _without_blank_rows(rows: list[list[Any]], lines: list[int]) -> tuple[list[list[Any]], list[int], int]:
    keep = [i for i, row in enumerate(rows) if not all(blank(c) for c in row)]
    return [rows[i] for i in keep], [lines[i] for i in keep], len(rows) - len(keep)


def _without_footer(
    rows: list[list[Any]], lines: list[int], width: int
) -> tuple[list[list[Any]], list[int], Finding | None]:
    """Take notes below the table off: rows at its end with one cell of text in a table of at least three columns."""
    end = len(rows)
    while end > 1 and width >= 3 and _is_note(rows[end - 1]) and not _is_note(rows[0]):
        end -= 1
    if end == len(rows):
        return rows, lines, None
    notes = [shown(next(c for c in row if not blank(c))) for row in rows[end:]]
    where = some(lines[end:])
    sentence = f"Line{'s' * (len(notes) != 1)} {where} below the table ({notes[0]!r}) were taken as notes, not data."
    return rows[:end], lines[:end], Finding("footer", "info", sentence)


def _is_note(row: list[Any]) -> bool:
    filled = [c for c in row if not blank(c)]
    return len(filled) == 1 and isinstance(filled[0], str) and not is_value(filled[0]) and not is_missing(filled[0])


def _usual_width(rows: list[list[Any]]) -> int:
    """Return how many cells rows usually have, not counting blank ones at the end."""
    widths = Counter(len(row) for row in rows)
    return max(widths.items(), key=lambda item: (item[1], item[0]))[0] if widths else 0


def _in_step(rows: list[list[Any]], lines: list[int], width: int) -> tuple[list[list[Any]], list[Rejected]]:
    """Bring every row to the width of the header; rows with more cells, or far fewer, are rejected."""
    rejected = []
    fixed = []
    for i, row in enumerate(rows):
        if len(row) == width:
            fixed.append(row)
            continue
        extra = [c for c in row[width:] if not blank(c)]
        if extra or len(row) < width:
            reason = f"the row has {len(row)} cells and the header {width}"
            rejected.append(Rejected(i + 1, lines[i], "", shown(" | ".join(str(c) for c in row)), reason))
            fixed.append([None] * width)
        else:
            fixed.append(row[:width])
    return fixed, rejected


def _named(
    header: list[Any], cells: list[list[Any]], hidden: frozenset[int], with_header: bool
) -> tuple[list[Column], list[int], list[Finding]]:
    """Give every column a unique name that is shown; nameless empty columns are left out."""
    originals = ["" if blank(c) else " ".join(str(c).split()) for c in header]
    keep = [j for j, name in enumerate(originals) if name or not all(blank(c) for c in cells[j])]
    taken = set(originals)
    seen: dict[str, list[int]] = {}
    columns, nameless = [], []
    for j in keep:
        name = originals[j]
        if not name:
            name = _free(f"column {j + 1}", taken)
            nameless.append(j + 1)
        elif name in seen:
            seen[name].append(j + 1)
            name = _free(f"{name} ({len(seen[name])})", taken)
        else:
            seen[name] = [j + 1]
        taken.add(name)
        columns.append(Column(name, originals[j], j + 1, "text", hidden=j in hidden))
    findings = [
        Finding(
            "duplicate_columns",
            "warning",
            f"The name '{name}' occurs {'twice' if len(where) == 2 else f'{len(where)} times'} "
            f"(columns {some(where)}): they are shown as {_shown_names(columns, where)}.",
            tuple(c.name for c in columns if c.position in where),
        )
        for name, where in seen.items()
        if len(where) > 1
    ]
    if nameless and with_header:
        sentence = f"Values without a column name: column{'s' * (len(nameless) != 1)} {some(nameless)}."
        findings.append(Finding("nameless_columns", "warning", sentence))
    return columns, keep, findings


def _shown_names(columns: list[Column], where: list[int]) -> str:
    return ", ".join(f"'{c.name}'" for c in columns if c.position in where)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    return name


def is_date_cell(cell: Any) -> bool:
    """Return whether a workbook's cell is a date."""
    return isinstance(cell, (dt.date, dt.datetime))
