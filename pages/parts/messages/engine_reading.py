"""Sentences of the engine about how a file was read and about rows in time, as the engine writes them."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "year-first": "年在前",
    # dates
    "Dates in column '{name}' such as {text} can be read {ways} ({said}): say which with --date-format.": "欄位「{name}」中如 {text} 的日期有多種讀法：{ways}（{said}）：請說明是哪一種。",
    "{first} or {second}": "{first}或{second}",
    "{first} or {second} or {third}": "{first}、{second}或{third}",
    "day first": "日在前",
    "month first": "月在前",
    "year first": "年在前",
    "{first}: {a} to {b}; {second}: {c} to {d}; {third}: {e} to {f}": "{first}：{a} 至 {b}；{second}：{c} 至 {d}；{third}：{e} 至 {f}",
    "Column '{name}' holds {n} dates, none after the 12th of a month, and {m} texts, none before the 13th: a spreadsheet has probably swapped day and month of the dates. Say with --date-format which comes first in the texts ({order}) to swap them back, or correct the workbook.": "欄位「{name}」有 {n} 個日期，皆不晚於每月 12 日，另有 {m} 個文字，皆不早於 13 日：試算表可能把日期的日與月對調了。請說明文字中何者在前（{order}），以便對調回來，或修正活頁簿。",
    "Column '{name}' is named like a date, but its cells, such as {example}, are not read as one: the rows are taken to be in time order as they stand, oldest first.": "欄位「{name}」的名稱像日期，但其儲存格（例如 {example}）無法讀作日期：視資料列已依時間排序，最舊的在前。",
    "read {format}": "讀作{format}",
    "yearmonthday": "年月日",
    "yearmonth": "年月",
    "year-month": "年-月",
    "year-month-day": "年-月-日",
    "year-month-day, years of the Republic of China": "年-月-日，民國紀年",
    "month in words, year in two digits": "文字月份，兩位數年份",
    "quarter": "季",
    "year": "年",
    "days as spreadsheets count them": "試算表的日數",
    "Unix seconds": "Unix 秒",
    "Unix milliseconds": "Unix 毫秒",
    "named like a date": "名稱像日期",
    "a number that names the row": "資料列的編號",
    # names and units
    "Line{_s} {where} below the names ({cells}) were taken as units, not data.": "欄名下方的第 {where} 行（{cells}）視為單位，不作為資料。",
    "The names of the columns were put together from lines {n} and {m}.": "欄名由第 {n} 行與第 {m} 行合併而成。",
    "in {unit}": "單位：{unit}",
    "{cell} is not in {unit}, unlike the rest of its column": "{cell} 的單位不是 {unit}，與同欄其他值不同",
    "is not in {unit}, unlike the rest of its column": "單位不是 {unit}，與同欄其他值不同",
    "Column '{name}' is taken as text, for its cells, such as {cell}, are not read as numbers: it cannot be used as it is.": "欄位「{name}」視為文字，因其儲存格（例如 {cell}）無法讀作數字：目前無法使用。",
    "{rows} hidden in the workbook, by a filter maybe, but read ({where} of the sheet): delete them there if they are not meant.": "{rows}在活頁簿中隱藏（可能因為篩選），但仍讀取（工作表第 {where} 列）：若不需要請在活頁簿中刪除。",
    # rows
    "Column '{name}' alone costs {n} of {m} rows, for they miss nothing else: without it they could be used.": "{m} 列中有 {n} 列只因欄位「{name}」缺值而無法使用：不用此欄，這些列便可使用。",
    "Data row {n} holds the sums of all rows above it: take it out of the file, for a total is no observation.": "資料列 {n} 是其上所有列的總和：合計不是觀測值，請從檔案中移除。",
    "{n} of {m} test rows are copies of training rows, drivers and target alike, such as data row {k} of data row {j}: what was learned by heart makes the test error too good.": "{m} 列測試資料中有 {n} 列是訓練列的複本（解釋變數與目標值皆相同），例如資料列 {k} 與資料列 {j} 相同：背下來的內容會使測試誤差好得不真實。",
    "{n} group{_s} of rows {_have} equal drivers and different {target}: {groups}. No model can fit them.": "有 {n} 組資料列的解釋變數相同但 {target} 不同：{groups}。任何模型都無法符合。",
    # rows that a caller hands over
    "The {what} hold values that are not numbers ({why}): convert them first.": "{what}含有不是數字的值（{why}）：請先轉換。",
    "training data": "訓練資料",
    "test data": "測試資料",
    "rows to forecast": "要預測的資料列",
    "The table has more than one column {name}: the model needs one.": "資料表有多個欄位 {name}：模型只需要一個。",
    # settings of an installation
    "The settings in {path} cannot be read ({why}): correct the file.": "無法讀取 {path} 中的設定（{why}）：請修正該檔案。",
    "The settings in {path} hold {name}, which is not known: give 'max_running' and 'limits'.": "{path} 中的設定含有未知的 {name}：只能有「max_running」與「limits」。",
    "'max_running' in {path} is {value}: give a whole number from 1 to {n}.": "{path} 中的「max_running」為 {value}：必須是 1 到 {n} 的整數。",
    # time
    "The rows are {first} apart in the first half and {second} in the second: one row earlier does not mean the same time everywhere, neither to the network nor to persistence.": "資料列的間隔在前半段為{first}，後半段為{second}：「前一列」在各處的時間長短不同，對網路與持平預測皆然。",
    "{gaps} in time: rows are usually {usual} apart, and up to {longest} before {where}. Across a gap, one row earlier is longer ago than elsewhere.": "時間上有{gaps}：資料列通常相隔{usual}，在{where}之前最長相隔{longest}。跨越間斷時，「前一列」離得比其他地方更久。",
    "{n} gap{_s}": "{n} 處間斷",
    "{rows} dated after today ({day}): {where}. What has not happened yet cannot be learned from: are the dates read correctly?": "{rows}的日期晚於今天（{day}）：{where}。尚未發生的事無法學習：日期是否讀取正確？",
    "{name} is '{target}' of {rows} later: a leak, for nobody knows it when the forecast is made.": "{name} 是{rows}之後的「{target}」：這是資訊洩漏，進行預測時沒有人知道它。",
    "{name} is '{target}' of {rows} earlier: a leak, for it is not known yet when the forecast is made {n} rows ahead. Leave it out, or set the horizon to {m}.": "{name} 是{rows}之前的「{target}」：這是資訊洩漏，往後預測 {n} 列時尚未得知：請略過它，或將期距設為 {m}。",
}
