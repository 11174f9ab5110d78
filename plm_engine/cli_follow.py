"""Follow a run from the command line: a progress bar on a terminal, and the result in words or as one object."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from plm_engine.errors import RunError
from plm_engine.store.contract import RunInfo, Status
from plm_engine.store.sqlite import Store

POLL_S = 0.15
BAR_CELLS = 24
SHOWN = ("RunStarted", "RoundStarted", "PhaseStarted", "StepKept", "NodesAdded", "NodeTried", "RoundEnded")
#: the values of `events.Phase`, spelled out: `list` must answer at once, and the events are many classes to make
SECONDS = (
    "interpreting",
    "picking",
    "understanding",
    "cramming",
    "organizing",
    "organizing_regularizing",
    "organizing_understanding",
    "total",
)


class Progress:
    """A line that is rewritten on a terminal; silent where there is none."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._on = self._stream.isatty()
        self._known: dict[str, Any] = {}
        self._width = 0

    def update(self, info: RunInfo, events: list[Any]) -> None:
        """Show the newest state."""
        if not self._on:
            return
        for event in events:
            self._known.update(event.payload)
        self._write(self.line(info))

    def line(self, info: RunInfo) -> str:
        """Return the line for what is known now."""
        if info.status is Status.QUEUED:
            return f"Run {info.id} waits for its turn (place {info.position or '?'})"
        known = self._known
        n_train, n_learned = known.get("n_train", 0), known.get("n_learned", 0)
        share = n_learned / n_train if n_train else 0.0
        filled = int(share * BAR_CELLS)
        clock = time.strftime("%H:%M:%S", time.gmtime(info.elapsed_s() or 0))
        parts = [
            f"[{'#' * filled}{'.' * (BAR_CELLS - filled)}] {n_learned}/{n_train} rows",
            f"round {known.get('round', 0)}",
            f"{known.get('n_hidden', 0)} nodes",
            known.get("phase", "starting").replace("_", ": "),
            "cancelling" if info.cancel_requested else clock,
        ]
        return "  ".join(parts)

    def close(self) -> None:
        """Wipe the line."""
        if self._on:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, line: str) -> None:
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)


def follow(store: Store, run_id: str, progress: Progress) -> RunInfo:
    """Wait until the run has ended; Ctrl-C asks for its end and goes on waiting for it."""
    last = 0
    while True:
        try:
            info = store.status(run_id)
            events = store.events(run_id, last, SHOWN)
            last = events[-1].seq if events else last
            progress.update(info, events)  # of a run that ended at once, too
            if not info.status.active:
                progress.close()
                return info
            time.sleep(POLL_S)
        except KeyboardInterrupt:
            cancel_if_active(store, run_id)


def cancel_if_active(store: Store, run_id: str) -> None:
    """Ask for the run's end, if there is such a run and it still goes."""
    try:
        store.request_cancel(run_id)
    except RunError:
        return  # it has ended by itself, or never began


def result_of(store: Store, info: RunInfo) -> dict[str, Any]:
    """Return what the command line prints about a run as one object."""
    summary = info.summary
    seconds = summary.get("seconds") or {}
    mae, largest = summary.get("mae") or {}, summary.get("max_residual") or {}
    return {
        "run_id": info.id,
        "status": str(info.status),
        "reason": summary.get("reason") or (None if info.status.active else str(info.status)),
        "sentence": info.sentence,
        "mode": summary.get("mode") or info.config.get("mode"),
        "workers": summary.get("workers") or info.config.get("workers"),
        "n_hidden": summary.get("n_hidden"),
        "rounds": summary.get("rounds"),
        "n_learned": summary.get("n_learned"),
        "n_train": summary.get("n_train"),
        "n_test": summary.get("n_test"),
        "goal": summary.get("goal"),
        "target": summary.get("target") or info.config.get("target"),
        "picked": summary.get("picked") or [],
        "seconds": {name: seconds.get(name) for name in SECONDS},
        "mae": {part: mae.get(part) for part in ("train", "test")},
        "max_residual": {"train": largest.get("train")},
        "baselines": summary.get("baselines") or {},
        "network_sha256": summary.get("network_sha256"),
        "communication": summary.get("communication"),
        "peak_memory_bytes": summary.get("peak_memory_bytes"),
        "auto": summary.get("auto"),
        "choice": summary.get("choice"),
        "continued": summary.get("continued"),
        "environment": summary.get("environment") or {k: v for k, v in info.extra.items() if k != "data"},
        "data": info.extra.get("data"),
        "run_dir": str(store.run_dir(info.id)),
    }


def print_result(result: dict[str, Any], write: Callable[[str], Any] = print) -> None:
    """Print a run's result for people, every number with its unit."""
    unit = f"in the unit of {result['target']}" if result["target"] else "in the target's unit"
    write(f"Run {result['run_id']} {result['status']}: {result['sentence']}")
    if result["n_hidden"] is not None:
        write(f"  rows learned     {result['n_learned']} of {result['n_train']} in {result['rounds']} rounds")
        write(f"  hidden nodes     {result['n_hidden']}")
        write(
            f"  MAE              train {number(result['mae']['train'])}, test {number(result['mae']['test'])} ({unit})"
        )
        seed = (result["environment"] or {}).get("seed")
        write(f"  seed             {seed}; these are one seed's errors, another can move them a lot (compare --seeds)")
        largest, goal = number(result["max_residual"]["train"]), number(result["goal"])
        write(f"  largest error    {largest} on the training rows, goal {goal} ({unit})")
        spent = [f"{name} {value:.2f} s" for name, value in result["seconds"].items() if value is not None]
        write(f"  time             {', '.join(spent)}")
    for name, key in (("goal and start", "choice"), ("going on", "continued")):
        if result[key]:
            write(f"  {name:16} {result[key]['sentence']}")
    write(f"  folder           {result['run_dir']}")


def number(value: Any) -> str:
    """Return a number for people, or a dash where there is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return "-"
    return f"{value:,.2f}" if abs(value) >= 1 else f"{value:.4g}"


def print_json(value: dict[str, Any]) -> None:
    """Print one strict JSON object on standard output: numbers that JSON does not know become null."""
    print(json.dumps(_strict(value), ensure_ascii=False, allow_nan=False))


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):  # a scalar of numpy
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
