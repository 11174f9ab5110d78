"""Texts of the Speed-up page: the form, an experiment's results, its charts."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "speedup.title": ("Speed-up", "加速比較"),
    "speedup.earlier": ("Earlier experiments", "先前的實驗"),
    # the form
    "speedup.lead": (
        "Compare the parallel modes side by side on this machine: how long each takes, how much of that is "
        "communication, and whether the forecasts stay the same.",
        "在這台機器上並列比較各種平行模式：各需多久、其中通訊佔多少，以及預測是否相同。",
    ),
    "speedup.machine": ("This machine: {machine}.", "這台機器：{machine}。"),
    "speedup.kind": ("What to measure", "測量什麼"),
    "speedup.train": ("Whole trainings", "完整訓練"),
    "speedup.sweep": ("One training step, over sizes", "不同大小下的一個訓練步"),
    "speedup.kind_help": (
        "A whole training shows what a mode buys on your data. One step on synthetic rows of many sizes shows "
        "from which size on a mode pays.",
        "完整訓練可看出某模式在您的資料上的效益。以不同大小的合成資料測一步，可看出從多大開始划算。",
    ),
    "speedup.minutes": ("Longest duration (min)", "時間上限（分鐘）"),
    "speedup.minutes_help": (
        "Sizes that do not fit into this time are left out.",
        "無法在此時間內完成的大小會略過。",
    ),
    "speedup.modes": ("Modes to compare", "要比較的模式"),
    "speedup.repeats": ("Repeats of each mode", "每種模式的重複次數"),
    "speedup.repeats_help": (
        "Besides one short warm-up each. All modes get the same seeds, in a random order.",
        "不含每種模式一次的短暖機。所有模式使用相同的種子，順序隨機。",
    ),
    "speedup.more": ("More settings", "更多設定"),
    "speedup.ask": ("Estimate the duration", "估計時間"),
    "speedup.ask_help": (
        "Tries a short training and says how long the whole experiment will take.",
        "試跑一次短訓練，並告訴您整個實驗需要多久。",
    ),
    "speedup.ask_first": ("Estimate the duration first.", "請先估計時間。"),
    "speedup.start_help": (
        "Measures in the background; nothing else should use the machine meanwhile.",
        "在背景測量；期間請勿使用這台機器做其他事。",
    ),
    "speedup.trying": ("Trying a short training …", "試跑短訓練中…"),
    "speedup.about": ("**About {time}.** {basis}", "**約 {time}。** {basis}"),
    # an experiment
    "speedup.start_one": ("Start an experiment", "開始一個實驗"),
    "speedup.not_one": ("This run is a training, not an experiment.", "這次執行是訓練，不是實驗。"),
    "speedup.cancel_help": (
        "Ends within 5 seconds; finished measurements are kept and can be continued.",
        "5 秒內結束；已完成的測量會保留，並可繼續。",
    ),
    "speedup.progress": ("{k} of {measurements}{left}", "已完成 {k} 次，共 {measurements}{left}"),
    "count.measurement": ("{n} measurement|{n} measurements", "{n} 次測量"),
    "speedup.left": (", about {time} left", "，約剩 {time}"),
    "speedup.warming": (
        "The first results come when every mode has warmed up.",
        "所有模式暖機完成後才有第一批結果。",
    ),
    "speedup.results": ("Results", "結果"),
    "speedup.measures": ("The four measures, with 95 % intervals", "四項指標與 95 % 信賴區間"),
    "speedup.times_alt": ("Times of every mode", "各模式的時間"),
    "speedup.errors_alt": ("Mean absolute error of every mode", "各模式的平均絕對誤差"),
    "speedup.test_unit": ("test rows, {unit}", "測試列，{unit}"),
    "speedup.training_unit": ("training rows, {unit}", "訓練列，{unit}"),
    "speedup.speedup": ("Speed-up and parallel efficiency", "加速比與平行效率"),
    "speedup.speedup_alt": ("Speed-up over workers beside the ideal line", "加速比隨工作行程數的變化與理想線"),
    "speedup.efficiency_alt": ("Parallel efficiency of every mode", "各模式的平行效率"),
    "speedup.modules": ("Time in each module", "各模組的時間"),
    "speedup.modules_alt": (
        "Seconds in each module, stacked, for every mode",
        "各模式在各模組花費的秒數（堆疊）",
    ),
    "speedup.communication": ("Communication", "通訊"),
    "speedup.communication_alt": (
        "Share of the time spent communicating, for every mode",
        "各模式用於通訊的時間比例",
    ),
    "speedup.one_so_far": (
        "The conclusion comes when a second mode has been measured.",
        "第二種模式測量完成後才有結論。",
    ),
    "speedup.undisturbed": (
        "No measurement was disturbed by other programs.",
        "沒有任何測量受到其他程式干擾。",
    ),
    "count.disturbed": (
        "{n} measurement was made while something else used this machine: the times are less sure than they look.|"
        "{n} measurements were made while something else used this machine: the times are less sure than they look.",
        "有 {n} 次測量進行時，這台機器正被其他程式使用：時間不如看起來可靠。",
    ),
    "speedup.first_sizes": ("The first sizes come within seconds.", "第一批大小將在幾秒內完成。"),
    "speedup.where": ("Where does it pay?", "在哪裡划算？"),
    "speedup.where_key": (
        "Time of one training step on synthetic rows, as a multiple of {mode}: blue pays, orange does not. "
        "A dash is a size that was left out, for lack of time or memory.",
        "合成資料上一個訓練步的時間，為{mode}的倍數：藍色划算，橘色不划算。破折號表示因時間或記憶體不足而略過的大小。",
    ),
    "speedup.heat_alt": (
        "Time of one step of {mode} as a multiple of {reference}, over rows and hidden nodes",
        "{mode} 一步的時間為 {reference} 的倍數，依資料列數與隱藏節點數",
    ),
    "speedup.steps": ("Milliseconds of every step", "每一步的毫秒數"),
    "speedup.again": ("New experiment", "新的實驗"),
    "speedup.again_help": ("Back to the form.", "回到表單。"),
    "speedup.continue": ("Continue it", "繼續這個實驗"),
    "speedup.continue_help": (
        "Takes over the finished measurements and makes the rest.",
        "沿用已完成的測量，並完成其餘部分。",
    ),
    "speedup.csv": ("Every measurement (CSV)", "所有測量（CSV）"),
    "speedup.csv_help": ("One line for each training or step, with its times.", "每次訓練或每一步一行，附時間。"),
    "speedup.foot": ("Experiment {run} · started {when} · {machine}", "實驗 {run} · 開始於 {when} · {machine}"),
    "speedup.log": ("Log of this experiment", "這個實驗的日誌"),
    # the table
    "speedup.col_mode": ("Mode", "模式"),
    "speedup.col_repeats": ("Repeats", "重複次數"),
    "speedup.col_organizing": ("Organizing (s)", "組織（秒）"),
    "speedup.col_ratio": ("Times Single", "相對單一裝置（倍）"),
    "speedup.col_ratio_help": (
        "Organizing's time as a multiple of the mode Single; below 1 is faster.",
        "組織時間為「單一裝置」模式的倍數；小於 1 較快。",
    ),
    "speedup.col_understanding": ("Understanding inside (s)", "其中的理解（秒）"),
    "speedup.col_understanding_help": (
        "Time of the weight tuning inside organizing.",
        "組織之中調整權重的時間。",
    ),
    "speedup.col_total": ("Overall (s)", "總計（秒）"),
    "speedup.col_total_help": (
        "From the first module to the end of the training.",
        "從第一個模組到訓練結束。",
    ),
    "speedup.col_mae": ("MAE", "平均絕對誤差"),
    "speedup.col_efficiency": ("Efficiency (%)", "效率（%）"),
    "speedup.col_talk": ("Communicating (%)", "通訊（%）"),
    "speedup.col_memory": ("Peak memory (MiB)", "記憶體峰值（MiB）"),
    "speedup.col_memory_help": (
        "Of all processes of the mode together.",
        "該模式所有行程的總和。",
    ),
    # charts
    "short.single": ("Single", "單一"),
    "short.batched": ("Batched", "批次"),
    "short.data_parallel": ("DataParallel", "DataParallel"),
    "short.ddp": ("DDP", "DDP"),
    "short.row_parallel": ("Rows", "列平行"),
    "short.model_parallel": ("Nodes", "節點平行"),
    "short.candidate_parallel": ("Candidates", "候選平行"),
    "bars.understanding_s": ("Understanding<br>inside organizing", "組織中的<br>理解"),
    "bars.organizing_s": ("Organizing", "組織"),
    "bars.total_s": ("Overall time", "總時間"),
    "bars.seconds": ("Seconds, mean of the repeats", "秒數（重複的平均）"),
    "bars.mae": ("MAE ({unit})", "平均絕對誤差（{unit}）"),
    "speedup.ideal": ("Ideal", "理想"),
    "speedup.times_as_fast": ("{mode}: {n} times as fast", "{mode}：速度為 {n} 倍"),
    "speedup.workers": ("Workers", "工作行程數"),
    "speedup.of_organizing": ("Speed-up of organizing", "組織的加速比"),
    "speedup.efficiency": ("Parallel efficiency (%)", "平行效率（%）"),
    "speedup.computing": ("Computing", "計算"),
    "speedup.talking": ("Communicating, waiting included", "通訊（含等待）"),
    "speedup.share": ("Share of the overall time (%)", "佔總時間的比例（%）"),
    "speedup.cell": (
        "{rows} rows, {nodes} nodes: {times} the time",
        "{rows} 列、{nodes} 個節點：{times} 的時間",
    ),
}
