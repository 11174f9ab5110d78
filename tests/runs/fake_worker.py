"""Training processes that behave well or badly: ``fake_worker.py BEHAVIOUR RUN_DIR``.

They use the real writer, so that what is tested is what the real training process meets.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from plm_engine.errors import ConfigError
from plm_engine.events import Notice, RoundEnded, RoundStarted
from plm_engine.store import Writer

SUMMARY = {"reason": "goal met", "rounds": 3, "n_hidden": 7, "picked": [[1], [2], [3]], "network_sha256": "ab" * 32}
SLEEPER = "import time; time.sleep(600)"


def outcome(run_dir: Path, status: str, sentence: str, **more: object) -> None:
    (run_dir / "outcome.json").write_text(json.dumps({"status": status, "sentence": sentence, **more}))


def learn(run_dir: Path, rounds: int, pause_s: float, heed_cancel: bool = True) -> bool:
    """Write rounds; return False if cancelled."""
    with Writer(run_dir, beat=True) as writer:
        for number in range(1, rounds + 1):
            writer.emit(RoundStarted(number, number - 1, rounds))
            end = time.monotonic() + pause_s
            while time.monotonic() < end:
                if heed_cancel and (run_dir / "cancel").exists():
                    return False
                time.sleep(0.02)
            writer.emit(RoundEnded(number, number, rounds, "goal met", 1, 4, 3, 9.5, 3.5, 4.5, {"cramming": 0.1}, 9))
    return True


def write_pids(run_dir: Path, *others: subprocess.Popen) -> None:
    text = json.dumps([os.getpid(), *(other.pid for other in others)])
    (run_dir / "pids.part").write_text(text)
    (run_dir / "pids.part").rename(run_dir / "pids.json")


def main() -> int:
    behaviour, run_dir = sys.argv[1], Path(sys.argv[2])
    children = []
    if behaviour in ("tree", "stubborn"):
        # one child in a session of its own (as torchrun's ranks), one whose parent dies at once
        children.append(subprocess.Popen([sys.executable, "-c", SLEEPER], start_new_session=True))
        code = (
            "import subprocess, sys;"
            f"child = subprocess.Popen([sys.executable, '-c', {SLEEPER!r}], stdout=subprocess.DEVNULL);"
            "print(child.pid)"
        )
        orphan = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
        (run_dir / "orphan.txt").write_bytes(orphan.stdout)
    if behaviour == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write_pids(run_dir, *children)
    if behaviour in ("finish", "tree"):
        learn(run_dir, 3, 0.05)
        outcome(run_dir, "finished", "Every row is learned.", reason="goal met", summary=SUMMARY)
        return 0
    if behaviour == "user-error":
        outcome(run_dir, "failed", str(ConfigError("Column 'z' is not in the table.")))
        return 2
    if behaviour == "silent":
        return 0
    if behaviour == "crash":
        raise RuntimeError("boom")
    if behaviour == "frozen":
        learn(run_dir, 1, 0.1)
        os.kill(os.getpid(), signal.SIGSTOP)
    if not learn(run_dir, 10_000, 0.1, heed_cancel=behaviour == "long"):
        with Writer(run_dir) as writer:
            writer.emit(Notice("Stops as asked."))
        outcome(run_dir, "cancelled", "Cancelled after 1 round.", summary=SUMMARY)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
