"""Text to a grid of cells: which character separates the columns, and where each row stands in the file."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

from plm_engine.datasets.encoding import Decoded, decode
from plm_engine.datasets.numbers import decimal_votes, is_missing
from plm_engine.datasets.table import Finding, Grid, ReadOptions, some
from plm_engine.errors import DataError

_SEPARATORS = (",", ";", "\t", "|")
_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_END = "\x1eend\x1e"
_LONGEST_CELL = 1_000_000
_TRAILING_BLANKS = re.compile(r"[ \t]+(?=\r?$)", re.MULTILINE)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+(,\d+)?\s*", re.ASCII)


@dataclass
class TextFile:
    """A text file split into cells."""

    grid: Grid
    decoded: Decoded
    separator: str


def separator_word(separator: str) -> str:
    """Return a name for a separator that can be shown, such as ``"tab"``."""
    return _WORDS.get(separator, repr(separator)) if separator else "none"


def read_text(data: bytes, options: ReadOptions) -> TextFile:
    """Decode a text file and split it into cells.

    Raises
    ------
    DataError
        If the encoding or the separator does not fit, or a cell is absurdly long.
    """
    decoded = decode(data, options.encoding)
    text, findings = _without_nul_tail(decoded.text)
    if decoded.doubt:
        findings.append(Finding("encoding", "warning", decoded.doubt, option="encoding"))
    if not text.strip():
        raise DataError("The file holds only blank space: choose a file with a header and data rows.")
    if sum(c < " " and c not in "\t\r\n\f\0\x1a" for c in text[:8192]) > 0.02 * min(len(text), 8192):
        raise DataError("The file is binary, not a text table: choose a CSV, TSV, XLSX or Parquet file.")
    text, declared = _declared_separator(text)
    separator = _separator_of(options.separator) or declared or find_separator(text)
    rows, lines = split_rows(text, separator)
    damaged = [line for row, line in zip(rows, lines, strict=True) if any("\0" in c for c in row)]
    if damaged:
        findings.append(
            Finding(
                "nul_bytes",
                "warning",
                f"NUL bytes stand inside cells in file line{'s' * (len(damaged) != 1)} {some(damaged)}: "
                "the file was damaged there, and such a cell is not used.",
            )
        )
    return TextFile(Grid(rows, lines, findings=findings), decoded, separator)


def _separator_of(given: str | None) -> str | None:
    """Accept a separator by sign or by word."""
    if given is None:
        return None
    by_word = {word: sign for sign, word in _WORDS.items()} | {"\\t": "\t", "pipe": "|"}
    separator = by_word.get(given.lower(), given)
    if len(separator) != 1 or separator in '"\r\n\0' or separator.isalnum():
        raise DataError(
            f"Separator {given!r} cannot be used: give one character, or comma, semicolon, tab, bar or space."
        )
    return separator


def _without_nul_tail(text: str) -> tuple[str, list[Finding]]:
    body = text.rstrip("\0\r\n \x1a")
    tail = text[len(body) :].count("\0")
    if not tail:
        return text, []
    sentence = f"{tail} NUL byte{'s' * (tail != 1)} after the last row were ignored (left by a program that crashed)."
    return body + "\n", [Finding("nul_tail", "info", sentence)]


def _declared_separator(text: str) -> tuple[str, str | None]:
    """Honour Excel's first line ``sep=;`` (blanked, so that line numbers stay true)."""
    first = text.split("\n", 1)[0].strip().strip('"')
    if first.lower().startswith("sep=") and len(first) == 5:
        return "\n" + text.split("\n", 1)[1] if "\n" in text else "", first[4]
    return text, None


