"""Texts of the start page and of the replay."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    # the start page
    "start.title": ("A network that learns like a pupil", "像學生一樣學習的網路"),
    "start.lead": (
        "PLM Lab trains the *Pupil Learning Mechanism*. It learns a table row by row, the easiest first. A row that "
        "will not fit is **crammed**: three nodes are added for it alone. After each round it **organizes** what it "
        "knows and drops every node it can do without. So the network finds its own size.",
        "PLM Lab 訓練「學生學習機制」（Pupil Learning Mechanism）。它逐列學習一份資料表，從最容易的開始。"
        "無法理解的資料會被**強記**：專門為它加入三個節點。每一回合結束後，它會**組織**所學，"
        "捨去所有用不到的節點。網路因此找到自己的大小。",
    ),
    "start.see": ("See it in 15 seconds", "15 秒看懂"),
    "start.nothing": (
        "Nothing to prepare: it learns a small bundled table while you watch.",
        "無須準備：它會在您眼前學習一份內附的小資料表。",
    ),
    "start.watch": ("Watch it learn", "看它學習"),
    "start.watch_help": (
        "Starts a training of a few seconds and plays it at once.",
        "開始一次幾秒鐘的訓練，並立即播放。",
    ),
    "start.surface": ("Watch it draw a surface", "看它畫出曲面"),
    "start.surface_help": (
        "A teaching table with two drivers only: the surface that the network has learned can be drawn.",
        "只有兩個解釋變數的教學資料表：網路學到的曲面可以直接畫出來。",
    ),
    "start.what": ("What would you like to do?", "您想做什麼？"),
    "start.mine": ("Learn my own table", "學習我的資料表"),
    "start.mine_text": (
        "Upload a spreadsheet, say which column to forecast, press Start. Every run is kept and can be replayed.",
        "上傳試算表，選擇要預測的欄位，按下開始。每次執行都會保留，並可重播。",
    ),
    "start.mine_link": ("Choose the data", "選擇資料"),
    "start.speed": ("Compare speed", "比較速度"),
    "start.speed_text": (
        "The parallel modes side by side on this machine: time, communication, and whether the forecasts agree.",
        "在這台機器上並列比較各種平行模式（如資料平行）：時間、通訊，以及預測是否一致。",
    ),
    "start.speed_link": ("Open the speed comparison", "開啟速度比較"),
    "start.forecast": ("Make forecasts", "進行預測"),
    "start.forecast_text": (
        "Forecast new rows with a trained network, and see honestly whether it beats the simple forecasts.",
        "用訓練好的網路預測新資料，並誠實地看它是否勝過簡單的預測方法。",
    ),
    "start.forecast_link": ("Open the forecasts", "開啟預測"),
    "start.machine": ("This machine", "這台機器"),
    "start.fact": ("**{name}:** {value}", "**{name}：** {value}"),
    "start.cores": ("Cores", "核心"),
    "start.memory": ("Memory", "記憶體"),
    "start.gpus": ("GPUs", "GPU"),
    "start.system": ("System", "系統"),
    "start.none": ("none", "無"),
    "start.asking": ("being looked for …", "偵測中…"),
    "start.unknown": ("not known", "未知"),
    "start.newest": ("Newest runs", "最新的執行"),
    "start.no_run": (
        "Nothing has run here yet. The button above starts the first run.",
        "這裡還沒有任何執行。按上方的按鈕開始第一次執行。",
    ),
    # the replay's page
    "replay.none": ("No run yet, so there is nothing to replay.", "還沒有任何執行，因此沒有可重播的內容。"),
    "replay.first": ("Watch one learn", "看一次學習"),
    "replay.pick": ("Run to replay", "要重播的執行"),
    "replay.pick_help": ("Every run can be replayed, while it learns too.", "每次執行都可以重播，學習中的也可以。"),
    "replay.go": ("Replay it", "重播"),
    "replay.charts": ("Charts and errors of this run", "這次執行的圖表與誤差"),
    "replay.waits": ("Waits until another run has ended.", "等待另一個執行結束。"),
    "replay.sits": (
        "The pupil sits down: the first step comes within seconds.",
        "學生正在坐定：第一步將在幾秒內出現。",
    ),
    "replay.ended_early": ("This run ended before its first step.", "這次執行在第一步之前就結束了。"),
    "replay.words": ("What the words mean", "名詞解釋"),
    # the player
    "player.network": ("The network, hidden nodes:", "網路，隱藏節點："),
    "player.network_sub": (
        "From the drivers on the left to the forecast on the right. The thicker a line, the more its node counts.",
        "由左側的解釋變數通往右側的預測。線愈粗，該節點的影響愈大。",
    ),
    "player.rows": ("The rows, learned:", "資料列，已學會："),
    "player.rows_sub": (
        "Each dot is one row of the table. Inside the band, its forecast is close enough.",
        "每一點是資料表的一列。落在色帶之內，代表預測已經夠接近。",
    ),
    "player.surface": ("What it believes: the fitted surface", "它所相信的：擬合曲面"),
    "player.surface_sub": (
        "Its forecast for every mix of the two drivers. Dots are the rows of the table.",
        "它對兩個解釋變數所有組合的預測。點是資料表中的各列。",
    ),
    "player.surface_key": (
        "Height and colour: the forecast · lines: how far off a row is that is not learned · drag to turn",
        "高度與顏色：預測值 · 直線：尚未學會的列的誤差 · 拖曳可旋轉",
    ),
    "player.too_low": ("forecast too low", "預測偏低"),
    "player.too_high": ("forecast too high", "預測偏高"),
    "player.label": ("Replay of the run", "這次執行的重播"),
    "player.label_slider": ("Step of the run", "執行的步驟"),
    "player.label_network": (
        "Drawing of the network: drivers on the left, hidden nodes in the middle, the target on the right",
        "網路示意圖：左側為解釋變數，中間為隱藏節點，右側為目標變數",
    ),
    "player.label_surface": (
        "Fitted surface over the two drivers, with the rows as points; drag to turn it",
        "兩個解釋變數上的擬合曲面，點為資料列；拖曳可旋轉",
    ),
    "player.label_rows": (
        "How far off each training row is, in time order, against the learning goal",
        "依時間順序，每列訓練資料的誤差與學習目標的比較",
    ),
    "player.more_drivers": ("and {n} more", "及另外 {n} 個"),
    "player.first": ("first network", "最初的網路"),
    "player.crammed": ("crammed for one row", "為某一列強記"),
    "player.new": ("just added", "剛加入"),
    "player.learned": ("learned", "已學會"),
    "player.picked": ("picked now", "本次選取"),
    "player.waiting": ("not yet", "尚未學會"),
    "player.goal": ("the learning goal:", "學習目標："),
    "player.plus": ("+ goal", "+ 目標"),
    "player.exact": ("exact", "完全相符"),
    "player.minus": ("− goal", "− 目標"),
    "player.play": ("▶ Play", "▶ 播放"),
    "player.again": ("↻ Play again", "↻ 再播放一次"),
    "player.pause": ("❚❚ Pause", "❚❚ 暫停"),
    "player.back": ("◂ Back", "◂ 上一步"),
    "player.next": ("Next ▸", "下一步 ▸"),
    "player.speed": ("Speed", "速度"),
    "player.slow": ("Slow", "慢"),
    "player.normal": ("Normal", "一般"),
    "player.fast": ("Fast", "快"),
    "player.very_fast": ("Very fast", "非常快"),
    "player.range": ("{name} {low} to {high}", "{name} {low} 至 {high}"),
    "player.step": ("Step {k} of {n}", "第 {k} 步，共 {n} 步"),
    "player.round": ("Round {n} · {module}", "第 {n} 回合 · {module}"),
    "player.of": ("{k} of {n}", "{k} / {n}"),
    "player.off": ("{row}: off by {goals} goals", "{row}：誤差為目標的 {goals} 倍"),
    "player.more": ("more than 4", "4 以上"),
    "player.node": ("Node {id}, added for {row}", "節點 {id}，為{row}加入"),
    "player.node_first": ("Node {id}, of the first network", "節點 {id}，屬於最初的網路"),
    # modules
    "module.interpreting": ("interpreting", "詮釋"),
    "module.picking": ("picking", "挑選"),
    "module.understanding": ("understanding", "理解"),
    "module.cramming": ("cramming", "強記"),
    "module.organizing": ("organizing", "組織"),
    "module.end": ("end", "結束"),
    # what a row is called
    "row.week": ("Week {date}", "{date} 當週"),
    "row.date": ("{date}", "{date}"),
    "row.number": ("Row {n}", "第 {n} 列"),
    "row.and": (" and ", "與"),
    "row.comma": (", ", "、"),
    "row.more": ("{rows} and {n} more", "{rows}及另外 {n} 列"),
    # sentences of the steps
    "step.interpreting": (
        "The first guess is a straight line, written as a network of {nodes}: {k} of {rows} are close enough.",
        "最初的猜測是一條直線，寫成有 {nodes}的網路：{rows}中有 {k} 列已經夠接近。",
    ),
    "step.pick_one": (
        "The pupil picks the easiest row that it does not know yet: {rows}.",
        "學生挑選還不會的資料中最容易的一列：{rows}。",
    ),
    "step.pick": ("The pupil picks the easiest rows left: {rows}.", "學生挑選剩下資料中最容易的幾列：{rows}。"),
    "step.understood": (
        "It adjusts what it knows, and now every picked row fits: nothing has to be crammed.",
        "它調整已知的內容，現在每一列都符合了：不需要強記。",
    ),
    "step.not_understood": (
        "It tries to understand the new rows by adjusting what it knows, but not all of them fit.",
        "它試著調整已知的內容來理解新的資料，但並非每一列都符合。",
    ),
    "step.cram": (
        "{row} would not fit, so three nodes were added for it alone.",
        "{row}無法符合，因此專門為它加入三個節點。",
    ),
    "step.cram_other": ("{row} would not fit, so {nodes} had to be added.", "{row}無法符合，因此加入了 {nodes}。"),
    "step.round": ("The round ends with {nodes}.", "這一回合結束時有 {nodes}。"),
    "step.all_needed": (
        "Organizing tried to do without {tried}, one at a time: all of them are needed.",
        "組織時逐一嘗試捨去 {tried}：全部都是必要的。",
    ),
    "step.dropped": (
        "Organizing tried to do without {tried}, one at a time: {gone} not needed and vanished, {nodes} stay.",
        "組織時逐一嘗試捨去 {tried}：其中 {gone}用不到而消失，留下 {nodes}。",
    ),
    "step.end": ("{said} The pupil ends with {nodes}.", "{said}學生最後有 {nodes}。"),
}
