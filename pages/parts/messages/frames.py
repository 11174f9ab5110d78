"""Texts of frames: what stands where something is still to come, or never came (``chart.waiting`` is in ``live``)."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "chart.none": ("It ended before there was anything to show here", "在有內容可顯示之前就結束了"),
    "run.never_begun": ("Learning did not begin.", "學習並未開始。"),
    "run.never_predicted": (
        "No predictions: the run ended before its first network.",
        "沒有預測：執行在第一個網路出現之前就結束了。",
    ),
    "verdict.none": (
        "No errors: the run ended before they were measured.",
        "沒有誤差：執行在測量誤差之前就結束了。",
    ),
    "begin.choosing": (
        "The goal and the first network are being chosen by forecasts inside the training rows.",
        "正以訓練列內的預測選擇學習目標與最初的網路。",
    ),
    "begin.not_chosen": ("The run ended before a goal was chosen.", "執行在選定學習目標之前就結束了。"),
    "saved.waits": (
        "Is measured when this run has learned: the same rows are then trained anew.",
        "這次執行學會之後才測量：屆時以相同的資料列重新訓練。",
    ),
    "resume.not_help": (
        "For runs that were cancelled, failed or were lost.",
        "僅適用於已取消、失敗或失去聯絡的執行。",
    ),
    "forecast.within": (
        "Every row lies within the range that the run learned from.",
        "每一列都在這次執行所學的範圍之內。",
    ),
}
