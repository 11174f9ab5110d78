"""Texts of what goes on from a run: more rows, more seeds."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    # more rows
    "go_on.title": ("Go on with more rows", "以更多資料列接續學習"),
    "go_on.text": (
        "When new rows have arrived, this run's network can go on learning instead of starting anew: the new rows are "
        "picked in their turn like any other.",
        "有新資料列時，這次執行的網路可以接續學習，不必從頭開始：新的資料列與其他資料列一樣依序挑選。",
    ),
    "go_on.file": ("Longer table with the same columns", "欄位相同、列數更多的資料表"),
    "go_on.file_help": (
        "The whole table, old rows and new ones; it is read and split like this run's.",
        "完整的資料表，包含舊的與新的資料列；讀取與分割的方式與這次執行相同。",
    ),
    "go_on.drop": ("Oldest rows to drop", "捨去最舊的資料列數"),
    "go_on.drop_help": (
        "So many of the oldest training rows are left out, so that the network follows the newest ones.",
        "略過這麼多最舊的訓練列，使網路跟上最新的資料。",
    ),
    "go_on.anew": ("Also train anew, to see what was saved", "另外重新訓練，以衡量省下多少"),
    "go_on.anew_help": (
        "Trains on the same rows from the start, in the same run, and shows both times and errors. Takes as long again.",
        "在同一次執行中，以相同資料列從頭訓練，並顯示兩者的時間與誤差。需要額外的時間。",
    ),
    "go_on.rows": (
        "{rows}, {more} more than this run learned from.",
        "{rows}，比這次執行所學的多 {more} 列。",
    ),
    "go_on.no_more": (
        "The table has {rows}, this run learned from {before}: there is nothing new to learn. Upload a longer table.",
        "這個資料表有 {rows}，這次執行學習了 {before} 列：沒有新的內容可學。請上傳更長的資料表。",
    ),
    "go_on.button": ("Go on learning", "接續學習"),
    "go_on.button_help": (
        "Starts a new run that begins with this run's network; this run stays as it is.",
        "開始新的執行，從這次執行的網路接續；這次執行維持不變。",
    ),
    "go_on.measuring": (
        "Learned; now trains anew on the same rows, to measure what going on saved.",
        "已學會；正以相同資料列重新訓練，以衡量接續省下多少。",
    ),
    # what it saved
    "saved.title": ("What going on saved", "接續學習省下多少"),
    "saved.way": ("Way", "方式"),
    "saved.on": ("Going on from the earlier run", "從先前的執行接續"),
    "saved.anew": ("Training anew", "重新訓練"),
    "saved.seconds": ("Seconds", "秒"),
    "saved.rounds": ("Rounds", "回合"),
    "saved.nodes": ("Hidden nodes", "隱藏節點"),
    "saved.train": ("Training MAE ({unit})", "訓練平均絕對誤差（{unit}）"),
    "saved.test": ("Test MAE ({unit})", "測試平均絕對誤差（{unit}）"),
    "saved.median": (
        "Medians of {n} repeats with their range, each repeat with a seed of its own.",
        "{n} 次重複的中位數與範圍，每次重複使用不同的種子。",
    ),
    # more seeds
    "seeds.title": ("Spread over seeds", "不同種子間的差異"),
    "seeds.one": (
        "All figures above are from one seed ({seed}). Another seed can move the test error a lot.",
        "以上數字皆來自一個種子（{seed}）。換一個種子，測試誤差可能大不相同。",
    ),
    "seeds.many": (
        "Over {n} seeds this training has a test MAE of {median} {unit} (median), {range} from best to worst, and {nodes} "
        "hidden nodes.",
        "在 {n} 個種子下，這項訓練的測試平均絕對誤差的中位數為 {median}（{unit}），由最好到最差為 {range}，隱藏節點為 {nodes}。",
    ),
    "seeds.link": ("See that comparison", "查看該次比較"),
    "seeds.number": ("Seeds", "種子數"),
    "seeds.number_help": (
        "So many trainings, with this run's seed and those after it; median and range are then shown here.",
        "以這次執行的種子及其後的種子進行這麼多次訓練；中位數與範圍會顯示在這裡。",
    ),
    "seeds.button": ("Repeat with these seeds", "以這些種子重複"),
    "seeds.button_help": (
        "Starts a comparison in the background: this training with every seed, beside the simple forecasts.",
        "在背景開始比較：以每個種子進行這項訓練，並與簡單的預測並列。",
    ),
}
