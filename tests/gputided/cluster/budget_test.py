"""Tests how many requests a tenant may cause, and that other tenants keep theirs."""
from __future__ import annotations

import threading
import time
from typing import Any

import harness
from cluster.case import APPS, KEDA, OnACluster
from cluster.objects import deployment

MANY = 10_000
AT_ONCE = 8  # reads of Secrets


class BudgetTest(OnACluster):
    def setUp(self) -> None:
        super().setUp()
        self.reading = self.max_reading = self.read = 0
        self.counts = threading.Lock()
        entry = self.api.stored

        def counted(kind: tuple[str, str], key: tuple[str, str], query: dict[str, str]) -> Any:
            if kind[1] != "secrets":
                return entry(kind, key, query)
            with self.counts:
                self.read += 1
                self.reading += 1
                self.max_reading = max(self.max_reading, self.reading)
            time.sleep(0.01)
            with self.counts:
                self.reading -= 1
            return entry(kind, key, query)
        self.api.stored = counted  # type: ignore[method-assign]

    # In a namespace of its own; the API server of the tests keeps the Deployment in ml.
    def names_many(self, name: str, secrets: int, are_there: bool) -> None:
        names = [f"{name}-{number}" for number in range(secrets)]
        if are_there:
            for each in names:
                self.api.put("v1", "secrets", {"metadata": {"name": each, "namespace": "greedy"}, "data": {"key": "dg=="}})
        self.api.put(KEDA, "triggerauthentications", {
            "metadata": {"name": name, "namespace": "greedy"},
            "spec": {"secretTargetRef": [{"parameter": f"p{number}", "name": each, "key": "key"} for number, each in enumerate(names)]}})
        greedy = self.scaled_object(name, auth=name)
        greedy["metadata"]["namespace"] = "greedy"
        self.api.put(APPS, "deployments", deployment(name, 1, "greedy"))
        self.api.put(KEDA, "scaledobjects", greedy)

    def leads_and_scales(self, daemon: harness.Daemon) -> None:
        self.wants(22, "llm", 5, daemon)
        time.sleep(6)  # longer than the Lease
        self.wants(1, "llm", 1, daemon)
        self.assertEqual([entry["leads"] for entry in self.told(daemon, "lead")], [True])
        self.assertEqual(self.api.holder(), "a")

    def test_ten_thousand_secrets_cost_no_other_tenant_anything(self) -> None:
        for are_there in (False, True):
            with self.subTest(are_there=are_there):
                self.names_many(f"many-{are_there}".lower(), MANY, are_there)
        self.scale("llm")
        daemon = self.start("a")
        self.leads_and_scales(daemon)
        self.assertEqual(self.read, 0)
        held = [entry for entry in self.told(daemon, "held") if entry["namespace"] == "greedy"]
        self.assertEqual(len(held), 2)
        for each in held:
            self.assertEqual(each["reason"], "refused")
            self.assertIn("more than 64 Secrets, ConfigMaps and tokens", each["message"])
        daemon.end()
        self.assertEqual(daemon.process.returncode, 0)

    def test_many_objects_within_the_bound_are_read_a_few_at_a_time(self) -> None:
        for number in range(20):
            self.names_many(f"many-{number}", 64, are_there=number % 2 == 0)
        self.scale("llm")
        daemon = self.start("a")
        self.leads_and_scales(daemon)
        daemon.wait_for(lambda: self.read >= 20 * 64)
        self.assertLessEqual(self.max_reading, AT_ONCE)
