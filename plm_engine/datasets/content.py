"""What a file is, told from its first bytes and never from its name."""

from __future__ import annotations

import io
import zipfile

from plm_engine.errors import DataError

#: largest file that is read, in bytes, and largest size a workbook may unpack to
MAX_BYTES = 512 * 1024**2

_REFUSED: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"ARROW1", "a Feather (Arrow) file"),
    (b"Obj\x01", "an Avro file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"{\\rtf", "a rich-text document"),
)


def kind_of(data: bytes) -> str:
    """Return ``"text"``, ``"xlsx"`` or ``"parquet"``.

    Raises
    ------
    DataError
        If the file is empty or is something else; the sentence says what it is.
    """
    if not data:
        raise DataError("The file is empty (0 bytes): choose a file with a header and data rows.")
    if len(data) > MAX_BYTES:
        raise DataError(
            f"The file has {len(data) / 1024**2:,.0f} MiB, more than the {MAX_BYTES // 1024**2} MiB that are read: "
            "leave out rows or columns that are not needed."
        )
    if data[:4] == b"PAR1":
        return "parquet"
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _zip_kind(data)
    if data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise DataError("This is an old Excel workbook (.xls), which is not read: save it as .xlsx or CSV.")
    for magic, words in _REFUSED:
        if data.startswith(magic):
            raise DataError(f"This is {words}, not a table: choose a CSV, TSV, XLSX or Parquet file.")
    head = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype", b"<html", b"<?xml")):
        raise DataError("This is a web page or XML document, not a table: export the data as CSV or XLSX.")
    if head.startswith((b'{"', b"[{", b"[[", b"{\n", b"{ ")):
        raise DataError("This is JSON, not a table: export the data as CSV or XLSX.")
    return "text"


def _zip_kind(data: bytes) -> str:
    """Tell a workbook from any other ZIP archive, from its list of names; nothing is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DataError("This is a damaged ZIP archive or workbook: save or download it again.") from error
    if "xl/workbook.xml" not in names:
        raise DataError("This is a ZIP archive, not a table: unpack it and choose the table inside.")
    if unpacked > MAX_BYTES:
        raise DataError(
            f"This workbook unpacks to {unpacked / 1024**2:,.0f} MiB, more than the {MAX_BYTES // 1024**2} MiB that "
            "are read: save the sheet as CSV."
        )
    return "xlsx"
