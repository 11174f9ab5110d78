"""Going on from an earlier run when new rows have arrived, and what that saves against training anew.

After the run has learned, it trains anew on the same rows with the same settings, in the same process and slot, so that
both times are of one machine in one state.  Where both are quick they are measured several times, in turns and with
seeds of their own: a single time, and a single seed's error, say little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plm_engine.config import Config
from plm_engine.store.paths import checked_run_id, read_json
from plm_engine.store.sqlite import Store

if TYPE_CHECKING:
    from plm_engine.datasets.prepare import Prepared
    from plm_engine.training import TrainResult

#: seeds measured where one going on and one training anew take at most so many seconds together
REPEATS, CHEAP_S = 3, 10.0
MEASURING = "Learned; now trains anew on the same rows, to measure what going on saved."
SKIPPED = "What training anew would have taken was not measured."
ON, ANEW = "going on", "training anew"

#: trains once, with these settings, from the earlier network (true) or anew (false)
TrainOnce = Callable[[Config, bool], "TrainResult"]


def settings_to_go_on(store: Store, run_id: str) -> dict[str, Any]:
    """Return the settings with which a run goes on from an earlier one: the earlier run's own.

    A goal that was chosen then is kept, with all that was chosen with it, or the network would have to learn something
    else.
    """
    before = store.status(run_id)
    settings = {**Config.to_repeat(before.config).to_mapping(), "continue_run": run_id, "drop_oldest": 0}
    choice = before.summary.get("choice")
    if choice:
        from plm_engine.evaluation.goal import options_of  # only now: it loads scikit-learn

        settings |= options_of(choice["best"], choice["best"]["goal"])
    return settings


def what_was_before(home: Path, run_id: str, data: Prepared) -> dict[str, Any]:
    """Return what the earlier run took, and how many rows came: plain values."""
    before = read_json(home / checked_run_id(run_id) / "summary.json")
    n_before = before.get("n_train")
    return {
        "run": run_id,
        "rounds_before": before.get("rounds"),
        "seconds_before": (before.get("seconds") or {}).get("total"),
        "n_train_before": n_before,
        "n_train": len(data.y_train),
        "rows_added": None if n_before is None else len(data.y_train) - n_before,
        "sentence": SKIPPED,
    }


def against_training_anew(
    went_on: TrainResult,
    once: TrainOnce,
    agreed: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> dict[str, Any]:
    """Train anew, measure, and return what going on saved: plain values, empty if the run was ended meanwhile.

    Parameters
    ----------
    went_on : TrainResult
        Of the run itself, which has gone on; where it took long it is not repeated.
    once : callable
    agreed : callable
        Makes ranks take the decision of the first one: they have clocks of their own.
    """
    config = went_on.config
    anew = once(config, False)
    if _stopped(anew):
        return {}
    taken = went_on.seconds["total"] + anew.seconds["total"]
    repeats = int(agreed({"repeats": REPEATS if taken <= CHEAP_S else 1})["repeats"])
    measured: dict[str, list[TrainResult]] = {ON: [went_on], ANEW: [anew]}
    if repeats > 1:  # the run itself wrote everything down, which takes time: do it again without
        measured = {ON: [], ANEW: []}
        for k in range(repeats):
            own = config.replace(seed=config.seed + k)
            for name in (ON, ANEW) if k % 2 else (ANEW, ON):
                result = once(own, name == ON)
                if _stopped(result):
                    return {}
                measured[name].append(result)
    found: dict[str, Any] = {name: _figures(results) for name, results in measured.items()}
    return {**found, "repeats": repeats, "sentence": sentence(found[ON], found[ANEW])}


def _stopped(result: TrainResult) -> bool:
    from plm_engine.learning.outcome import EndReason

    return result.reason is EndReason.STOPPED


def _figures(results: list[TrainResult]) -> dict[str, Any]:
    """Return the spread of seconds and errors over the repeats."""
    from plm_engine.evaluation.compare import spread

    last = [result.history[-1] for result in results]
    return {
        "seconds": spread(result.seconds["total"] for result in results),
        "train_mae": spread(record.train_mae for record in last),
        "test_mae": spread(record.test_mae for record in last),
        "rounds": spread(record.number for record in last),
        "n_hidden": spread(record.n_hidden for record in last),
        "reasons": sorted({str(result.reason) for result in results}),
    }


def sentence(on: Mapping[str, Any], anew: Mapping[str, Any]) -> str:
    """Say what going on saved, in seconds and in error; medians, with the range of several repeats."""
    saved = anew["seconds"]["median"] - on["seconds"]["median"]
    share = abs(saved) / max(on["seconds"]["median"], anew["seconds"]["median"], 1e-9)
    said = f"Going on took {_spread(on['seconds'], ' s')}, "
    said += f"training anew on the same rows {_spread(anew['seconds'], ' s')}"
    said += f": {_number(saved)} s ({share:.0%}) saved." if saved > 0 else f": nothing saved, {share:.0%} longer."
    part = "test" if on["test_mae"]["n"] else "train"
    name = "Test" if part == "test" else "Training"
    mine, theirs = on[f"{part}_mae"], anew[f"{part}_mae"]
    said += f" {name} MAE {_spread(mine)} going on, {_spread(theirs)} anew"
    said += "." if mine["n"] > 1 else "; from one seed each, which can move an error a lot."
    for which, found in (("Going on", on), ("Training anew", anew)):
        early = [reason for reason in found["reasons"] if reason != "goal met"]
        if early:
            said += f" {which} ended before its goal ({', '.join(early)}), so its time is no full training's."
    return said


def _spread(found: Mapping[str, Any], unit: str = "") -> str:
    if found["n"] < 2:
        return f"{_number(found['median'])}{unit}"
    low, high = found["range"]
    return f"{_number(found['median'])}{unit} (median of {found['n']}, {_number(low)} to {_number(high)})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.3g}"
