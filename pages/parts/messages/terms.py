"""The glossary: a term -> ((English name, explanation), (Chinese name, explanation)), in groups.

An explanation begins with a small letter and ends with a full stop: it follows the name and a colon.
"""

from __future__ import annotations

Both = tuple[tuple[str, str], tuple[str, str]]

#: the terms that the replay explains under its picture
OF_THE_REPLAY = ("goal", "node", "picking", "understanding", "cramming", "organizing")

GROUPS: dict[str, tuple[str, str]] = {
    "learning": ("How the pupil learns", "學生如何學習"),
    "data": ("Data", "資料"),
    "forecasts": ("Forecasts and their errors", "預測與誤差"),
    "parallel": ("Sharing out the work", "分工與平行"),
    "runs": ("Runs", "執行"),
}

LEARNING: dict[str, Both] = {
    "rplm": (
        ("RPLM", "the revised Pupil Learning Mechanism, a network that finds its own size while it learns."),
        ("RPLM", "修訂版學生學習機制（revised Pupil Learning Mechanism），一種在學習時自行找到大小的網路。"),
    ),
    "goal": (
        ("Learning goal", "the largest error that a learned row may have; the band in the picture of the rows."),
        ("學習目標", "已學會的資料列所允許的最大誤差；即資料列圖中的色帶。"),
    ),
    "node": (
        ("Hidden node", "a switch that stays off below a threshold and grows in a straight line above it."),
        ("隱藏節點", "低於門檻時關閉、高於門檻後直線上升的開關。"),
    ),
    "weight": (
        ("Weight", "a number of the network that says how strongly one thing acts on another; learning changes it."),
        ("權重", "網路中的一個數字，表示一項對另一項的影響強度；學習就是改變它。"),
    ),
    "interpreting": (
        ("Interpreting", "the first network is made: a straight line through the training rows."),
        ("詮釋", "建立最初的網路：一條通過訓練列的直線。"),
    ),
    "picking": (
        ("Picking", "the rows are learned in order of ease; the next ones are those with the smallest errors."),
        ("挑選", "資料依難易順序學習；下一批是誤差最小的資料列。"),
    ),
    "understanding": (
        ("Understanding", "all weights are adjusted a little, again and again, until every picked row fits."),
        ("理解", "一再微調所有權重，直到挑出的每一列都符合。"),
    ),
    "cramming": (
        ("Cramming", "where adjusting fails, three nodes are added that change the network at one row only."),
        ("強記", "調整失敗時，加入三個只在某一列改變網路的節點。"),
    ),
    "organizing": (
        ("Organizing", "every node is left out once; if the others can be adjusted to do without, it is gone."),
        ("組織", "逐一試著拿掉每個節點；若其餘節點調整後可以不需要它，便將它捨去。"),
    ),
    "regularizing": (
        ("Regularizing", "weights are made smaller as long as every learned row stays within the goal."),
        ("正則化", "在每列已學會的資料仍符合目標的前提下，讓權重變小。"),
    ),
    "reorganizing": (
        ("Reorganizing", "the part of organizing that tries to drop hidden nodes, one at a time."),
        ("重組", "組織模組中逐一嘗試捨去隱藏節點的部分。"),
    ),
    "round": (
        ("Round", "one pass of picking, understanding, cramming where needed, and organizing."),
        ("回合", "一次挑選、理解、必要時強記，以及組織。"),
    ),
    "residual": (
        ("Residual", "what a row's target is above or below the network's output for it, in the target's unit."),
        ("殘差", "目標變數高於或低於網路輸出的量，以目標變數的單位表示。"),
    ),
    "loss": (
        ("Loss", "what tuning makes small: the mean squared error of the picked rows, in standardised units."),
        ("損失", "調整權重時要縮小的量：挑出的資料列的均方誤差，以標準化單位表示。"),
    ),
    "tuning_step": (
        ("Tuning step", "one small change of all weights; it is kept if the loss falls, else undone and made shorter."),
        ("調整步", "所有權重的一次小改變；損失下降則保留，否則復原並縮短步長。"),
    ),
    "seed": (
        ("Seed", "where the random numbers start; the same seed, table and settings give the same network."),
        ("種子", "亂數的起點；相同的種子、資料表與設定得到相同的網路。"),
    ),
}

