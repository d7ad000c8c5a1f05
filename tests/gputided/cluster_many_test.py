"""Many ScaledObjects: how soon one that comes is asked for, and what each costs.

Against the API server of the tests' own, so that what is measured is gputided's: a real one beside it on two processors takes
longer to tell of an object than gputided to ask for it.  GPUTIDE_MANY=5000 for the whole number, a few minutes; the figures are printed.
"""
from __future__ import annotations

import os
import time

import harness
from cluster_api import deployment
from cluster_test import APPS, KEDA, OnACluster
from harness import Daemon

COUNT = int(os.environ.get("GPUTIDE_MANY", "300"))
NEWCOMERS = 100
WITHIN_MS = 50  # the median: p99 is printed, as it depends on who else has the processors
STARTED_S = 120.0 + COUNT / 20
WATCHED_S = 10.0


class Many(OnACluster):
    def test_a_new_one_is_asked_for_at_once_beside_many(self) -> None:
        self.metric.value = 0
        asked = self.metric.first_asked
        self.api.page_size = 500
        for number in range(COUNT):
            self.put(f"so-{number:05}")
        daemon = self.start("a", "--log", "changes")
        daemon.wait_for(lambda: len(asked) == COUNT, STARTED_S)
        daemon.wait_for(lambda: len(set(self.api.statuses)) == COUNT, STARTED_S)
        before_bytes, count = harness.resident_bytes(daemon.process.pid), len(asked)
        waits_ms = sorted(self.newcomer(daemon, f"new-{number:03}") for number in range(NEWCOMERS))
        print(f"\n{COUNT} ScaledObjects, {NEWCOMERS} more: from the watch event to the first query {waits_ms[NEWCOMERS // 2]:.1f} ms "
              f"in the median, {waits_ms[NEWCOMERS * 99 // 100]:.1f} ms at p99")
        print(f"memory: {before_bytes / count / 1024:.1f} KiB each, the whole process; "
              f"processor while nothing changes: {self.idle(daemon):.1f} % of one")
        self.assertLess(waits_ms[NEWCOMERS // 2], WITHIN_MS)

    def put(self, name: str) -> None:
        self.api.put(APPS, "deployments", deployment(name, 0))
        if name.startswith("new"):
            time.sleep(0.05)  # it is there before its ScaledObject
        so = self.scaled_object(name, trigger={"query": query_of(name)})
        so["metadata"]["annotations"] = {}
        so["spec"].update(pollingInterval=30, minReplicaCount=0)
        self.api.put(KEDA, "scaledobjects", so)

    def newcomer(self, daemon: Daemon, name: str) -> float:
        """Milliseconds from its watch event to its first query."""
        self.put(name)
        daemon.wait_for(lambda: query_of(name) in self.metric.first_asked)
        return 1000 * (self.metric.first_asked[query_of(name)] - self.api.shown[f"scaledobjects/{name}"])

    @staticmethod
    def idle(daemon: Daemon) -> float:
        before_s, began = harness.cpu_s(daemon.process.pid), time.monotonic()
        time.sleep(WATCHED_S)
        return 100 * (harness.cpu_s(daemon.process.pid) - before_s) / (time.monotonic() - began)


def query_of(name: str) -> str:
    return f'load{{n="{name}"}}'
