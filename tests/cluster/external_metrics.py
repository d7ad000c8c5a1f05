"""The External metrics API over a test's gauges, as an API server behind the real one's aggregator: what KEDA's metrics
adapter is for an HPA.

    with ExternalMetrics(plane, gauges):        an HPA's External metric `load`, with app=NAME, is gauges' value of NAME
"""
from __future__ import annotations

import base64
import datetime
import http.server
import json
import pathlib
import urllib.parse
from typing import Any

import certificates
from api_client import Object
from control_plane import ControlPlane
from gauges import Gauges

GROUP, VERSION = "external.metrics.k8s.io", "v1beta1"
SERVICE, NAMESPACE = "external-metrics", "default"


class ExternalMetrics:
    def __init__(self, plane: ControlPlane, gauges: Gauges) -> None:
        self.plane, self.gauges = plane, gauges
        pair = certificates.server(certificates.trusted(), SERVICE, f"DNS:{SERVICE}.{NAMESPACE}.svc")
        self.server = certificates.start_server(self.answer, pair.certificate, pair.key, 60)

    def __enter__(self) -> "ExternalMetrics":
        """Returns once the aggregator has found it."""
        admin, port = self.plane.admin, self.server.server_address[1]
        ca = base64.b64encode(pathlib.Path(self.plane.ca).read_bytes()).decode()
        admin.create("services", {  # Endpoints may not be 127.0.0.1
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": SERVICE, "namespace": NAMESPACE},
            "spec": {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": port}]}})
        admin.create("apiservices", {
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": f"{VERSION}.{GROUP}"},
            "spec": {"group": GROUP, "version": VERSION, "groupPriorityMinimum": 100, "versionPriority": 100, "caBundle": ca,
                     "service": {"name": SERVICE, "namespace": NAMESPACE, "port": port}}})
        self.plane.kubectl("wait", "--for=condition=Available", f"apiservice/{VERSION}.{GROUP}", "--timeout=55s")
        return self

    def __exit__(self, *_: object) -> None:
        self.plane.admin.delete("apiregistration.k8s.io/v1", "apiservices", "", f"{VERSION}.{GROUP}")
        self.plane.admin.delete("v1", "services", NAMESPACE, SERVICE)
        self.server.shutdown()
        self.server.server_close()

    def answer(self, to: http.server.BaseHTTPRequestHandler) -> None:
        url = urllib.parse.urlsplit(to.path)
        body = self.found(url.path, dict(urllib.parse.parse_qsl(url.query)))
        text = json.dumps(body or {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404}).encode()
        to.send_response(200 if body else 404)
        to.send_header("Content-Type", "application/json")
        to.send_header("Content-Length", str(len(text)))
        to.end_headers()
        to.wfile.write(text)

    def found(self, path: str, query: dict[str, str]) -> Object | None:
        root = f"/apis/{GROUP}/{VERSION}"
        if path == root:
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{GROUP}/{VERSION}", "resources": [
                {"name": "load", "singularName": "", "namespaced": True, "kind": "ExternalMetricValueList", "verbs": ["get"]}]}
        app = query.get("labelSelector", "").removeprefix("app=")
        if not path.startswith(f"{root}/namespaces/") or not path.endswith("/load") or app not in self.gauges.values:
            return None
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        item: dict[str, Any] = {"metricName": "load", "metricLabels": {"app": app}, "timestamp": now,
                                "value": f"{round(self.gauges.values[app] * 1000)}m"}
        return {"kind": "ExternalMetricValueList", "apiVersion": f"{GROUP}/{VERSION}", "metadata": {}, "items": [item]}
