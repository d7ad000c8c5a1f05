"""The base of every scenario: one control plane and one Prometheus for all, a namespace of its own for each, and instances
of gputided that sign on as the ServiceAccount of examples/kubernetes, each with a token of its own."""
from __future__ import annotations

import base64
import json
import pathlib
import time
import unittest
from typing import Any, Callable

import audit
import harness
import manifests
from api_client import Object, path_of
from control_plane import ControlPlane
from gauges import Gauges, Some
from harness import Daemon
from keda import Keda
from nodes import GPU, TAINT

APPS, KEDA, CORE, HPA = "apps/v1", "keda.sh/v1alpha1", "v1", "autoscaling/v2"
LEASES, RBAC = "coordination.k8s.io/v1", "rbac.authorization.k8s.io/v1"
HOME, ACCOUNT = "gputide", "gputide"  # as examples/kubernetes names them
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/kubernetes"
LEASE_S = 5
WRITING = ("clusterroles", "", "gputide-writing")  # of examples/kubernetes/act
IS_QUICK = True  # run_tests.py says otherwise


class World:
    """Set up once by run_tests.py."""

    plane: ControlPlane
    gauges: Gauges
    stack: dict[str, str]  # the quickstart's: where the AKS manifest's metric lives
    keda: Keda | None = None  # with --rivals
    external_scaler: str = ""  # likewise: the program of examples/external_scaler

    @classmethod
    def prepare(cls, keda_source: pathlib.Path | None) -> None:
        """The kinds that are watched, KEDA's as it defines them where its files are there, and gputide's account with the rights of
        its example."""
        plane = cls.plane
        for file in sorted((pathlib.Path(__file__).parent / "resources").iterdir()):
            if keda_source is None or file.name != "crds.yaml":
                plane.kubectl("apply", "-f", str(file))
        if keda_source is not None:
            plane.kubectl("create", "-f", str(keda_source / "config/crd/bases"))
        plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        plane.kubectl("apply", "-k", str(EXAMPLES / "act"))


class Instance:
    """A gputided, and its identity for the API server."""

    def __init__(self, name: str, daemon: Daemon, credential: str) -> None:
        self.name, self.daemon, self.credential = name, daemon, credential

    def told(self, event: str, name: str = "") -> list[Object]:
        return [line["cluster"] for line in self.daemon.lines if line.get("cluster", {}).get("event") == event
                and name in ("", line["cluster"]["name"])]

    def held(self, name: str) -> Object | None:
        """Returns why a scaler is held, or None."""
        of_it = [line["cluster"] for line in self.daemon.lines if line.get("cluster", {}).get("name") == name
                 and line["cluster"]["event"] in ("held", "resumed", "removed")]
        return of_it[-1] if of_it and of_it[-1]["event"] == "held" else None

    def describe(self) -> Object:
        out: Object = json.loads(self.daemon.get("/cluster.json")[2])
        return out


