"""Names and files of the store: where it lies, what a run's id looks like, how a small file is replaced whole."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from plm_engine.errors import RunError

RUN_ID = re.compile(r"[0-9a-f]{12}")
#: where the pupil stands; and the copy of it that a resumed run goes on from, which is never written while the run goes
CHECKPOINT, RESUME = "checkpoint.npz", "resume.npz"
#: how the training process says it ended
OUTCOME = "outcome.json"
PROJECT = Path(__file__).resolve().parents[2]


def home_dir(given: str | os.PathLike[str] | None = None) -> Path:
    """Return the store's folder: the one given, else ``PLM_LAB_HOME``, else ``data/runs`` in the project."""
    chosen = given or os.environ.get("PLM_LAB_HOME") or PROJECT / "data" / "runs"
    return Path(chosen).expanduser().resolve()


def new_run_id() -> str:
    """Return a fresh id of 12 hex digits."""
    return os.urandom(6).hex()


def checked_run_id(text: object) -> str:
    """Return ``text`` if it has the form of a run's id.

    Raises
    ------
    RunError
        If it has not.  Ids come from links and command lines, and become folder names: nothing else may pass.
    """
    if not isinstance(text, str) or not RUN_ID.fullmatch(text):
        raise RunError(f"{str(text)[:40]!r} is not the id of a run: an id has 12 of the digits 0-9 and a-f.")
    return text


def write_json(path: Path, value: Any) -> None:
    """Replace a small JSON file whole: a reader sees the old text or the new one, also after a crash."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(value, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_json(path: Path) -> dict[str, Any]:
    """Return the mapping in a JSON file; empty if the file is missing or holds no mapping."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))  # people write settings, too
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