def find_separator(text: str) -> str:
    """Return the character that splits the first lines into equally many cells; ``""`` for a single column.

    A comma that only ever stands inside numbers (decimal comma) is no separator: the header has to have as many
    cells as the rows below it.
    """
    sample = text[:200_000]
    if len(text) > len(sample):
        sample = sample[: max(sample.rfind("\n"), 1)]
    best, best_key = "", (0.0, 0.0, 0)
    for separator in _SEPARATORS:
        if separator not in sample:
            continue
        rows = [r for r in split_rows(sample, separator, limit=200)[0] if any(c.strip() for c in r)]
        if not rows:
            continue
        widths = Counter(len(r) for r in rows)
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
        widest_text = max((len(r) for r in rows[:20] if not any(_numeric(c) for c in r)), default=0)
        if width < 2 and widest_text < 2:
            continue
        if separator == "," and len(rows[0]) == 1 and all(_DECIMAL_COMMA.fullmatch(",".join(r)) for r in rows[1:]):
            continue
        header_fits = 1.0 if widest_text == width or len(rows[0]) == width else 0.0
        key = (header_fits, count / len(rows), max(width, widest_text))
        if key > best_key:
            best, best_key = separator, key
    if best_key[0] < 1 and _is_split_by_blanks(sample):
        return " "
    return best


def _is_split_by_blanks(sample: str) -> bool:
    """Return whether blanks divide all lines, the names too, into equally many cells, some of them numbers."""
    rows = split_rows(sample, " ", limit=200)[0]
    if len(rows) < 3 or len({len(row) for row in rows}) > 1 or len(rows[0]) < 2 or any(map(_numeric, rows[0])):
        return False
    return any(all(_numeric(row[j]) or is_missing(row[j]) for row in rows[1:]) for j in range(len(rows[0])))


def _numeric(cell: str) -> bool:
    body = cell.strip()
    return bool(body) and (body[0].isdigit() or body[0] in "+-.") and any(c.isdigit() for c in body)


def split_rows(text: str, separator: str, limit: int | None = None) -> tuple[list[list[str]], list[int]]:
    """Split text into cells; returns the rows and the 1-based file line on which each starts.

    Blank lines are left out but keep their numbers.
    """
    csv.field_size_limit(_LONGEST_CELL)
    if separator == " ":
        text = _TRAILING_BLANKS.sub("", text)  # else each would begin one more cell
    # a last row of our own: if it does not come out alone, a quotation mark swallowed it
    source = io.StringIO(text if limit else f"{text}\n{_END}", newline="")
    # an impossible separator makes the reader return each line as one cell
    reader = csv.reader(source, delimiter=separator or "\x1f", skipinitialspace=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
            if limit and len(rows) >= limit:
                break
    except csv.Error as error:
        if limit:
            return rows, lines
        raise DataError(
            f"Line {line} cannot be split into cells ({error}): look for a quotation mark that is never closed."
        ) from error
    if limit:
        return rows, lines
    if rows.pop() != [_END]:
        raise DataError(
            f"A quotation mark is never closed: the row in line {lines[-1]} runs to the end of the file. "
            "Close or remove it."
        )
    return rows, lines[:-1]


def find_decimal(rows: list[list[str]], separator: str, given: str | None) -> tuple[str, Finding | None]:
    """Return the decimal mark of a file, from all its cells together.

    One cell such as ``94,574`` proves nothing; ``57.418,50`` elsewhere in the same file does.  Where nothing proves
    it, a file separated by commas has decimal points; otherwise the person is asked.
    """
    if given:
        return given, None
    head = rows[:5000]
    votes = decimal_votes(cell for row in head for cell in row)
    if separator == "," and votes[","] * 2 < len(head):
        # between commas a few such cells are typing errors, not a decimal mark
        return ".", None
    if votes["."] or votes[","]:
        return ("." if votes["."] >= votes[","] else ","), None
    if not (votes["?."] or votes["?,"]):
        return ".", None
    mark = "," if votes["?,"] else "."
    example = next(c.strip() for row in rows for c in row if decimal_votes([c])["?" + mark])
    as_decimal, as_group = example.replace(mark, "."), example.replace(mark, "")
    sentence = (
        f"The numbers can be read in two ways: {example!r} is {as_decimal} or {as_group}. "
        f"Say whether the decimal mark is a point or a comma with --decimal."
    )
    return mark, Finding("ambiguous_decimal", "question", sentence, choices=(".", ","), option="decimal")
