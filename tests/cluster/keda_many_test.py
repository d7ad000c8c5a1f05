"""What many ScaledObjects cost: under KEDA's operator, its adapter and the HPA controller, and then as many more under gputide.

All are active, each with a query and a Deployment of its own; each is asked for every 30 s, and the HPAs each period besides.
GPUTIDE_MANY=1000 for another number.  Pods are not run: sizes and metrics are what is looked at.
"""
from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass

import case
import harness
from case import APPS, HPA, KEDA
from control_plane import Part
from keda_test import RIVAL, THRESHOLD, KedaCase, World

FEW, MANY = 40, 500
QUIET_S, WATCHED_S = 10.0, 60.0
SETTLED_S = 900.0  # KEDA's client sends 20 requests a second, unless told otherwise


@dataclass(frozen=True)
class Cost:
    """Of one side, or of the server, while it was watched."""

    cpu_percent: float  # of one processor
    resident_mib: float
    requests_per_s: float  # at the API server, everybody's


class Many(KedaCase):
    def setUp(self) -> None:
        super().setUp()
        self.count = int(os.environ.get("GPUTIDE_MANY", FEW if case.IS_QUICK else MANY))
        self.gauges["load"] = THRESHOLD  # one replica is right

    def test_what_they_cost(self) -> None:
        plane, keda = self.plane, World.keda
        assert keda and keda.operator and keda.adapter
        self.fill(RIVAL)
        began = time.monotonic()
        self.addCleanup(self.clear, RIVAL)
        self.within(lambda: self.scaled_by_hpas() == self.count, SETTLED_S)
        theirs_s = time.monotonic() - began
        theirs = self.watch(keda.operator, keda.adapter, plane.manager)
        self.fill(self.namespace)
        began = time.monotonic()
        one = self.start("a", "--log", "changes")
        one.daemon.wait_for(lambda: self.active() == self.count, SETTLED_S)
        ours_s = time.monotonic() - began
        ours = self.watch(one.daemon)
        self.figure("ScaledObjects", f"{self.count} on each side, each asked for every 30 s, HPA period {self.tempo.sync_s} s")
        self.figure("until all are looked after, once all are there", f"{theirs_s:.0f} s for KEDA, {ours_s:.0f} s for gputide")
        self.figure("KEDA's operator, its adapter, kube-controller-manager", text_of(theirs))
        self.figure("gputided", text_of(ours))
        self.figure("requests a second at the API server", f"{theirs.requests_per_s:.0f} with KEDA's, {ours.requests_per_s - theirs.requests_per_s:.0f} more with gputide's")
        self.assertLess(ours.cpu_percent, theirs.cpu_percent)
        self.assertLess(ours.resident_mib, theirs.resident_mib)
        self.one_writer("so-0")

    def fill(self, namespace: str) -> None:
        for number in range(self.count):
            name = f"so-{number}"
            self.deployment(name, 1, namespace)
            so = self.manifest(name, namespace, f'sum(load{{app="{self.gauges.label("load")}"}}) + 0 * {number}')
            so["spec"].update(pollingInterval=30, cooldownPeriod=300)
            self.api.create("scaledobjects", so)

    def clear(self, namespace: str) -> None:
        for number in range(self.count):
            self.api.delete(KEDA, "scaledobjects", namespace, f"so-{number}")
            self.api.delete(APPS, "deployments", namespace, f"so-{number}")

    def scaled_by_hpas(self) -> int:
        """How many of KEDA's have an HPA that has read its metric."""
        time.sleep(2)  # a list of them is work for the server
        hpas = self.api.get(HPA, "horizontalpodautoscalers", RIVAL)["items"]
        return sum(1 for one in hpas if one.get("status", {}).get("currentMetrics"))

    def active(self) -> int:
        time.sleep(2)
        objects = self.api.get(KEDA, "scaledobjects", self.namespace)["items"]
        return sum(1 for one in objects if one.get("status", {}).get("lastActiveTime"))

    def watch(self, *processes: harness.Background | Part) -> Cost:
        """What they used while nothing changed."""
        time.sleep(QUIET_S)
        pids = [one.process.pid for one in processes if one.process]
        before_s, requests, began = sum(map(harness.cpu_s, pids)), self.requests(), time.monotonic()
        time.sleep(WATCHED_S)
        took_s = time.monotonic() - began
        return Cost(100 * (sum(map(harness.cpu_s, pids)) - before_s) / took_s,
                    sum(map(harness.resident_bytes, pids)) / 2**20, (self.requests() - requests) / took_s)

    def requests(self) -> float:
        page = self.plane.kubectl("get", "--raw", "/metrics")
        return sum(float(value) for value in re.findall(r"^apiserver_request_total\{[^}]*\} (\S+)$", page, re.MULTILINE))


def text_of(cost: Cost) -> str:
    return f"{cost.cpu_percent:.1f} % of one processor, {cost.resident_mib:.0f} MiB"
