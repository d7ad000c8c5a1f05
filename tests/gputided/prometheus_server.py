"""A real Prometheus with a past of the test's making: promtool writes the samples into its storage, so that minutes of
history are there at once.

    with Prometheus(series) as server:  series: {'DCGM_FI_DEV_GPU_UTIL{gpu="0"}': [(seconds ago, value), ...]}
        server.url
"""
from __future__ import annotations

import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

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
