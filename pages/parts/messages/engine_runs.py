"""Sentences of the engine about runs: endings, estimates, choices, studies, experiments, as the engine writes them.

A blank whose name begins with ``_`` may be empty and need not occur in the Chinese text.
"""

from __future__ import annotations

NAMES: dict[str, str] = {
    "Compare models": "比較模型",
    "Backtest": "回溯測試",
    "Switch modules off": "關閉模組",
    "Speed-up experiment": "加速實驗",
    "Where does it pay?": "在哪裡划算？",
}
TEXTS: dict[str, str] = {**NAMES}
