"""Helpers of the tests: a policy, a manifest, servers, a child process."""

from __future__ import annotations

import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
import unittest
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

PACKAGE = Path(__file__).resolve().parents[1]
NOW_MS = 1_795_255_200_000


def scaled_object(**spec: Any) -> str:
    """The policy of examples/c/numbers.c; spec replaces members of its spec."""
    trigger = {"type": "values", "metadata": {"threshold": "5", "activationThreshold": "2"}}
    whole = {"scaleTargetRef": {"name": "demo"}, "minReplicaCount": 1, "maxReplicaCount": 20, "triggers": [trigger], **spec}
    head = {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "demo"}}
    return json.dumps({**head, "spec": whole})


def prometheus_trigger(address: str, query: str = "load", threshold: str = "5") -> dict[str, Any]:
    return {"type": "prometheus", "metadata": {"serverAddress": address, "query": query, "threshold": threshold}}


Server = TypeVar("Server", bound="Loopback")


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


class Loopback:
    """An HTTP server on loopback: what answer() gives for a GET, its status and its JSON."""

    def __init__(self) -> None:
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, content = outer.answer(self)
                body = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def answer(self, asked: http.server.BaseHTTPRequestHandler) -> tuple[int, Any]:
        raise NotImplementedError

    def __enter__(self: Server) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Prometheus(Loopback):
    """/api/v1/query: each query has one value, which a test may change at any time."""

    def __init__(self, **values: float) -> None:
        super().__init__()
        self.values = values
        self.queries = 0

    def answer(self, asked: http.server.BaseHTTPRequestHandler) -> tuple[int, Any]:
        query = parse_qs(urlsplit(asked.path).query)["query"][0]
        self.queries += 1
        value = self.values.get(query)
        row = [] if value is None else [{"metric": {"job": query}, "value": [NOW_MS / 1000, str(value)]}]
        return 200, {"status": "success", "data": {"resultType": "vector", "result": row}}


class HeldPrometheus(Prometheus):
    """Answers no query until release is set; asked counts the queries that came."""

    def __init__(self, **values: float) -> None:
        super().__init__(**values)
        self.asked = threading.Semaphore(0)
        self.release = threading.Event()
        self._lock = threading.Lock()

    def answer(self, asked: http.server.BaseHTTPRequestHandler) -> tuple[int, Any]:
        with self._lock:
            reply = super().answer(asked)
        self.asked.release()
        self.release.wait()
        return reply


@contextmanager
def silent_peer() -> Iterator[str]:
    """The address of a server that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def run_python(code: str, *, timeout: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, with this package."""
    paths = [str(PACKAGE / "src"), str(PACKAGE)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment}
    command = [sys.executable, "-X", "dev", "-c", code]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout)


def resident_kib() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


class Case(unittest.TestCase):
    """A test that leaves no handle open, and in which a forgotten one is an error."""

    def setUp(self) -> None:
        import gputide

        warnings.simplefilter("error", ResourceWarning)
        self._before = gputide.alive()

    def tearDown(self) -> None:
        import gputide

        deadline_s = time.monotonic() + 5  # a thread that waited for an event may still be closing its handle
        while gputide.alive() != self._before and time.monotonic() < deadline_s:
            time.sleep(0.01)
        self.assertEqual(gputide.alive(), self._before, "handles left open")
