"""A live run against a real Prometheus, and the same decisions taken again from what Prometheus recorded."""
from __future__ import annotations

import datetime
import os
import unittest

import harness
import manifests
from harness import Daemon, gputided

STACK = {name: os.environ.get(name, "") for name in (
    "AZURE_TENANT_ID", "AZURE_AUTHORITY_HOST", "AZURE_FEDERATED_TOKEN_FILE", "USER_ASSIGNED_CLIENT_ID",
    "PROMETHEUS_QUERY_ENDPOINT", "SSL_CERT_FILE")}
TICKS = 8
QUERY = 'avg(DCGM_FI_DEV_GPU_UTIL{deployment="my-gpu-workload"})'


def seconds(time: str) -> float:
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


class LiveAndReplayed(unittest.TestCase):
    manifest = ""
    log = ""
    decisions: list[dict] = []

    @classmethod
    def setUpClass(cls) -> None:
        so = manifests.scaled_object(STACK["PROMETHEUS_QUERY_ENDPOINT"], auth="azure", query=QUERY,
                                     annotations={"gputide.io/sync-period": "2s"}, spec={"pollingInterval": 2})
        identity = manifests.workload_identity()
        identity["spec"]["podIdentity"]["identityId"] = "${USER_ASSIGNED_CLIENT_ID}"
        cls.manifest = manifests.saved("live.yaml", so, identity)
        with Daemon("-f", cls.manifest, "--exec", "true", "--current", "1", env=STACK) as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= TICKS)
            daemon.end()
            cls.decisions = daemon.decisions
        cls.log = harness.write("live.log", daemon.out)

    def test_from_the_log_alone(self) -> None:
        ran = gputided("replay", "-f", self.manifest, "--verify", self.log, "--output", "json", env=STACK)
        found = ran.json["verification"]
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual((found["same"], found["first_difference"]), (found["decisions"], ""))
        self.assertGreaterEqual(found["decisions"], TICKS)

    def test_from_what_prometheus_recorded(self) -> None:
        first, last = (seconds(self.decisions[i]["time"]) for i in (0, -1))
        cache = harness.WORK / "live.csv"
        arguments = ("replay", "-f", self.manifest, "--from", str(int(first - 1) * 1000), "--to", str(int(last + 1) * 1000),
                     "--step", "1s", "--cache", str(cache), "--verify", self.log, "--output", "json")
        ran = gputided(*arguments, env=STACK)
        self.assertEqual(ran.status, 0, ran)
        found = ran.json["verification"]
        self.assertEqual((found["same"], found["first_difference"]), (found["decisions"], ""))
        self.assertIn("1 of 1 parts", ran.err)
        changes = [decision for decision in self.decisions if decision["desired_replicas"] != decision["current_replicas"]]
        self.assertGreaterEqual(len(changes), 3)  # 1 -> 4 -> 8 -> 10: there was something to decide
        again = gputided(*arguments, env=STACK)
        self.assertIn("continuing from there", again.err)
        self.assertEqual(again.out, ran.out)
        as_series = gputided("replay", "-f", self.manifest, "--series", str(cache), "--initial", "1", "--output", "json", env=STACK)
        self.assertEqual(as_series.status, 0, as_series)
        sizes = list(dict.fromkeys(change["desired_replicas"] for change in changes))  # a write that the end cut off comes twice
        self.assertEqual(list(dict.fromkeys(event["desired_replicas"] for event in as_series.json["events"])), sizes)

    def test_a_query_that_is_refused(self) -> None:
        broken = manifests.scaled_object(STACK["PROMETHEUS_QUERY_ENDPOINT"], auth="azure", query="avg(")
        identity = manifests.workload_identity()
        identity["spec"]["podIdentity"]["identityId"] = "${USER_ASSIGNED_CLIENT_ID}"
        ran = gputided("replay", "-f", manifests.saved("broken.yaml", broken, identity), "--from", "-1m", env=STACK)
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_REJECTED", ran.err)
