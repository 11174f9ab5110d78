"""Puts the kept parts of a study together: tables with their spread, and one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plm_engine.evaluation.backtest import Plan, summary
from plm_engine.evaluation.compare import LEAKING, ONE_SEED, spread, spread_table
from plm_engine.evaluation.rivals import PERSISTENCE, REGRESSION, RIDGE
from plm_engine.store.paths import read_json
from plm_engine.studies.plan import ABLATE, BACKTEST, ORGANIZED, RPLM, SEED, TRAINED, Part, Study


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
    result = {"kind": study.kind, "study": study.to_mapping(), **result, "choices": choices}
    if study.kind == BACKTEST:
        notes += _ratios(result, study)
    notes += [choice["sentence"] for choice in choices.values()]
    return {**result, "notes": notes}


def _backtest(kept: list[dict[str, Any]], plan: Plan) -> dict[str, Any]:
    result = summary(kept, plan)
    result["forecasts"] = kept
    result["over_seeds"] = _over_seeds(result["table"])
    errors = {line["model"]: line["mae"] for line in result["table"]}
    errors |= {name: found["mae"]["median"] for name, found in result["over_seeds"].items()}
    result["sentence"] = _sentence(errors)
    rivals = {n: errors[n] for n in (PERSISTENCE, REGRESSION, RIDGE) if n in errors}
    best = min(rivals, key=lambda name: rivals[name])
    if rivals[best] > 0:
        known = (RPLM, TRAINED, ORGANIZED)
        result["best_rival"] = best
        result["ratio_to_best_rival"] = {n: errors[n] / rivals[best] for n in known if n in errors}
    return result


def _over_seeds(table: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the spread of each network's error over its seeds, where there are several."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in table:
        name, _, seed = line["model"].partition(SEED)
        if seed:
            found.setdefault(name, []).append(line)
    return {
        name: {
            "mae": spread(line["mae"] for line in lines),
            "skill": spread(line.get("skill") for line in lines),
            "least_rounds": min(line.get("least_rounds", 0) for line in lines),
        }
        for name, lines in found.items()
    }


def _ratios(result: dict[str, Any], study: Study) -> list[str]:
    """Say how the networks stand to the best simple forecast, and how often goal and start were chosen anew."""
    said = []
    if result["choices"]:
        said.append(
            f"Goal and start were chosen anew every {study.rechoose_every} origins, each time from the rows known then."
        )
    lines = {line["model"]: line for line in result["table"]} | result["over_seeds"]
    ratios = result.get("ratio_to_best_rival") or {}
    if ratios:
        parts = []
        for name, ratio in ratios.items():
            rounds = lines[name].get("least_rounds", 0)
            least = f"{rounds} round{'s' * (rounds != 1)}" if rounds else "none, it stayed at its start"
            parts.append(f"{name} {ratio:.3f} (shortest training: {least})")
        said.append(
            f"Error divided by that of {result['best_rival']}, the best simple forecast (below 1 is better than it): "
            f"{', '.join(parts)}."
        )
    return said


def _sentence(errors: dict[str, float | None]) -> str:
    """Say which model had the smallest test error, and how the networks that trained stand."""
    known = {name: mae for name, mae in errors.items() if isinstance(mae, float)}
    if not known:
        return "No model has a test error: there are no test rows."
    best = min(known, key=lambda name: known[name])
    said = f"Smallest mean absolute error: {best} ({known[best]:,.1f})."
    for network in (TRAINED, ORGANIZED) if TRAINED in known else (RPLM,):
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
