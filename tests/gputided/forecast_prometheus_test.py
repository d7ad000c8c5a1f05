"""A forecast that starts with the past of a real Prometheus: gputided run, and a replay of the same past."""
from __future__ import annotations

import json
import math
import time
import unittest

import harness
import manifests
from harness import Daemon, gputided
from prometheus_server import Prometheus, Samples

DAYS = 3


def office(now_s: float) -> Samples:
    """20 at night and 100 by day, with ramps, a value a minute."""
    out: Samples = []
    for ago in range(DAYS * 86400, 0, -60):
        hour = (now_s - ago) / 3600 % 24
        up = min(max((hour - 8) / 1.5, 0), 1) - min(max((hour - 17) / 2, 0), 1)
        out.append((ago, f"{(20 + 80 * up) * (1 + 0.02 * math.sin(ago * ago)):.3f}"))
    return out


class History(unittest.TestCase):
    server: Prometheus

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Prometheus({'queue_length{model="llm"}': office(time.time())})
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def manifest(self, query: str, **annotations: str) -> str:
        so = manifests.scaled_object(self.server.url, query=query, spec={"maxReplicaCount": 60}, annotations={
            "gputide.io/forecast": "act", "gputide.io/forecast-history": f"{DAYS}d", "gputide.io/sync-period": "2s",
            **annotations})
        return manifests.saved("history.yaml", so)

    def forecast_of(self, query: str) -> dict[str, object]:
        with Daemon("-f", self.manifest(query), "--dry-run", "--current", "4") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            found = json.loads(daemon.get("/status.json")[2])["scalers"][0]["forecast"]
            self.metrics = daemon.get("/metrics")[2]
            daemon.end()
        return dict(found)

    def test_a_daemon_starts_warm(self) -> None:
        found = self.forecast_of('sum(queue_length{model="llm"})')
        history = found["history"]
        self.assertEqual(history["outcome"], "read", found)
        self.assertGreater(history["slots"], DAYS * 1440 - 15)
        self.assertEqual(history["slots"] + history["missing"], DAYS * 1440)
        self.assertNotEqual(found["state"], "warming", found)
        self.assertIn("gputided_forecast_error_last_value{", self.metrics)
        self.assertIn("; history: ", found["text"])
        self.assertGreaterEqual(len(found["ahead"]), 5, found)

    def test_a_past_that_is_refused_leaves_a_cold_start(self) -> None:
        found = self.forecast_of('sum(rate(queue_length{model="llm"}[5m])) and on() (time() > 0 < scalar(')
        self.assertEqual((found["history"]["outcome"], found["history"]["status"]), ("failed", "E_REJECTED"), found)
        self.assertEqual(found["state"], "warming")
        self.assertIn("; history: not read (E_REJECTED)", found["text"])

    def test_a_metric_without_a_past(self) -> None:
        self.assertEqual(self.forecast_of("sum(missing) or vector(7) < 0")["history"]["outcome"], "empty")

    def test_a_replay_reads_it_too(self) -> None:
        ran = gputided("replay", "-f", self.manifest('sum(queue_length{model="llm"})'), "--from", "-12h", "--step", "1m",
                       "--model", "closed", "--signal", "total", "--startup", "5m", "--output", "json")
        self.assertEqual(ran.status, 0, ran)
        self.assertAlmostEqual(ran.json["summary"]["duration_hours"], 12, delta=0.1)
        history = ran.json["forecast"]["history"]
        self.assertEqual(history["outcome"], "read", history)
        self.assertGreater(history["slots"], (DAYS - 0.5) * 1440 - 15)
        self.assertEqual(len(ran.json["compared"]), 3)
