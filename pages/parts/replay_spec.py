"""A run's tape as plain values for the replay element, and one plain sentence for each step.

Residuals travel as one byte a row and round (31 stands for the learning goal): 500 rounds of 500 rows are 250 kB.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from pages.parts import words
from pages.parts.language import count, speaking, text, told
from pages.parts.messages import LANGUAGES, MESSAGES
from plm_engine.replay import Frame, Step, Tape

#: what one learning goal is in the residuals' bytes; the largest byte is four goals
GOAL_BYTE = 31
#: rows drawn at most, evenly spaced, but every picked one
MOST_ROWS = 1_500
MOST_DRIVERS = 24
WEEK_DAYS = 7
MODULES = ("interpreting", "picking", "understanding", "cramming", "organizing", "end")


def spec(tape: Tape, unit: str, drivers: np.ndarray | None = None, lang: str = "en") -> str:
    """Return the tape as JSON.

    Parameters
    ----------
    tape : Tape
        With a goal, and at least the frame of round 0.
    unit : str
        The target's unit.
    drivers : ndarray (n, 2) or None
        Values of the two drivers at the tape's rows, where the surface is to be drawn.
    lang : str
        Language of the sentences and of the player: a key of :data:`pages.parts.messages.LANGUAGES`.
    """
    shown = _shown_rows(tape)
    position = {int(row): j for j, row in enumerate(tape.rows[shown])}
    names = Names(tape, lang)
    frames = sorted(tape.frames)
    place = {number: j for j, number in enumerate(frames)}
    goal = tape.goal or 1.0
    steps = [step for step in tape.steps if step.frame in place]
    value: dict[str, Any] = {
        "goal": goal,
        "goalByte": GOAL_BYTE,
        "goalText": text(lang, "unit.amount", value=words.number(goal), unit=unit),
        "target": tape.target,
        "unit": unit,
        "drivers": _driver_names(tape.features, lang),
        "labels": [names.of(int(row)) for row in tape.rows[shown]],
        "nTrain": tape.n_train,
        "frames": [_frame(tape, tape.frames[number], shown) for number in frames],
        "nodes": {
            str(node): [slot, names.of(row) if (row := tape.node_rows.get(node)) else "", list(_links(tape, node))]
            for node, slot in tape.slots.items()
        },
        "slots": tape.n_slots,
        "modules": list(MODULES),
        "words": {
            key: both[list(LANGUAGES).index(lang)]
            for key, both in MESSAGES.items()
            if key.startswith(("player.", "module."))
        },
        "steps": [_step(step, place, position, names, tape) for step in steps],
    }
    if drivers is not None and len(tape.features) == 2 and len(drivers) == len(tape.rows):
        value["surface"] = _surface(tape, frames, shown, drivers)
    return json.dumps(value, separators=(",", ":"))


def _shown_rows(tape: Tape) -> np.ndarray:
    """Return the positions of the training rows that are drawn."""
    train = np.flatnonzero(np.asarray(tape.part) == "train")
    if len(train) <= MOST_ROWS:
        return train
    spaced = train[np.linspace(0, len(train) - 1, MOST_ROWS).astype(int)]
    touched = {row for step in tape.steps for row in step.rows}
    picked = [j for j in train if int(tape.rows[j]) in touched]
    return np.unique(np.concatenate([spaced, np.asarray(picked[:MOST_ROWS], dtype=int)]))


def _frame(tape: Tape, frame: Frame, shown: np.ndarray) -> dict[str, Any]:
    goal = tape.goal or 1.0
    share = (tape.actual[shown] - frame.predicted[shown]) / goal * GOAL_BYTE
    learned = np.array([int(row) in frame.learned for row in tape.rows[shown]], dtype=bool)
    inside = np.clip(np.round(share), -GOAL_BYTE, GOAL_BYTE)
    outside = np.sign(share) * np.clip(np.ceil(np.abs(share)), GOAL_BYTE + 1, 127)
    value: dict[str, Any] = {"r": _bytes(np.where(learned, inside, outside))}
    if frame.output:
        output = np.array([frame.output[node] for node in sorted(frame.output)])
        value["w"] = _bytes(np.round(127 * output / (np.abs(output).max() or 1.0)))
    return value


def _bytes(values: np.ndarray) -> str:
    return base64.b64encode(np.nan_to_num(values).astype(np.int8).tobytes()).decode("ascii")


def _links(tape: Tape, node: int) -> tuple[int, ...]:
    """Return the drawn drivers that a node listens to; the first ones before that is known."""
    known = tape.links.get(node, tuple(range(min(2, len(tape.features)))))
    return tuple(sorted({min(j, MOST_DRIVERS - 1) for j in known}))


def _driver_names(features: tuple[str, ...], lang: str) -> list[str]:
    if len(features) <= MOST_DRIVERS:
        return list(features)
    kept = MOST_DRIVERS - 1
    return [*features[:kept], text(lang, "player.more_drivers", n=len(features) - kept)]


def _surface(tape: Tape, frames: list[int], shown: np.ndarray, drivers: np.ndarray) -> dict[str, Any] | None:
    """Return heights as bytes from 0 (a tenth below the lowest target) to 255, and the rows' places on the map."""
    surfaces = [tape.frames[number].surface for number in frames]
    if any(one is None for one in surfaces):
        return None
    low, high = float(tape.actual[shown].min()), float(tape.actual[shown].max())
    low, high = low - 0.1 * (high - low), high + 0.1 * (high - low)
    span = (high - low) or 1.0

    def scaled(values: Any) -> str:
        share = np.clip((np.asarray(values) - low) / span, 0, 1)
        return base64.b64encode(np.round(255 * share).astype(np.uint8).tobytes()).decode("ascii")

    first, last = drivers[shown].min(axis=0), drivers[shown].max(axis=0)
    places = (drivers[shown] - first) / np.where(last > first, last - first, 1.0)
    lowest, highest = words.aligned([low, high], 2)
    return {
        "frames": [scaled(one) for one in surfaces],
        "places": np.round(places, 3).tolist(),
        "heights": scaled(tape.actual[shown]),
        "low": lowest,
        "high": highest,
        "ranges": [[words.number(float(a)), words.number(float(b))] for a, b in zip(first, last, strict=True)],
    }


