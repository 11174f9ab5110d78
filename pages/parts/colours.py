"""One colour for one thing on every page: modules of the learning, and parallel modes.

The replay draws with the same colours (``replay_draw.js``, ``replay.css``): ``tests/pages/test_charts.py`` compares.
Neighbours differ in lightness or in blue against orange, which every kind of colour vision tells apart.
"""

from __future__ import annotations

MODULES: dict[str, str] = {
    "interpreting": "#5f6b7a",
    "picking": "#8f6200",
    "understanding": "#0b6bc2",
    "cramming": "#bd4a06",
    "organizing": "#0a7a53",
    "organizing_regularizing": "#0a7a53",
    "organizing_understanding": "#8a4fbf",
}
MODES: dict[str, str] = {
    "single": "#5f6b7a",
    "batched": "#0b6bc2",
    "data_parallel": "#7a5c00",
    "ddp": "#d1570c",
    "row_parallel": "#0a7a53",
    "model_parallel": "#8a4fbf",
    "candidate_parallel": "#b3261e",
}
