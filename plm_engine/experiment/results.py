"""Trials to results: the thesis's four measures with intervals, ratios, memory, and one sentence of conclusion.

Measures with the same seed are compared pair by pair, since the seed alone moves a run's time.  Intervals are 95 % by
Student's t over the repeats; those of ratios are taken over logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from plm_engine.events import Phase
from plm_engine.experiment.plan import SWEEP, Contender, Plan, title
from plm_engine.experiment.sweeps import sweep_table
from plm_engine.experiment.trials import read_trials
from plm_engine.store.paths import read_json

LEVEL = 0.95
#: the thesis's measures: column -> what it is, unit
MEASURES = {
    "understanding_s": ("Understanding inside organizing", "s"),
    "organizing_s": ("Organizing", "s"),
    "total_s": ("Overall time", "s"),
    "mae": ("Mean absolute error", ""),
}
#: organizing by its two parts
MODULES = tuple(str(phase) for phase in Phase if phase is not Phase.ORGANIZING)
#: mean absolute errors that differ by less than this share are called equal
SAME_MAE = 1e-9


@dataclass(frozen=True)
class Interval:
    """A mean with the ends of its 95 % interval; the ends are NaN where one measurement cannot give any."""

    mean: float
    low: float
    high: float


@dataclass
class Results:
    """What the trials say so far.

    Attributes
    ----------
    plan : Plan
    trials : DataFrame
        One row for each finished training: contender, repeat, seed, times in seconds, errors, memory, ...
    summary : DataFrame
        One row for each contender, in the plan's order, indexed by its key.
    mae_sentence, conclusion : str
        In words; empty before there is enough to say.
    """

    plan: Plan
    trials: pd.DataFrame
    summary: pd.DataFrame
    mae_sentence: str
    conclusion: str
    disturbed: int


def load(run_dir: Path) -> Results:
    """Return the results of an experiment's folder, as far as it has come."""
    about = read_json(run_dir / "summary.json")
    plan = Plan.from_mapping(read_json(run_dir / "plan.json") or about["plan"])
    trials = [] if plan.kind == SWEEP else read_trials(run_dir)
    return results(plan, trials, about.get("machine", {}).get("sentence", "this machine"))


def results(plan: Plan, trials: Sequence[dict[str, Any]], machine: str = "this machine") -> Results:
    """Return the results of finished trials."""
    frame = trial_table(trials)
    keys = [c.key for c in plan.contenders if len(frame) and (frame["contender"] == c.key).any()]
    reference = keys[0] if keys and "single" not in keys else "single"
    rows = [_summary_row(frame, key, reference) for key in keys]
    summary = pd.DataFrame(rows).set_index("contender") if rows else pd.DataFrame()
    disturbed = int(frame["disturbed"].astype(bool).sum()) if len(frame) else 0
    return Results(
        plan, frame, summary, mae_sentence(frame, keys, reference), conclusion(summary, reference, machine), disturbed
    )


