"""A grid of cells to names and columns: where the header is, what is blank, what is a footer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from plm_engine.datasets.columns import shown
from plm_engine.datasets.headers import blank, find_header, is_value, rows_of_units, with_groups
from plm_engine.datasets.numbers import is_missing
from plm_engine.datasets.table import Column, Finding, Grid, Rejected, counted, some
from plm_engine.errors import DataError


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


def body_of(grid: Grid) -> Body | None:
    """Split a grid into header and columns; None if it holds no table."""
    rows, lines = grid.rows, grid.lines
    at = find_header(rows) if grid.header is None else grid.header
    if at is None:
        return None
    findings: list[Finding] = []
    header: list[Any] = list(rows[at]) if at >= 0 else []
    first = at + 1
    if header and grid.header is None:
        first += rows_of_units(rows[first:])
        header, grouped = with_groups(header, rows[at - 1] if at else [])
        findings += _header_findings(
            rows[at + 1 : first], lines[at + 1 : first], lines[at - 1 : at + 1] if grouped else []
        )
    data, data_lines, dropped = _without_blank_rows(rows[first:], lines[first:])
    if at >= 0:
        data, data_lines, again = _without_repeated_names(data, data_lines, rows[at])
        findings += again
        header, shifted = _beside_row_names(header, len(rows[at]), data, lines[at])
        findings += shifted
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


def _header_findings(units: list[list[Any]], lines: list[int], names: list[int]) -> list[Finding]:
    findings = []
    if units:
        said = shown(", ".join("" if blank(c) else str(c).strip() for c in units[0]))
        sentence = (
            f"Line{'s' * (len(lines) != 1)} {some(lines)} below the names ({said!r}) were taken as units, not data."
        )
        findings.append(Finding("units", "info", sentence))
    if names:
        sentence = f"The names of the columns were put together from lines {names[0]} and {names[1]}."
        findings.append(Finding("header_rows", "info", sentence))
    return findings


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


def _without_repeated_names(
    rows: list[list[Any]], lines: list[int], names: list[Any]
) -> tuple[list[list[Any]], list[int], list[Finding]]:
    """Leave out rows that repeat the names, as printed pages and joined files do."""
    said = [_bare(c) for c in names]
    again = [i for i, row in enumerate(rows) if _bare(row[0]) == said[0] and [_bare(c) for c in row] == said]
    if not again or len(said) < 2:
        return rows, lines, []
    where = some([lines[i] for i in again])
    sentence = f"Line{'s' * (len(again) != 1)} {where} said the names again: left out."
    keep = [i for i in range(len(rows)) if i not in set(again)]
    return [rows[i] for i in keep], [lines[i] for i in keep], [Finding("repeated_names", "info", sentence)]


def _bare(cell: Any) -> str:
    return "" if blank(cell) else str(cell).strip().lstrip("\ufeff")


def _beside_row_names(
    header: list[Any], n_names: int, data: list[list[Any]], line: int
) -> tuple[list[Any], list[Finding]]:
    """Settle to which cells the names belong where rows have more cells than there are names.

    Raises
    ------
    DataError
        If decimal commas stand between commas, so that a number takes two cells.
    """
    width = _usual_width(data)
    rows = [row for row in data if len(row) == width and not all(blank(c) for c in row[n_names:])]
    if width <= n_names or len(rows) < 3 or 2 * len(rows) < len(data) or any(blank(c) for c in header[:n_names]):
        return header, []
    cells = [[_bare(row[j]) for row in rows] for j in range(width)]
    if width == n_names + 1 and cells[0] == [
        str(i) for i in range(int(cells[0][0] == "1"), len(rows) + int(cells[0][0] == "1"))
    ]:
        sentence = (
            f"Rows have one cell more than line {line} has names: the running number before them was taken as theirs."
        )
        return [None, *header[:n_names]], [Finding("row_names", "info", sentence)]
    whole = [all(c.lstrip("+-").isdigit() for c in column) for column in cells]
    short = [all(c.isdigit() and len(c) <= 3 for c in column) for column in cells]
    pairs, j = 0, 0
    while j + 1 < width:
        found = whole[j] and short[j + 1]
        pairs, j = pairs + found, j + 1 + found
    if pairs >= width - n_names:
        raise DataError(
            f"Line {line} has {n_names} names and the rows below {width} cells: decimal commas seem to stand between "
            "commas. Put such numbers in quotation marks, or save the file with semicolons between its columns."
        )
    return header, []


def _without_footer(
    rows: list[list[Any]], lines: list[int], width: int
) -> tuple[list[list[Any]], list[int], Finding | None]:
    """Take notes below the table off: rows at its end with one cell of text in a table of at least three columns."""
    end = len(rows)
    while end > 1 and width >= 3 and _is_note(rows[end - 1], width) and not _is_note(rows[0], width):
        end -= 1
    if end == len(rows):
        return rows, lines, None
    notes = [shown(next(c for c in row if not blank(c))) for row in rows[end:]]
    where = some(lines[end:])
    sentence = f"Line{'s' * (len(notes) != 1)} {where} below the table ({notes[0]!r}) were taken as notes, not data."
    return rows[:end], lines[:end], Finding("footer", "info", sentence)


def _is_note(row: list[Any], width: int) -> bool:
    filled = [c for c in row if not blank(c)]
    texts = all(isinstance(c, str) and not is_value(c) and not is_missing(c) for c in filled)
    # a comma in a note divides it like a row, but not into as many cells
    return texts and (len(filled) == 1 or (len(row) < width and 2 * len(filled) <= width))


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
