"""Sentences of the engine about tables: samples, columns, findings, errors, as the engine writes them.

A blank whose name begins with ``_`` may be empty and need not occur in the Chinese text.
"""

from __future__ import annotations

NAMES: dict[str, str] = {
    "Copper, weekly (synthetic sample)": "銅價，每週（合成範例）",
    "Diabetes (scikit-learn)": "糖尿病（scikit-learn）",
    "Harvests, two drivers (synthetic, for teaching)": "收成，兩個解釋變數（合成，教學用）",
}
TEXTS: dict[str, str] = {**NAMES}
