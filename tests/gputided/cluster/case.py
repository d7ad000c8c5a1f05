"""A test of gputided run --kubernetes against an API server that keeps objects and is strict."""
from __future__ import annotations

import base64
import pathlib
import unittest
from typing import Any

import certificates
import harness
import manifests
from cluster.api import ClusterApi
from cluster.metric import Metric
from cluster.objects import deployment
from cluster.writes import Caller
from harness import Daemon

LEASE_S = 4
KEDA, APPS, HPA = "keda.sh/v1alpha1", "apps/v1", "autoscaling/v2"


class OnACluster(unittest.TestCase):
    def setUp(self) -> None:
        pair = certificates.for_localhost()
        self.metric = self.enterContext(Metric())
        self.api = self.enterContext(ClusterApi(pair.certificate, pair.key))
        self.tokens = 0

    def tearDown(self) -> None:
        self.assertEqual(self.api.violations, [])

    # Decides each second, with no window to wait for.
    def scaled_object(self, name: str, **metadata: Any) -> dict[str, Any]:
        so = manifests.scaled_object(self.metric.url, name=name, auth=metadata.pop("auth", ""),
                                     metadata=metadata.pop("trigger", None), spec={
            "pollingInterval": 1, "advanced": {"horizontalPodAutoscalerConfig": {"behavior": {
                "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Percent", "value": 100, "periodSeconds": 1}]},
                "scaleUp": {"policies": [{"type": "Pods", "value": 100, "periodSeconds": 1}]}}}}})
        so["metadata"] = {"name": name, "namespace": "ml", "uid": f"uid-of-so-{name}",
                          "annotations": {"gputide.io/sync-period": "1s", **metadata.pop("annotations", {})}, **metadata}
        return so

    def scale(self, name: str, replicas: int = 1, **metadata: Any) -> None:
        self.api.put(APPS, "deployments", deployment(name, replicas))
        self.api.put(KEDA, "scaledobjects", self.scaled_object(name, **metadata))

    # A Secret (plural "secrets") or a ConfigMap.
    def store(self, kind: str, name: str, namespace: str = "ml", **values: str) -> None:
        if kind == "secrets":
            values = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
        self.api.put("v1", kind, {"metadata": {"name": name, "namespace": namespace}, "data": values})

    def authentication(self, name: str, *, is_cluster_wide: bool = False, **spec: Any) -> None:
        metadata = {"name": name} if is_cluster_wide else {"name": name, "namespace": "ml"}
        kind = "clustertriggerauthentications" if is_cluster_wide else "triggerauthentications"
        self.api.put(KEDA, kind, {"metadata": metadata, "spec": spec})

    def trigger(self, auth: str, mode: str = "", kind: str = "TriggerAuthentication", query: str = "avg(x)") -> dict[str, Any]:
        return {"type": "prometheus", "authenticationRef": {"name": auth, "kind": kind},
                "metadata": {"serverAddress": self.metric.url, "query": query, "threshold": "5",
                             **({"authModes": mode} if mode else {})}}

    # With these triggers instead of the usual one.
    def scale_by(self, name: str, *triggers: dict[str, Any]) -> None:
        so = self.scaled_object(name)
        so["spec"]["triggers"] = list(triggers)
        self.api.put(APPS, "deployments", deployment(name, 1))
        self.api.put(KEDA, "scaledobjects", so)

    def account(self, name: str) -> tuple[list[str], dict[str, str]]:
        """Returns flags and environment of a pod with the ServiceAccount of that name."""
        self.tokens += 1
        token = f"{harness.CLUSTER_TOKEN}-{self.tokens}"
        self.api.callers[token] = Caller(name, identity=name)
        folder = pathlib.Path(harness.write(f"{name}/token", token + "\n")).parent
        harness.write(f"{name}/ca.crt", pathlib.Path(certificates.trusted().certificate).read_bytes())
        harness.write(f"{name}/namespace", "ml")
        return (["--service-account-dir", str(folder)],
                {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self.api.port)})

    def start(self, name: str, *arguments: str, env: dict[str, str] | None = None) -> Daemon:
        flags, environment = self.account(name)
        return self.enterContext(Daemon("--kubernetes", "--lease-s", str(LEASE_S), "--identity", name, *flags, *arguments,
                                        env={**environment, **(env or {})}))

    def caller(self, name: str) -> Caller:
        return next(caller for caller in self.api.callers.values() if caller.name == name)

    @staticmethod
    def told(daemon: Daemon, event: str) -> list[dict[str, Any]]:
        return [line["cluster"] for line in daemon.lines if line.get("cluster", {}).get("event") == event]

    def wants(self, value: float, name: str, replicas: int, by: Daemon) -> None:
        self.metric.value = value
        by.wait_for(lambda: self.api.replicas(name) == replicas)
