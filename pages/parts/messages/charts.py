"""Texts inside charts: axis titles with units, legends, hover texts."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    # axes
    "axis.elapsed": ("Elapsed (s)", "經過時間（秒）"),
    "axis.nodes": ("Hidden nodes", "隱藏節點數"),
    "axis.loss": ("Loss (standardised, squared)", "損失（標準化，平方）"),
    "axis.residual": ("Largest residual ({unit})", "最大殘差（{unit}）"),
    "axis.spent": ("Time spent (s)", "花費時間（秒）"),
    "axis.date": ("Date", "日期"),
    "axis.row": ("Row, in time order", "資料列（依時間排序）"),
    "axis.in_unit": ("{what} ({unit})", "{what}（{unit}）"),
    "axis.round": ("Round", "回合"),
    "axis.rows": ("Rows", "資料列數"),
    # legends
    "legend.understanding": ("Understanding", "理解"),
    "legend.organizing_regularizing": ("Regularizing", "正則化"),
    "legend.organizing_understanding": ("After a removal", "移除節點後"),
    "legend.picked": ("Picked rows: {module}", "挑出的資料列：{module}"),
    "legend.all_rows": ("All training rows", "全部訓練列"),
    "legend.goal": ("Learning goal", "學習目標"),
    "legend.actual": ("Actual", "實際值"),
    "legend.predicted_train": ("Predicted, training", "預測值（訓練）"),
    "legend.predicted_test": ("Predicted, test", "預測值（測試）"),
    "legend.train": ("Training rows", "訓練列"),
    "legend.test": ("Test rows", "測試列"),
    "legend.left out": ("Left out", "略過"),
    # hover texts
    "hover.nodes": ("{n} nodes", "{n} 個節點"),
    "hover.understanding": ("understanding", "理解"),
    "hover.organizing_regularizing": ("regularizing", "正則化"),
    "hover.organizing_understanding": ("after a removal", "移除節點後"),
    "hover.picked": ("picked rows: {module}", "挑出的資料列：{module}"),
    "hover.all_rows": ("all training rows, at a round's end", "全部訓練列，回合結束時"),
    "hover.goal": ("learning goal", "學習目標"),
    "hover.actual": ("actual", "實際值"),
    "hover.predicted_train": ("predicted, training", "預測值（訓練）"),
    "hover.predicted_test": ("predicted, test", "預測值（測試）"),
    "hover.train": ("training rows", "訓練列"),
    "hover.test": ("test rows", "測試列"),
    "hover.left out": ("left out", "略過"),
    "hover.seconds": ("{what}: {n} s", "{what}：{n} 秒"),
}
