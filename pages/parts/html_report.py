"""A run, or a comparison, as one HTML file that opens anywhere without a network: charts and replay stay interactive.

Plotly's script (4.6 MB), the replay's scripts and all data are inside the file; nothing in it names another address.
No Streamlit here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path

import pandas as pd

from pages.parts.live_chart import Figure, saving_words
from pages.parts.words import number

_HERE = Path(__file__).parent
_REPLAY = ("replay_draw.js", "replay_surface.js", "replay.js")


@dataclass
class Report:
    """What goes into the file, in order of appearance.

    Attributes
    ----------
    title, lead : str
        Heading and the sentence under it; plain text.
    lang : str
        Language of the texts: a key of :data:`pages.parts.messages.LANGUAGES`.
    parts : list of str
        HTML of the parts so far: add to them with the methods.
    """

    title: str
    lead: str
    lang: str = "en"
    parts: list[str] = field(default_factory=list)
    _scripts: list[str] = field(default_factory=list)
    _charts: int = 0

    def heading(self, text: str) -> None:
        """Add a heading."""
        self.parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self.parts.append(f"<p>{escape(text)}</p>")

    def code(self, text: str) -> None:
        """Add a line to copy."""
        self.parts.append(f"<pre><code>{escape(text)}</code></pre>")

    def facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """Add large numbers with their names."""
        cells = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
        self.parts.append(f"<dl>{cells}</dl>")

    def table(self, frame: pd.DataFrame) -> None:
        """Add a table; every cell is text."""
        known = frame.map(lambda value: "–" if value is None else value)
        shown = known.to_html(index=False, escape=True, border=0, na_rep="–", float_format=lambda v: number(v, 5))
        self.parts.append(f"<div class='wide'>{shown}</div>")

    def chart(self, figure: Figure, alt: str, height: int = 340) -> None:
        """Add a chart."""
        name = f"chart{self._charts}"
        self._charts += 1
        self.parts.append(f"<div id='{name}' class='chart' role='group' aria-label='{escape(alt, quote=True)}'></div>")
        layout = {**figure["layout"], "height": height, "autosize": True}
        about = {"name": name, "log": figure.get("log"), "words": saving_words()}
        self._scripts.append(f"draw({_json(about)}, {_json(figure['data'])}, {_json(layout)});")

    def replay(self, film: str) -> None:
        """Add the player of a run's steps (JSON of :func:`pages.parts.replay_spec.spec`)."""
        html, css = ((_HERE / name).read_text(encoding="utf-8") for name in ("replay.html", "replay.css"))
        code = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in _REPLAY)
        code = code.replace("export default function (component)", "function showReplay(component)")
        self.parts.append(f"<style>{css}</style><div id='replay'>{html}</div>")
        self._scripts.append(
            f"{code}\nshowReplay({{ parentElement: document.getElementById('replay'), "
            f"data: {{ film: JSON.stringify({_safe(film)}), ended: true }} }});"
        )

    def html(self) -> bytes:
        """Return the whole file."""
        shared = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in ("chart_ground.js", "chart_save.js"))
        code = [f"{shared.replace('export function', 'function')}\n{_DRAW}", *self._scripts]
        scripts = "\n".join(f"<script type='module'>{one}</script>" for one in code)
        style = _STYLE + (_HERE / "live_chart.css").read_text(encoding="utf-8")
        head = (
            f"<!DOCTYPE html><html lang='{'zh-Hant' if self.lang == 'zh' else self.lang}'><head><meta charset='utf-8'>"
            f"<meta name='viewport' content='width=device-width, initial-scale=1'><title>{escape(self.title)}</title>"
            f"<style>{style}</style><script>{_plotly()}</script></head>"
        )
        body = f"<body><main><h1>{escape(self.title)}</h1><p class='lead'>{escape(self.lead)}</p>{''.join(self.parts)}"
        return f"{head}{body}</main>{scripts}</body></html>".encode()


def _json(value: object) -> str:
    return _safe(json.dumps(value, separators=(",", ":")))


def _safe(text: str) -> str:
    """Return JSON that cannot end the script it stands in, whatever a column is called."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _plotly() -> str:
    return (files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


_DRAW = """
window.draw = (about, data, layout) => {
  const element = document.getElementById(about.name), row = document.createElement("div");
  row.className = "plm-save";
  element.after(row);
  let log = Boolean(about.log?.on);
  const show = () => drawn(element, data, withAxis(layout, about.log, log), spoken(about.words));
  show();
  saveRow(row, element, about, () => { log = !log; show(); return log; });
};
function drawn(element, data, layout, locale) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches, line = "rgba(128, 140, 155, 0.25)";
  const axis = { gridcolor: line, linecolor: line }, ink = dark ? "#e6ebf1" : "#0d131b";
  element.plain = data;
  Plotly.react(element, onGround(data, dark ? "#10161d" : "#ffffff", ink), {
    ...layout, font: { family: getComputedStyle(element).fontFamily, color: ink, size: 13, ...layout.font },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    xaxis: fitted({ ...axis, ...layout.xaxis }, element.clientWidth),
    yaxis: fitted({ ...axis, ...layout.yaxis }, layout.height),
  }, { responsive: true, locale, displaylogo: false, plotlyServerURL: "",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "toImage", "sendChartToCloud"] });
}
"""
_STYLE = """
:root { --st-text-color: #0d131b; --st-background-color: #fff; --st-border-color: #c9d2dc; --st-primary-color: #0b5cad;
  --st-font: system-ui, sans-serif; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --st-text-color: #e6ebf1; --st-background-color: #10161d;
  --st-border-color: #3a4755; --st-primary-color: #2b72c8; } }
body { font: 16px/1.5 var(--st-font); color: var(--st-text-color); background: var(--st-background-color); margin: 0; }
main { max-width: 1200px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { line-height: 1.2; } h2 { margin: 36px 0 8px; font-size: 1.25rem; } .lead { font-size: 1.1rem; }
dl { display: flex; flex-wrap: wrap; gap: 12px 32px; margin: 16px 0; } dt { font-size: 0.9rem; }
dd { margin: 0; font-size: 1.4rem; font-weight: 600; }
.wide { overflow-x: auto; } table { border-collapse: collapse; } th, td { text-align: left; padding: 4px 14px 4px 0;
  border-bottom: 1px solid var(--st-border-color); } pre { white-space: pre-wrap; overflow-wrap: anywhere;
  padding: 12px; border-radius: 6px; border: 1px solid var(--st-border-color); }
"""
