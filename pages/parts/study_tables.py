"""Results of studies as tables of texts: thousands separated, a reason where a measure has no value."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pages.parts import words

_MEASURES = {"mae": "MAE", "rmse": "RMSE", "mape": "MAPE (%)", "r2": "R²", "largest_residual": "Largest residual"}


def backtest_frame(result: dict[str, Any]) -> pd.DataFrame:
    """Return one row per model of a backtest."""
    rows = [
        {
            "Model": line["model"],
            "MAE": words.number(line["mae"]),
            "RMSE": words.number(line["rmse"]),
            "Skill": words.number(line.get("skill")),
            "Median by origin": words.number(line["mae_by_origin"]["median"]),
            "Range by origin": words.number_range(line["mae_by_origin"]["range"]),
            "Seconds": words.number(line["seconds"]),
        }
        for line in result["table"]
    ]
    return pd.DataFrame(rows)


def spread_frame(result: dict[str, Any]) -> pd.DataFrame:
    """Return one row per model of a comparison or ablation: medians over the repeats, and their range."""
    several = any(line["repeats"] > 1 for line in result["table"])
    rows = []
    for line in result["table"]:
        row = {
            "Model": line["model"],
            "Test MAE": words.number(line["test_mae"]["median"]),
            "Test MAE, range": words.number_range(line["test_mae"]["range"]),
            "Skill": words.number(line["skill"]["median"]),
            "Training MAE": words.number(line["train_mae"]["median"]),
            "Hidden nodes": words.number((line.get("n_hidden") or {}).get("median")),
            "Parameters": words.number(line["n_parameters"]["median"]),
            "Seconds": words.number(line["seconds"]["median"], 2),
            "Repeats": words.number(line["repeats"]),
        }
        if not several:
            del row["Test MAE, range"], row["Repeats"]
        rows.append(row)
    return pd.DataFrame(rows)


def measures_frame(result: dict[str, Any]) -> pd.DataFrame:
    """Return every measure of the first repeat, on test and training rows, and the interval of each model."""
    rows = []
    for line in result["pieces"][0]["lines"]:
        row = {"Model": line["model"]}
        for part, title in (("test", "Test"), ("train", "Training")):
            for key, name in _MEASURES.items():
                row[f"{title} {name}"] = words.number((line.get(part) or {}).get(key))
        row["Interval"] = interval_words(line.get("interval") or {})
        rows.append(row)
    return pd.DataFrame(rows)


def interval_words(found: dict[str, Any]) -> str:
    """Return an interval's half width, its stated coverage and the one measured on the test rows."""
    if found.get("half_width") is None:
        return "–"
    said = f"± {words.number(found['half_width'])}, {found['level']:.0%} stated"
    if isinstance(found.get("test_coverage"), float):
        said += f", {found['test_coverage']:.0%} of the test rows"
    return said
