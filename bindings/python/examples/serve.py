"""A deployment of worker processes that follows its own load, as Ray Serve's replicas do: requests wait in a queue, a real
Prometheus scrapes how many there are, and gputide says how many workers there should be.

python3 serve.py [--seconds 25]     needs prometheus (Debian: the package of this name)

Prints each change of size and the largest and the last one; exit status 1 where the load was not followed up and down.
"""

from __future__ import annotations

import argparse
import asyncio
import http.server
import multiprocessing
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import gputide

MANIFEST = """
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: embedder
  annotations: {{gputide.io/sync-period: 1s}}
spec:
  scaleTargetRef: {{name: embedder}}
  minReplicaCount: 1
  maxReplicaCount: 5
  pollingInterval: 1
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleDown: {{stabilizationWindowSeconds: 3, policies: [{{type: Pods, value: 2, periodSeconds: 1}}]}}
  triggers:
    - type: prometheus
      metadata: {{serverAddress: "{prometheus}", query: sum(serve_ongoing_requests), threshold: "4"}}
"""
CONFIGURATION = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs: [{{job_name: serve, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}]
"""
REQUEST_SECONDS = 0.1  # what one request costs a worker


def work(requests: Any, done: Any) -> None:
    """A worker process, until it is told to stop."""
    while requests.get() is not None:
        time.sleep(REQUEST_SECONDS)
        with done.get_lock():
            done.value += 1


class Deployment:
    """Worker processes on one queue."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._context, self._requests, self._done = context, context.Queue(), context.Value("q", 0)
        self._workers: list[Any] = []
        self._sent = 0

    @property
    def replicas(self) -> int:
        return len(self._workers)

    @property
    def ongoing(self) -> int:
        return self._sent - int(self._done.value)

    def send(self) -> None:
        self._sent += 1
        self._requests.put(self._sent)

    def resize(self, replicas: int) -> bool:
        while len(self._workers) < replicas:
            worker = self._context.Process(target=work, args=(self._requests, self._done), daemon=True)
            worker.start()
            self._workers.append(worker)
        while len(self._workers) > replicas:
            self._workers.pop()
            self._requests.put(None)  # whichever worker is free first takes it and ends
        return True


def metrics_page(deployment: Deployment) -> http.server.ThreadingHTTPServer:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = f"# TYPE serve_ongoing_requests gauge\nserve_ongoing_requests {deployment.ongoing}\n".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Prometheus:
    """A Prometheus of its own on loopback, in a folder that goes with it."""

    def __init__(self, metrics_port: int) -> None:
        program = shutil.which("prometheus")
        if program is None:
            raise SystemExit("serve.py needs prometheus: apt-get install prometheus")
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        (folder / "prometheus.yml").write_text(CONFIGURATION.format(port=metrics_port))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        arguments = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
        with open(folder / "log", "wb") as log:
            command = [program, *arguments, f"--web.listen-address=127.0.0.1:{port}"]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)

    def __enter__(self) -> Prometheus:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()


async def load(deployment: Deployment, seconds: float) -> None:
    """First more than one worker can do, then nothing."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for _ in range(3):
            deployment.send()
        await asyncio.sleep(0.1)


async def follow(runtime: gputide.Runtime, deployment: Deployment, sizes: list[int]) -> None:
    started = time.monotonic()
    async for event in runtime.events():
        if not event.wants_write:
            continue
        runtime.record(event, applied=deployment.resize(event.desired))
        sizes.append(event.desired)
        print(f"{time.monotonic() - started:5.1f} s  {event.current} -> {event.desired}, {deployment.ongoing} requests")


async def main(seconds: float) -> list[int]:
    deployment, sizes = Deployment(), [1]
    deployment.resize(1)
    page = metrics_page(deployment)
    with Prometheus(page.server_address[1]) as prometheus, gputide.Runtime() as runtime:
        scaler = runtime.add(MANIFEST.format(prometheus=prometheus.address))
        runtime.observe(scaler, current=deployment.replicas)
        following = asyncio.ensure_future(follow(runtime, deployment, sizes))
        await load(deployment, seconds * 0.4)
        deadline = time.monotonic() + seconds * 2
        while sizes[-1] != 1 and time.monotonic() < deadline:
            await asyncio.sleep(0.2)
        following.cancel()
    deployment.resize(0)
    page.shutdown()
    return sizes


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=25)
    sizes = asyncio.run(main(parser.parse_args().seconds))
    print(f"largest {max(sizes)}, at last {sizes[-1]}")
    sys.exit(0 if max(sizes) >= 3 and sizes[-1] == 1 else 1)
