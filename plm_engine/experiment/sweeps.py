"""What a sweep says: the time of one training step over rows and hidden nodes, and at which sizes a mode pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from plm_engine.experiment.plan import title

#: a mode pays where a step takes less than this share of the reference's: less would be within the noise
PAYS = 0.9


def sweep_table(trials: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return one row for each measured size and contender: rows, hidden, step_ms (missing where left out), why."""
    return pd.DataFrame(
        [
            {
                "contender": t["contender"],
                "rows": t["rows"],
                "hidden": t["hidden"],
                "step_ms": t["step_ms"],
                "communicating_ms": t.get("communicating_ms"),
                "left_out": t.get("left_out", ""),
                "disturbed": " ".join(t.get("disturbed", ())),
            }
            for t in trials
        ]
    )


def sweep_conclusion(steps: pd.DataFrame, reference: str) -> str:
    """Say for every contender at how many sizes it pays, and how much at best; empty before there is a comparison."""
    wide = steps.pivot(index=["rows", "hidden"], columns="contender", values="step_ms").astype(float)
    if reference not in wide:
        return ""
    said = []
    for key in [key for key in dict.fromkeys(steps["contender"]) if key != reference]:
        times = (wide[key] / wide[reference]).dropna()
        paying = times[times < PAYS]
        if times.empty:
            continue
        if paying.empty:
            said.append(f"It pays at none of these sizes to use {title(key)}.")
            continue
        rows, hidden = min(paying.index, key=lambda size: size[0] * size[1])
        best_rows, best_hidden = paying.idxmin()
        said.append(
            f"It pays at {len(paying)} of {len(times)} sizes to use {title(key)}, the smallest of them {rows:,} rows "
            f"and {hidden:,} nodes; at best ({best_rows:,} rows, {best_hidden:,} nodes) a step takes "
            f"{paying.min():.2f} times as long as with {title(reference)}."
        )
    return " ".join(said)
