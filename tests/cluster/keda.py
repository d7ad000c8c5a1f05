"""KEDA itself: its operator and its metrics adapter, as real as the control plane that they run against, under the Roles that the
project ships.

    with Keda(plane, source, ["rival"]):       source: the files of its module (programs.sh: keda_source); the namespaces it watches

Its webhooks are not run, and no kubelet: operator and adapter are processes on loopback, the adapter behind an APIService.
"""
from __future__ import annotations

import base64
import pathlib
import shutil

import certificates
import harness
from api_client import path_of
from control_plane import ControlPlane, Part
from prometheus_server import free_port

HOME, ACCOUNT = "keda", "keda-operator"  # as its Roles name them
SERVICE = "keda-metrics-apiserver"
METRICS = "v1beta1.external.metrics.k8s.io"


class Keda:
    def __init__(self, plane: ControlPlane, source: pathlib.Path, namespaces: list[str]) -> None:
        self.plane, self.source = plane, source
        self.grpc, self.port = free_port(), free_port()
        self.folder = harness.WORK / "keda"
        self.folder.mkdir()
        # Both ends of the gRPC between them and the adapter's own port.
        pair = certificates.issued(certificates.trusted(), "keda", f"subjectAltName=DNS:localhost,DNS:{SERVICE}.{HOME}.svc",
                                   "extendedKeyUsage=serverAuth,clientAuth")
        for file, content in (("tls.crt", pair.certificate), ("tls.key", pair.key), ("ca.crt", plane.ca)):
            shutil.copy(content, self.folder / file)
        self.surroundings = {"WATCH_NAMESPACE": ",".join(namespaces), "POD_NAMESPACE": HOME, "KEDA_CLUSTER_OBJECT_NAMESPACE": HOME}
        self.operator: Part | None = None
        self.adapter: Part | None = None

    def __enter__(self) -> "Keda":
        """Returns once the API server finds the adapter."""
        self.install()
        kubeconfig = self.plane.kubeconfig("keda", {"token": self.token()}, HOME)
        surroundings = {**self.surroundings, "KUBECONFIG": kubeconfig}
        self.operator = Part("keda-operator", self.operator_command(), surroundings)
        self.adapter = Part("keda-adapter", self.adapter_command(kubeconfig), surroundings)
        self.operator.start()
        self.adapter.start()
        try:
            self.plane.kubectl("wait", "--for=condition=Available", f"apiservice/{METRICS}", "--timeout=55s")
        except AssertionError:
            self.check()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for part in (self.adapter, self.operator):
            if part:
                part.stop()

    def check(self) -> None:
        for part in (self.operator, self.adapter):
            assert part
            part.check()

    def install(self) -> None:
        """Its account, its Roles, and the adapter as a Service outside (Endpoints may not be 127.0.0.1)."""
        plane, config = self.plane, self.source / "config"
        plane.admin.create("namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}})
        plane.admin.create("serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": HOME}})
        for file in ("rbac/role.yaml", "rbac/role_binding.yaml", "metrics-server/role.yaml", "metrics-server/role_binding.yaml"):
            plane.kubectl("apply", "-f", str(config / file))
        plane.admin.create("services", {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": SERVICE, "namespace": HOME},
            "spec": {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": self.port}]}})
        plane.admin.create("apiservices", {
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": METRICS},
            "spec": {"group": "external.metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100,
                     "caBundle": base64.b64encode(pathlib.Path(plane.ca).read_bytes()).decode(),
                     "service": {"name": SERVICE, "namespace": HOME, "port": self.port}}})

    def token(self) -> str:
        answer = self.plane.admin.ask("POST", path_of("v1", "serviceaccounts", HOME, ACCOUNT, "token"), {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}})
        out: str = answer["status"]["token"]
        return out

    def operator_command(self) -> list[str]:
        return [str(self.plane.programs / "keda-operator"), f"--cert-dir={self.folder}", f"--metrics-service-bind-address=127.0.0.1:{self.grpc}",
                f"--metrics-bind-address=127.0.0.1:{free_port()}", f"--health-probe-bind-address=127.0.0.1:{free_port()}",
                "--enable-webhook-patching=false", "--enable-apiservice-patching=false", "--zap-log-level=info"]

    def adapter_command(self, kubeconfig: str) -> list[str]:
        return [str(self.plane.programs / "keda-adapter"), "--bind-address=127.0.0.1", f"--secure-port={self.port}", f"--port={free_port()}",
                f"--cert-dir={self.folder}", f"--tls-cert-file={self.folder}/tls.crt", f"--tls-private-key-file={self.folder}/tls.key",
                f"--metrics-service-address=localhost:{self.grpc}", f"--client-ca-file={self.plane.ca}",
                f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}", f"--lister-kubeconfig={kubeconfig}"]
