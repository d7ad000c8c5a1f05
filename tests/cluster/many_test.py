"""Many ScaledObjects with pods on GPU nodes, under gputide alone: at rest, and all of them changed at once."""
from __future__ import annotations

import collections
import os
import time

import audit
import case
import harness
from api_client import Object
from case import Instance
from many import SETTLED_S, ManyCase

MANY = 1000
THRESHOLD = 5  # Case.scaled_object's
USUAL_LEASE_S = 15  # where no request waits for a change of leader


class Many(ManyCase):
    count = MANY

    def setUp(self) -> None:
        if case.IS_QUICK and "GPUTIDE_MANY" not in os.environ:
            self.skipTest("takes minutes: GPUTIDE_MANY=100 asks for it")
        super().setUp()
        self.run_nodes(2 * self.count)

    def one_of_many(self, name: str, namespace: str, query: str) -> Object:
        return self.scaled_object(name, trigger={"query": query}, annotations={"gputide.io/sync-period": "15s"})

    def test_what_they_cost_and_how_soon_they_follow(self) -> None:
        self.gauges["load"] = THRESHOLD
        began = time.monotonic()
        self.fill(self.namespace)
        self.figure("ScaledObjects, Deployments and pods that are ready", f"{self.count} after {time.monotonic() - began:.0f} s, on {self.nodes.made} nodes")
        began = time.monotonic()
        instance = self.start("a", "--log", "changes", lease_s=USUAL_LEASE_S)
        instance.daemon.wait_for(lambda: self.active() == self.count, SETTLED_S)
        self.figure("until gputided has decided on all", f"{time.monotonic() - began:.0f} s")
        gputided, server = self.watch([instance.daemon], [self.plane.api, self.plane.etcd])
        self.figure("gputided at rest, each asked for every 30 s", gputided)
        self.figure("kube-apiserver and etcd then", f"{server}, {server.requests_per_s:.0f} requests a second of all")
        self.all_go_to(2, instance)
        self.all_go_to(1, instance)
        writes = audit.size_writes([request for request in self.seen() if request.by == instance.credential])
        sizes = collections.defaultdict(list)
        for write in writes:
            sizes[write.target].append(write.sent["spec"]["replicas"])
        self.assertEqual(collections.Counter(map(tuple, sizes.values())), {(2, 1): self.count}, "each size was written once")
        self.one_writer("so-0", f"so-{self.count - 1}")

    def written(self, instance: Instance) -> int:
        time.sleep(1)  # reading all that it said is work, too
        return sum(write["result"] == "applied" for write in instance.told("write"))

    def all_go_to(self, size: int, instance: Instance) -> None:
        wanted = self.written(instance) + self.count
        cpu_s, requests, began = harness.cpu_s(instance.daemon.process.pid), self.requests(), time.monotonic()
        self.gauges["load"] = size * THRESHOLD
        self.within(lambda: self.written(instance) >= wanted, SETTLED_S)
        written_s = time.monotonic() - began
        self.within(lambda: self.ready(self.namespace) == [size] * self.count, SETTLED_S)
        ready_s = time.monotonic() - began
        self.figure(f"all to {size}", f"written after {written_s:.0f} s, ready after {ready_s:.0f} s; "
                    f"{harness.cpu_s(instance.daemon.process.pid) - cpu_s:.1f} s of a processor, "
                    f"{harness.resident_bytes(instance.daemon.process.pid) / 2**20:.0f} MiB, "
                    f"{(self.requests() - requests) / ready_s:.0f} requests a second of all")