class Case(unittest.TestCase):
    count = 0

    def setUp(self) -> None:
        Case.count += 1
        self.plane, self.api = World.plane, World.plane.admin
        self.namespace = f"ml-{Case.count}"
        self.gauges = Some(World.gauges, self.namespace)
        self.lease = f"lease-{Case.count}"
        self.log_offset = self.plane.audit_log.stat().st_size
        self.api.create("namespaces", {"apiVersion": CORE, "kind": "Namespace", "metadata": {"name": self.namespace}})
        self.addCleanup(self.api.delete, CORE, "namespaces", "", self.namespace)
        self.allow("lease", ["get", "update"], "coordination.k8s.io", ["leases"], namespace=HOME,
                   names=[self.lease, *(f"{self.lease}-{shard}" for shard in range(1, 4))])

    def allow(self, name: str, verbs: list[str], group: str, resources: list[str], names: list[str] | None = None,
              namespace: str = "") -> tuple[str, str]:
        """Creates a Role for gputide's account; returns the account: namespace, name."""
        namespace = namespace or self.namespace
        own = f"{name}-{self.namespace}"
        rule: Object = {"apiGroups": [group], "resources": resources, "verbs": verbs}
        if names:
            rule["resourceNames"] = names
        self.api.create("roles", {"apiVersion": RBAC, "kind": "Role", "metadata": {"name": own, "namespace": namespace},
                                  "rules": [rule]})
        self.api.create("rolebindings", {
            "apiVersion": RBAC, "kind": "RoleBinding", "metadata": {"name": own, "namespace": namespace},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": own},
            "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": HOME}]})
        return namespace, own

    def without(self, resource: str) -> list[object]:
        """The right to it is taken away; what it was."""
        rules: list[dict[str, list[str]]] = self.api.get(RBAC, *WRITING)["rules"]
        self.addCleanup(self.api.patch, {"rules": rules}, RBAC, *WRITING)
        kept = [rule for rule in rules if resource not in rule["resources"]]
        self.assertLess(len(kept), len(rules))
        self.api.patch({"rules": kept}, RBAC, *WRITING)
        return list(rules)

    # ---- objects
    def deployment(self, name: str, replicas: int = 1, namespace: str = "", gpus: int = 0) -> None:
        """With GPUs its pods run on nodes.py's nodes; without they stay Pending."""
        labels = {"app": name}
        container: Object = {"name": "main", "image": "none.invalid/model:1"}
        pod: Object = {"containers": [container]}
        if gpus:
            container["resources"] = {"limits": {GPU: gpus}}
            pod["tolerations"] = [{**TAINT, "operator": "Equal"}]
        self.api.create("deployments", {
            "apiVersion": APPS, "kind": "Deployment", "metadata": {"name": name, "namespace": namespace or self.namespace},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": pod}}})

    def scaled_object(self, name: str, auth: str = "", trigger: dict[str, str] | None = None, target: Object | None = None,
                      annotations: dict[str, str] | None = None, **spec: Any) -> Object:
        """Decides each second, with no window to wait for: ceil(load / 5), from 1 to 20."""
        rate = {"type": "Pods", "value": 100, "periodSeconds": 1}
        out = manifests.scaled_object(
            World.gauges.prometheus, name=name, auth=auth, metadata=trigger,
            query=f'sum(load{{app="{self.gauges.label(name)}"}})',
            annotations={"gputide.io/sync-period": "1s", **(annotations or {})},
            spec={"pollingInterval": 1, **({"scaleTargetRef": target} if target else {}), **spec,
                  "advanced": {"horizontalPodAutoscalerConfig": {"behavior": {
                      "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [rate]}, "scaleUp": {"policies": [rate]}}}}})
        out["metadata"]["namespace"] = self.namespace
        return out

    def scale(self, name: str, replicas: int = 1, load: float = 1, **more: Any) -> None:
        """A Deployment and the ScaledObject of its name."""
        self.gauges[name] = load
        self.deployment(name, replicas)
        self.api.create("scaledobjects", self.scaled_object(name, **more))

    def replicas(self, name: str) -> int:
        out: int = self.api.get(APPS, "deployments", self.namespace, name)["spec"]["replicas"]
        return out

    def set_replicas(self, name: str, replicas: int) -> None:
        """As `kubectl scale` does."""
        self.api.patch({"spec": {"replicas": replicas}}, APPS, "deployments", self.namespace, name, "scale")

    # ---- instances
    def token(self, lives_s: int = 3600) -> tuple[str, str]:
        """A token of gputide's account, and its number in the audit log."""
        answer = self.api.ask("POST", path_of(CORE, "serviceaccounts", HOME, ACCOUNT, "token"), {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": lives_s}})
        token = answer["status"]["token"]
        return token, credential_of(token)

    def start(self, name: str, *arguments: str, token: str = "", env: dict[str, str] | None = None, lease_s: int = LEASE_S) -> Instance:
        if not token:
            token, _ = self.token()
        own = f"{self.namespace}-{name}"
        file = harness.write(f"{own}.token", token)
        kubeconfig = self.plane.kubeconfig(own, {"tokenFile": file}, HOME)
        lease = [] if "--shadow" in arguments else ["--lease", f"{HOME}/{self.lease}", "--lease-s", str(lease_s)]
        daemon = self.enterContext(Daemon("--kubernetes", "--kubeconfig", kubeconfig, "--identity", name,
                                          "--namespace", self.namespace, *lease, *arguments, env=env))
        return Instance(name, daemon, credential_of(token))

    def wants(self, value: float, name: str, replicas: int, by: Instance) -> float:
        """Seconds until the size was there."""
        began = time.monotonic()
        self.gauges[name] = value
        self.reaches(name, replicas, by)
        return time.monotonic() - began

    def reaches(self, name: str, replicas: int, by: Instance) -> None:
        by.daemon.wait_for(lambda: self.replicas(name) == replicas)

    def holder(self, shard: int = 0) -> str:
        found = self.api.find(LEASES, "leases", HOME, self.lease + (f"-{shard}" if shard else ""))
        return str(found["spec"].get("holderIdentity") or "") if found else ""

    def leads(self, instance: Instance) -> None:
        instance.daemon.wait_for(lambda: self.holder() == instance.name)

    # ---- what was seen
    def seen(self) -> list[audit.Request]:
        """Every request since the test's begin that the log keeps and that is about its namespace or its Leases."""
        mine = (f"{self.namespace}/", f"{HOME}/{self.lease}", f"{HOME}/")
        return [request for request in audit.requests(self.plane.audit_log, self.log_offset) if request.target.startswith(mine)]

    def one_writer(self, *names: str) -> None:
        """Every size of these was written by the holder of the Lease."""
        lease = f"{HOME}/{self.lease}"
        self.assertEqual(audit.unled(self.seen(), {f"{self.namespace}/{name}": lease for name in names}), [])

    def within(self, what: Callable[[], Any], seconds: float) -> Any:
        """Records what no instance can tell by ending."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = what()
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"waited {seconds} s in vain")

    def figure(self, what: str, value: object) -> None:
        """Into the report at the end."""
        figures.append((f"{type(self).__name__}.{self._testMethodName}", what, str(value)))


figures: list[tuple[str, str, str]] = []


def credential_of(token: str) -> str:
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    return f"JTI={claims['jti']}"
