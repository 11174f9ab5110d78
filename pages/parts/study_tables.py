"""Results of studies as tables of texts: thousands separated, a reason where a measure has no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import words
from pages.parts.language import explain, say, told

_MEASURES = {"mae": "mae", "rmse": "rmse", "mape": "mape", "r2": "r2", "largest_residual": "residual"}


def backtest_frame(result: dict[str, Any]) -> pd.DataFrame:
    """Return one row per model of a backtest."""
    rows = [
        {
            say("study.model"): told(line["model"]),
            say("study.col_mae"): words.number(line["mae"]),
            say("study.rmse"): words.number(line["rmse"]),
            say("study.col_skill"): words.number(line.get("skill")),
            say("study.col_median"): words.number(line["mae_by_origin"]["median"]),
            say("study.col_origins"): words.number_range(line["mae_by_origin"]["range"]),
            say("col.time"): words.duration(line["seconds"]),
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
            say("study.model"): told(line["model"]),
            say("col.test_mae"): words.number(line["test_mae"]["median"]),
            say("study.col_range"): words.number_range(line["test_mae"]["range"]),
            say("study.col_skill"): words.number(line["skill"]["median"]),
            say("col.train_mae"): words.number(line["train_mae"]["median"]),
            say("compare.nodes"): _spread(line.get("n_hidden")),
            say("study.col_parameters"): words.number(line["n_parameters"]["median"]),
            say("col.time"): _spread(line["seconds"], words.duration),
            say("study.col_repeats"): words.number(line["repeats"]),
        }
        if not several:
            del row[say("study.col_range")], row[say("study.col_repeats")]
        rows.append(row)
    return pd.DataFrame(rows)


def _spread(found: dict[str, Any] | None, shown: Callable[[float | None], str] = words.number) -> str:
    """Return a median, and its range where there are several repeats that differ."""
    if not found or found["median"] is None:
        return shown(None)
    middle, ends = shown(found["median"]), found["range"]
    if ends[0] == ends[1]:
        return middle
    return f"{middle} ({say('number.range', low=shown(ends[0]), high=shown(ends[1]))})"


def measures_frame(result: dict[str, Any]) -> pd.DataFrame:
    """Return every measure of the first repeat, on test and training rows, and the interval of each model."""
    rows = []
    for line in result["pieces"][0]["lines"]:
        row = {say("study.model"): told(line["model"])}
        for part in ("test", "train"):
            for key in _MEASURES:
                row[say(f"study.of_{part}", measure=say(f"study.{key}"))] = words.number(
                    (line.get(part) or {}).get(key)
                )
        row[say("study.col_interval")] = interval_words(line.get("interval") or {})
        rows.append(row)
    return pd.DataFrame(rows)


def column_helps() -> dict[str, Any]:
    """Return what every column of the tables means, as hover texts."""
    terms = {
        "study.col_mae": "mae",
        "study.rmse": "rmse",
        "study.col_skill": "skill",
        "study.col_median": "origin",
        "study.col_origins": "origin",
        "col.test_mae": "mae",
        "study.col_range": "mae",
        "col.train_mae": "mae",
        "compare.nodes": "node",
        "study.col_repeats": "seed",
        "study.col_interval": "interval",
    }
    means = {say(key): explain(term) for key, term in terms.items()}
    means[say("study.col_parameters")] = say("study.col_parameters_help")
    for part in ("test", "train"):
        for key, term in _MEASURES.items():
            rows = explain("test_rows" if part == "test" else "training_rows")
            means[say(f"study.of_{part}", measure=say(f"study.{key}"))] = f"{explain(term)} {rows}"
    return {name: st.column_config.Column(help=said) for name, said in means.items()}


def interval_words(found: dict[str, Any]) -> str:
    """Return an interval's half width, its stated coverage and the one measured on the test rows."""
    if found.get("half_width") is None:
        return "–"
    said = say("study.interval", width=words.number(found["half_width"]), level=f"{found['level']:.0%}")
    if isinstance(found.get("test_coverage"), float):
        said += say("study.interval_test", share=f"{found['test_coverage']:.0%}")
    return said
