"""Nodes and what runs on them: kube-scheduler binds pods, and kwok, in the place of all kubelets, has a pod Ready 2 to 10 s later.
The test is the provider of nodes.

    with Nodes(plane) as nodes:
        nodes.add("gpunp", 3)       one GPU each, labeled and tainted as a GPU pool of AKS
"""
from __future__ import annotations

from api_client import Refused
from control_plane import KWOK_TOKEN, SCHEDULER_TOKEN, ControlPlane, Part

GPU = "nvidia.com/gpu"
TAINT = {"key": "sku", "value": "gpu", "effect": "NoSchedule"}
PODS_PER_NODE = 110


def labels_of(pool: str) -> dict[str, str]:
    return {"kubernetes.azure.com/agentpool": pool}


class Nodes:
    def __init__(self, plane: ControlPlane) -> None:
        self.api = plane.admin
        self.made = 0
        scheduler = plane.kubeconfig("scheduler", {"token": SCHEDULER_TOKEN})
        kwok = plane.kubeconfig("kwok", {"token": KWOK_TOKEN})
        self.scheduler = Part("kube-scheduler", [
            str(plane.programs / "kube-scheduler"), f"--kubeconfig={scheduler}", "--leader-elect=false", "--secure-port=0",
            "--kube-api-qps=500", "--kube-api-burst=500"])
        stages = [f"--config={file}" for file in sorted((plane.programs / "kwok-stages").iterdir())]
        self.kwok = Part("kwok", [
            str(plane.programs / "kwok"), f"--kubeconfig={kwok}", "--manage-all-nodes=true", "--node-lease-duration-seconds=40", *stages])

    def __enter__(self) -> "Nodes":
        self.scheduler.start()
        self.kwok.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove(*self.names())
        for part in (self.kwok, self.scheduler):
            part.stop()

    def check(self) -> None:
        for part in (self.kwok, self.scheduler):
            part.check()

    def add(self, pool: str, count: int, gpus: int = 1) -> list[str]:
        """Ready a moment later, when the taint not-ready goes."""
        amounts = {"cpu": "40", "memory": "320Gi", "pods": str(PODS_PER_NODE), GPU: str(gpus)}
        names = [f"{pool}-{number:03}" for number in range(self.made, self.made + count)]
        self.made += count
        for name in names:
            self.api.create("nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels_of(pool)},
                                      "spec": {"taints": [TAINT]}, "status": {"allocatable": amounts, "capacity": amounts}})
        return names

    def remove(self, *names: str) -> None:
        for name in names:
            try:
                self.api.delete("v1", "nodes", "", name)
            except Refused as why:
                if why.code != 404:
                    raise

    def names(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.api.get("v1", "nodes")["items"]]
