"""A Kubernetes API server's reading half on loopback, over TLS: authentication, authorization, objects.

It answers as kube-apiserver does and stricter where that is lenient: a bearer token or a client certificate it knows, RBAC
per verb, group and resource, exact paths, no query parameter that the path does not have, an Accept header that it can meet,
selectors in their grammar.  Everything else is a Status object with the reason and code of the real one, or the plain text of
the aggregator where an API group is not there.

    with KubernetesApi(certificate, key, client_ca) as api:
        api.tokens["secret"] = "system:serviceaccount:ml:gputide"
        api.allow("system:serviceaccount:ml:gputide", "list", "external.metrics.k8s.io", "*")
        api.external[("ml", "queue")] = [({"q": "a"}, "1500m")]
"""
from __future__ import annotations

import http.server
import json
import re
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Callable

import certificates

CUSTOM, EXTERNAL, RESOURCE = "custom.metrics.k8s.io", "external.metrics.k8s.io", "metrics.k8s.io"
STAMP = "2026-03-01T10:00:00Z"
NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
KEY = rf"(?:[a-z0-9.-]+/)?{NAME}"
REQUIREMENT = re.compile(rf"\s*(?:(?P<not>!)?(?P<bare>{KEY})|(?P<key>{KEY})\s*(?:(?P<op>==|=|!=)\s*(?P<value>{NAME})?"
                         rf"|\s(?P<set>in|notin)\s*\((?P<values>[^()]*)\)))\s*(?:,|$)")