DATA: dict[str, Both] = {
    "target": (
        ("Target", "the column to forecast."),
        ("目標變數", "要預測的欄位。"),
    ),
    "driver": (
        ("Driver", "a column that the forecast is made from."),
        ("解釋變數", "用來進行預測的欄位。"),
    ),
    "training_rows": (
        ("Training rows", "the rows that the network learns from; only they decide how columns are scaled."),
        ("訓練列", "網路用來學習的資料列；只有它們決定欄位如何縮放。"),
    ),
    "test_rows": (
        ("Test rows", "rows that are never learned from, the newest ones; they show what forecasts are worth."),
        ("測試列", "從不用於學習的資料列，為最新的資料；用來看預測的價值。"),
    ),
    "latest_price": (
        ("Latest price", "the column with the target's newest value known when the forecast is made."),
        ("最新價格", "進行預測時已知的目標變數最新值所在的欄位。"),
    ),
    "horizon": (
        ("Forecast horizon", "how many rows lie between the newest known target and the row to forecast."),
        ("預測期距", "最新已知目標值與要預測的資料列之間相隔幾列。"),
    ),
}

FORECASTS: dict[str, Both] = {
    "mae": (
        ("MAE", "mean absolute error: how far forecasts are off on average, in the target's unit."),
        ("平均絕對誤差（MAE）", "預測平均偏離多少，以目標變數的單位表示。"),
    ),
    "rmse": (
        ("RMSE", "root mean squared error: like the MAE, but large errors count for more."),
        ("均方根誤差（RMSE）", "與平均絕對誤差相似，但大的誤差佔比更重。"),
    ),
    "mape": (
        ("MAPE", "mean absolute error as a share of the actual value, in per cent."),
        ("平均絕對百分比誤差（MAPE）", "誤差佔實際值的平均百分比。"),
    ),
    "r2": (
        ("R²", "share of the target's spread that the forecasts explain; 1 is perfect, 0 is no better than the mean."),
        ("判定係數（R²）", "預測能解釋目標變數變異的比例；1 為完美，0 表示不比平均值好。"),
    ),
    "skill": (
        ("Skill", "1 less the error as a share of persistence's; above 0 it beats persistence, below 0 it loses."),
        ("技巧分數", "1 減去誤差佔持平預測誤差的比例；大於 0 勝過持平預測，小於 0 則不如。"),
    ),
    "persistence": (
        ("Persistence", "the simplest forecast: the price stays what it was last."),
        ("持平預測", "最簡單的預測：價格維持最後一次的值；又稱持續法（persistence）或單純預測。"),
    ),
    "linear_regression": (
        ("Linear regression", "the straight line (or plane) that fits the training rows best."),
        ("線性迴歸", "最符合訓練列的直線（或平面）。"),
    ),
    "ridge": (
        ("Ridge regression", "linear regression with a penalty that keeps its weights small."),
        ("脊迴歸", "帶有懲罰項、讓權重保持較小的線性迴歸。"),
    ),
    "backpropagation": (
        ("Backpropagation network", "an ordinary network of fixed size, trained by gradient descent."),
        ("倒傳遞網路", "大小固定的一般網路，以梯度下降訓練。"),
    ),
    "backtest": (
        ("Backtest", "forecasts made as if in the past: at each origin only what was known there is learned."),
        ("回測", "如同身在過去進行預測：在每個起點只學習當時已知的資料。"),
    ),
    "origin": (
        ("Origin", "the point in time that a forecast is made from."),
        ("預測起點", "進行預測的時間點。"),
    ),
    "ablation": (
        ("Ablation", "the same training with one module switched off or swapped, to see what it is worth."),
        ("消融實驗", "關閉或替換一個模組後重新訓練，看它的價值。"),
    ),
    "interval": (
        ("Interval", "a range that the actual value should lie in as often as stated, such as 90 times in 100."),
        ("預測區間", "實際值應以所述的頻率落入的範圍，例如 100 次中有 90 次。"),
    ),
    "leak": (
        ("Leak", "test rows lie between training rows, so neighbours give them away and errors look too small."),
        ("資訊洩漏", "測試列夾在訓練列之間，鄰近的資料透露了答案，使誤差看起來過小。"),
    ),
}

