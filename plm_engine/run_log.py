"""A run's log in lines: what it did, from its events, with the seconds since its start; for pages and downloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from plm_engine.datasets.table import counted
from plm_engine.store.contract import RunStore, StoredEvent

#: events looked at for the newest lines: most of a long run's events are steps, which have no line
LOOK_BACK = 5_000
SHOWN_ROWS = 8


def _rows(payload: dict[str, Any]) -> str:
    rows = payload["rows"]
    more = f" and {len(rows) - SHOWN_ROWS:,} more" if len(rows) > SHOWN_ROWS else ""
    return f"picked {', '.join(map(str, rows[:SHOWN_ROWS]))}{more}"


def _nodes(payload: dict[str, Any]) -> str:
    why = "first network" if payload["row"] is None else f"crammed row {payload['row']}"
    return f"{why}: {counted(len(payload['nodes']), 'hidden node')} added"


def _round_end(payload: dict[str, Any]) -> str:
    test = "" if payload["test_mae"] is None else f", test MAE {payload['test_mae']:.6g}"
    return (
        f"ended: {payload['n_learned']:,} of {counted(payload['n_train'], 'row')} learned, "
        f"{counted(payload['n_hidden'], 'hidden node')}, largest residual "
        f"{payload['largest_residual']:.6g}, training MAE {payload['train_mae']:.6g}{test}"
    )


_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "DataPrepared": lambda p: f"data prepared: {counted(len(p['rows']), 'row')}, target {p['target']}",
    "RunStarted": lambda p: (
        f"learning begins: {counted(p['n_train'], 'training row')}, {counted(p['n_test'], 'test row')}, "
        f"{counted(p['n_features'], 'driver')}, goal {p['goal']:.6g}, mode {p['mode']} with "
        f"{counted(p['workers'], 'worker')} on {p['device']}"
    ),
    "RunResumed": lambda p: f"resumed after round {p['round']:,} with {counted(p['n_hidden'], 'hidden node')}",
    "RowsPicked": _rows,
    "PhaseEnded": lambda p: f"{p['phase']} took {p['seconds']:.3f} s{': ' + p['outcome'] if p['outcome'] else ''}",
    "NodesAdded": _nodes,
    "NodeTried": lambda p: (
        f"node {p['node']} {'dropped' if p['removed'] else 'kept'}, {counted(p['n_hidden'], 'hidden node')}"
    ),
    "RoundEnded": _round_end,
    "Notice": lambda p: str(p["sentence"]),
    "RunEnded": lambda p: f"ended: {p['sentence']}",
}


class Entry(NamedTuple):
    """One thing a run did.

    Attributes
    ----------
    at_s : float
        Seconds since the run's start.
    round : int or None
        The round it belongs to, if any.
    text : str
        What it was, in words.
    """

    at_s: float
    round: int | None
    text: str


def entry(event: StoredEvent) -> Entry:
    """Return what one event says."""
    number = None if event.kind == "RunResumed" else event.payload.get("round")
    return Entry(event.at_s, number, _LINES[event.kind](event.payload))


def line(said: Entry) -> str:
    """Return the line of one entry, such as ``12.345 s  round 3  picked 17, 40``."""
    where = "" if said.round is None else f"round {said.round:<4} "
    return f"{said.at_s:10.3f} s  {where}{said.text}"


def entries(store: RunStore, run_id: str, newest: int | None = None, seq: int = 0) -> list[Entry]:
    """Return a run's log, oldest entry first.

    Parameters
    ----------
    newest : int or None
        Only so many of the newest entries; all if None.
    seq : int
        Number of the newest event, where it is known: older ones are then not all read.
    """
    after = 0 if newest is None else max(0, seq - LOOK_BACK)
    found = [entry(event) for event in store.events(run_id, after, kinds=tuple(_LINES))]
    return found if newest is None else found[-newest:]


def lines(store: RunStore, run_id: str, newest: int | None = None, seq: int = 0) -> list[str]:
    """Return a run's log in lines; parameters as of :func:`entries`."""
    return [line(one) for one in entries(store, run_id, newest, seq)]
