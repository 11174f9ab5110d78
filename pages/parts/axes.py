"""Ranges and ticks of a chart's axes that Plotly would choose badly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

#: up to so many counts an axis has a tick for each
FEW = 8


def whole_steps(counts: Any) -> dict[str, Any]:
    """Return what an axis of a few counts needs so that it has no ticks between them."""
    return {"dtick": 1} if len(counts) and max(counts) <= FEW else {}


def decades(values: np.ndarray) -> dict[str, Any]:
    """Return the range of a logarithmic axis that else would have no power of ten, and so no number, on it."""
    known = np.log10(values[np.isfinite(values) & (values > 0)])
    inside = not len(known) or math.floor(known.max()) >= math.ceil(known.min())
    return {} if inside else {"range": [math.floor(known.min()), math.ceil(known.max())]}
