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
    # column titles of a chart's data
    "chart.series": ("series", "數列"),
    "chart.value": ("value", "值"),
    "chart.minus": ("minus", "負誤差"),
    "chart.plus": ("plus", "正誤差"),
    "chart.loading": ("Loading the chart …", "圖表載入中…"),
    "chart.waiting": ("Comes with the first round", "第一回合結束後顯示"),
    "chart.not_drawn": (
        "This chart could not be drawn: the server did not answer. It tries again by itself.",
        "無法繪製此圖表：伺服器沒有回應。將自動重試。",
    ),
    # how long a run will still take
    "run.remaining": ("Remaining, likely", "預估剩餘時間"),
    "run.remaining_help": (
        "From this run's own pace: how many rows its newest rounds learned, and how its rounds grow longer as nodes are "
        "added. In recorded runs the range held the truth 9 times out of 10; it becomes narrower towards the end.",
        "依這次執行本身的步調估計：最近幾回合學會的列數，以及回合隨節點增加而變長的程度。在已記錄的執行中，實際時間十次有九次落在"
        "此範圍內；越接近結束，範圍越窄。",
    ),
    "run.remaining_unknown": ("not known yet", "尚無法估計"),
    "run.remaining_budget": ("at most {time}", "最多 {time}"),
    "run.remaining_none": ("ends now", "即將結束"),
    "run.learning": ("Learning itself", "純學習時間"),
    "run.learning_help": (
        "Seconds spent in the modules, without starting the process, reading the table and drawing up the results.",
        "各模組所用的秒數，不含啟動行程、讀取資料表與整理結果的時間。",
    ),
    # the log
    "log.show": ("Live log", "即時日誌"),
    "log.help": (
        "What the run does, line by line, with the seconds since its start. The file holds all lines.",
        "逐行顯示執行的內容，並附上開始後的秒數。檔案含有全部內容。",
    ),
    "log.newest": ("The newest {n} lines", "最新的 {n} 行"),
    "log.line": ("{at} s  {where}{text}", "{at} 秒  {where}{text}"),
    "log.round": ("round {n:<4} ", "第 {n:>3} 回合  "),
    "log.process": ("What its processes wrote themselves", "各行程自己寫出的內容（原文）"),
    "log.save_help": ("Every line of this run, from its start.", "這次執行從開始到現在的每一行。"),
    "log.save": ("Whole log (text)", "完整日誌（文字檔）"),
    # logging to other tools
    "track.field": ("Log to another tool as it trains", "訓練時同步記錄到其他工具"),
    "track.off": ("No", "否"),
    "track.help": (
        "Loss, residuals, errors, hidden nodes and times also go to TensorBoard (a folder in the store) or MLflow. If "
        "that fails, the training goes on.",
        "損失、殘差、誤差、隱藏節點與時間也會寫入 TensorBoard（存放區內的資料夾）或 MLflow。即使失敗，訓練也會繼續。",
    ),
    "track.missing": (
        "{tool} is not installed on this server: pip install {package}.",
        "此伺服器未安裝 {tool}：pip install {package}。",
    ),
    # the news of a run's end
    "news.ended": ("**{name}: {state}.** {sentence}", "**{name}：{state}**。{sentence}"),
    "news.see": ("See it", "查看"),
    # studies and forecasts
    "chart.origin": ("Origin (row, from 0)", "起點（列，從 0 起）"),
    "chart.skill": ("Cumulative skill", "累積技巧分數"),
    "chart.mae": ("MAE", "平均絕對誤差"),
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
        "Validation error against the goal, for every way to begin and to organize",
        "各種起始與組織方式下，驗證誤差與學習目標的關係",
    ),
    "study.chart_drivers": ("Drivers that matter to {model}", "對 {model} 重要的解釋變數"),
    "forecast.chart": ("History and forecasts of {target}", "{target} 的歷史與預測"),
    "chart.row": ("Row, in time order", "資料列（依時間排序）"),
}
