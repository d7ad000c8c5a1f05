"""A real Prometheus with a past of the test's making: promtool writes the samples into its storage, so that minutes of
history are there at once.

    with Prometheus(series) as server:  series: {'DCGM_FI_DEV_GPU_UTIL{gpu="0"}': [(seconds ago, value), ...]}
        server.url

A Scraper is one that scrapes gputided; panels() are the queries of the dashboard in examples/kubernetes/monitoring.
"""
from __future__ import annotations

import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import harness

Samples = list[tuple[float, str]]


def every(step_s: float, for_s: float, value: object = "0", ends_s: float = 0) -> Samples:
    """A sample each step; the last one is ends_s seconds old."""
    count = int(for_s / step_s) + 1
    return [(ends_s + step_s * number, str(value)) for number in reversed(range(count))]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


class Prometheus:
    def __init__(self, series: dict[str, Samples], down: str = "") -> None:
        """down: a job with a target that refuses connections."""
        self.scrapes = bool(down)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="prometheus.", dir=harness.WORK))
        self.write_past(series)
        scrape = f"- job_name: {down}\n  static_configs: [{{targets: ['127.0.0.1:{free_port()}']}}]\n" if down else ""
        config = self.folder / "prometheus.yml"
        config.write_text("global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:" +
                          ("\n" + scrape if down else " []\n"))
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.folder}/data", "--log.level=error",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def write_past(self, series: dict[str, Samples]) -> None:
        if not series:
            return
        now, lines = time.time(), []
        for name in sorted({key.partition("{")[0] for key in series}):
            lines.append(f"# TYPE {name} gauge")
            for key, samples in series.items():
                if key.partition("{")[0] == name:
                    lines += [f"{key} {value} {now - ago:.3f}" for ago, value in samples]
        past = self.folder / "past.om"
        past.write_text("\n".join([*lines, "# EOF"]) + "\n")
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", str(past), str(self.folder / "data")],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self) -> "Prometheus":
        self.wait_for("/-/ready", b"")
        if self.scrapes:
            self.wait_for("/api/v1/query?query=up", b'"__name__":"up"')
            time.sleep(1)  # queries are asked for the whole second that has passed
        return self

    def wait_for(self, path: str, content: bytes) -> None:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        deadline = time.monotonic() + harness.PATIENCE_S
        while time.monotonic() < deadline:
            try:
                with opener.open(self.url + path, timeout=5) as answer:
                    if content in answer.read():
                        return
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"Prometheus does not answer {path} with {content!r}")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=harness.PATIENCE_S)
        shutil.rmtree(self.folder, ignore_errors=True)


MONITORING = pathlib.Path(__file__).resolve().parents[2] / "examples/kubernetes/monitoring"


def panels() -> dict[str, str]:
    """The dashboard's queries, with every namespace and name chosen."""
    board = json.loads((MONITORING / "dashboard.json").read_text())
    names = [variable["name"] for variable in board["templating"]["list"]]
    assert {"namespace", "name"} <= set(names), names
    return {f"{panel['title']} {target['refId']}": re.sub(r"\$(namespace|name)\b", ".*", target["expr"])
            for panel in board["panels"] for target in panel["targets"]}


class Scraper:
    """A Prometheus that scrapes these as the ServiceMonitor has it, each second."""

    def __init__(self, case: unittest.TestCase, job: str, urls: list[str]) -> None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="scraper.", dir=harness.WORK))
        targets = [url.removeprefix("http://") for url in urls]
        config = folder / "prometheus.yml"
        config.write_text(json.dumps({"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": [
            {"job_name": job, "honor_labels": True, "static_configs": [{"targets": targets}]}]}))
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        process = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
                                    "--log.level=error", f"--web.listen-address=127.0.0.1:{port}"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        case.addCleanup(process.wait, harness.PATIENCE_S)
        case.addCleanup(process.terminate)

    def ask(self, query: str) -> list[Any]:
        """Returns the result; nothing while it starts."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.url}/api/v1/query?" + urllib.parse.urlencode({"query": query}), timeout=5) as answer:
                out: list[Any] = json.load(answer)["data"]["result"]
                return out
        except urllib.error.HTTPError as why:
            if why.code == 503:
                return []
            raise AssertionError(f"{query}: {why.read().decode()}") from why
        except OSError:
            return []
