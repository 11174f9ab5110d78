"""Every text of the pages, in English and Traditional Chinese, in one catalogue: key -> (English, Chinese).

How to use it
-------------
*A text of a page*: add ``"page.what_it_is": ("English {n}", "中文 {n}")`` to the module of its page (``train``,
``runs``, ``speedup``, ...) and show it with ``say("page.what_it_is", n=3)`` of :mod:`pages.parts.language`.  Blanks
have names and are the same in both languages; whole numbers get thousands separators by themselves.

*A count*: add ``"count.row": ("{n} row|{n} rows", "{n} 列")``, singular and plural divided by ``|``, and show it with
``counted("row", n)``.

*A technical term*: add it to ``terms``; ``explain("goal")`` is its hover text, for ``help=`` of any element.

*A sentence of the engine* (an error, a remark, an option's help): show it with ``told(sentence)``, and add the English
template as the engine writes it, with names in its blanks, to the engine modules: ``"{n} rows were left out.": "略過
{n} 列。"``.  What has no template stays English.  Blanks named ``n``, ``m`` and ``k`` fit numbers only; those whose name
begins with ``_`` fit an ending or nothing, and need not occur in Chinese; what other blanks hold is translated too.

``tests/pages/test_language.py`` sees to it that no language lacks a text, that blanks agree, that no text of a page is
outside of this catalogue, and that every control explains itself.

Terms, the same everywhere
--------------------------
學習目標 learning goal · 隱藏節點 hidden node · 詮釋 interpreting · 挑選 picking · 理解 understanding ·
強記 cramming · 組織 organizing · 正則化 regularizing · 重組 reorganizing · 回合 round · 殘差 residual · 損失 loss ·
權重 weight · 目標變數 target · 解釋變數 driver · 訓練列／測試列 training/test rows · 平均絕對誤差 MAE ·
持平預測 persistence · 線性迴歸 linear regression · 倒傳遞網路 backpropagation network · 資料平行 data parallelism ·
模型平行 model parallelism · 加速比 speed-up · 平行效率 parallel efficiency · 通訊 communication · 執行 run ·
種子 seed · 信賴區間 confidence interval
"""

from __future__ import annotations

from pages.parts.messages import (
    charts,
    common,
    comparing,
    data,
    engine_data,
    engine_errors,
    engine_log,
    engine_options,
    engine_reading,
    engine_runs,
    forecast,
    frames,
    going_on,
    live,
    runs,
    show,
    speedup,
    studies,
    train,
)
from pages.parts.messages.terms import TERMS

__all__ = ["ENGINE", "ENGINE_PARTS", "LANGUAGES", "MESSAGES", "NAMES", "PARTS", "TERMS"]

LANGUAGES = {"en": "English", "zh": "繁體中文"}
PARTS = (common, live, frames, show, data, train, runs, comparing, charts, going_on, studies, forecast, speedup)
#: key -> English, Chinese
MESSAGES: dict[str, tuple[str, str]] = {key: both for part in PARTS for key, both in part.TEXTS.items()}
ENGINE_PARTS = (engine_options, engine_data, engine_reading, engine_errors, engine_runs, engine_log)
#: a sentence of the engine, with names in its blanks -> Chinese
ENGINE: dict[str, str] = {sentence: told for part in ENGINE_PARTS for sentence, told in part.TEXTS.items()}
#: what bundled tables and jobs are called, as the engine names them -> Chinese
NAMES: dict[str, str] = {**engine_data.NAMES, **engine_runs.NAMES}
