"""The chart element of the pages: a Plotly chart that is updated in place (see ``live_chart.js`` for why).

Plotly's own script is served from the installed ``plotly`` package, so there is no content delivery network and no
copy of it in the project.  A browser fetches it once (4.6 MiB, 1.4 MiB on the wire) and keeps it.
"""

from __future__ import annotations

import base64
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from streamlit.components.v1 import declare_component

from pages.parts.language import chosen, say
from pages.parts.messages.plotly import LOCALES

Figure = dict[str, Any]
_HERE = Path(__file__).parent
_SCRIPT_FOLDER = "plotly_script"
SCRIPTS = ("chart_ground.js", "chart_save.js", "live_chart.js")


@cache
def _element() -> Any:
    """Register the element once; Streamlit itself repeats that for another runtime."""
    return st.components.v2.component(
        "plm_live_chart",
        html="<div class='plm-chart'></div><div class='plm-save'></div>",
        css=(_HERE / "live_chart.css").read_text(encoding="utf-8"),
        js="\n".join((_HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
        isolate_styles=False,
    )


def library() -> str:
    """Have Plotly's folder served and return the script's address, relative to the app.

    Declaring a component of the first kind is what makes Streamlit serve a folder that is not named ``static`` and
    does not lie beside the script; the component itself is never shown.  Declaring it again is free.
    """
    declared = declare_component(_SCRIPT_FOLDER, path=str(files("plotly") / "package_data"))
    return f"component/{declared.name}/plotly.min.js"


def packed(values: Any) -> dict[str, str]:
    """Return numbers the way Plotly reads typed arrays: 4 bytes each, a third of their size as text.

    Values beyond the reach of 4 bytes (3.4e38) get 8.
    """
    wide = np.asarray(values, dtype=float)
    kind = "f4" if not len(wide) or np.nanmax(np.abs(wide), initial=0.0) < 1e38 else "f8"
    return {"dtype": kind, "bdata": base64.b64encode(wide.astype(f"<{kind}").tobytes()).decode("ascii")}


def saving_words() -> dict[str, Any]:
    """Return what a chart and the buttons under it say, in the language of the session, and Plotly's locale for it."""
    names = ("csv", "png", "svg", "log", "log_help", "loading", "not_drawn", "series", "value", "minus", "plus")
    return {**{name: say(f"chart.{name}") for name in names}, "locale": LOCALES[chosen()]}


def show_chart(figure: Figure, *, key: str, alt: str, height: int = 300) -> None:
    """Show a figure and keep the reader's zoom and legend choices while its data change.

    Under it stand its data as CSV and itself as PNG and SVG, made in the browser (see ``chart_save.js``).

    Parameters
    ----------
    figure : dict
        ``{"data": traces, "layout": layout}`` of plain values; ``layout["uirevision"]`` says for how long the
        reader's choices hold (here: for one run).  An entry ``"log": {"axis": "yaxis", "on": True}`` lets the reader
        choose whether that axis is logarithmic, and says how it begins.
    key : str
        Name of the chart on its page.
    alt : str
        What the chart shows, in words, for people who do not see it.
    height : int
        Height in pixels.
    """
    layout = {**figure["layout"], "height": height, "autosize": True}
    spec = json.dumps({"data": figure["data"], "layout": layout}, separators=(",", ":"))
    data = {"spec": spec, "alt": alt, "height": height, "library": library(), "log": figure.get("log")}
    _element()(key=key, data={**data, "name": key.replace(":", "_"), "words": saving_words()})