PARALLEL: dict[str, Both] = {
    "mode": (
        ("Mode", "how the work of a training is shared out over processors."),
        ("模式", "訓練工作如何分配給多個處理器。"),
    ),
    "candidate": (
        ("Prune candidate", "a hidden node that organizing tries to do without."),
        ("捨去候選", "組織時嘗試捨去的隱藏節點。"),
    ),
    "worker": (
        ("Worker", "one of the processes (or GPUs) that share the work."),
        ("工作行程", "分擔工作的其中一個行程（或 GPU）。"),
    ),
    "data_parallel": (
        ("Data parallelism", "every worker has the whole network and a part of the rows; gradients are added up."),
        ("資料平行", "每個工作行程都有整個網路與一部分資料列，再將梯度加總。"),
    ),
    "ddp": (
        ("DistributedDataParallel", "PyTorch's data parallelism over several processes."),
        ("DistributedDataParallel", "PyTorch 以多個行程進行的資料平行。"),
    ),
    "model_parallel": (
        ("Model parallelism", "every worker has a part of the hidden nodes and all rows."),
        ("模型平行", "每個工作行程有一部分隱藏節點與全部資料列。"),
    ),
    "candidate_parallel": (
        ("Candidate parallelism", "every worker tries to drop another hidden node at the same time."),
        ("候選平行", "各工作行程同時嘗試捨去不同的隱藏節點。"),
    ),
    "speedup": (
        ("Speed-up", "how many times as fast as Single a mode is."),
        ("加速比", "某模式的速度是單一裝置的幾倍。"),
    ),
    "efficiency": (
        ("Parallel efficiency", "speed-up divided by the number of workers; 100 % would be ideal."),
        ("平行效率", "加速比除以工作行程數；100 % 為理想值。"),
    ),
    "communication": (
        ("Communication", "time in which workers exchange numbers or wait for each other."),
        ("通訊", "工作行程交換數值或彼此等待的時間。"),
    ),
    "interval95": (
        ("95 % interval", "where the true mean lies, but for one time in twenty; narrower with more repeats."),
        ("95 % 信賴區間", "真正平均值所在的範圍，二十次約有一次例外；重複越多越窄。"),
    ),
    "warm_up": (
        ("Warm-up", "a short training before the measured ones, so that nothing is measured cold."),
        ("暖機", "測量前的一次短訓練，避免測到冷啟動。"),
    ),
    "sweep": (
        ("Sweep", "one training step, timed over many numbers of rows and hidden nodes."),
        ("掃描", "在多種資料列數與隱藏節點數下，測量一個訓練步的時間。"),
    ),
}

RUNS: dict[str, Both] = {
    "run": (
        ("Run", "one training with its settings, steps, network and forecasts; all of it is kept."),
        ("執行", "一次訓練，連同它的設定、步驟、網路與預測；全部都會保留。"),
    ),
    "preset": (
        ("Preset", "settings that go well together: how thoroughly the pupil learns."),
        ("預設組合", "彼此搭配的設定：學生學得多徹底。"),
    ),
    "baseline": (
        ("Baseline", "the run that others are compared with."),
        ("基準", "其他執行與之比較的執行。"),
    ),
    "checkpoint": (
        ("Checkpoint", "what a run wrote down so that it can go on after an interruption."),
        ("檢查點", "執行所寫下的內容，讓它在中斷後可以繼續。"),
    ),
    "safetensors": (
        ("safetensors", "a file format for networks that holds numbers only, no program."),
        ("safetensors", "只含數字、不含程式的網路檔案格式。"),
    ),
    "onnx": (
        ("ONNX", "a file format for networks that many other programs read."),
        ("ONNX", "許多其他程式都能讀取的網路檔案格式。"),
    ),
    "log_axis": (
        ("Logarithmic axis", "every step along the axis is a factor of ten; small and large values show side by side."),
        ("對數軸", "軸上每一格為十倍；小值與大值可以同時看清。"),
    ),
}

OF_GROUP: dict[str, dict[str, Both]] = {
    "learning": LEARNING,
    "data": DATA,
    "forecasts": FORECASTS,
    "parallel": PARALLEL,
    "runs": RUNS,
}
TERMS: dict[str, Both] = {key: both for group in OF_GROUP.values() for key, both in group.items()}
