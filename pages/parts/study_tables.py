"""Results of studies as tables of texts: thousands separated, a reason where a measure has no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import words
from pages.parts.language import explain, say, told

_MEASURES = {"mae": "mae", "rmse": "rmse", "mape": "mape", "r2": "r2", "largest_residual": "residual"}


def _models(lines: list[dict[str, Any]]) -> list[str]:
    return [words.capitalised(told(line["model"])) for line in lines]


def backtest_frame(result: dict[str, Any]) -> pd.DataFrame:
    """Return one row per model of a backtest."""
    lines = result["table"]
    return pd.DataFrame(
        {
            say("study.model"): _models(lines),
            say("study.col_mae"): words.aligned([line["mae"] for line in lines]),
            say("study.rmse"): words.aligned([line["rmse"] for line in lines]),
            say("study.col_skill"): words.aligned([line.get("skill") for line in lines]),
            say("study.col_median"): words.aligned([line["mae_by_origin"]["median"] for line in lines]),
            say("study.col_origins"): [words.number_range(line["mae_by_origin"]["range"]) for line in lines],
            say("col.time"): [words.duration(line["seconds"]) for line in lines],
        }
    )


def spread_frame(result: dict[str, Any]) -> pd.DataFrame:
    """Return one row per model of a comparison or ablation: medians over the repeats, and their range."""
    lines = result["table"]

    def medians(name: str) -> list[str]:
        return words.aligned([line[name]["median"] for line in lines])

    frame = pd.DataFrame(
        {
            say("study.model"): _models(lines),
            say("col.test_mae"): medians("test_mae"),
            say("study.col_range"): [words.number_range(line["test_mae"]["range"]) for line in lines],
            say("study.col_skill"): medians("skill"),
            say("col.train_mae"): medians("train_mae"),
            say("compare.nodes"): [_spread(line.get("n_hidden")) for line in lines],
            say("study.col_parameters"): medians("n_parameters"),
            say("col.time"): [_spread(line["seconds"], words.duration) for line in lines],
            say("study.col_repeats"): [words.number(line["repeats"]) for line in lines],
        }
    )
    several = any(line["repeats"] > 1 for line in lines)
    return frame if several else frame.drop(columns=[say("study.col_range"), say("study.col_repeats")])


def _spread(found: dict[str, Any] | None, shown: Callable[[float | None], str] = words.number) -> str:
    """Return a median, and its range where there are several repeats that differ."""
    if not found or found["median"] is None:
        return shown(None)
    middle, ends = shown(found["median"]), found["range"]
    if ends[0] == ends[1]:
        return middle
    return f"{middle} ({say('number.range', low=shown(ends[0]), high=shown(ends[1]))})"


def measures_frame(result: dict[str, Any], part: str) -> pd.DataFrame:
    """Return every measure of the first repeat on the ``"test"`` or ``"train"`` rows; the test's with the intervals."""
    lines = result["pieces"][0]["lines"]
    columns = {say("study.model"): _models(lines)}
    for key in _MEASURES:
        columns[say(f"study.{key}")] = words.aligned([(line.get(part) or {}).get(key) for line in lines])
    if part == "test":
        columns[say("study.col_interval")] = _intervals([line.get("interval") or {} for line in lines])
    return pd.DataFrame(columns)


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
    means |= {say(f"study.{key}"): explain(term) for key, term in _MEASURES.items()}
    shown = {name: st.column_config.Column(help=said, alignment="right") for name, said in means.items()}
    shown[say("col.time")] = st.column_config.Column(alignment="right")
    shown[say("study.col_interval")] = st.column_config.Column(help=explain("interval"))
    return shown | {say("study.model"): st.column_config.Column(pinned=True)}


def _intervals(found: list[dict[str, Any]]) -> list[str]:
    """Return every interval's half width, its stated coverage and the one measured on the test rows."""
    widths = words.aligned([one.get("half_width") for one in found])
    return [interval_words(one, width) for one, width in zip(found, widths, strict=True)]


def interval_words(found: dict[str, Any], width: str) -> str:
    """Return an interval of this half width with its stated coverage and the one measured on the test rows."""
    if found.get("half_width") is None:
        return "–"
    said = say("study.interval", width=width, level=words.percent(found["level"]))
    if isinstance(found.get("test_coverage"), float):
        said += say("study.interval_test", share=words.percent(found["test_coverage"]))
    return said
