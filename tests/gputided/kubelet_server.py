"""The kubelet's pod-resources socket for tests: gRPC over a Unix socket (podresources/v1, PodResourcesLister.List)."""
from __future__ import annotations

import socket
from pathlib import Path

from external_scaler_server import Answer, ExternalScaler, failing, text


class Kubelet(ExternalScaler):
    """Pods by "namespace/name": the device ids of their one container."""

    def __init__(self, path: Path, pods: dict[str, list[str]]) -> None:
        self.path, self.pods = path, pods
        super().__init__()

    def listening(self) -> socket.socket:
        self.path.unlink(missing_ok=True)
        out = socket.socket(socket.AF_UNIX)
        out.bind(str(self.path))
        out.listen()
        return out

    def answer_to(self, headers: dict[str, str], body: bytes) -> Answer:
        self.headers.append(headers)
        if headers[":path"] != "/v1.PodResourcesLister/List" or body != bytes(5):
            return failing(12, "no such method")
        return Answer(b"".join(text(1, self.pod(name, devices)) for name, devices in self.pods.items()))

    @staticmethod
    def pod(name: str, devices: list[str]) -> bytes:
        held = text(1, "nvidia.com/gpu") + b"".join(text(2, device) for device in devices)
        space, pod = name.split("/")
        return text(1, pod) + text(2, space) + text(3, text(1, "server") + text(2, held))
