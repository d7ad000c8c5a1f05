"""Many ScaledObjects: how soon one that comes is asked for, what each costs, and what an object costs that is only watched.

Against the API server of the tests' own, so that what is measured is gputided's: a real one beside it on two processors takes
longer to tell of an object than gputided to ask for it.  GPUTIDE_MANY=5000 for the whole number, a few minutes; the figures are printed.
From the last byte of the watch event, just before it is written, to the query's arrival in the kernel: the servers' own threads,
which run one at a time, are outside of that.
"""
from __future__ import annotations

import json
import os
import time
import uuid
from typing import Any, Callable

import harness
from cluster.case import APPS, KEDA, OnACluster
from cluster.objects import deployment
from harness import Daemon

COUNT = int(os.environ.get("GPUTIDE_MANY", "300"))
NEWCOMERS = 100
CROWD = 200
STATUSES_AT_ONCE = 16
WITHIN_MS = 50  # the median: p99 is printed, as it depends on other processes
STARTED_S = 120.0 + COUNT / 20
WATCHED_S = 10.0
WATCHED_BYTES = 6 * 1024  # an object that is watched and no scaler
SETTLED_S = 1.5           # until what came last is worked through


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
        self.newcomer(daemon, "new-first")  # behind the events of all those statuses
        before_bytes, count = harness.resident_bytes(daemon.process.pid), len(asked)
        began, queued_s = time.monotonic(), harness.queued_s(daemon.process.pid)
        waits_ms = sorted(self.newcomer(daemon, f"new-{number:03}") for number in range(NEWCOMERS))
        queued_s, took_s = harness.queued_s(daemon.process.pid) - queued_s, time.monotonic() - began
        print(f"\n{COUNT} ScaledObjects, {NEWCOMERS} more: from the watch event to the first query {waits_ms[NEWCOMERS // 2]:.1f} ms "
              f"in the median, {waits_ms[NEWCOMERS * 99 // 100]:.1f} ms at p99; "
              f"its threads waited {queued_s:.2f} s of {took_s:.0f} s for a processor")
        print(f"memory: {before_bytes / count / 1024:.1f} KiB each, the whole process; "
              f"processor while nothing changes: {self.idle(daemon):.1f} % of one")
        self.assertLess(waits_ms[NEWCOMERS // 2], WITHIN_MS * (10 if harness.is_sanitized() else 1))

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

    def test_statuses_do_not_delay_the_lease(self) -> None:
        """However many there are to write, few are under way at once, and each has its turn before any has a second one."""
        self.api.page_size = 500
        self.api.awaited_statuses = STATUSES_AT_ONCE
        for number in range(CROWD):
            self.put(f"so-{number:05}")
        daemon = self.start("a", "--log", "changes")
        daemon.wait_for(lambda: len(self.api.statuses) >= CROWD, STARTED_S)
        self.assertEqual(len(set(self.api.statuses[:CROWD])), CROWD)
        self.assertEqual(self.api.max_statuses_at_once, STATUSES_AT_ONCE)

    def test_what_an_object_costs_that_is_only_watched(self) -> None:
        """Deployments without a ScaledObject, and ScaledObjects under deletion: kept, and no scalers, as those of another shard."""
        if harness.is_sanitized():
            self.skipTest("a sanitizer keeps what was freed")
        self.scale("llm")  # so that Deployments are watched
        self.api.page_size = 500
        daemon = self.start("a", "--log", "changes")
        for plural, make in (("deployments", self.unscaled), ("scaledobjects", self.deleted)):
            before_bytes = self.filled(daemon, plural, make, "first")  # with what an early crowd leaves behind for the next one
            each_bytes = (self.filled(daemon, plural, make, "second") - before_bytes) / COUNT
            print(f"\n{plural} that are only watched: {each_bytes / 1024:.2f} KiB each, {COUNT} beside as many")
            self.assertLess(each_bytes, WATCHED_BYTES)
        self.assertEqual(len(self.told(daemon, "added")), 1)

    def filled(self, daemon: Daemon, plural: str, make: Callable[[str], dict[str, Any]], crowd: str) -> int:
        """The resident bytes once that many more are known."""
        group = KEDA if plural == "scaledobjects" else APPS
        with self.api.changed:  # one crowd, not one after the other
            before = len(self.api.collections[(group, plural)].objects)
            for number in range(COUNT):
                entry = make(f"a-name-as-long-as-many-{crowd}-{number:05}")
                self.api.put(group, plural, {**entry, "metadata": {**entry["metadata"], "uid": str(uuid.uuid4())}})
        daemon.wait_for(lambda: self.watched(daemon, plural, "objects") == before + COUNT, STARTED_S)
        time.sleep(SETTLED_S)
        return harness.resident_bytes(daemon.process.pid)

    @staticmethod
    def watched(daemon: Daemon, plural: str, member: str) -> int:
        watches = json.loads(daemon.get("/cluster.json")[2]).get("watches", [])
        return sum(watch[member] for watch in watches if watch["resource"] == plural)

    @staticmethod
    def unscaled(name: str) -> dict[str, Any]:
        return deployment(name, 1)

    def deleted(self, name: str) -> dict[str, Any]:
        return self.scaled_object(name, deletionTimestamp="2026-11-21T10:00:00Z", finalizers=["somebody.else/holds-it"])

    @staticmethod
    def idle(daemon: Daemon) -> float:
        before_s, began = harness.cpu_s(daemon.process.pid), time.monotonic()
        time.sleep(WATCHED_S)
        return 100 * (harness.cpu_s(daemon.process.pid) - before_s) / (time.monotonic() - began)


def query_of(name: str) -> str:
    return f'load{{n="{name}"}}'
