"""Texts of what stands under every chart, and of a run's progress: remaining time, the news of its end, its log."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    # under every chart
    "chart.csv": ("Save this chart's data as CSV", "將此圖表的資料存成 CSV"),
    "chart.png": ("Save this chart as a picture (PNG)", "將此圖表存成圖片（PNG）"),
    "chart.svg": ("Save this chart as a picture for print (SVG)", "將此圖表存成印刷用的圖片（SVG）"),
    "chart.log": ("Log axis", "對數軸"),
    "chart.log_help": (
        "Logarithmic axis: every step is ten times the one before. Zero cannot be shown on it.",
        "對數軸：每一格是前一格的十倍。零無法顯示。",
    ),
    # the news of a run's end
    "news.see": ("See it", "查看"),
    # studies and forecasts
    "chart.origin": ("Origin (row, from 0)", "起點（列，從 0 起）"),
    "chart.skill": ("Cumulative skill", "累積技巧分數"),
    "chart.mae": ("MAE", "平均絕對誤差（MAE）"),
    "chart.goal": ("Learning goal", "學習目標"),
    "chart.goal_series": ("{start}, organizing {how}", "{start}，組織：{how}"),
    "chart.goal_nodes": ("{n} hidden nodes", "{n} 個隱藏節點"),
    "chart.validation": ("Validation MAE", "驗證平均絕對誤差"),
    "chart.importance": ("Increase of the test MAE when shuffled", "打亂後測試誤差的增加量"),
    "chart.history": ("History", "歷史"),
    "chart.forecast": ("Forecast", "預測"),
    "study.chart_skill": ("Cumulative skill", "累積技巧分數"),
    "study.chart_origins": ("Error by origin", "各起點的誤差"),
    "study.chart_goal": (
        "Validation error against goal; the larger a marker, the more hidden nodes.",
        "驗證誤差與學習目標；標記愈大，隱藏節點愈多。",
    ),
    "study.chart_drivers": ("Drivers that matter to {model}", "對 {model} 重要的解釋變數"),
    "forecast.chart": ("History and forecasts of {target}", "{target} 的歷史與預測"),
    "chart.row": ("Row, in time order", "列，依時間順序"),
}
