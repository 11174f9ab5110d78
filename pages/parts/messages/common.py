"""Words that every page uses: navigation, counts, states of a run, modules, units."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    # navigation
    "nav.start": ("Start", "開始"),
    "nav.data": ("Data", "資料"),
    "nav.train": ("Train", "訓練"),
    "nav.replay": ("How it learns", "學習過程"),
    "nav.compare": ("Honest forecasts", "誠實的預測"),
    "nav.forecast": ("Forecast", "預測"),
    "nav.speedup": ("Speed-up", "加速比較"),
    "nav.runs": ("Runs", "執行紀錄"),
    "nav.language_help": (
        "The language of the pages. A link with ?lang=zh or ?lang=en at its end opens in that language.",
        "頁面的語言。網址結尾加上 ?lang=zh 或 ?lang=en，便以該語言開啟。",
    ),
    "nav.partly": (
        "Names, notes and what you upload stay as they were written.",
        "名稱、備註與上傳的內容維持原文。",
    ),
    # the glossary
    "glossary.open": ("What the words mean", "名詞解釋"),
    "glossary.help": (
        "Every technical term of these pages, explained in a sentence.",
        "以一句話解釋頁面上的每個專有名詞。",
    ),
    "glossary.search": ("Search", "搜尋"),
    "glossary.search_help": ("A part of a term or of its explanation.", "名詞或其說明的一部分。"),
    "glossary.none": ("No term contains these letters.", "沒有名詞包含這些文字。"),
    # counts
    "count.node": ("{n} node|{n} nodes", "{n} 個節點"),
    "count.row": ("{n} row|{n} rows", "{n} 列"),
    "count.gone": ("{n} was|{n} were", "{n} 個"),
    "count.training_row": ("{n} training row|{n} training rows", "{n} 列訓練資料"),
    "count.test_row": ("{n} test row|{n} test rows", "{n} 列測試資料"),
    "count.driver": ("{n} driver|{n} drivers", "{n} 個解釋變數"),
    "count.run": ("{n} run|{n} runs", "{n} 次執行"),
    "count.core": ("{n} core|{n} cores", "{n} 個核心"),
    "count.round": ("{n} round|{n} rounds", "{n} 回合"),
    # spelled numbers
    "number.range": ("{low} to {high}", "{low} 至 {high}"),
    "number.under_ms": ("< 1 ms", "< 1 毫秒"),
    "number.ms": ("{n} ms", "{n} 毫秒"),
    "number.s": ("{n} s", "{n} 秒"),
    "number.min_s": ("{m} min {s} s", "{m} 分 {s} 秒"),
    "number.h_min": ("{h} h {m} min", "{h} 小時 {m} 分"),
    # units of a target
    "unit.copper": ("CNY per tonne", "人民幣元／公噸"),
    "unit.harvest": ("t/ha", "公噸／公頃"),
    "unit.score": ("points of the score", "分"),
    "unit.of": ("units of {target}", "{target} 的單位"),
    "unit.amount": ("{value} {unit}", "{value}（{unit}）"),
    # states of a run: what it is called, and what it means
    "status.queued": ("Waiting", "等待中"),
    "status.running": ("Learning", "學習中"),
    "status.finished": ("Finished", "已完成"),
    "status.cancelled": ("Cancelled", "已取消"),
    "status.failed": ("Failed", "失敗"),
    "status.lost": ("Lost", "失去聯絡"),
    "status.measuring": ("Measuring", "測量中"),
    "state.queued": ("Waits until another run has ended.", "等待另一次執行結束。"),
    "state.running": (
        "Learns in the background; you may close this page.",
        "在背景學習中；您可以關閉此頁。",
    ),
    "state.finished": ("Ended by itself.", "自行結束。"),
    "state.cancelled": ("Was cancelled; what it had learned is kept.", "已被取消；已學到的內容會保留。"),
    "state.failed": ("Could not go on.", "無法繼續。"),
    "state.lost": ("Ended without a word, as after a power cut.", "無預警地結束，例如停電之後。"),
    # modules, as headings and in charts
    "phase.interpreting": ("Interpreting", "詮釋"),
    "phase.picking": ("Picking", "挑選"),
    "phase.understanding": ("Understanding", "理解"),
    "phase.cramming": ("Cramming", "強記"),
    "phase.organizing": ("Organizing", "組織"),
    "phase.organizing_regularizing": ("Organizing: regularizing", "組織：正則化"),
    "phase.organizing_understanding": ("Organizing: after removals", "組織：移除節點後"),
    # presets
    "preset.quick": ("Quick look", "快速瀏覽"),
    "preset.standard": ("Standard", "標準"),
    "preset.thorough": ("Thorough", "徹底"),
    "preset.published": ("As published", "如論文所述"),
    # simple forecasts
    "baseline.rplm": ("RPLM (this run)", "RPLM（這次執行）"),
    "baseline.persistence": ("Persistence (the latest known value)", "持平預測（最新已知值）"),
    "baseline.linear regression": ("Linear regression", "線性迴歸"),
    "word.yes": ("yes", "是"),
    "word.no": ("no", "否"),
    # buttons of several pages
    "button.cancel": ("Cancel", "取消"),
    "button.cancelling": ("Cancelling …", "取消中…"),
    "button.start": ("Start", "開始"),
    "link.train": ("Train", "訓練"),
    "log.of_run": ("Log of this run", "這次執行的日誌"),
    "log.empty": ("The log is empty.", "日誌是空的。"),
    # login
    "login.asks": ("This server asks you to log in.", "這台伺服器要求您登入。"),
    "login.button": ("Log in", "登入"),
    "login.help": ("Opens the login page of your organisation.", "開啟您所屬單位的登入頁面。"),
}
