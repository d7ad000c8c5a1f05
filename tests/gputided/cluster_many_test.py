"""Many ScaledObjects: how soon one that comes is asked for, and what each costs.

Against the API server of the tests' own, so that what is measured is gputided's: a real one beside it on two processors takes
longer to tell of an object than gputided to ask for it.  GPUTIDE_MANY=5000 for the whole number, a few minutes; the figures are printed.
"""
from __future__ import annotations

import http.server
import json
import os
import pathlib
import threading
import time
import urllib.parse

from cluster_api import deployment
from cluster_test import APPS, KEDA, OnACluster
from harness import Daemon

COUNT = int(os.environ.get("GPUTIDE_MANY", "300"))
NEWCOMERS = 100
WITHIN_MS = 50  # the median: p99 is printed, as it depends on who else has the processors
STARTED_S = 120.0 + COUNT / 20
WATCHED_S = 10.0
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class FirstAsked:
    """A Prometheus that answers 0 to every query and notes when each came first, monotonic."""

    def __init__(self) -> None:
        self.at: dict[str, float] = {}
        outer = self
        body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": [
            {"metric": {}, "value": [0, "0"]}]}}).encode()

        class Page(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:  # noqa: N802
                now = time.monotonic()
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)["query"][0]
                outer.at.setdefault(query, now)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]  # gputided ends in the middle of answers
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self) -> "FirstAsked":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Many(OnACluster):
    def test_a_new_one_is_asked_for_at_once_beside_many(self) -> None:
        asked = self.enterContext(FirstAsked())
        self.api.page_size = 500
        for number in range(COUNT):
            self.put(asked, f"so-{number:05}")
        daemon = self.start("a", "--log", "changes")
        daemon.wait_for(lambda: len(asked.at) == COUNT, STARTED_S)
        daemon.wait_for(lambda: len(set(self.api.statuses)) == COUNT, STARTED_S)
        before_bytes, count = resident_bytes(daemon), len(asked.at)
        waits_ms = sorted(self.newcomer(asked, daemon, f"new-{number:03}") for number in range(NEWCOMERS))
        print(f"\n{COUNT} ScaledObjects, {NEWCOMERS} more: from the watch event to the first query {waits_ms[NEWCOMERS // 2]:.1f} ms "
              f"in the median, {waits_ms[NEWCOMERS * 99 // 100]:.1f} ms at p99")
        print(f"memory: {before_bytes / count / 1024:.1f} KiB each, the whole process; "
              f"processor while nothing changes: {self.idle(daemon):.1f} % of one")
        self.assertLess(waits_ms[NEWCOMERS // 2], WITHIN_MS)

    def put(self, asked: FirstAsked, name: str) -> None:
        self.api.put(APPS, "deployments", deployment(name, 0))
        if name.startswith("new"):
            time.sleep(0.05)  # it is there before its ScaledObject
        so = self.scaled_object(name, trigger={"serverAddress": asked.url, "query": query_of(name)})
        so["metadata"]["annotations"] = {}
        so["spec"].update(pollingInterval=30, minReplicaCount=0)
        self.api.put(KEDA, "scaledobjects", so)

    def newcomer(self, asked: FirstAsked, daemon: Daemon, name: str) -> float:
        """Milliseconds from its watch event to its first query."""
        self.put(asked, name)
        daemon.wait_for(lambda: query_of(name) in asked.at)
        return 1000 * (asked.at[query_of(name)] - self.api.shown[f"scaledobjects/{name}"])

    @staticmethod
    def idle(daemon: Daemon) -> float:
        before_s, began = cpu_s(daemon), time.monotonic()
        time.sleep(WATCHED_S)
        return 100 * (cpu_s(daemon) - before_s) / (time.monotonic() - began)


def query_of(name: str) -> str:
    return f'load{{n="{name}"}}'


def resident_bytes(daemon: Daemon) -> int:
    return int(pathlib.Path(f"/proc/{daemon.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_s(daemon: Daemon) -> float:
    fields = pathlib.Path(f"/proc/{daemon.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S
