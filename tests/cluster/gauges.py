"""Metrics under a test's hand: gauges that it sets, and a real Prometheus that scrapes them each second.

    with Gauges() as gauges:
        gauges["llm"] = 22          a query for load{app="llm"} at gauges.prometheus tells it about a second later
"""
from __future__ import annotations

import http.server
import shutil
import subprocess
import threading
import time
import urllib.request

import harness
from prometheus_server import free_port


class Some:
    """Those of one test: what another one set is not seen."""

    def __init__(self, of: "Gauges", prefix: str) -> None:
        self.of, self.prefix = of, prefix

    def __setitem__(self, app: str, value: float) -> None:
        self.of[self.label(app)] = value

    def label(self, app: str) -> str:
        return f"{self.prefix}-{app}"


class Gauges:
    def __init__(self) -> None:
        self.values: dict[str, float] = {}
        outer = self

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802
                body = outer.page().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.folder = harness.WORK / "gauges"
        self.folder.mkdir()
        config = self.folder / "prometheus.yml"
        config.write_text("global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n- job_name: gauges\n"
                          f"  static_configs: [{{targets: ['127.0.0.1:{self.server.server_address[1]}']}}]\n")
        port = free_port()
        self.prometheus = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.folder}/data", "--log.level=error",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __setitem__(self, app: str, value: float) -> None:
        self.values[app] = value

    def page(self) -> str:
        return "# TYPE load gauge\n" + "".join(f'load{{app="{app}"}} {value}\n' for app, value in dict(self.values).items())

    def __enter__(self) -> "Gauges":
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        deadline = time.monotonic() + harness.PATIENCE_S
        while time.monotonic() < deadline:
            try:
                with opener.open(self.prometheus + "/-/ready", timeout=5):
                    return self
            except OSError:
                time.sleep(0.1)
        raise AssertionError("Prometheus does not become ready")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=harness.PATIENCE_S)
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)
