"""A Prometheus that scrapes gputided, and the queries of the dashboard in examples/kubernetes/monitoring."""
from __future__ import annotations

import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import harness
from prometheus_server import free_port

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
