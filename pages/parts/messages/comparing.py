"""Texts of comparisons of runs, and of what people take away."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    # downloads
    "download.predictions": ("Predictions (CSV)", "預測值（CSV）"),
    "download.model": ("Model (safetensors)", "模型（safetensors）"),
    "download.predictions_help": ("Every row with its actual and predicted value.", "每一列的實際值與預測值。"),
    "download.none": (
        "There are none before the first round has ended.",
        "第一回合結束前尚無內容。",
    ),
    "download.no_model": ("There is none before the first round has ended.", "第一回合結束前尚無模型。"),
    # take away
    "take.menu": ("Take away …", "匯出…"),
    "take.menu_help": (
        "Report, workbook, network for other programs, and the command that repeats the run.",
        "報告、活頁簿、可供其他程式使用的網路，以及重複這次執行的指令。",
    ),
    "take.report": ("Report (HTML)", "報告（HTML）"),
    "take.report_help": (
        "One file that opens in any browser, without a network: charts and replay work in it.",
        "單一檔案，任何瀏覽器皆可離線開啟：圖表與重播皆可操作。",
    ),
    "take.xlsx": ("Predictions (XLSX)", "預測值（XLSX）"),
    "take.xlsx_help": ("For Excel and other spreadsheets.", "適用於 Excel 等試算表。"),
    "take.onnx": ("Model (ONNX)", "模型（ONNX）"),
    "take.onnx_help": (
        "For other programs: the drivers in, in their units; the forecast out, in the target's unit.",
        "供其他程式使用：輸入解釋變數（原單位），輸出預測值（目標變數的單位）。",
    ),
    "take.command_partly": (
        "Another version of the program made this run, and the command lacks what this one does not know or allow. "
        "{unknown}",
        "這次執行由其他版本的程式產生，指令中不含此版本不認得或不允許的設定。{unknown}",
    ),
    "take.command": ("The command that repeats this run:", "重複這次執行的指令："),
    # the report
    "report.forecast": ("Forecast", "預測"),
    "report.made": ("{status}, {when}.", "{status}，{when}。"),
    "report.learned": ("Rows learned", "已學會的資料列"),
    "report.of": ("{k} of {n}", "{k} / {n}"),
    "report.time": ("Time", "時間"),
    "report.errors": ("Mean absolute errors ({unit})", "平均絕對誤差（{unit}）"),
    "report.repeat": ("How to repeat it", "如何重複"),
    "report.repeat_all": ("How to repeat them", "如何重複"),
    "report.film": ("How it learned, step by step", "逐步看它如何學習"),
    "report.predictions_alt": ("Actual and predicted values in time order", "依時間排序的實際值與預測值"),
    "report.nodes_alt": ("Hidden nodes over time", "隱藏節點數隨時間的變化"),
    "report.residual_alt": ("Largest residual over time", "最大殘差隨時間的變化"),
    "report.phases_alt": ("Seconds spent in each module", "各模組花費的秒數"),
    "report.data_hash": ("data sha256", "資料 sha256"),
    "report.network_hash": ("network sha256", "網路 sha256"),
    "report.version": ("version of {name}", "{name} 的版本"),
    "report.run": ("run", "執行"),
    "report.curve_alt": ("{what} by round", "{what}（依回合）"),
    # comparisons
    "compare.title": ("Comparison of runs", "比較多次執行"),
    "compare.all": ("All runs", "所有執行"),
    "compare.differ": ("Settings that differ", "有差異的設定"),
    "compare.same": (
        "None: these runs were started with the same settings.",
        "無：這幾次執行以相同的設定開始。",
    ),
    "compare.link": ("The address of this page is a link to this comparison.", "此頁的網址即為這個比較的連結。"),
    "compare.results": ("Errors, sizes and times", "誤差、大小與時間"),
    "compare.baseline_help": (
        "The test errors are also given relative to this run. Pin one under *Name, tags, note* on the Runs page.",
        "測試誤差也會以相對於這次執行的方式呈現。可在「執行紀錄」頁的「名稱、標籤、備註」中指定。",
    ),
    "compare.none": ("none", "無"),
    "compare.unit": ("Unit", "單位"),
    "compare.unit_help": ("What goal and errors of this run are measured in.", "這次執行的目標與誤差所用的單位。"),
    "compare.state": ("State", "狀態"),
    "compare.nodes": ("Hidden nodes", "隱藏節點"),
    "compare.rounds": ("Rounds", "回合"),
    "compare.seconds": ("Seconds", "秒數"),
    "compare.seconds_help": ("From the start of the run to its end, or to now.", "從執行開始到結束或到現在。"),
    "compare.seed": ("Seed", "種子"),
    "compare.against": ("Test MAE against baseline (%)", "測試 MAE 相對基準（%）"),
    "compare.against_help": (
        "Negative is better; empty where the run forecasts another target than the baseline.",
        "負值表示較佳；與基準的目標變數不同時留空。",
    ),
    "compare.targets": (
        "These runs forecast different targets: errors in different units cannot be compared with each other, in the "
        "table or in the curves.",
        "這幾次執行的目標變數不同：不同單位的誤差無法互相比較，表格與曲線皆然。",
    ),
    "compare.one_seed": (
        "Training and test MAE are of one seed each; another seed can move them a lot. A run's page repeats it with "
        "more seeds, and median and range are then shown here, too.",
        "訓練與測試平均絕對誤差各來自一個種子；換一個種子可能大不相同。可在該次執行的頁面以更多種子重複，中位數與範圍也會顯示於此。",
    ),
    "compare.repeated": ("Test MAE over seeds", "多個種子的測試 MAE"),
    "compare.repeated_help": (
        "Median over the seeds, and the range from best to worst; in the target's unit.",
        "各種子的中位數，以及由最好到最差的範圍；以目標變數的單位表示。",
    ),
    "compare.over_seeds": ("{median} ({range}; {n} seeds)", "{median}（{range}；{n} 個種子）"),
    "compare.report_help": (
        "One file that opens in any browser, without a network.",
        "單一檔案，任何瀏覽器皆可離線開啟。",
    ),
    "compare.csv": ("Table (CSV)", "表格（CSV）"),
    "compare.xlsx": ("Table (XLSX)", "表格（XLSX）"),
    "compare.table_help": ("The table above, for a spreadsheet.", "上方的表格，供試算表使用。"),
    "compare.curves": ("Curves over each other", "重疊的曲線"),
    "compare.along": ("Along", "橫軸"),
    "compare.along_help": (
        "What the curves run along: the number of rounds, or the elapsed time.",
        "曲線的橫軸：回合數或經過時間。",
    ),
    "compare.by_round": ("by round", "依回合"),
    "compare.by_time": ("by time", "依時間"),
    "compare.log": ("Logarithmic", "對數"),
    "compare.log_help": ("For the curves' values; zero cannot be shown then.", "用於曲線的值；此時無法顯示零。"),
    "compare.curve": ("Curve", "曲線"),
    "compare.curve_help": ("What is shown at the end of each round.", "每回合結束時要顯示的量。"),
    "compare.curves_alt": ("{what} of {runs}, {along}", "{runs}的{what}，{along}"),
    "measure.largest_residual": ("Largest residual", "最大殘差"),
    "measure.test_mae": ("Test MAE", "測試平均絕對誤差"),
    "measure.train_mae": ("Training MAE", "訓練平均絕對誤差"),
    "measure.n_hidden": ("Hidden nodes", "隱藏節點"),
    "measure.n_learned": ("Rows learned", "已學會的資料列"),
}
