"""ScaledObjects with running pods: on nodes with GPUs, where each pod takes a while to be ready, and with more pods than GPUs."""
from __future__ import annotations

import json
import os
import pathlib
import time
import urllib.request
from typing import Callable

import audit
import harness
from api_client import Object
from case import APPS, CORE, Case, Instance, World
from nodes import Nodes

AKS_MANIFEST = pathlib.Path(__file__).parents[2] / "examples/manifests/aks-gpu-demo.yaml"
STACK = ("AZURE_TENANT_ID", "AZURE_AUTHORITY_HOST", "AZURE_FEDERATED_TOKEN_FILE", "SSL_CERT_FILE")


class Pods(Case):
    nodes: Nodes

    @classmethod
    def setUpClass(cls) -> None:
        cls.nodes = cls.enterClassContext(Nodes(World.plane))

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.nodes.check)

    def provide(self, count: int) -> None:
        """So many more GPUs, each on a node of its own, until the end of the test."""
        self.addCleanup(self.nodes.remove, *self.nodes.add(self.namespace, count))

    def sizes(self, name: str) -> tuple[int, int]:
        """Pods wanted, and ready."""
        found = self.api.get(APPS, "deployments", self.namespace, name)
        return found["spec"]["replicas"], found["status"].get("readyReplicas", 0)

    # ---- a GPU for each
    def test_the_manifest_for_aks(self) -> None:
        """The quickstart's stack: Prometheus behind TLS and a token, a hill of load, and the pods that are ready share it."""
        self.provide(12)
        self.deployment("my-gpu-workload", gpus=1)
        self.within(lambda: self.sizes("my-gpu-workload") == (1, 1), 60)
        text = AKS_MANIFEST.read_text()
        for name in ("USER_ASSIGNED_CLIENT_ID", "PROMETHEUS_QUERY_ENDPOINT"):
            text = text.replace("${" + name + "}", os.environ[name])
        self.plane.kubectl("apply", "--namespace", self.namespace, "--filename", harness.write("aks.yaml", text))
        # The stack's Prometheus listens on loopback, where a tenant's manifest may not send a token by itself.
        instance = self.start("a", "--allow-tenant", f"loopback_tokens={self.namespace}", env={name: os.environ[name] for name in STACK})
        self.leads(instance)
        seen = [(1, 1)]

        def is_over() -> bool:
            now = self.sizes("my-gpu-workload")
            if now[1] != seen[-1][1]:
                self.ask_fleet("PUT", "/scale", {"replicas": max(now[1], 1)})
            if now != seen[-1]:
                seen.append(now)
            return len(seen) > 1 and now == (1, 1)
        instance.daemon.wait_for(lambda: instance.daemon.decisions)
        self.ask_fleet("POST", "/load")
        instance.daemon.wait_for(is_over, 180)
        sizes = [size for size, _ in seen]
        self.assertGreaterEqual(max(sizes), 4)
        self.assertLessEqual(set(sizes), {ready for _, ready in seen}, "of each size all pods were ready at some time")
        self.writes_once_each(instance, [after for before, after in zip(sizes, sizes[1:]) if after != before])
        self.one_writer("my-gpu-workload")
        self.figure("pods wanted/ready", " ".join(f"{size}/{ready}" for size, ready in seen))

    def writes_once_each(self, instance: Instance, sizes: list[int]) -> None:
        """A pod that becomes ready between GET and PUT is a 409, after which the size is read again."""
        seen = [request for request in self.seen() if request.by == instance.credential]
        self.assertEqual([write.sent["spec"]["replicas"] for write in audit.size_writes(seen)], sizes)

    def ask_fleet(self, method: str, path: str, body: object = None) -> None:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        data = json.dumps(body).encode() if body is not None else b""
        with opener.open(urllib.request.Request(os.environ["FLEET_URL"] + path, data, method=method), timeout=10):
            pass

    # ---- more pods than GPUs
    def test_pods_that_wait_for_a_node_do_not_count(self) -> None:
        """With metricType Value the size is the ratio times the pods that are ready: twice the target wants 2 of 1, however often it is
        asked, until the second has a node."""
        self.provide(1)
        self.gauges["llm"] = 5
        self.deployment("llm", gpus=1)
        so = self.scaled_object("llm")
        so["spec"]["triggers"][0]["metricType"] = "Value"
        self.api.create("scaledobjects", so)
        instance = self.start("a")
        self.comes_to("llm", instance, 1, 1)
        self.wants(10, "llm", 2, instance)
        self.within(lambda: self.waiting() == ["0/1 nodes are available: 1 Insufficient nvidia.com/gpu"], 30)
        self.stays("llm", instance, 2, 1)
        took_s = self.provided(lambda: self.comes_to("llm", instance, 4, 2))  # twice the two that are ready
        self.within(lambda: len(self.waiting()) == 2, 30)
        self.stays("llm", instance, 4, 2)
        self.wants(2.5, "llm", 1, instance)
        self.comes_to("llm", instance, 1, 1)
        self.assertEqual(self.waiting(), [])
        self.writes_once_each(instance, [2, 4, 1])
        self.one_writer("llm")
        self.figure("a node to a pod that is ready and counts", f"{took_s:.1f} s")

    def provided(self, what: Callable[[], None]) -> float:
        """Seconds from one more node until then."""
        began = time.monotonic()
        self.provide(1)
        what()
        return time.monotonic() - began

    def waiting(self) -> list[str]:
        """Returns what the scheduler says first of pods for which there is no node."""
        pods: list[Object] = self.api.get(CORE, "pods", self.namespace)["items"]
        conditions = [condition for pod in pods for condition in pod["status"].get("conditions", [])]
        return [entry["message"].split(". ")[0] for entry in conditions if entry.get("reason") == "Unschedulable"]

    def comes_to(self, name: str, instance: Instance, size: int, ready: int) -> None:
        instance.daemon.wait_for(lambda: self.sizes(name) == (size, ready))

    def stays(self, name: str, instance: Instance, size: int, ready: int) -> None:
        """Decided anew several times, and each of them saw so many pods ready."""
        count = len(instance.daemon.decisions)
        last = instance.daemon.wait_for(lambda: (new := instance.daemon.decisions[count:]) and len(new) > 5 and new[1:])
        self.assertEqual({(each["current_replicas"], each.get("ready_replicas"), each["desired_replicas"]) for each in last}, {(size, ready, size)})
        self.assertEqual(self.sizes(name), (size, ready))
