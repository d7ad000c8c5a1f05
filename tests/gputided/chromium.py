"""A headless Chromium that a test drives: opens a page, asks its script, measures and photographs it (DevTools protocol)."""
from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request
from typing import Any

import harness

PROGRAM = shutil.which("chromium") or ""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]


class Socket:
    """As much of RFC 6455 as one conversation needs: text frames, the client's masked with zeros."""

    def __init__(self, url: str) -> None:
        address, path = url.removeprefix("ws://").split("/", 1)
        host, port = address.split(":")
        self.peer = socket.create_connection((host, int(port)), timeout=harness.PATIENCE_S)
        self.stream = self.peer.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.peer.sendall((f"GET /{path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        while self.stream.readline() not in (b"\r\n", b""):
            pass

    def send(self, text: str) -> None:
        data = text.encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data)) if len(data) < 65536 \
            else b"\xff" + struct.pack(">Q", len(data))
        self.peer.sendall(b"\x81" + size + bytes(4) + data)

    def receive(self) -> str:
        out = b""
        while True:
            first, second = self.stream.read(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self.stream.read(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.stream.read(8))[0]
            data = self.stream.read(size)
            if first & 0x0F in (0, 1):
                out += data
                if first & 0x80:
                    return out.decode()

    def close(self) -> None:
        self.stream.close()
        self.peer.close()


class Browser:
    """With one page.  Ends with the with-block."""

    def __init__(self, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="gputided-chromium.", ignore_cleanup_errors=True)
        self.process = subprocess.Popen([PROGRAM, *FLAGS, f"--user-data-dir={self.profile.name}", "--remote-debugging-port=0", "about:blank"],
                                        env=harness.surroundings(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self.wait_for(self.port)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        pages = self.wait_for(lambda: [entry for entry in json.load(opener.open(f"http://127.0.0.1:{port}/json")) if entry["type"] == "page"])
        self.socket = Socket(pages[0]["webSocketDebuggerUrl"])
        self.count = 0
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Performance.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()

    def port(self) -> str:
        file = pathlib.Path(self.profile.name, "DevToolsActivePort")
        return file.read_text().splitlines()[0] if file.exists() and file.read_text() else ""

    @staticmethod
    def wait_for(what: Any) -> Any:
        deadline = time.monotonic() + harness.PATIENCE_S
        while time.monotonic() < deadline:
            try:
                value = what()
            except OSError:
                value = None
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError("waited in vain for Chromium")

    def call(self, method: str, **parameters: Any) -> Any:
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait_for(lambda: self.ask("document.readyState === 'complete' && location.href !== 'about:blank'"))

    def ask(self, script: str) -> Any:
        """The value of an expression; a promise's when it has one."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_until(self, script: str) -> Any:
        return self.wait_for(lambda: self.ask(script))

    @property
    def script_seconds(self) -> float:
        """Returns the script time since the page was opened."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == "ScriptDuration"))

    def photograph(self, file: str) -> None:
        pathlib.Path(file).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=False)["data"]))
