"""Texts of the page Honest forecasts: the form of a study and its results."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "study.title": ("Honest forecasts", "誠實的預測"),
    "study.none": (
        "No finished run yet: train one first.",
        "還沒有完成的執行：請先訓練一次。",
    ),
    "study.none_text": (
        "Here you see what a run's forecasts are worth: beside simple forecasts and other models, and as time goes on.",
        "在這裡可以看到一次執行的預測價值：與持平預測、迴歸及倒傳遞網路比較，並隨時間檢驗。",
    ),
    "study.earlier": ("Earlier studies", "先前的研究"),
    "study.compare": ("Compare models", "比較模型"),
    "study.backtest": ("Backtest", "回測"),
    "study.ablate": ("Switch modules off", "關閉模組"),
    "study.compare_text": (
        "The network beside persistence, regression, ridge and a backpropagation network, on the run's own split.",
        "以該次執行的分割，將網路與持平預測、線性迴歸、脊迴歸及倒傳遞網路並列。",
    ),
    "study.backtest_text": (
        "Stand at one week after the other, learn from what was known there, forecast, and compare.",
        "逐週回到過去，只學習當時已知的資料，進行預測並比較。",
    ),
    "study.ablate_text": (
        "Train with one module of the mechanism switched off or swapped, over seeds and random splits.",
        "關閉或替換機制中的一個模組來訓練，並以多個種子與隨機分割重複。",
    ),
    # the form
    "study.run": ("Data and settings of the run", "使用哪次執行的資料與設定"),
    "study.run_help": (
        "The study uses this run's table, columns, split and learning settings.",
        "研究會使用這次執行的資料表、欄位、分割與學習設定。",
    ),
    "study.what": ("What to do", "要做什麼"),
    "study.what_help": ("Three ways to see what forecasts are worth.", "三種檢視預測價值的方式。"),
    "study.auto_help": (
        "Goal and first network are chosen by forecasts inside the training rows; test rows are never used.",
        "以訓練列內的預測來選擇目標與最初的網路；絕不使用測試列。",
    ),
    "study.start_help": ("Starts the study in the background.", "在背景開始研究。"),
    "study.first": ("First origin (row, from 0)", "第一個起點（列，從 0 起）"),
    "study.step": ("Rows between origins", "起點之間的列數"),
    "study.step_help": (
        "Fewer rows: more forecasts to judge by, and a longer study.",
        "列數越少，可供評斷的預測越多，研究也越久。",
    ),
    "study.window": ("Learn from", "學習範圍"),
    "study.window_help": (
        "Expanding: from all rows before the origin. Sliding: from as many rows as before the first origin.",
        "擴張：起點之前的所有資料列。滑動：與第一個起點之前相同的列數。",
    ),
    "study.window_rows": ("Rows of the window", "視窗的列數"),
    "study.window_rows_help": (
        "How many of the newest known rows to learn from; as many as at the first origin if empty.",
        "從最新的已知資料中學習多少列；留空則與第一個起點相同。",
    ),
    "study.rechoose": ("Origins between choices", "重新選擇的間隔"),
    "study.rechoose_help": (
        "Where the goal is chosen for you: after so many origins it is chosen anew, from earlier rows only.",
        "由系統選擇目標時：每隔這麼多個起點，僅以較早的資料列重新選擇。",
    ),
    "study.over_seeds": (
        "{model} over {n} seeds: MAE {median} {unit} (median), {range} from best to worst.",
        "{model}，{n} 個種子：平均絕對誤差的中位數為 {median}（{unit}），由最好到最差為 {range}。",
    ),
    "study.resume": ("Go on with it", "繼續這項研究"),
    "study.resume_help": (
        "Starts the study again and takes over every part that was finished.",
        "重新開始這項研究，並沿用所有已完成的部分。",
    ),
    "study.chart_nodes": ("Hidden nodes against the goal", "隱藏節點與學習目標"),
    "chart.nodes_mean": ("Hidden nodes (mean over folds)", "隱藏節點（各折平均）"),
    "study.seeds": ("Seeds", "種子數"),
    "study.seeds_help": (
        "How many times the network is trained, each with another seed; several show the spread.",
        "以不同種子訓練網路的次數；多次可看出變異。",
    ),
    "study.splits": ("Random splits", "隨機分割"),
    "study.splits_help": (
        "0: the run's own split. Random splits leak.",
        "0：使用該次執行的分割。隨機分割會洩漏資訊。",
    ),
    # results
    "study.not_one": ("This run is a training, not a study.", "這次執行是訓練，不是研究。"),
    "study.all": ("All studies", "所有研究"),
    "study.progress": ("{k} of {parts}", "已完成 {k} 個，共 {parts}"),
    "count.part": ("{n} part|{n} parts", "{n} 個部分"),
    "study.running": (
        "Works in the background; you may close this page. Tables and charts come when every part is done.",
        "在背景進行中；您可以關閉此頁。所有部分完成後即顯示表格與圖表。",
    ),
    "study.cancel_help": (
        "Ends the study within seconds; finished parts are kept.",
        "數秒內結束研究；已完成的部分會保留。",
    ),
    "study.errors_in": (
        "Errors in {unit}. Skill: 1 less the error as a share of persistence's; below 0 loses to persistence.",
        "誤差單位為{unit}。技巧分數：1 減去誤差佔持平預測誤差的比例；小於 0 表示不如持平預測。",
    ),
    "study.measures": ("All measures, and the interval around each model", "所有指標，以及各模型的預測區間"),
    "study.chosen_from": ("What the goal was chosen from ({n})", "學習目標的候選（{n}）"),
    "study.download": ("Download the result", "下載結果"),
    "study.download_help": (
        "Everything shown here as JSON, for a program.",
        "此處所示的全部內容（JSON），供程式使用。",
    ),
    "study.drivers": ("Drivers that matter", "重要的解釋變數"),
    "study.drivers_help": (
        "How much the test error grows when one driver's values are shuffled.",
        "將某一解釋變數的值打亂後，測試誤差增加多少。",
    ),
    "study.model": ("Model", "模型"),
    "study.model_help": ("The model whose drivers are shown.", "要顯示其解釋變數的模型。"),
    # columns
    "study.col_range": ("Test MAE, range", "測試 MAE，全距"),
    "study.col_skill": ("Skill", "技巧分數"),
    "study.col_parameters": ("Parameters", "參數個數"),
    "study.col_parameters_help": ("Numbers that the model learned.", "模型所學習的數字個數。"),
    "study.col_repeats": ("Repeats", "重複次數"),
    "study.col_median": ("Median by origin", "各起點的中位數"),
    "study.col_origins": ("Range by origin", "各起點的全距"),
    "study.col_mae": ("MAE", "平均絕對誤差"),
    "study.col_interval": ("Interval", "預測區間"),
    "study.of_test": ("On the test rows", "在測試列上"),
    "study.of_train": ("On the training rows", "在訓練列上"),
    "study.mae": ("MAE", "平均絕對誤差"),
    "study.rmse": ("RMSE", "均方根誤差"),
    "study.mape": ("MAPE (%)", "平均絕對百分比誤差（%）"),
    "study.r2": ("R²", "判定係數 R²"),
    "study.largest_residual": ("Largest residual", "最大殘差"),
    "study.interval": ("± {width}, {level} stated", "± {width}，名目水準 {level}"),
    "study.interval_test": (", {share} of the test rows", "，涵蓋測試列的 {share}"),
}
