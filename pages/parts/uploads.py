"""Uploaded files, kept at once: the browser's copy is gone after a refresh or a restart of the server.

A file is stored under the SHA-256 of its content, so its name never becomes a path, and the same file uploaded twice
is one file.  The name it came with is kept beside it, as a text to show.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from pathlib import Path

from plm_engine.errors import DataError
from plm_engine.store.paths import read_json, write_json

PREFIX = "upload:"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST_NAME = 120


def save(home: Path, name: str, content: bytes) -> str:
    """Keep an uploaded file and return its key, ``upload:<sha256>``.

    Parameters
    ----------
    home : Path
        The store's folder; the file goes to ``uploads`` in it.
    name : str
        The name the browser sent: untrusted, only ever shown.
    content : bytes
        The file.
    """
    folder = home / "uploads"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest = hashlib.sha256(content).hexdigest()
    target = folder / digest
    if not target.exists():
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    write_json(folder / f"{digest}.json", {"name": shown_name(name), "saved": time.time()})
    return PREFIX + digest


def path_of(home: Path, key: str) -> Path:
    """Return where an uploaded file lies.

    Raises
    ------
    DataError
        If the key has the wrong form or the file is not there (any more).
    """
    digest = key.removeprefix(PREFIX)
    if not _DIGEST.fullmatch(digest) or not (home / "uploads" / digest).is_file():
        raise DataError("The uploaded file of this link is not on this server: upload it again on the Data page.")
    return home / "uploads" / digest


def name_of(path: Path) -> str | None:
    """Return the name an uploaded file came with; None if ``path`` is no upload."""
    if path.parent.name != "uploads" or not _DIGEST.fullmatch(path.name):
        return None
    return str(read_json(path.with_suffix(".json")).get("name") or "uploaded file")


def shown_name(name: str) -> str:
    """Return the last part of an untrusted file name, without control characters, shortened."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(c for c in last if c.isprintable())[:_LONGEST_NAME] or "uploaded file"
