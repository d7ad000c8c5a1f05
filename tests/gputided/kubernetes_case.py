"""A cluster for tests: an API server with one user, his ways in, and a workload of three pods."""
from __future__ import annotations

import pathlib
import unittest
from typing import Any

import certificates
import harness
import manifests
from kubernetes_api import CUSTOM, EXTERNAL, RESOURCE, KubernetesApi, Pod

USER = "system:serviceaccount:ml:gputide"
QUEUE = {"api": "external", "metric": "queue", "threshold": "5"}


def scaled_object(metadata: dict[str, str], **trigger: Any) -> str:
    so = manifests.scaled_object("", name="llm")
    so["metadata"]["namespace"] = "ml"
    so["spec"]["triggers"] = [{"type": "kubernetes", "metadata": metadata, **trigger}]
    return manifests.saved("kubernetes.yaml", so)


class Cluster(unittest.TestCase):
    """A server with one user who may do everything."""

    def setUp(self) -> None:
        pair = certificates.for_localhost()
        self.api = self.enterContext(KubernetesApi(pair.certificate, pair.key, certificates.trusted().certificate))
        self.api.tokens[harness.CLUSTER_TOKEN] = USER
        for group, verb in ((CUSTOM, "get"), (EXTERNAL, "list"), (RESOURCE, "list"), ("", "list"), ("apps", "get")):
            self.api.allow(USER, verb, group, "*")
        self.api.external[("ml", "queue")] = [({"q": "a"}, "20"), ({"q": "b"}, "12500m")]

    def service_account(self, token: str = harness.CLUSTER_TOKEN, ca: str = "") -> str:
        folder = pathlib.Path(harness.write("serviceaccount/token", token + "\n")).parent
        harness.write("serviceaccount/ca.crt", pathlib.Path(ca or certificates.trusted().certificate).read_bytes())
        harness.write("serviceaccount/namespace", "ml")
        return str(folder)

    @property
    def inside(self) -> dict[str, str]:
        """The environment of a pod."""
        return {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self.api.port)}


class ClusterWithPods(Cluster):
    """Three pods of a Deployment and one of another, and an HPA under gputide.io/metrics-from: kubernetes."""

    def setUp(self) -> None:
        super().setUp()
        self.api.scales["apps/ml/deployments/llm"] = {"spec": 3, "status": 3, "selector": "app=llm"}
        requests = {"main": {"cpu": "1", "memory": "2Gi"}}
        self.api.pods["ml"] = [
            Pod("a", {"app": "llm"}, {"gpu": "90"}, {"main": {"cpu": "900m", "memory": "1Gi"}}, requests),
            Pod("b", {"app": "llm"}, {"gpu": "70"}, {"main": {"cpu": "700m", "memory": "1Gi"}}, requests),
            Pod("c", {"app": "llm"}, {"gpu": "80"}, {"main": {"cpu": "800m", "memory": "1Gi"}}, requests),
            Pod("x", {"app": "other"}, {"gpu": "1"}, {"main": {"cpu": "1m", "memory": "1Mi"}}, requests)]

    def hpa(self, *metrics: dict[str, Any], **annotations: str) -> str:
        return manifests.saved("hpa.yaml", {
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "llm", "namespace": "ml",
                         "annotations": {"gputide.io/metrics-from": "kubernetes", **annotations}},
            "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "llm"}, "maxReplicas": 20,
                     "metrics": list(metrics)}})

    def pods_metric(self, target: str) -> dict[str, Any]:
        return {"type": "Pods", "pods": {"metric": {"name": "gpu"}, "target": {"type": "AverageValue", "averageValue": target}}}

    def resource(self, target: int, **more: Any) -> dict[str, Any]:
        kind, field = ("ContainerResource", "containerResource") if more else ("Resource", "resource")
        return {"type": kind, field: {"name": "cpu", **more, "target": {"type": "Utilization", "averageUtilization": target}}}
