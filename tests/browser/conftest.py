"""A real server on a free port with a store of its own, and a real Chromium.

Most tests share one server, whose store is emptied after each of them; ``fresh_server`` is for tests of a server's
first moments, and for those that kill it.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from plm_engine.machine import MACHINE_FILE

PROJECT = Path(__file__).resolve().parents[2]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
START_S, LOG_FILE = 60, "server.log"
#: what should be seen is waited for so long: other tests run beside a page
PATIENCE_MS = 20_000


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(item.fspath).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


class Server:
    """``streamlit run app.py`` as a process of its own, with its own store; can be killed and started again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={self.port}"]
        log = (self.home / LOG_FILE).open("ab")
        self.process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env={**os.environ, "PLM_LAB_HOME": str(self.home)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        log.close()
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1) as answer:
                    if answer.read() == b"ok":
                        return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"The server did not answer within {START_S} s: {(self.home / 'server.log').read_text()}")

    def kill(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(20)
            self.process = None


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory, machine_file: Path) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("shared") / "home"
    home.mkdir()
    shutil.copy(machine_file, home)
    running = Server(home)
    running.start()
    yield running
    running.kill()


@pytest.fixture
def server(shared_server: Server) -> Iterator[Server]:
    """A running server with an empty store."""
    assert shared_server.process is not None
    assert shared_server.process.poll() is None, "an earlier test left the shared server dead"
    yield shared_server
    _end_runs(shared_server.home)
    for path in shared_server.home.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name not in (MACHINE_FILE, LOG_FILE):
            path.unlink(missing_ok=True)


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Server]:
    """A server started for this test alone, which knows nothing yet, not even its machine."""
    home = tmp_path / "home"
    home.mkdir()
    running = Server(home)
    running.start()
    yield running
    running.kill()
    _end_runs(home)


def _end_runs(home: Path) -> None:
    """A failed test must not leave a training behind that slows the next one down."""
    from plm_engine.store import Store

    store = Store(home)
    for run in store.runs():
        if run.status.active:
            store.request_cancel(run.id)
    deadline = time.monotonic() + 10
    while any(run.status.active for run in store.runs()) and time.monotonic() < deadline:
        time.sleep(0.1)


@pytest.fixture(scope="session")
def chromium():
    """Chromium, or a skip that says what is missing; ``PLM_LAB_REQUIRE_BROWSER=1`` turns the skip into a failure."""
    path = os.environ.get("PLM_LAB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        reason = "no Chromium found: install it (apt-get install chromium) or set PLM_LAB_CHROMIUM to its path"
        if os.environ.get("PLM_LAB_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    context.close()
