"""Refusals of the engine that a visitor of the pages may meet, as the engine writes them."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    # settings
    "Options {first} and {second} exclude each other: give one of them.": "選項 {first} 與 {second} 互斥：請只給其中一個。",
    "Mode {mode} uses one process, but --workers is {n}: give 1.": "模式 {mode} 只用一個行程，但工作行程數為 {n}：請給 1。",
    "Option {option} is {value}, and this installation allows {most} at most: lower it, or leave it out.": "選項 {option} 的值為 {value}，此處最多允許 {most}：請調低或不要指定。",
    "To start from persistence, the latest price must be known: name its column with --latest-price and keep it among the drivers, or learn the change with --predict change.": "要從持平預測開始，必須知道最新價格：請指定其欄位並保留在解釋變數中，或改為學習變動。",
    "To learn the {what}, the latest price of every row is needed: name its column with --latest-price, or use --predict level.": "要學習{what}，需要每一列的最新價格：請指定其欄位，或改為學習水準值。",
    "A target is {value}, whose logarithm has no value: use --predict change.": "有目標值為 {value}，其對數無定義：請改為學習變動。",
    "A latest price is {value}, whose logarithm has no value: use --predict change.": "有最新價格為 {value}，其對數無定義：請改為學習變動。",
    "There are {n} training rows: judging forecasts inside them needs at least {m} at horizon {k}.": "訓練資料有 {n} 列：期距 {k} 時，要在其中評斷預測至少需要 {m} 列。",
    # files
    "A quotation mark is never closed: the row in line {n} runs to the end of the file. Close or remove it.": "有引號未關閉：第 {n} 行的資料列一直延伸到檔案結尾。請關閉或移除引號。",
    "No sheet of this workbook holds a table (sheets: {names}).": "這份活頁簿沒有任何工作表含有資料表（工作表：{names}）。",
    "Sheet {name} holds no table: choose another of {names}.": "工作表 {name} 沒有資料表：請從 {names} 選擇其他工作表。",
    "The workbook has no sheet {name}: choose one of {names}.": "活頁簿沒有工作表 {name}：請從 {names} 選擇。",
    "The file cannot be read as {name}: choose another encoding.": "檔案無法以 {name} 讀取：請選擇其他編碼。",
    "The file is not text in any encoding that is tried: choose its encoding, or save it as UTF-8.": "檔案不屬於任何嘗試過的文字編碼：請選擇編碼，或另存為 UTF-8。",
    "Separator {given} cannot be used: give one character, or comma, semicolon, tab, bar or space.": "無法使用分隔字元 {given}：請給一個字元，或逗號、分號、定位字元、直線或空格。",
    "This Parquet file is damaged or of an unknown kind ({why}): save it again.": "這個 Parquet 檔已損壞或種類未知（{why}）：請重新儲存。",
    "{n} column{_s}, 0 rows: the file holds a header and no data.": "{n} 欄，0 列：檔案只有標題列，沒有資料。",
    # runs
    "Run {run} is {status}: there is nothing to resume.": "執行 {run} 的狀態是{status}：沒有可繼續的內容。",
    "Run {run} is finished: there is nothing to resume. Start a new run instead.": "執行 {run} 已完成：沒有可繼續的內容。請開始新的執行。",
    "Run {run} cannot be resumed: {why}.": "執行 {run} 無法繼續：{why}。",
    "Run {run} is held by its processes.": "執行 {run} 仍由它的行程持有。",
    "Run {run} has lost its place in the queue: start it again.": "執行 {run} 失去排隊位置：請重新開始。",
    "Run {run} cannot be deleted: {why}.": "執行 {run} 無法刪除：{why}。",
    "The data file {path} cannot be read: {why}.": "資料檔 {path} 無法讀取：{why}。",
    "Experiment {run} still goes: cancel it first.": "實驗 {run} 仍在進行：請先取消。",
    "This network learned changes against the latest price, which ONNX does not get: no export.": "這個網路學習的是相對於最新價格的變動，ONNX 無法取得該價格：不能匯出。",
    # experiments
    "{n} repeats are not allowed: give 1 to {m}.": "不允許重複 {n} 次：請給 1 至 {m}。",
    "This comparison needs about {need} GiB for its processes alone, and the machine has {memory} GiB: choose fewer modes or workers.": "這個比較光是行程就約需 {need} GiB，而這台機器有 {memory} GiB：請減少模式或工作行程。",
    "The duration cannot be estimated: {why}.": "無法估計時間：{why}。",
    # forecasts
    "The model needs the driver {names}, which the table does not have; its columns are {columns}.": "模型需要解釋變數 {names}，但資料表沒有；它的欄位為 {columns}。",
    "The model learned changes against {name}: give a table that has that column.": "模型學習的是相對於 {name} 的變動：請提供含有該欄的資料表。",
    "The first origin is {first}, but with {n} usable rows and horizon {m} it can be from {low} to {high} (counted from 0).": "第一個起點為 {first}，但可用資料列 {n} 列、期距 {m} 時，可為 {low} 至 {high}（從 0 起算）。",
    # going on
    "Learned; now trains anew on the same rows, to measure what going on saved.": "已學會；現在以相同的資料列重新訓練，以測量接續學習省下多少。",
    "Run {run} learned the {what}: go on with --predict {how}.": "執行 {run} 學習的是{what}：接續時請選擇學習{how}。",
    "Of {n} training rows {m} are to be dropped: drop fewer with --drop-oldest.": "{n} 列訓練資料中要略過 {m} 列：請減少略過的列數。",
    # learning
    "Round {n} learned no further row, because rounding in {how} is coarser than the learning goal: {aid}; the network so far is usable.": "第 {n} 回合沒有再學會任何資料列，因為 {how} 的捨入比學習目標粗：{aid}；目前的網路可以使用。",
    "give a wider goal": "請放寬目標",
    "use float64, or give a wider goal": "請使用 float64 或放寬目標",
}
