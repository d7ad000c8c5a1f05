"""The objects of a Kubernetes API server of the tests' own: by kind, with their versions and the events that watches tell."""
from __future__ import annotations

import copy
import threading
from dataclasses import dataclass, field
from typing import Any

KINDS = {("keda.sh/v1alpha1", "scaledobjects"): "ScaledObject",
         ("keda.sh/v1alpha1", "scaledjobs"): "ScaledJob", ("batch/v1", "jobs"): "Job", ("v1", "pods"): "Pod",
         ("keda.sh/v1alpha1", "triggerauthentications"): "TriggerAuthentication",
         ("keda.sh/v1alpha1", "clustertriggerauthentications"): "ClusterTriggerAuthentication",
         ("autoscaling/v2", "horizontalpodautoscalers"): "HorizontalPodAutoscaler",
         ("autoscaling/v2beta2", "horizontalpodautoscalers"): "HorizontalPodAutoscaler",  # until Kubernetes 1.25
         ("apps/v1", "deployments"): "Deployment", ("apps/v1", "statefulsets"): "StatefulSet",
         ("coordination.k8s.io/v1", "leases"): "Lease", ("v1", "secrets"): "Secret", ("v1", "configmaps"): "ConfigMap",
         ("v1", "events"): "Event", ("v1", "serviceaccounts"): "ServiceAccount"}

Key = tuple[str, str]


class Refused(Exception):
    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code, self.reason = code, reason


@dataclass
class Collection:
    objects: dict[Key, dict[str, Any]] = field(default_factory=dict)
    events: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)  # version, type, object


def deployment(name: str, replicas: int, namespace: str = "ml") -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace, "uid": f"uid-of-{name}"}, "spec": {"replicas": replicas},
            "status": {"replicas": replicas, "readyReplicas": replicas}}


def keda_operator(tag: str, namespace: str = "keda") -> dict[str, Any]:
    """KEDA's operator, as its own manifests have it."""
    out = deployment("keda-operator", 1, namespace)
    out["metadata"]["labels"] = {"app": "keda-operator", "app.kubernetes.io/name": "keda-operator"}
    out["spec"]["template"] = {"spec": {"containers": [{"name": "keda-operator", "image": f"ghcr.io/kedacore/keda:{tag}"}]}}
    return out


class Objects:
    def __init__(self) -> None:
        self.collections: dict[tuple[str, str], Collection] = {kind: Collection() for kind in KINDS}
        self.version = 100
        self.compacted = 0                     # versions up to it are too old to be watched from
        self.changed = threading.Condition()
        self.violations: list[str] = []

    def put(self, group: str, plural: str, given: dict[str, Any]) -> None:
        with self.changed:
            self.store(group, plural, copy.deepcopy(given))

    def delete(self, group: str, plural: str, name: str, namespace: str = "ml") -> None:
        with self.changed:
            collection = self.collections[(group, plural)]
            gone = collection.objects.pop((namespace, name))
            self.version += 1
            gone = {**gone, "metadata": {**gone["metadata"], "resourceVersion": str(self.version)}}
            collection.events.append((self.version, "DELETED", gone))
            self.changed.notify_all()

    def get(self, group: str, plural: str, name: str, namespace: str = "ml") -> dict[str, Any]:
        with self.changed:
            return copy.deepcopy(self.collections[(group, plural)].objects[(namespace, name)])

    def replicas(self, name: str) -> int:
        count: int = self.get("apps/v1", "deployments", name)["spec"]["replicas"]
        return count

    def touch(self, name: str) -> None:
        """A status that a rollout writes: the version moves on, the size stays."""
        appsv1 = self.get("apps/v1", "deployments", name)
        appsv1["status"]["observedGeneration"] = appsv1["status"].get("observedGeneration", 0) + 1
        self.put("apps/v1", "deployments", appsv1)

    def holder(self, lease: str = "gputide", namespace: str = "ml") -> str:
        with self.changed:
            found = self.collections[("coordination.k8s.io/v1", "leases")].objects.get((namespace, lease))
            return found["spec"]["holderIdentity"] if found else ""

    def store(self, group: str, plural: str, entry: dict[str, Any]) -> dict[str, Any]:
        """Under the lock."""
        collection = self.collections[(group, plural)]
        self.version += 1
        entry["metadata"]["resourceVersion"] = str(self.version)
        key = (entry["metadata"].get("namespace", ""), entry["metadata"]["name"])
        kind = "MODIFIED" if key in collection.objects else "ADDED"
        collection.objects[key] = entry
        collection.events.append((self.version, kind, copy.deepcopy(entry)))
        self.changed.notify_all()
        return entry

    def violate(self, text: str) -> None:
        self.violations.append(text)
