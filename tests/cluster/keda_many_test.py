"""Tests what many ScaledObjects cost: under KEDA's operator, its adapter and the HPA controller, and then as many more under gputide.

All are active and their pods run; each is asked for every 30 s, and the HPAs each period besides.
"""
from __future__ import annotations

import time

import case
from api_client import Object
from case import HPA
from keda_test import RIVAL, THRESHOLD, KedaCase, World
from many import SETTLED_S, ManyCase

FEW, MANY = 40, 500


class Many(ManyCase, KedaCase):
    def setUp(self) -> None:
        self.count = FEW if case.IS_QUICK else MANY
        super().setUp()
        self.run_nodes(2 * self.count)
        self.gauges["load"] = THRESHOLD  # one replica is right

    def one_of_many(self, name: str, namespace: str, query: str) -> Object:
        return self.manifest(name, namespace, query)

    def test_what_they_cost(self) -> None:
        plane, keda = self.plane, World.keda
        assert keda and keda.operator and keda.adapter
        self.fill(RIVAL)
        began = time.monotonic()
        self.within(lambda: self.scaled_by_hpas() == self.count, SETTLED_S)  # KEDA's client sends 20 requests a second, unless told otherwise
        theirs_s = time.monotonic() - began
        theirs, = self.watch([keda.operator, keda.adapter, plane.manager])
        self.fill(self.namespace)
        began = time.monotonic()
        instance = self.start("a", "--log", "changes")
        instance.daemon.wait_for(lambda: self.active() == self.count, SETTLED_S)
        ours_s = time.monotonic() - began
        ours, = self.watch([instance.daemon])
        self.figure("ScaledObjects", f"{self.count} on each side, each asked for every 30 s, HPA period {self.tempo.sync_s} s")
        self.figure("until all are looked after, once all are there", f"{theirs_s:.0f} s for KEDA, {ours_s:.0f} s for gputide")
        self.figure("KEDA's operator, its adapter, kube-controller-manager", theirs)
        self.figure("gputided", ours)
        self.figure("requests a second at the API server", f"{theirs.requests_per_s:.0f} with KEDA's, {ours.requests_per_s - theirs.requests_per_s:.0f} more with gputide's")
        self.assertLess(ours.cpu_percent, theirs.cpu_percent)
        self.assertLess(ours.resident_mib, theirs.resident_mib)
        self.one_writer("so-0")

    def scaled_by_hpas(self) -> int:
        """Counts how many of KEDA's have an HPA that has read its metric."""
        time.sleep(2)  # a list of them is work for the server
        hpas = self.api.get(HPA, "horizontalpodautoscalers", RIVAL)["items"]
        return sum(1 for hpa in hpas if hpa.get("status", {}).get("currentMetrics"))