class Refused(Exception):
    """One Status object."""

    def __init__(self, code: int, reason: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code, self.reason, self.details = code, reason, details


class NotServed(Exception):
    """No API server is registered for the group."""


def requirements(selector: str) -> list[tuple[str, str, set[str]]]:
    """Key, operator (=, !=, exists, !), values.  Refuses what the grammar does not have."""
    found, at = [], 0
    while at < len(selector):
        match = REQUIREMENT.match(selector, at)
        if match is None:
            raise Refused(400, "BadRequest", f"unable to parse requirement: found {selector[at:at + 20]!r}")
        at = match.end()
        if match["bare"]:
            found.append((match["bare"], "!" if match["not"] else "exists", set()))
        elif match["set"]:
            values = {value.strip() for value in match["values"].split(",")}
            found.append((match["key"], "=" if match["set"] == "in" else "!=", values))
        else:
            found.append((match["key"], "!=" if match["op"] == "!=" else "=", {match["value"] or ""}))
    return found


METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def metadata_only(whole: dict[str, Any]) -> dict[str, Any]:
    """A list as apiserver answers it where METADATA_ONLY is accepted."""
    kind = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
    return {**kind, "kind": "PartialObjectMetadataList", "metadata": whole["metadata"],
            "items": [{**kind, "metadata": item["metadata"]} for item in whole["items"]]}


def chooses(selector: str, labels: dict[str, str]) -> bool:
    for key, operator, values in requirements(selector):
        there = key in labels
        fits = {"exists": there, "!": not there, "=": there and labels[key] in values,
                "!=": not there or labels[key] not in values}[operator]
        if not fits:
            return False
    return True


@dataclass
class Pod:
    """A pod of the namespace, and what metrics there are of it."""
    name: str
    labels: dict[str, str]
    metrics: dict[str, str] = field(default_factory=dict)          # custom.metrics.k8s.io
    usage: dict[str, dict[str, str]] = field(default_factory=dict)  # metrics.k8s.io: container → {"cpu": "250m"}
    requests: dict[str, dict[str, str]] = field(default_factory=dict)
    phase: str = "Running"
    ready: str = "True"
    start: str = STAMP
    deleting: bool = False

    def manifest(self, namespace: str) -> dict[str, Any]:
        metadata = {"name": self.name, "namespace": namespace, "labels": self.labels}
        if self.deleting:
            metadata["deletionTimestamp"] = STAMP
        containers = [{"name": name, "resources": {"requests": wanted} if wanted else {}}
                      for name, wanted in self.requests.items()]
        status: dict[str, Any] = {"phase": self.phase}
        if self.phase != "Pending":
            status["startTime"] = self.start
            status["conditions"] = [{"type": "Ready", "status": self.ready, "lastTransitionTime": self.start}]
        return {"metadata": metadata, "spec": {"containers": containers}, "status": status}


class KubernetesApi:
    def __init__(self, certificate: str, key: str, client_ca: str = "") -> None:
        self.tokens: dict[str, str] = {}                 # token → user
        self.grants: set[tuple[str, str, str, str]] = set()  # user, verb, group, resource
        self.groups = {CUSTOM: ["v1beta1", "v1beta2"], EXTERNAL: ["v1beta1"], RESOURCE: ["v1beta1"]}
        self.down: set[str] = set()                      # groups with a server that does not answer
        self.external: dict[tuple[str, str], list[tuple[dict[str, str], str]]] = {}
        self.objects: dict[str, dict[str, str]] = {}     # "ml/services/llm" → metrics
        self.pods: dict[str, list[Pod]] = {}             # by namespace
        self.lists: dict[str, list[dict[str, Any]]] = {"nodes": [], "pods": [], "poddisruptionbudgets": []}  # of the whole cluster
        self.list_versions: dict[str, str] = {}          # by group, of these lists
        self.expired_tokens = 0                          # that many continue tokens are too old from here on
        self.scales: dict[str, dict[str, Any]] = {}      # "apps/ml/deployments/llm" → {"spec": 3, "status": 3, "selector": ...}
        self.requests: list[tuple[str, str]] = []        # user, path with query
        self.page_size = 500
        self.on_refused_caller: Callable[[], None] = lambda: None  # after each 401
        self.server = certificates.start_server(self.answer, certificate, key, 10, client_ca)
        self.port: int = self.server.server_address[1]

    def __enter__(self) -> "KubernetesApi":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def allow(self, user: str, verb: str, group: str, resource: str) -> None:
        self.grants.add((user, verb, group, resource))

    # ---- one request ----------------------------------------------------------------------------------------------------
    def answer(self, to: http.server.BaseHTTPRequestHandler) -> None:
        try:
            self.send(to, 200, self.body_for(to))
        except Refused as why:
            status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": str(why),
                      "reason": why.reason, "code": why.code}
            if why.code == 401:
                self.on_refused_caller()
            self.send(to, why.code, {**status, **({"details": why.details} if why.details else {})})
        except NotServed:
            self.send(to, 404, "404 page not found\n")

    @staticmethod
    def send(to: http.server.BaseHTTPRequestHandler, code: int, body: Any) -> None:
        is_text = isinstance(body, str)
        data = (body if is_text else json.dumps(body)).encode()
        to.send_response(code)
        to.send_header("Content-Type", "text/plain; charset=utf-8" if is_text else "application/json")
        to.send_header("Content-Length", str(len(data)))
        to.end_headers()
        to.wfile.write(data)

    def user_of(self, of: http.server.BaseHTTPRequestHandler) -> str:
        certificate = of.connection.getpeercert()  # type: ignore[attr-defined]
        header = of.headers.get("Authorization", "")
        if header.startswith("Bearer ") and header[7:] in self.tokens:
            return self.tokens[header[7:]]
        if not header and certificate:
            return {key: value for piece in certificate["subject"] for key, value in piece}["commonName"]
        raise Refused(401, "Unauthorized", "Unauthorized")

    def body_for(self, of: http.server.BaseHTTPRequestHandler) -> Any:
        user = self.user_of(of)
        self.requests.append((user, of.path))
        if of.command != "GET":
            raise Refused(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
        accepted = [entry.split(";")[0].strip() for entry in of.headers.get("Accept", "*/*").split(",")]
        if not {"application/json", "*/*", "application/*"} & set(accepted):
            raise Refused(406, "NotAcceptable", "only the following media types are accepted: application/json, "
                                                "application/yaml, application/vnd.kubernetes.protobuf")
        url = urllib.parse.urlsplit(of.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True, strict_parsing=bool(url.query)))
        parts = [urllib.parse.unquote(entry) for entry in url.path.split("/")[1:]]
        body = self.route(user, parts, query)
        return metadata_only(body) if of.headers.get("Accept") == METADATA_ONLY else body

    def permit(self, user: str, verb: str, group: str, resource: str, namespace: str) -> None:
        if {(user, verb, group, resource), (user, verb, group, "*")} & self.grants:
            return
        full = f"{resource.split('/')[0]}.{group}" if group else resource
        raise Refused(403, "Forbidden", f'{full} is forbidden: User "{user}" cannot {verb} resource "{resource}" in API '
                                        f'group "{group}" in the namespace "{namespace}"')

    def route(self, user: str, parts: list[str], query: dict[str, str]) -> Any:
        if parts[0] == "api" and parts[1:2] == ["v1"]:
            return self.core(user, parts[2:], query)
        group = parts[1] if len(parts) > 1 and parts[0] == "apis" else ""
        if group == "policy" and parts[2:] == ["v1", "poddisruptionbudgets"]:
            return self.whole_list(user, group, "PodDisruptionBudgetList", parts[3], query)
        if len(parts) == 4 and parts[0] == "apis":
            resource = parts[3] if group == "resource.k8s.io" else f"{parts[3]}.{group}"
            if resource in self.lists and parts[2] == self.list_versions.get(group, "v1"):
                return self.whole_list(user, group, parts[3].capitalize() + "List", resource, query)
        if group == "apps":
            return self.scale(user, parts[2:], query)
        if group not in self.groups:
            raise NotServed
        if group in self.down:
            raise Refused(503, "ServiceUnavailable", "the server is currently unable to handle the request")
        if len(parts) == 2:
            only(query)
            versions = [{"groupVersion": f"{group}/{entry}", "version": entry} for entry in self.groups[group]]
            return {"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": versions,
                    "preferredVersion": versions[0]}
        if parts[2] not in self.groups[group]:
            raise NotServed
        return {CUSTOM: self.custom, EXTERNAL: self.external_values, RESOURCE: self.resource}[group](
            user, parts[2], parts[3:], query)

    # ---- the groups -------------------------------------------------------------------------------------------------------
    def external_values(self, user: str, version: str, parts: list[str], query: dict[str, str]) -> Any:
        namespace, metric = place(parts, 3)
        only(query, "labelSelector")
        self.permit(user, "list", EXTERNAL, metric, namespace)
        if (namespace, metric) not in self.external:
            raise Refused(404, "NotFound", f"the server could not find the metric {metric} for ")
        items = [{"metricName": metric, "metricLabels": labels or None, "timestamp": STAMP, "value": value}
                 for labels, value in self.external[(namespace, metric)] if chooses(query.get("labelSelector", ""), labels)]
        return {"kind": "ExternalMetricValueList", "apiVersion": f"{EXTERNAL}/{version}", "metadata": {}, "items": items}

    def custom(self, user: str, version: str, parts: list[str], query: dict[str, str]) -> Any:
        only(query, "labelSelector", "metricLabelSelector")
        namespaced = parts[0] == "namespaces" and len(parts) > 3
        namespace = parts[1] if namespaced else ""
        rest = parts[2:] if namespaced else parts
        own = len(parts) == 4 and parts[2] == "metrics"  # namespaces/<name>/metrics/<metric>
        resource, name, metric = ("namespaces", namespace, rest[1]) if own else place(rest, 3, whole=True)
        self.permit(user, "get", CUSTOM, f"{'metrics' if own else resource}/{metric}", namespace)
        if resource == "pods" and name == "*":
            found = [("Pod", pod.name, pod.metrics[metric]) for pod in self.pods.get(namespace, [])
                     if chooses(query.get("labelSelector", ""), pod.labels) and metric in pod.metrics]
        else:
            at = "/".join(filter(None, ["" if own else namespace, resource, name]))
            values = self.objects.get(at, {})
            found = [(resource.split(".")[0].rstrip("s").capitalize(), name, values[metric])] if metric in values else []
            if not found:
                raise Refused(404, "NotFound", f"the server could not find the metric {metric} for {resource} {name}")
        items = []
        for kind, which, value in found:
            item = {"describedObject": {"kind": kind, "namespace": namespace, "name": which, "apiVersion": "/v1"},
                    "timestamp": STAMP, "value": value}
            newer = {"metric": {"name": metric, "selector": None}}
            items.append({**item, **(newer if version == "v1beta2" else {"metricName": metric, "selector": None})})
        return {"kind": "MetricValueList", "apiVersion": f"{CUSTOM}/{version}", "metadata": {}, "items": items}

    def resource(self, user: str, version: str, parts: list[str], query: dict[str, str]) -> Any:
        namespace, kind = place(parts, 3)
        only(query, "labelSelector")
        if kind != "pods":
            raise NotServed
        self.permit(user, "list", RESOURCE, "pods", namespace)
        items = [{"metadata": {"name": pod.name, "namespace": namespace, "labels": pod.labels}, "timestamp": STAMP,
                  "window": "15s", "containers": [{"name": name, "usage": usage} for name, usage in pod.usage.items()]}
                 for pod in self.pods.get(namespace, []) if pod.usage and chooses(query.get("labelSelector", ""), pod.labels)]
        return {"kind": "PodMetricsList", "apiVersion": f"{RESOURCE}/{version}", "metadata": {}, "items": items}

    def whole_list(self, user: str, group: str, kind: str, resource: str, query: dict[str, str]) -> Any:
        """Returns the list of all namespaces.  Its items have no kind, as those of the real server."""
        only(query, "labelSelector", "limit", "continue", *(["fieldSelector"] if resource == "pods" else []))
        self.permit(user, "list", group, resource, "")
        ended = {f"status.phase!={phase}": phase for phase in ("Succeeded", "Failed")}
        words = [entry for entry in query.get("fieldSelector", "").split(",") if entry]
        for word in words:
            if word not in ended:
                raise Refused(400, "BadRequest", f"field label not supported: {word}")
        left_out = {ended[word] for word in words}
        chosen = [entry for entry in self.lists[resource] if entry.get("status", {}).get("phase") not in left_out
                  and chooses(query.get("labelSelector", ""), entry["metadata"].get("labels", {}))]
        if "continue" in query and self.expired_tokens:
            self.expired_tokens -= 1
            raise Refused(410, "Expired", "The provided continue parameter is too old to display a consistent list result.")
        start = int(query.get("continue", "0"))
        end = start + (min(self.page_size, int(query["limit"])) if "limit" in query else len(chosen))
        metadata = {"resourceVersion": "1", **({"continue": str(end)} if end < len(chosen) else {})}
        return {"kind": kind, "apiVersion": f"{group}/v1" if group else "v1", "metadata": metadata, "items": chosen[start:end]}

    def core(self, user: str, parts: list[str], query: dict[str, str]) -> Any:
        if len(parts) == 1 and parts[0] in ("nodes", "pods"):
            return self.whole_list(user, "", {"nodes": "NodeList", "pods": "PodList"}[parts[0]], parts[0], query)
        namespace, kind = place(parts, 3)
        only(query, "labelSelector", "limit", "continue")
        if kind != "pods":
            raise NotServed
        self.permit(user, "list", "", "pods", namespace)
        chosen = [pod for pod in self.pods.get(namespace, []) if chooses(query.get("labelSelector", ""), pod.labels)]
        start = int(query.get("continue", "0"))
        end = start + min(self.page_size, int(query.get("limit", "500")))
        metadata = {"resourceVersion": "1", **({"continue": str(end)} if end < len(chosen) else {})}
        return {"kind": "PodList", "apiVersion": "v1", "metadata": metadata,
                "items": [pod.manifest(namespace) for pod in chosen[start:end]]}

    def scale(self, user: str, parts: list[str], query: dict[str, str]) -> Any:
        if len(parts) != 6 or parts[0] != "v1" or parts[1] != "namespaces" or parts[5] != "scale":
            raise NotServed
        only(query)
        _, _, namespace, resource, name, _ = parts
        self.permit(user, "get", "apps", f"{resource}/scale", namespace)
        found = self.scales.get(f"apps/{namespace}/{resource}/{name}")
        if found is None:
            raise Refused(404, "NotFound", f'{resource}.apps "{name}" not found', name=name, group="apps", kind=resource)
        return {"kind": "Scale", "apiVersion": "autoscaling/v1",
                "metadata": {"name": name, "namespace": namespace, "uid": "1", "resourceVersion": "7"},
                "spec": {"replicas": found["spec"]},
                "status": {"replicas": found["status"], "selector": found["selector"]}}


def only(query: dict[str, str], *known: str) -> None:
    for name in query:
        if name not in known:
            raise Refused(400, "BadRequest", f"unknown query parameter {name}")
    for name in ("labelSelector", "metricLabelSelector"):
        requirements(query.get(name, ""))


def place(parts: list[str], size: int, *, whole: bool = False) -> list[str]:
    """namespaces/<namespace>/<rest> without its first word, or all three parts."""
    if len(parts) != size or not all(parts) or (not whole and parts[0] != "namespaces"):
        raise NotServed
    return parts if whole else parts[1:]