class Names:
    """What a row is called: its week or date where it has one, else its number."""

    def __init__(self, tape: Tape, lang: str = "en") -> None:
        self.lang = lang
        self._dates = dict(zip(tape.rows.tolist(), tape.dates, strict=False))
        dates = np.array([date for date in tape.dates if date], dtype="datetime64[D]")
        gaps = np.diff(np.unique(dates)).astype(int)
        self._kind = "row.week" if len(gaps) and np.median(gaps) == WEEK_DAYS else "row.date"

    def of(self, row: int) -> str:
        """Return one row's name, fit to begin a sentence."""
        date = self._dates.get(row)
        return text(self.lang, self._kind, date=date) if date else text(self.lang, "row.number", n=row)

    def several(self, rows: tuple[int, ...]) -> str:
        """Return the names of up to three rows, and how many more there are; fit to end a sentence."""
        named = [_lower(self.of(row)) for row in rows[:3]]
        more, comma = len(rows) - len(named), text(self.lang, "row.comma")
        if more:
            return text(self.lang, "row.more", rows=comma.join(named), n=more)
        last = text(self.lang, "row.and")
        return named[0] if len(named) == 1 else f"{comma.join(named[:-1])}{last}{named[-1]}"


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def _step(step: Step, place: dict[int, int], position: dict[int, int], names: Names, tape: Tape) -> dict[str, Any]:
    return {
        "m": MODULES.index(step.kind),
        "n": step.round,
        "t": round(step.at_s, 2),
        "f": place[step.frame],
        "p": [position[row] for row in step.rows if row in position],
        "a": list(step.added),
        "d": list(step.removed),
        "h": step.n_hidden,
        "l": step.n_learned,
        "s": sentence(step, names, tape),
    }


def sentence(step: Step, names: Names, tape: Tape) -> str:
    """Say in one or two plain sentences what happened in a step."""
    lang, kind, values = names.lang, f"step.{step.kind}", {}
    values["nodes"] = count(lang, "node", step.n_hidden)
    if step.kind == "interpreting":
        values |= {"k": f"{step.n_learned:,}", "rows": count(lang, "row", tape.n_train)}
    elif step.kind == "picking":
        kind = "step.pick_one" if len(step.rows) == 1 else "step.pick"
        values["rows"] = names.several(step.rows)
    elif step.kind == "understanding":
        kind = "step.understood" if step.about["outcome"] == "goal met" else "step.not_understood"
    elif step.kind == "cramming":
        kind = "step.cram" if len(step.added) == 3 else "step.cram_other"
        values = {"row": names.of(step.rows[0]), "nodes": count(lang, "node", len(step.added))}
    elif step.kind == "organizing":
        tried, gone = step.about["tried"], len(step.removed)
        kind = "step.round" if not tried else "step.dropped" if gone else "step.all_needed"
        values |= {"tried": count(lang, "node", tried), "gone": count(lang, "gone", gone)}
    else:
        with speaking(lang):
            values["said"] = words.worded(told(step.about["sentence"]))
    return text(lang, kind, **values)
