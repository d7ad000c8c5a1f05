"""The alerts and the dashboard of examples/kubernetes against a real Prometheus that scrapes gputided run -f; with a cluster:
tests/cluster/install_test.py."""
from __future__ import annotations

import shutil
import time
import unittest

import harness
import manifests
from harness import Daemon
from run_test import FAST, WithServer
from prometheus_server import Scraper, panels


@unittest.skipUnless(shutil.which("prometheus"), "prometheus is not installed")
class Dashboard(WithServer):
    def test_each_panel_has_data_without_a_cluster(self) -> None:
        for name in ("a", "b"):
            so = manifests.scaled_object(self.server.url("good"), name=name, annotations=FAST, spec={"pollingInterval": 1})
            manifests.saved(f"board.d/{name}.yaml", so)
        scale = harness.write("board.json", '{"spec":2,"status":2,"ready":2}')
        with Daemon("-f", str(harness.WORK / "board.d"), "--exec", "true", "--observe", f"cat {scale}") as daemon:
            seen = Scraper(self, "gputided", [daemon.url()])
            for name, query in panels().items():
                with self.subTest(name):
                    deadline = time.monotonic() + 30
                    while not seen.ask(query) and time.monotonic() < deadline:
                        time.sleep(0.5)
                    self.assertTrue(seen.ask(query), query)
            self.assertEqual(seen.ask(panels()["Replicas A"])[0]["value"][1], "4")
