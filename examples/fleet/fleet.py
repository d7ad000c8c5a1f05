#!/usr/bin/env python3
"""A simulated GPU Deployment: offered load in, dcgm-exporter's /metrics page out, scaled over HTTP.

    examples/fleet/fleet.py --port 9400 --load hill --seconds 90
    curl -s  http://127.0.0.1:9400/metrics
    curl -s  http://127.0.0.1:9400/scale                                 {"spec": 1, "status": 1, "ready": 1}
    curl -sX PUT -d '{"replicas": 4}' http://127.0.0.1:9400/scale        pods start; ready after --start-delay
    curl -sX POST http://127.0.0.1:9400/load                             starts the load curve; GET shows where it is

Standard library only.  Listens on loopback unless told otherwise.  Ends cleanly on SIGTERM or SIGINT.
"""
from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

import dcgm_page
import load_curve
from deployment import MOST_REPLICAS, Deployment, Gpu, node_pool

MOST_BODY_BYTES = 4096


class BadRequest(Exception):
    """The caller's fault; the text says what was expected, what came and what to do."""


class Fleet:
    """The Deployment under its load curve.  A lock makes each call whole; time is the monotonic clock."""

    def __init__(self, pods: Deployment, curve: load_curve.LoadCurve, hide_starting: bool) -> None:
        self._lock = threading.Lock()
        self._pods, self._curve, self._hide_starting = pods, curve, hide_starting
        self._load_since_s: float | None = None  # None: the curve has not been started, its first value holds
        self._readings: dict[Gpu, dcgm_page.Reading] = {}
        self._collections, self._collected_s = 0, time.monotonic()

    def collect(self) -> None:
        with self._lock:
            now_s = time.monotonic()
            self._pods.advance(now_s)
            fresh = dcgm_page.collect(self._pods, self._load_at(now_s), self._collections)
            self._readings = dcgm_page.counted(fresh, self._readings, now_s - self._collected_s)
            self._collections, self._collected_s = self._collections + 1, now_s

    def page(self) -> str:
        with self._lock:
            return dcgm_page.page(self._pods, self._readings, self._hide_starting)

    def scale(self, replicas: int) -> dict[str, int]:
        with self._lock:
            self._pods.scale(replicas, time.monotonic())
            return self._pods.counts()

    def counts(self) -> dict[str, int]:
        with self._lock:
            self._pods.advance(time.monotonic())
            return self._pods.counts()

    def start_load(self) -> dict[str, float]:
        with self._lock:
            self._load_since_s = time.monotonic()
        return self.load()

    def load(self) -> dict[str, float]:
        with self._lock:
            now_s = time.monotonic()
            elapsed_s = -1.0 if self._load_since_s is None else now_s - self._load_since_s
            return {"elapsed_s": round(elapsed_s, 3), "curve_s": self._curve.end_s, "load": round(self._load_at(now_s), 2)}

    def _load_at(self, now_s: float) -> float:
        return self._curve.at(0.0 if self._load_since_s is None else now_s - self._load_since_s)


def wanted_replicas(body: bytes) -> int:
    """Reads {"replicas": N} and nothing else."""
    example = 'send {"replicas": 3}'
    try:
        given: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest(f"body: expected a JSON object, got {len(body)} bytes that are none; {example}") from None
    if not isinstance(given, dict) or set(given) != {"replicas"}:
        raise BadRequest(f"body: expected one member, replicas; {example}")
    replicas = given["replicas"]
    if type(replicas) is not int or not 0 <= replicas <= MOST_REPLICAS:
        raise BadRequest(f"replicas: expected an integer from 0 to {MOST_REPLICAS}, got {json.dumps(replicas)[:60]}; "
                         f"{example}")
    return replicas


