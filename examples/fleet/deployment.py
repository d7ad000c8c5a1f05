"""A Deployment on a pool of GPU nodes: which pods there are, which GPU each holds, which are ready.

In: the wanted number of replicas and the time.  Out: pods and counts.  Never reads a clock, so that a test can drive it.
"""
from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, field

GPUS_PER_NODE = 8
MOST_REPLICAS = 1000
POD_TEMPLATE_HASH = "6d8f9c7b5"
# Kubernetes draws pod suffixes from this alphabet (k8s.io/apimachinery/pkg/util/rand): no vowels, so no words.
SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


@dataclass(frozen=True)
class Gpu:
    """One device of one node, with what dcgm-exporter says about it besides numbers."""

    node: str
    index: int
    model: str = "NVIDIA A100-SXM4-80GB"

    @property
    def uuid(self) -> str:
        return f"GPU-{uuid.uuid5(uuid.NAMESPACE_DNS, f'{self.node}/{self.index}')}"

    @property
    def pci_bus_id(self) -> str:
        return f"00000000:{16 * self.index + 7:02X}:00.0"


@dataclass
class Pod:
    """gpu is None while the pod is Pending for want of one; ready_at_s is None as long."""

    name: str
    created_s: float
    gpu: Gpu | None = None
    ready_at_s: float | None = None
    ready: bool = False


@dataclass
class Deployment:
    """Pods in order of creation.  Every method that depends on time takes it."""

    name: str
    namespace: str
    container: str
    start_delay_s: float
    gpus: list[Gpu]
    spec_replicas: int = 0
    pods: list[Pod] = field(default_factory=list)
    _names: random.Random = field(default_factory=lambda: random.Random(1))

    def scale(self, replicas: int, now_s: float) -> None:
        """Creates or removes pods at once; new ones become ready after the start-up delay."""
        self.spec_replicas = replicas
        while len(self.pods) < replicas:
            self.pods.append(Pod(self._fresh_name(), now_s))
        if len(self.pods) > replicas:
            going = sorted(self.pods, key=_first_to_go)[: len(self.pods) - replicas]
            self.pods = [pod for pod in self.pods if pod not in going]
        self.advance(now_s)

    def advance(self, now_s: float) -> None:
        """Gives waiting pods the GPUs that are free, and makes pods ready after their delay."""
        held = {pod.gpu for pod in self.pods}
        free = [gpu for gpu in self.gpus if gpu not in held]
        for pod in self.pods:
            if pod.gpu is None and free:
                pod.gpu, pod.ready_at_s = free.pop(0), now_s + self.start_delay_s
            if pod.ready_at_s is not None and now_s >= pod.ready_at_s:
                pod.ready = True

    def counts(self) -> dict[str, int]:
        return {"spec": self.spec_replicas, "status": len(self.pods), "ready": self.ready_count()}

    def ready_count(self) -> int:
        return sum(pod.ready for pod in self.pods)

    def _fresh_name(self) -> str:
        suffix = "".join(self._names.choices(SUFFIX_ALPHABET, k=5))
        return f"{self.name}-{POD_TEMPLATE_HASH}-{suffix}"


def _first_to_go(pod: Pod) -> tuple[bool, bool, float]:
    """A ReplicaSet removes pods without a node first, then those not ready, then the youngest
    (kubernetes/kubernetes pkg/controller/controller_utils.go, ActivePodsWithRanks)."""
    return (pod.gpu is not None, pod.ready, -pod.created_s)


def node_pool(count: int) -> list[Gpu]:
    """`count` GPUs on nodes of eight, named as AKS names the machines of a scale set."""
    return [Gpu(f"aks-gpunp-31415926-vmss{i // GPUS_PER_NODE:06d}", i % GPUS_PER_NODE) for i in range(count)]
