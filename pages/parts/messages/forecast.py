"""Texts of the Forecast page."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "forecast.title": ("Forecast", "預測"),
    "forecast.none": ("No finished run yet: train one first.", "還沒有完成的執行：請先訓練一次。"),
    "forecast.run": ("Run", "執行"),
    "forecast.run_help": ("The run whose network makes the forecasts.", "以哪次執行的網路進行預測。"),
    "forecast.upload": ("Upload a table", "上傳資料表"),
    "forecast.type": ("Type rows in", "輸入資料列"),
    "forecast.file": ("Table with the columns {columns}", "含有欄位 {columns} 的資料表"),
    "forecast.file_help": (
        "CSV, TSV, Excel (xlsx) or Parquet; one row for each forecast, without the target.",
        "CSV、TSV、Excel（xlsx）或 Parquet；每個預測一列，不含目標變數。",
    ),
    "forecast.need_rows": ("Upload a table, or type at least one row.", "請上傳資料表，或至少輸入一列。"),
    "forecast.no_interval": (
        "No interval yet: *Compare models* of this run on the page *Honest forecasts* calibrates one.",
        "尚無預測區間：在「誠實的預測」頁對這次執行使用「比較模型」即可校準。",
    ),
    "forecast.interval": (
        "Interval: {level} stated, {scores} scores{covered}.",
        "預測區間：設定 {level}，{scores} 個分數{covered}。",
    ),
    "forecast.covered": ("; on the test rows it covered {share}", "；在測試列上涵蓋 {share}"),
    "forecast.download": ("Download the forecasts", "下載預測"),
    "forecast.download_help": ("The table above as CSV.", "上方的表格（CSV）。"),
}
