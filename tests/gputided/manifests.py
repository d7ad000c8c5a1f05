"""Manifests for the tests: one ScaledObject with one prometheus trigger, and what differs."""
from __future__ import annotations

import base64
import json
from typing import Any

import harness


def scaled_object(server: str, *, auth: str = "", name: str = "gpu", query: str = "sum(x)", threshold: str = "5",
                  metadata: dict[str, str] | None = None, spec: dict[str, Any] | None = None,
                  annotations: dict[str, str] | None = None) -> dict[str, Any]:
    trigger: dict[str, Any] = {
        "type": "prometheus",
        "metadata": {"serverAddress": server, "query": query, "threshold": threshold, "activationThreshold": "0",
                     **(metadata or {})},
    }
    if auth:
        trigger["authenticationRef"] = {"name": auth}
    return {
        "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject",
        "metadata": {"name": name, "annotations": annotations or {}},
        "spec": {"scaleTargetRef": {"name": name}, "minReplicaCount": 1, "maxReplicaCount": 20, **(spec or {}),
                 "triggers": [trigger]},
    }


def authentication(name: str, **parameters: str) -> list[dict[str, Any]]:
    """Returns a TriggerAuthentication with parameters from a Secret, and the Secret."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"{name}-secret"},
              "data": {key: base64.b64encode(value.encode()).decode() for key, value in parameters.items()}}
    references = [{"parameter": key, "name": f"{name}-secret", "key": key} for key in parameters]
    return [{"apiVersion": "keda.sh/v1alpha1", "kind": "TriggerAuthentication", "metadata": {"name": name},
             "spec": {"secretTargetRef": references}}, secret]


def workload_identity(name: str = "azure") -> dict[str, Any]:
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "TriggerAuthentication", "metadata": {"name": name},
            "spec": {"podIdentity": {"provider": "azure-workload", "identityId": "00000000-0000-0000-0000-00000000000b"}}}


def saved(file: str, *documents: dict[str, Any]) -> str:
    """A YAML file of these documents (JSON is YAML)."""
    return harness.write(file, "\n---\n".join(json.dumps(document, indent=1) for document in documents) + "\n")


def with_bearer(server: str, *, file: str = "bearer.yaml", **more: Any) -> str:
    """All the secrets that one trigger can carry: a bearer token, and a header of its own."""
    metadata = {"authModes": "bearer", "customHeaders": f"X-Api-Key={harness.HEADER_VALUE}", **more.pop("metadata", {})}
    return saved(file, scaled_object(server, auth="bearer", metadata=metadata, **more),
                 *authentication("bearer", bearerToken=harness.BEARER, unused=harness.SECRET_DATA))
