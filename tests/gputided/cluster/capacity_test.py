"""Tests replicas without a node, on a cluster with an autoscaler that reports it."""
from __future__ import annotations

import json
import time
from typing import Any

from cluster.case import APPS, OnACluster
from cluster.objects import deployment
from cluster.scaling_test import utc
from problem_list import SeesProblems

STATUS = """autoscalerStatus: Running
nodeGroups:
- health:
    cloudProviderTarget: 2
    maxSize: 2
    minSize: 0
    status: Healthy
  name: aks-gpunp-12345678-vmss
  scaleUp:
    backoffInfo: {}
    status: NoActivity
time: 2026-11-27 12:00:00.1 +0000 UTC
"""


class Capacity(OnACluster, SeesProblems):
    def pod_without_node(self, name: str) -> None:
        """One of the Deployment llm, for which cluster-autoscaler adds no node."""
        self.api.put("v1", "pods", {
            "metadata": {"name": name, "namespace": "ml", "uid": f"uid-of-{name}", "labels": {"pod-template-hash": "7d9f"},
                         "ownerReferences": [{"kind": "ReplicaSet", "name": "llm-7d9f", "controller": True}]},
            "spec": {"nodeSelector": {"kubernetes.azure.com/agentpool": "gpunp"}},
            "status": {"phase": "Pending", "conditions": [{
                "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": utc(time.time())}]}})
        self.api.put("v1", "events", {
            "metadata": {"name": f"{name}.1", "namespace": "ml"}, "reason": "NotTriggerScaleUp", "lastTimestamp": utc(time.time()),
            "involvedObject": {"kind": "Pod", "name": name, "namespace": "ml", "uid": f"uid-of-{name}"},
            "source": {"component": "cluster-autoscaler"}, "message": "pod didn't trigger scale-up: 1 max node group size reached"})

    def condition(self) -> dict[str, Any]:
        so = self.api.get("keda.sh/v1alpha1", "scaledobjects", "llm")
        return next((each for each in so.get("status", {}).get("conditions", []) if each["type"] == "NodeCapacity"), {})

    def test_is_reported_and_asked_back(self) -> None:
        self.api.put("v1", "configmaps", {"metadata": {"name": "cluster-autoscaler-status", "namespace": "kube-system"},
                                          "data": {"status": STATUS}})
        self.scale("llm", 4)
        full = deployment("llm", 4)
        full["status"] = {"replicas": 4, "readyReplicas": 2}
        self.api.put(APPS, "deployments", full)
        for name in ("llm-7d9f-c", "llm-7d9f-d"):
            self.pod_without_node(name)
        self.metric.value = 20  # 4 replicas
        daemon = self.start("a", "--ask-back", "--start-delay-s", "20")
        why = ("aks-gpunp-12345678-vmss is at its maximum of 2; pod didn't trigger scale-up: 1 max node group size reached")
        daemon.wait_for(lambda: self.api.replicas("llm") == 2, 60)
        # The document is made once a second, so it may still be of the time before the write.
        found = daemon.wait_for(lambda: [each for each in json.loads(daemon.get("/cluster.json")[2])["no_capacity"] if each["until_ms"] > 0])
        self.assertEqual((found[0]["namespace"], found[0]["name"], found[0]["startable_replicas"]), ("ml", "llm", 2))
        self.assertTrue(found[0]["message"].startswith(f"replicas above 2 get no node and are not requested: {why}; requested again at "), found)
        self.is_seen(daemon, "no_capacity", "ml/llm", why)
        self.assertIn("\ngputided_cluster_no_capacity 1\n", daemon.get("/metrics")[2])
        daemon.wait_for(lambda: self.condition().get("reason") == "NoCapacity", 30)
        self.assertEqual(self.condition()["status"], "False")
        limits = {line["limited_by"] for line in daemon.lines if line.get("name") == "llm" and "limited_by" in line}
        self.assertIn("no_capacity", limits)
        for name in ("llm-7d9f-c", "llm-7d9f-d"):
            self.api.delete("v1", "pods", name)
        daemon.wait_for(lambda: self.api.replicas("llm") == 4, 40)
        self.ends(daemon, "no_capacity", "can have nodes for each replica")
        daemon.wait_for(lambda: not self.condition(), 30)
