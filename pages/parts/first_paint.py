"""The page that a browser opens, with the rules of our looks in it: they hold before the page's contents come.

Streamlit sends style sheets as elements of a page, after it has laid it out: everything jumped when they came.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HERE = Path(__file__).parent
SHEETS = ("first_paint.css", "looks.css", "steady.css", "news.css", "live_chart.css")


class FirstPaint:
    """Answers with our page wherever Streamlit answers with its own (ASGI middleware)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and change the answer if it is the page."""
        ours = False

        async def answer(message: Message) -> None:
            nonlocal ours
            if message["type"] == "http.response.start" and is_page(scope["path"], message):
                ours = True
                await HTMLResponse(page(), headers={"Cache-Control": "no-cache"})(scope, receive, send)
            if not ours:
                await send(message)

        await self._app(scope, receive, answer)


def is_page(path: str, start: Message) -> bool:
    """Return whether an answer is Streamlit's page; its paths are no names of files, downloads are."""
    kind = dict(start["headers"]).get(b"content-type", b"")
    return start["status"] == 200 and kind.startswith(b"text/html") and "." not in path.rpartition("/")[2]


@cache
def page() -> str:
    """Return Streamlit's own page; our rules stand at its end, so that they count more than Streamlit's."""
    own = (files("streamlit") / "static" / "index.html").read_text(encoding="utf-8")
    head, end, rest = own.rpartition("</body>")
    rules = "\n".join((HERE / name).read_text(encoding="utf-8") for name in SHEETS)
    return f"{head}<style>\n{rules}\n</style>{end}{rest}"
