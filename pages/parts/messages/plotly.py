"""What Plotly itself says in a chart: its tools, and dates on axes; Plotly brings English only.

The shape of ``LOCALES`` is the one of Plotly's locale files.
"""

from __future__ import annotations

from typing import Any

_MONTHS = [f"{n} 月" for n in range(1, 13)]
_DAYS = "日一二三四五六"
#: language -> locale of Plotly, None for the one it has
LOCALES: dict[str, dict[str, Any] | None] = {
    "en": None,
    "zh": {
        "moduleType": "locale",
        "name": "zh-TW",
        "dictionary": {
            "Zoom": "框選放大",
            "Pan": "平移",
            "Zoom in": "放大",
            "Zoom out": "縮小",
            "Autoscale": "自動縮放",
            "Reset axes": "重設座標軸",
            "Double-click to zoom back out": "連按兩下恢復原狀",
            "Toggle show closest data on hover": "顯示最接近的資料點",
            "Show closest data on hover": "顯示最接近的資料點",
            "Compare data on hover": "比較同一位置的資料",
        },
        "format": {
            "days": [f"星期{day}" for day in _DAYS],
            "shortDays": [f"週{day}" for day in _DAYS],
            "months": _MONTHS,
            "shortMonths": _MONTHS,
            "date": "%Y-%m-%d",
            "decimal": ".",
            "thousands": ",",
            "year": "%Y",
            "month": "%Y 年 %-m 月",
            "dayMonth": "%-m 月 %-d 日",
            "dayMonthYear": "%Y 年 %-m 月 %-d 日",
        },
    },
}