def trial_table(trials: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return one row for each training, with plain columns."""
    return pd.DataFrame([_trial_row(trial) for trial in trials])


def _trial_row(trial: dict[str, Any]) -> dict[str, Any]:
    contender, seconds, mae = Contender.parse(trial["contender"]), trial["seconds"], trial["mae"]
    tested = mae["test"] is not None
    return {
        "contender": contender.key,
        "title": contender.title,
        "mode": contender.mode,
        "workers": contender.workers,
        "repeat": trial["repeat"] + 1,
        "seed": trial["seed"],
        "order": trial["order"],
        "understanding_s": seconds["organizing_understanding"],
        "organizing_s": seconds["organizing"],
        "total_s": seconds["total"],
        "mae": mae["test"] if tested else mae["train"],
        "mae_rows": "test" if tested else "training",
        "mae_training": mae["train"],
        **{f"module_{name}_s": seconds[name] for name in MODULES},
        "communicating_s": trial["communicating_s"],
        "collectives": trial["collectives"],
        "kept_steps": trial["kept_steps"],
        "n_hidden": trial["n_hidden"],
        "rounds": trial["rounds"],
        "n_train": trial["n_train"],
        "reason": trial["reason"],
        "device": trial["device"],
        "peak_memory_mib": max(trial["peak_memory_bytes"]) / 2**20,
        "peak_memory_all_mib": sum(trial["peak_memory_bytes"]) / 2**20,
        "network_sha256": trial["network_sha256"],
        "disturbed": " ".join(trial.get("disturbed", ())),
    }


def interval(values: Sequence[float] | np.ndarray) -> Interval:
    """Return mean and 95 % interval by Student's t."""
    x = np.asarray(values, dtype=float)
    mean = float(x.mean()) if len(x) else math.nan
    if len(x) < 2:
        return Interval(mean, math.nan, math.nan)
    from scipy import stats  # only now: it takes half a second to load, and most pages do without

    half = float(stats.t.ppf((1 + LEVEL) / 2, len(x) - 1) * x.std(ddof=1) / math.sqrt(len(x)))
    return Interval(mean, mean - half, mean + half)


def ratio(mine: np.ndarray, theirs: np.ndarray) -> Interval:
    """Return the geometric mean of mine / theirs, pair by pair, with its interval."""
    logs = interval(np.log(mine / theirs))
    return Interval(math.exp(logs.mean), math.exp(logs.low), math.exp(logs.high))


def _summary_row(frame: pd.DataFrame, key: str, reference: str) -> dict[str, Any]:
    mine = frame[frame["contender"] == key].set_index("repeat").sort_index()
    theirs = frame[frame["contender"] == reference].set_index("repeat").sort_index()
    both = mine.index.intersection(theirs.index)
    row: dict[str, Any] = {
        "contender": key,
        "title": mine["title"].iloc[0],
        "workers": int(mine["workers"].iloc[0]),
        "repeats": len(mine),
    }
    for name in MEASURES:
        found = interval(mine[name])
        low = max(0.0, found.low) if found.low == found.low else found.low  # a time or an error is never below 0
        row |= {name: found.mean, f"{name}_low": low, f"{name}_high": found.high}
        row[f"{name}_median"] = float(mine[name].median())
    for name in ("understanding_s", "organizing_s", "total_s"):
        if not len(both):
            break
        change = ratio(mine.loc[both, name].to_numpy(), theirs.loc[both, name].to_numpy())
        label = name.removesuffix("_s")
        row |= {f"{label}_ratio": change.mean, f"{label}_ratio_low": change.low, f"{label}_ratio_high": change.high}
        row |= {
            f"{label}_speedup": 1 / change.mean,
            f"{label}_speedup_low": 1 / change.high,
            f"{label}_speedup_high": 1 / change.low,
            f"{label}_efficiency": 1 / change.mean / row["workers"],
        }
    for name in MODULES:
        row[f"module_{name}_s"] = float(mine[f"module_{name}_s"].mean())
    row["communicating_s"] = float(mine["communicating_s"].mean())
    row["communication_share"] = float((mine["communicating_s"] / mine["total_s"]).mean())
    row["collectives"] = float(mine["collectives"].mean())
    # every mode takes the steps of the reference: its count is the one that all are divided by
    row["steps"] = float(theirs["kept_steps"].mean()) if len(theirs) else float(mine["kept_steps"].mean())
    row["peak_memory_mib"] = float(mine["peak_memory_mib"].max())
    row["peak_memory_all_mib"] = float(mine["peak_memory_all_mib"].max())
    return row


def mae_sentence(frame: pd.DataFrame, keys: Sequence[str], reference: str) -> str:
    """Say whether the mean absolute errors differ between the contenders, seed by seed."""
    if len(keys) < 2:
        return ""
    wide = frame.pivot(index="repeat", columns="contender", values="mae")
    digests = frame.pivot(index="repeat", columns="contender", values="network_sha256")
    base, said = wide[reference], []
    same = [
        k
        for k in keys
        if k != reference and (digests[k].dropna() == digests.loc[digests[k].dropna().index, reference]).all()
    ]
    if same:
        said.append(f"{_listed(same)} ended with the very network of {title(reference)}, to the last bit.")
    for key in keys:
        if key in same or key == reference:
            continue
        difference = (wide[key] - base).dropna()
        size = float((difference.abs() / base.abs()).max())
        if size <= SAME_MAE:
            said.append(f"{title(key)}: the mean absolute errors agree to {max(size, 1e-16):.0e} of their size.")
            continue
        found = interval(difference.to_numpy())
        if math.isnan(found.low):
            said.append(
                f"{title(key)}: one repeat cannot tell whether the errors differ (by {_number(found.mean)} in it)."
            )
            continue
        differs = not found.low <= 0 <= found.high
        what = "differ" if differs else "do not differ beyond what the repeats vary"
        said.append(
            f"{title(key)}: the mean absolute errors {what} (difference {_number(found.mean)}, "
            f"95 % interval {_number(found.low)} to {_number(found.high)})."
        )
    return " ".join(said)


def _number(value: float) -> str:
    """Return a figure with thousands separators, never with an exponent where whole numbers are enough."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def conclusion(summary: pd.DataFrame, reference: str, machine: str) -> str:
    """Return one sentence computed from the numbers: the fastest, and why the slowest is slow."""
    if reference not in summary.index or len(summary) < 2:
        return ""
    others = summary.drop(index=reference).dropna(subset=["organizing_ratio"])
    if others.empty:
        return ""
    fastest, slowest = others["organizing_ratio"].idxmin(), others["organizing_ratio"].idxmax()
    said = f"On this machine ({machine}), {_took(summary, fastest, reference)}"
    if slowest != fastest:
        said += f", and {_took(summary, slowest, reference)}"
    worst = summary.loc[slowest]
    if worst["organizing_ratio"] > 1 and worst["communicating_s"] > 0 and worst["steps"]:
        talking = 1000 * worst["communicating_s"] / worst["steps"]
        computing = max(0.0, 1000 * worst["organizing_s"] / worst["steps"] - talking)
        said += (
            f", because for each kept step {worst['title']} computes for {computing:.2g} ms and communicates for "
            f"{talking:.2g} ms, where {title(reference)} needs "
            f"{1000 * summary.loc[reference, 'organizing_s'] / summary.loc[reference, 'steps']:.2g} ms in all"
        )
    return said + "."


def _took(summary: pd.DataFrame, key: str, reference: str) -> str:
    times = summary.loc[key, "organizing_ratio"]
    low, high = summary.loc[key, "organizing_ratio_low"], summary.loc[key, "organizing_ratio_high"]
    sure = "" if math.isnan(low) else f" (95 % interval {low:.2f} to {high:.2f})"
    return f"{title(key)} took {times:.2f} times as long for organizing as {title(reference)}{sure}"


def _listed(keys: Sequence[str]) -> str:
    names = [title(key) for key in keys]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def csv_of(run_dir: Path) -> bytes:
    """Return every trial as CSV, each line with the machine's description."""
    about = read_json(run_dir / "summary.json")
    environment, machine = about.get("environment", {}), about.get("machine", {})
    plan = Plan.from_mapping(read_json(run_dir / "plan.json") or about["plan"])
    trials = read_trials(run_dir)
    frame = sweep_table(trials) if plan.kind == SWEEP else trial_table(trials)
    frame["machine"] = f"{machine.get('system', '')}; {machine.get('sentence', '')}"
    frame["python"] = environment.get("python", "")
    frame["torch"] = environment.get("versions", {}).get("torch", "")
    return frame.to_csv(index=False).encode("utf-8")
