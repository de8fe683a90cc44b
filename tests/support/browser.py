"""A headless Chromium that is asked over a pipe (Chrome DevTools Protocol): what a page requests, says and shows."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",  # WebGL in software
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0  # seconds


@dataclass
class Page:
    """What happened while a page was loaded: URLs asked for, and errors on the console or in the network."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Browser:
    """Messages are JSON, ended by a zero byte."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, back
        self._rest = b""
        self._number = 0
        self._session = ""
        self.page = Page()

    def open(self, url: str, width: int = 1400, height: int = 1000) -> Page:
        """Loads a page and waits until it is there and quiet for half a second."""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._ask(f"{domain}.enable")
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.page = Page()
        self._ask("Page.navigate", url=url)
        ready = "document.readyState == 'complete' ? done(1) : addEventListener('load', () => done(1))"
        self.value(f"new Promise(done => {ready})")
        self.value("new Promise(done => setTimeout(() => done(1), 500))")
        return self.page

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self._ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"]))

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            told = self._next()
            if told.get("id") == self._number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return told["result"]
            self._note(told)
        raise TimeoutError(method)

    def _next(self) -> Any:
        while b"\0" not in self._rest:
            part = os.read(self._back, 1 << 16)
            if not part:
                raise RuntimeError("the browser has gone")
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _note(self, told: Any) -> None:
        method, what = told.get("method"), told.get("params", {})
        if method == "Network.requestWillBeSent":
            self.page.requests.append(what["request"]["url"])
        elif method == "Network.loadingFailed":
            self.page.errors.append(what["errorText"])
        elif method == "Runtime.exceptionThrown":
            self.page.errors.append(what["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.page.errors.append(f"console: {what['type']}")
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.page.errors.append(what["entry"]["text"])


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A running browser with a profile of its own. RuntimeError if none is installed."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise RuntimeError(f"none of {', '.join(NAMES)} is installed; on Debian: apt-get install chromium")
    commands, to = os.pipe()
    back, answers = os.pipe()
    line = 'fd_in=$1 fd_out=$2; shift 2; exec "$@" 3<&"$fd_in" 4>&"$fd_out"'
    command = ["bash", "-c", line, "bash", str(commands), str(answers), found, *OPTIONS, f"--user-data-dir={profile}"]
    process = subprocess.Popen(command, pass_fds=(commands, answers), stderr=subprocess.DEVNULL)
    os.close(commands)
    os.close(answers)
    try:
        yield Browser(to, back)
    finally:
        os.close(to)
        process.terminate()
        process.wait(PATIENCE)
        os.close(back)
