"""The page that a browser opens has the rules of our looks; downloads and all else are left alone."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.parts import first_paint


def answer_of(path: str, kind: bytes, body: bytes, status: int = 200) -> tuple[dict[bytes, bytes], bytes]:
    """Return headers and body of what a browser gets where the app answers so."""

    async def app(scope, receive, send):
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"etag", b"old")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body[:3], "more_body": True})
        await send({"type": "http.response.body", "body": body[3:]})

    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    with ThreadPoolExecutor(1) as thread:  # in this one the browser tests' own loop runs
        thread.submit(asyncio.run, first_paint.FirstPaint(app)(scope, receive, send)).result()
    return dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("path", ["/", "/train", "/some/base/runs"])
def test_a_page_comes_with_every_rule_behind_streamlits_own(path):
    headers, body = answer_of(path, b"text/html; charset=utf-8", b"<body>Streamlit</body>")
    text = body.decode()
    assert text == first_paint.page()
    assert int(headers[b"content-length"]) == len(body)
    assert b"etag" not in headers  # a page that a browser kept would have the rules of its day
    assert '<div id="root">' in text
    for name in first_paint.SHEETS:
        rules = (first_paint.HERE / name).read_text(encoding="utf-8")
        assert text.index('<div id="root">') < text.index(rules) < text.index("</body>")


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [
        ("/media/report.html", b"text/html", 200),
        ("/_stcore/health", b"text/plain", 200),
        ("/static/js/index.js", b"text/javascript", 200),
        ("/train", b"text/html", 304),
    ],
)
def test_what_is_no_page_stays_as_it_is(path, kind, status):
    headers, body = answer_of(path, kind, b"<body>own</body>", status)
    assert body == b"<body>own</body>"
    assert headers[b"etag"] == b"old"


def test_no_rule_ends_the_sheet_early():
    assert first_paint.page().count("</style>") == 1
