"""Texts of one run's view and of the Runs page."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    # one run
    "run.see_all": ("See all runs", "查看所有執行"),
    "run.gone": ("There is no run {run}: it may have been deleted.", "沒有執行 {run}：可能已被刪除。"),
    "run.replay": ("How it learns: replay this run step by step", "學習過程：逐步重播這次執行"),
    "run.cancel_help": (
        "Ends the run within 5 seconds and keeps the network of the last complete round.",
        "在 5 秒內結束執行，並保留最後一個完整回合的網路。",
    ),
    "run.being_cancelled": (
        "Being cancelled; the network of the last complete round is kept.",
        "正在取消；最後一個完整回合的網路會保留。",
    ),
    "run.now": ("Round {n}, {module}. ", "第 {n} 回合，{module}。"),
    "run.next": ("Next in the queue.", "排隊中的下一個。"),
    "run.ahead": ("Waits for {runs} before it.", "等待前面的 {runs}。"),
    "run.rows_learned": ("Rows learned: **{k} of {rows}**", "已學會的資料列：**{k} 列，共 {rows}**"),
    "run.not_begun": ("Learning has not begun yet.", "尚未開始學習。"),
    "run.elapsed": ("Elapsed", "經過時間"),
    "run.elapsed_help": ("From the start of the run to its end, or to now.", "從執行開始到結束或到現在。"),
    "run.rounds": ("Rounds", "回合"),
    "run.nodes": ("Hidden nodes", "隱藏節點"),
    "run.goal": ("Learning goal ({unit})", "學習目標（{unit}）"),
    "run.residual": ("Largest residual ({unit})", "最大殘差（{unit}）"),
    "run.residual_help": (
        "Of all training rows, at the end of the newest round.",
        "最新回合結束時，全部訓練列中的最大值。",
    ),
    "run.errors": ("Errors beside simple forecasts", "與簡單預測相比的誤差"),
    "run.mae": ("Mean absolute error ({unit})", "平均絕對誤差（{unit}）"),
    "run.train": ("Training rows", "訓練列"),
    "run.test": ("Test rows", "測試列"),
    "verdict.waits": ("The errors come with the first network.", "第一個網路完成後顯示誤差。"),
    "verdict.no_test": (
        "There are no test rows, so nothing is said about how well it forecasts.",
        "沒有測試列，因此無法說明預測的好壞。",
    ),
    "verdict.beats": (
        "On the test rows this run beats both simple forecasts. One run proves little: the seed alone moves it.",
        "在測試列上，這次執行勝過兩種簡單預測。單憑一次執行不足為證：換一個種子，結果就會改變。",
    ),
    "verdict.same": (
        "On the test rows this run is as good as {best}, and no better: it forecasts the same.",
        "在測試列上，這次執行與{best}一樣好，但沒有更好：兩者的預測相同。",
    ),
    "verdict.loses": (
        "On the test rows {best} is better than this run. That is common for prices: "
        "a forecast is only worth using where it beats the simple ones.",
        "在測試列上，{best}比這次執行好。這在價格預測中很常見：只有勝過簡單預測時，預測才值得使用。",
    ),
    "run.again": ("New run", "新的執行"),
    "run.again_help": ("Back to the form.", "回到表單。"),
    "run.settings": ("Settings of this run", "這次執行的設定"),
    "run.setting": ("Setting", "設定"),
    "run.value": ("Value", "值"),
    "run.started": ("Run {run} · started {when}", "執行 {run} · 開始於 {when}"),
    "run.predictions": ("Predictions against actual values", "預測值與實際值"),
    "run.no_predictions": (
        "No predictions yet: they come with the first network, seconds after learning has begun.",
        "尚無預測：開始學習後幾秒內，最初的網路完成時即會出現。",
    ),
    "run.after_round": (
        "After round {n}. The shaded rows are the test rows, never learned from.",
        "第 {n} 回合之後。陰影部分為測試列，從不用於學習。",
    ),
    "run.outside": (
        " {points} outside the picture: double-click it to see all.",
        "{points}在圖外：在圖上連按兩下即可看到全部。",
    ),
    "count.outside": ("{n} prediction lies|{n} predictions lie", "有 {n} 個預測值"),
    "run.predictions_alt": (
        "{target}, actual and predicted, in time order. {said}",
        "{target} 的實際值與預測值，依時間排序。{said}",
    ),
    "run.nodes_alt": ("Number of hidden nodes over time, now {n}", "隱藏節點數隨時間的變化，目前 {n}"),
    "run.residual_title": ("Largest residual against the goal", "最大殘差與學習目標"),
    "run.residual_alt": (
        "Largest residual over time, now {value} {unit}, and the learning goal",
        "最大殘差隨時間的變化，目前為 {value}（{unit}），以及學習目標",
    ),
    "run.no_steps": ("No tuning step has been kept.", "沒有保留任何調整步。"),
    "run.loss": ("Loss", "損失"),
    "run.loss_alt": ("Loss of the kept tuning steps over time", "所保留調整步的損失隨時間的變化"),
    "run.phases": ("Time in each module", "各模組的時間"),
    "run.phases_alt": ("Seconds spent in each module; {total} in all", "各模組花費的秒數；共 {total}"),
    "run.when_finished": ("Can be used when the run has finished.", "執行完成後即可使用。"),
    "run.remarks_none": ("No remarks on this run", "這次執行沒有附註"),
    "run.no_remark": (
        "What the check of the table and the learning have to say stands here.",
        "資料檢查與學習過程中的說明會列在這裡。",
    ),
    "count.remark": ("{n} remark on this run|{n} remarks on this run", "這次執行有 {n} 則附註"),
    # what a run began from
    "begin.best_trained": (
        "The best network that trained has a test MAE of {value} {unit}.",
        "有經過訓練的最佳網路，其測試平均絕對誤差為 {value}（{unit}）。",
    ),
    "begin.chosen_from": ("What the goal was chosen from", "學習目標的候選"),
    "begin.goes_on": (
        "Goes on from run {run}, with {rows} training rows more.",
        "接續執行 {run}，增加 {rows} 列訓練資料。",
    ),
    # resume
    "resume.button": ("Resume", "繼續"),
    "resume.help": (
        "Goes on from the last checkpoint and ends with exactly the network of a run without interruption.",
        "從最後的檢查點繼續，最後得到與未中斷的執行完全相同的網路。",
    ),
    # what can be done with runs
    "actions.none": (
        "Choose a run to open it, or several to compare or delete them.",
        "選擇一次執行即可開啟；選擇多次則可比較或刪除。",
    ),
    "actions.compare": ("Compare {n} runs", "比較 {n} 次執行"),
    "actions.compare_help": (
        "Up to {n} runs: settings that differ, curves over each other, errors and times.",
        "最多 {n} 次執行：有差異的設定、重疊的曲線、誤差與時間。",
    ),
    "actions.open": ("Open", "開啟"),
    "actions.open_help": ("Its numbers, charts and files.", "它的數字、圖表與檔案。"),
    "actions.replay": ("Replay", "重播"),
    "actions.replay_help": ("How it learned, step by step.", "逐步看它如何學習。"),
    "actions.labels": ("Name, tags, note …", "名稱、標籤、備註…"),
    "actions.labels_help": (
        "What people say about this run; it changes nothing in it.",
        "人們對這次執行的註記；不會改變執行本身。",
    ),
    "actions.clone": ("Clone with these settings", "以這些設定複製"),
    "actions.clone_help": (
        "Opens the form with this run's table and settings, to change what you like and start anew.",
        "以這次執行的資料表與設定開啟表單，可修改後重新開始。",
    ),
    "label.name": ("Name", "名稱"),
    "label.name_help": ("What lists and charts call this run.", "清單與圖表中這次執行的名稱。"),
    "label.tags": ("Tags", "標籤"),
    "label.tags_example": ("thesis, copper", "論文、銅價"),
    "label.tags_help": (
        "Several are divided by commas; the list can be filtered by them.",
        "多個標籤以逗號或頓號分隔；清單可依標籤篩選。",
    ),
    "label.note": ("Note", "備註"),
    "label.note_help": ("Up to 200 letters; shown in the list and in the report.", "最多 200 字；顯示於清單與報告。"),
    "label.baseline": ("Baseline", "基準"),
    "label.baseline_help": (
        "Comparisons say how much better or worse the other runs are than this one.",
        "比較時會說明其他各次執行比這次好多少或差多少。",
    ),
    "label.keep": ("Keep", "儲存"),
    "label.keep_help": ("Writes name, tags and note to the run.", "將名稱、標籤與備註寫入這次執行。"),
    "delete.active": (
        "A run that still goes cannot be deleted: open it to cancel it.",
        "仍在進行的執行無法刪除：請開啟後取消。",
    ),
    "delete.one": (
        "Delete this run, its network and its predictions? This cannot be undone.",
        "要刪除這次執行、它的網路與預測嗎？此動作無法復原。",
    ),
    "delete.several": (
        "Delete {n} runs with all their files? This cannot be undone.",
        "要刪除 {n} 次執行及其所有檔案嗎？此動作無法復原。",
    ),
    "delete.button": ("Delete …", "刪除…"),
    "delete.help": ("Asks once more before anything is deleted.", "刪除前會再次詢問。"),
    "delete.yes_one": ("Yes, delete it", "是，刪除"),
    "delete.yes_several": ("Yes, delete {n} runs", "是，刪除 {n} 次執行"),
    "delete.yes_help": ("This cannot be undone.", "此動作無法復原。"),
    # the Runs page
    "runs.title": ("Runs", "執行紀錄"),
    "runs.none": (
        "No run yet.",
        "還沒有任何執行。",
    ),
    "runs.none_text": (
        "Choose a table, set a goal and press Start: every run is kept here, to be opened, compared or replayed.",
        "選擇資料表、設定目標並按下「開始」：每次執行都會保留在這裡，可以開啟、比較或重播。",
    ),
    "runs.first": ("Start the first run", "開始第一次執行"),
    "runs.none_fits": ("None of the {runs} fits these filters.", "{runs}中沒有符合這些條件的執行。"),
    "runs.damaged": (
        ":material/warning: {runs} left out, because the record is damaged, gone or of a newer version of the program: "
        "{ids}. The folders of these names lie among the runs on the server; all other runs are whole.",
        ":material/warning: 有 {runs}未列出，因為其紀錄已損壞、遺失或來自較新版本的程式：{ids}。"
        "伺服器上存放執行的位置有同名的資料夾；其他執行皆完好。",
    ),
    "runs.damaged_more": (" and {n} more", "，以及另外 {n} 個"),
    "runs.one_seed": (
        "A run's errors are of one seed (a comparison's over seeds: their median); another seed can move them a lot. The "
        "run's page repeats it with more seeds.",
        "每次執行的誤差來自一個種子（多個種子的比較則為中位數）；換一個種子可能大不相同。可在該執行的頁面以更多種子重複。",
    ),
    "runs.picked": ("Runs to open, compare or delete", "要開啟、比較或刪除的執行"),
    "runs.picked_empty": ("Tick rows of the table, or choose here", "勾選表格中的列，或在此選擇"),
    "runs.picked_help": (
        "One run can be opened, named, cloned and downloaded; two or more can be compared; all can be deleted.",
        "選擇一次執行可開啟、命名、複製與下載；選擇兩次以上可比較；皆可刪除。",
    ),
    "runs.search": ("Search", "搜尋"),
    "runs.search_empty": (
        "Name, table, target, tag, note, setting or id",
        "名稱、資料表、目標變數、標籤、備註、設定或代號",
    ),
    "runs.search_help": (
        "Every word must occur somewhere in the run: in its name, table, target, tags, note, settings or id.",
        "每個詞都必須出現在執行的某處：名稱、資料表、目標變數、標籤、備註、設定或代號。",
    ),
    "runs.state": ("State", "狀態"),
    "runs.state_help": ("Shows only runs in these states.", "只顯示這些狀態的執行。"),
    "runs.tag": ("Tag", "標籤"),
    "runs.tag_help": ("Shows only runs that have all of these tags.", "只顯示具有所有這些標籤的執行。"),
    "runs.any": ("Any", "不限"),
    "runs.no_tags": ("No tags yet", "尚無標籤"),
    # columns of tables of runs
    "col.started": ("Started", "開始時間"),
    "col.started_help": ("In your own time zone.", "以您的時區表示。"),
    "col.status": ("Status", "狀態"),
    "col.status_help": (
        "Whether the run waits, learns or has ended, and how.",
        "執行是等待、學習中或已結束，以及如何結束。",
    ),
    "col.name": ("Name", "名稱"),
    "col.name_help": (
        "★ marks the baseline that comparisons are made against.",
        "★ 標示比較時所用的基準。",
    ),
    "col.tags": ("Tags", "標籤"),
    "col.target": ("Target", "目標變數"),
    "col.goal": ("Goal", "學習目標"),
    "col.nodes": ("Nodes", "節點"),
    "col.train_mae": ("Training MAE", "訓練 MAE"),
    "col.test_mae": ("Test MAE", "測試 MAE"),
    "col.time": ("Time", "時間"),
    "col.note": ("Note", "備註"),
    "col.run": ("Run", "執行"),
    "col.run_help": ("The run's id, as in links and on the command line.", "執行的代號，與連結及命令列相同。"),
    "col.in_unit": ("In the target's unit. {means}", "以目標變數的單位表示。{means}"),
}
