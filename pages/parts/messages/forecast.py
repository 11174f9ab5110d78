"""Texts of the Forecast page."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "forecast.title": ("Forecast", "預測"),
    "forecast.none": ("No finished run yet: train one first.", "還沒有完成的執行：請先訓練一次。"),
    "forecast.none_text": (
        "Here a trained network forecasts rows whose target is not known yet, with an interval around each forecast.",
        "訓練好的網路會在這裡預測目標值未知的資料列，並附上每個預測的區間。",
    ),
    "forecast.run": ("Run", "執行"),
    "forecast.run_help": ("The run whose network makes the forecasts.", "以哪次執行的網路進行預測。"),
    "forecast.no_run": (
        "The address names {run}, which is no finished training here: another run is shown.",
        "網址指定的 {run} 不是這裡已完成的訓練：改為顯示另一次執行。",
    ),
    "forecast.source": ("Rows to forecast", "要預測的資料列"),
    "forecast.source_help": (
        "Rows with the drivers and without the target: from a file, or typed in here.",
        "含解釋變數、不含目標變數的資料列：來自檔案，或在此輸入。",
    ),
    "forecast.worth": (
        "On this run's test rows its mean absolute error is {mae} {unit}, persistence's {naive}.",
        "在這次執行的測試列上，它的平均絕對誤差為 {mae}，持平預測為 {naive}（單位：{unit}）。",
    ),
    "forecast.template": ("Template (CSV)", "範本（CSV）"),
    "forecast.template_help": (
        "An empty table with exactly these columns, to fill in and upload.",
        "只含這些欄位的空白資料表，填好後上傳。",
    ),
    "forecast.newest": ("Fill in the newest row", "填入最新的資料列"),
    "forecast.newest_help": (
        "Takes the drivers of the newest row the run was given, to be changed as you like.",
        "填入該次執行最新一列的解釋變數，可自行修改。",
    ),
    "forecast.after_history": (
        "On the chart, rows that are typed in stand after the history, one after the other, whatever their dates are. The "
        "newest row as it is asks for the forecast of the last week or period whose outcome is known.",
        "圖中，輸入的資料列依序排在歷史之後，與其日期無關。最新的資料列若未修改，預測的是結果已知的最後一期。",
    ),
    "forecast.result": ("Forecasts", "預測結果"),
    "forecast.extrapolates": (
        "Outside what the run learned from, in some driver (open diamonds): {k} of {rows}. Those forecasts extrapolate "
        "and can be far off.",
        "在某些解釋變數上超出所學範圍（空心菱形）：{rows}中的 {k} 列。這些預測為外插，可能相差很遠。",
    ),
    "count.remark_rows": (
        "{n} remark on the rows and columns|{n} remarks on the rows and columns",
        "對資料列與欄位的 {n} 則附註",
    ),
    "forecast.row": ("Row", "列"),
    "forecast.prediction": ("Forecast ({unit})", "預測（{unit}）"),
    "forecast.low": ("From", "下限"),
    "forecast.high": ("To", "上限"),
    "forecast.latest": ("Persistence", "持平預測"),
    "forecast.outside": ("Outside the range learned from", "超出所學範圍"),
    "chart.beyond": ("Forecast beyond this chart", "超出此圖的預測"),
    "chart.latest": ("Persistence (latest price)", "持平預測（最新價格）"),
    "forecast.calibrate": ("Calibrate an interval", "校準預測區間"),
    "forecast.calibrate_help": (
        "Compares the models on this run's rows in the background; the interval comes from refits inside the training "
        "rows.",
        "在背景以這次執行的資料列比較各模型；預測區間來自訓練列內的重新配適。",
    ),
    "forecast.upload": ("Upload a table", "上傳資料表"),
    "forecast.type": ("Type rows in", "輸入資料列"),
    "forecast.file": ("Table with the rows to forecast", "含有要預測的資料列的資料表"),
    "forecast.columns": ("Its columns: {columns}.", "所需的欄位：{columns}。"),
    "forecast.file_help": (
        "CSV, TSV, Excel (xlsx) or Parquet; one row for each forecast, without the target.",
        "CSV、TSV、Excel（xlsx）或 Parquet；每個預測一列，不含目標變數。",
    ),
    "forecast.need_rows": ("Type at least one row.", "請至少輸入一列。"),
    "forecast.no_interval": (
        "No interval around these forecasts has been calibrated yet.",
        "尚未校準這些預測的區間。",
    ),
    "forecast.interval": (
        "Interval: {level} stated, {scores} scores{covered}.",
        "預測區間：名目水準 {level}，{scores} 個分數{covered}。",
    ),
    "forecast.covered": ("; on the test rows it covered {share}", "；在測試列上涵蓋 {share}"),
    "forecast.download": ("Download the forecasts", "下載預測"),
    "forecast.download_help": ("The table above as CSV.", "上方的表格（CSV）。"),
}
