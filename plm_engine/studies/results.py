"""Puts the kept parts of a study together: tables with their spread, and one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plm_engine.evaluation.backtest import Plan, summary
from plm_engine.evaluation.compare import LEAKING, ONE_SEED, spread_table
from plm_engine.evaluation.rivals import PERSISTENCE, REGRESSION, RIDGE
from plm_engine.store.paths import read_json
from plm_engine.studies.plan import ABLATE, BACKTEST, RPLM, TRAINED, Part, Study


def result_of_parts(folder: Path, study: Study, parts: list[Part], horizon: int) -> dict[str, Any]:
    """Return the result of a finished study, plain values."""
    kept = [read_json(folder / f"{name}.json") for part in parts for name in part.pieces]
    choices = {path.stem: read_json(path) for path in sorted(folder.glob("choice_*.json"))}
    if study.kind == BACKTEST:
        plan = Plan(study.first_origin, study.step, horizon, study.window, study.window_rows, study.rechoose_every)
        result = _backtest(kept, plan)
    elif study.kind == ABLATE:
        result = {"table": spread_table([piece["lines"] for piece in kept]), "pieces": kept}
        result["sentence"] = _ablation_sentence(result["table"])
    else:
        result = {"table": spread_table([piece["lines"] for piece in kept]), "pieces": kept}
        result["sentence"] = _sentence({line["model"]: line["test_mae"]["mean"] for line in result["table"]})
    notes = []
    if any(piece.get("leaking") for piece in kept):
        notes.append(LEAKING)
    if study.seeds == 1:
        notes.append(ONE_SEED)
    notes += [choice["sentence"] for choice in choices.values()]
    return {"kind": study.kind, "study": study.to_mapping(), **result, "notes": notes, "choices": choices}


def _backtest(kept: list[dict[str, Any]], plan: Plan) -> dict[str, Any]:
    result = summary(kept, plan)
    result["forecasts"] = kept
    errors = {line["model"]: line["mae"] for line in result["table"]}
    result["sentence"] = _sentence(errors)
    rivals = [errors[n] for n in (PERSISTENCE, REGRESSION, RIDGE) if n in errors]
    best = min(rivals)
    if best > 0:
        result["ratio_to_best_rival"] = {n: mae / best for n, mae in errors.items() if n.startswith(RPLM)}
    return result


def _sentence(errors: dict[str, float | None]) -> str:
    """Say which model had the smallest test error, and how the network that trained stands."""
    known = {name: mae for name, mae in errors.items() if isinstance(mae, float)}
    if not known:
        return "No model has a test error: there are no test rows."
    best = min(known, key=lambda name: known[name])
    said = f"Smallest mean absolute error: {best} ({known[best]:,.1f})."
    network = TRAINED if TRAINED in known else RPLM
    if network in known and network != best and PERSISTENCE in known:
        beats = "beats" if known[network] < known[PERSISTENCE] else "does not beat"
        said += f" {network} ({known[network]:,.1f}) {beats} persistence ({known[PERSISTENCE]:,.1f})."
    return said


def _ablation_sentence(table: list[dict[str, Any]]) -> str:
    parts = [
        f"{line['model']}: test MAE {line['test_mae']['median']:,.1f}, "
        f"{line['n_hidden']['median']:g} nodes, {line['seconds']['median']:.1f} s"
        for line in table
        if line["test_mae"]["median"] is not None
    ]
    return "Medians - " + "; ".join(parts) + "." if parts else "There are no test rows to judge by."


def network_interval(result: dict[str, Any]) -> dict[str, Any] | None:
    """Return the interval around the network's forecasts in the result of a comparison; None if it has none."""
    for piece in result.get("pieces") or []:
        for line in piece.get("lines") or []:
            found = line.get("interval") or {}
            if line.get("model") == RPLM and found.get("half_width") is not None:
                return dict(found)
    return None
