"""Many ScaledObjects, each with a query and a Deployment of one pod that runs, and what it costs to look after them.

GPUTIDE_MANY=1000 for another number.
"""
from __future__ import annotations

import math
import os
import re
import time
from dataclasses import dataclass

import harness
from api_client import Object, path_of
from case import APPS, KEDA, Case, World
from control_plane import Part
from nodes import PODS_PER_NODE, Nodes

QUIET_S, WATCHED_S = 10.0, 60.0
SETTLED_S = 1800.0


@dataclass(frozen=True)
class Cost:
    """The use of some processes while they were watched."""

    cpu_percent: float  # of one processor
    resident_mib: float
    requests_per_s: float  # at the API server, of all clients

    def __str__(self) -> str:
        return f"{self.cpu_percent:.1f} % of one processor, {self.resident_mib:.0f} MiB"


class ManyCase(Case):
    nodes: Nodes
    count = 0

    def setUp(self) -> None:
        super().setUp()
        self.count = int(os.environ.get("GPUTIDE_MANY", self.count))

    def run_nodes(self, pods: int) -> None:
        """As many as these take; a GPU of theirs is shared among pods, as by the device plugin's time slices."""
        self.nodes = self.enterContext(Nodes(World.plane))
        self.nodes.add("many", math.ceil(pods / PODS_PER_NODE), gpus=PODS_PER_NODE)

    def one_of_many(self, name: str, namespace: str, query: str) -> Object:
        raise NotImplementedError

    def fill(self, namespace: str) -> None:
        """All there, and their pods ready."""
        self.addCleanup(self.clear, namespace)
        for number in range(self.count):
            name = f"so-{number}"
            self.deployment(name, 1, namespace, gpus=1)
            so = self.one_of_many(name, namespace, f'sum(load{{app="{self.gauges.label("load")}"}}) + 0 * {number}')
            so["spec"].update(pollingInterval=30, cooldownPeriod=300)
            self.api.create("scaledobjects", so)
        self.within(lambda: self.ready(namespace) == [1] * self.count, SETTLED_S)

    def clear(self, namespace: str) -> None:
        for api_version, plural in ((KEDA, "scaledobjects"), (APPS, "deployments")):
            self.api.ask("DELETE", path_of(api_version, plural, namespace), {"propagationPolicy": "Background"})

    def ready(self, namespace: str) -> list[int]:
        """Pods of each that are ready."""
        time.sleep(2)  # a list of them is work for the server
        self.nodes.check()
        return [item["status"].get("readyReplicas", 0) for item in self.api.get(APPS, "deployments", namespace)["items"]]

    def active(self) -> int:
        """Counts how many of gputide's have had their metric."""
        time.sleep(2)
        objects = self.api.get(KEDA, "scaledobjects", self.namespace)["items"]
        return sum(1 for entry in objects if entry.get("status", {}).get("lastActiveTime"))

    def watch(self, *sides: list[harness.Background | Part]) -> list[Cost]:
        """Measures what each side used while nothing changed."""
        time.sleep(QUIET_S)
        pids = [[entry.process.pid for entry in side if entry.process] for side in sides]
        before, requests, began = [sum(map(harness.cpu_s, side)) for side in pids], self.requests(), time.monotonic()
        time.sleep(WATCHED_S)
        took_s = time.monotonic() - began
        after, per_s = [sum(map(harness.cpu_s, side)) for side in pids], (self.requests() - requests) / took_s
        return [Cost(100 * (end_s - start_s) / took_s, sum(map(harness.resident_bytes, side)) / 2**20, per_s)
                for start_s, end_s, side in zip(before, after, pids)]

    def requests(self) -> float:
        page = self.plane.kubectl("get", "--raw", "/metrics")
        return sum(float(value) for value in re.findall(r"^apiserver_request_total\{[^}]*\} (\S+)$", page, re.MULTILINE))