class Handler(BaseHTTPRequestHandler):
    """Paths and methods; all work is the Fleet's."""

    protocol_version = "HTTP/1.1"
    server_version = "fleet"
    timeout = 10  # seconds a silent connection may live, as at the exporter
    fleet: Fleet
    verbose = False

    def _route(self) -> None:
        fleet = self.fleet
        routes: dict[str, dict[str, Callable[[bytes], Any]]] = {
            "/metrics": {"GET": lambda _: fleet.page()},
            "/health": {"GET": lambda _: "OK\n"},
            "/scale": {"GET": lambda _: fleet.counts(), "PUT": lambda body: fleet.scale(wanted_replicas(body)),
                       "POST": lambda body: fleet.scale(wanted_replicas(body))},
            "/load": {"GET": lambda _: fleet.load(), "POST": lambda _: fleet.start_load()},
        }
        try:
            body = self._body()
        except BadRequest as why:
            self.close_connection = True  # what is left of the body would be read as the next request
            return self._answer(400, f"{why}\n")
        methods = routes.get(self.path.partition("?")[0])
        if methods is None:
            return self._answer(404, f"no such path; there are {', '.join(routes)}\n")
        if self.command not in methods:
            text = f"expected {' or '.join(methods)}, got {self.command}\n"
            return self._answer(405, text, {"Allow": ", ".join(methods)})
        try:
            made = methods[self.command](body)
        except BadRequest as why:
            return self._answer(400, f"{why}\n")
        if isinstance(made, str):
            return self._answer(200, made)
        return self._answer(200, json.dumps(made) + "\n", json_body=True)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = do_HEAD = _route

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding"):
            raise BadRequest("Transfer-Encoding: expected none; send the body with a Content-Length")
        given = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,9}", given) or int(given) > MOST_BODY_BYTES:
            raise BadRequest(f"Content-Length: expected a number up to {MOST_BODY_BYTES}, got {given[:20]!r}")
        return self.rfile.read(int(given))

    def _answer(self, status: int, text: str, headers: dict[str, str] | None = None, json_body: bool = False) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if json_body else "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        if self.verbose:
            super().log_message(format, *args)


def positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1e9:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text}")
    return value


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A simulated GPU Deployment with dcgm-exporter's /metrics page.")
    parser.add_argument("--listen", default="127.0.0.1", help="address (default %(default)s)")
    parser.add_argument("--port", type=int, default=9400, help="0 takes a free one and prints it (default %(default)s)")
    parser.add_argument("--name", default="my-gpu-workload", help="of the Deployment (default %(default)s)")
    parser.add_argument("--namespace", default="default")
    parser.add_argument("--container", default="server")
    parser.add_argument("--replicas", type=int, default=1, help="at the start, ready at once (default %(default)s)")
    parser.add_argument("--gpus", type=int, default=24, help="in the pool; a pod beyond them is Pending (default %(default)s)")
    parser.add_argument("--start-delay", type=float, default=10, metavar="S",
                        help="until a new pod is ready (default %(default)s)")
    parser.add_argument("--starting-gpu", choices=("zero", "absent"), default="zero", help="what a starting pod's GPU shows")
    parser.add_argument("--collect-interval", type=positive, default=30, metavar="S",
                        help="numbers change this often; the exporter's own default is 30")
    parser.add_argument("--load", default="hill", help="`hill`, or a file of lines `SECONDS LOAD` (percent of one GPU)")
    parser.add_argument("--seconds", type=positive, default=90, help="length of the hill (default %(default)s)")
    parser.add_argument("--base", type=float, default=4, help="load before and after the hill (default %(default)s)")
    parser.add_argument("--peak", type=float, default=500, help="load at its top (default %(default)s)")
    parser.add_argument("--hold-load", action="store_true", help="wait at the curve's first value for POST /load")
    parser.add_argument("--verbose", action="store_true", help="log each request on stderr")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if not 0 <= given.replicas <= MOST_REPLICAS or not 0 <= given.gpus <= MOST_REPLICAS:
        print(f"fleet: --replicas and --gpus: expected 0 to {MOST_REPLICAS}", file=sys.stderr)
        return 2
    try:
        curve = (load_curve.hill(given.base, given.peak, given.seconds) if given.load == "hill"
                 else load_curve.from_file(Path(given.load)))
    except (OSError, ValueError) as why:
        print(f"fleet: --load: {why}", file=sys.stderr)
        return 2
    pods = Deployment(given.name, given.namespace, given.container, given.start_delay, node_pool(given.gpus))
    pods.scale(given.replicas, time.monotonic() - given.start_delay)
    fleet = Fleet(pods, curve, given.starting_gpu == "absent")
    if not given.hold_load:
        fleet.start_load()
    return serve(fleet, given)


def serve(fleet: Fleet, given: argparse.Namespace) -> int:
    stopping = threading.Event()

    def keep_collecting() -> None:
        while not stopping.wait(given.collect_interval):
            fleet.collect()

    Handler.fleet, Handler.verbose = fleet, given.verbose
    try:
        server = ThreadingHTTPServer((given.listen, given.port), Handler)
    except (OSError, OverflowError) as why:
        print(f"fleet: cannot listen on {given.listen}:{given.port}: {why}", file=sys.stderr)
        return 2
    server.daemon_threads = True
    fleet.collect()
    threading.Thread(target=keep_collecting, daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"fleet: listening on http://{given.listen}:{server.server_address[1]}", file=sys.stderr, flush=True)
    server.serve_forever(poll_interval=0.1)
    stopping.set()
    server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
