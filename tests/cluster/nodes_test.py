"""The AKS guide's Jobs on a real API server: 24 of them that ask for one GPU each, a pool of one-GPU nodes from 0 to its maximum of
20, and back when the Jobs are done.

`gputided nodes plan --kubernetes` reads the cluster; the plan's nodes are made and removed by the test, which is the provider.  The
test is the scheduler and the kubelets, too: nodes are Node objects that it creates and whose status it writes, it binds pods and
writes their phases.  Everything else is the real thing: the Jobs' controller makes the pods and counts their ends, the API server
answers the lists, as the ServiceAccount of examples/kubernetes with the rights that docs/nodes.md names.
"""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import time

import harness
from api_client import Object, Refused, path_of
from case import CORE, HOME, RBAC, ACCOUNT, Case
from harness import gputided

JOBS, MOST, MINUTE = 24, 20, 60_000
BATCH = "batch/v1"
PRINT_JOBS = pathlib.Path(__file__).parents[2] / "examples/nodes/jobs.py"
LABELS = {"kubernetes.azure.com/agentpool": "gpunp"}
TAINT = {"key": "sku", "value": "gpu", "effect": "NoSchedule"}
AMOUNTS = {"cpu": "40", "memory": "320Gi", "pods": "110", "nvidia.com/gpu": "1"}


class Provider:
    """Makes and removes nodes, as who owns machines does, and what runs on them."""

    def __init__(self, case: "GuideJobs") -> None:
        self.case, self.api, self.made = case, case.api, 0

    def add(self, count: int) -> None:
        for _ in range(count):
            name = f"gpunp-{self.case.namespace}-{self.made:02}"
            self.made += 1
            self.api.create("nodes", {"apiVersion": CORE, "kind": "Node", "metadata": {"name": name, "labels": LABELS}})
            self.case.addCleanup(self.gone, name)
            # Admission adds node.kubernetes.io/not-ready; a node that is ready loses it.
            self.api.patch({"spec": {"taints": [TAINT]}}, CORE, "nodes", "", name)
            self.api.patch({"status": {"allocatable": AMOUNTS, "capacity": AMOUNTS, "conditions": [{"type": "Ready", "status": "True"}]}},
                           CORE, "nodes", "", name, "status")

    def remove(self, name: str) -> None:
        self.api.delete(CORE, "nodes", "", name)

    def gone(self, name: str) -> None:
        try:
            self.remove(name)
        except Refused as why:
            if why.code != 404:
                raise

    def nodes(self) -> list[str]:
        return [one["metadata"]["name"] for one in self.api.get(CORE, "nodes")["items"]]


class GuideJobs(Case):
    def setUp(self) -> None:
        super().setUp()
        self.provider = Provider(self)
        self.pool = harness.write("gpunp.json", json.dumps({"pools": [{
            "id": "gpunp", "sku": "Standard_NC40ads_H100_v5", "max": MOST, "labels": LABELS, "taints": [TAINT], "price_per_hour": 6.98}]}))
        name = f"planning-{self.namespace}"
        self.api.create("clusterroles", {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": name}, "rules": [
            {"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["list"]},
            {"apiGroups": ["policy"], "resources": ["poddisruptionbudgets"], "verbs": ["list"]}]})
        self.api.create("clusterrolebindings", {
            "apiVersion": RBAC, "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": HOME}]})
        for kind in ("clusterrolebindings", "clusterroles"):
            self.addCleanup(self.api.delete, RBAC, kind, "", name)
        token, _ = self.token()
        self.kubeconfig = self.plane.kubeconfig(f"planner-{self.namespace}", {"tokenFile": harness.write("planner.token", token)}, HOME)
        self.state = str(harness.WORK / f"{self.namespace}.state")

    def plan(self, at_ms: int) -> Object:
        ran = gputided("nodes", "plan", "-f", self.pool, "--kubernetes", "--kubeconfig", self.kubeconfig, "--state", self.state,
                       "--at", str(at_ms), "--output", "json")
        self.assertIn(ran.status, (0, 1), ran)
        self.assertEqual(ran.json["findings"]["errors"], 0, ran)
        out: Object = ran.json
        return out

    def pods(self) -> list[Object]:
        out: list[Object] = self.api.get(CORE, "pods", self.namespace)["items"]
        return out

    def schedule(self) -> None:
        """A pod a node, as one GPU allows, until no node is free; the kubelet starts it at once."""
        pods = self.pods()
        taken = {one["spec"]["nodeName"] for one in pods if "nodeName" in one["spec"] and one["status"]["phase"] == "Running"}
        free = [name for name in self.provider.nodes() if name not in taken]
        for pod in (one for one in pods if "nodeName" not in one["spec"]):
            name = pod["metadata"]["name"]
            if not free:
                self.status(name, "Pending", {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"})
                continue
            self.api.ask("POST", path_of(CORE, "pods", self.namespace, name, "binding"), {
                "apiVersion": CORE, "kind": "Binding", "metadata": {"name": name}, "target": {"apiVersion": CORE, "kind": "Node", "name": free.pop()}})
            self.status(name, "Running", {"type": "Ready", "status": "True"})

    def status(self, name: str, phase: str, condition: Object) -> None:
        self.api.patch({"status": {"phase": phase, "conditions": [condition]}}, CORE, "pods", self.namespace, name, "status")

    def end(self, most: int) -> None:
        running = [one for one in self.pods() if one["status"]["phase"] == "Running"]
        for one in running[:most]:
            self.status(one["metadata"]["name"], "Succeeded", {"type": "Ready", "status": "False", "reason": "PodCompleted"})

    def counted(self, phase: str) -> int:
        return sum(one["status"]["phase"] == phase for one in self.pods())

    def completed(self) -> int:
        return sum(one.get("status", {}).get("succeeded", 0) for one in self.api.get(BATCH, "jobs", self.namespace)["items"])

    def test_from_nothing_to_the_maximum_and_back(self) -> None:
        printed = subprocess.run([sys.executable, PRINT_JOBS, str(JOBS)], capture_output=True, text=True, check=True).stdout
        self.plane.kubectl("create", "--namespace", self.namespace, "--filename", harness.write("guide-jobs.json", printed))
        self.within(lambda: len(self.pods()) == JOBS, 60)
        self.schedule()
        now = int(time.time() * 1000) + MINUTE  # the youngest pod that asks for a GPU is left alone for 30 s

        up = self.plan(now)
        pool = up["pools"][0]
        self.assertEqual((pool["size"], pool["add"], pool["skipped"]), (0, MOST, "max node group size reached"))
        left = [one for one in up["groups"] if one["left"] and one["name"].startswith(f"{self.namespace}/")]  # others' pods may wait, too
        self.assertEqual(sum(one["left"] for one in left), JOBS - MOST)
        self.assertEqual(left[0]["help"], [f"gpunp: raise its maximum, which is {MOST}"])
        self.provider.add(pool["add"])
        self.schedule()
        self.assertEqual((self.counted("Running"), self.counted("Pending")), (MOST, JOBS - MOST))

        full = self.plan(now + 7 * MINUTE)
        self.assertEqual((full["pools"][0]["size"], full["pools"][0]["add"]), (MOST, 0))
        self.assertEqual({one["reason"] for one in full["nodes"]}, {"NotUnderutilized"})
        # The first ones end, and the others take their places.
        self.end(JOBS - MOST)
        self.schedule()
        self.assertEqual((self.counted("Running"), self.counted("Pending")), (MOST, 0))
        self.assertEqual(self.plan(now + 20 * MINUTE)["pools"][0]["add"], 0)

        self.end(MOST)
        self.within(lambda: self.completed() == JOBS, 60)
        idle = self.plan(now + 60 * MINUTE)
        self.assertEqual({one["reason"] for one in idle["nodes"]}, {"NotUnneededLongEnough"})
        self.assertEqual({one["removable_at_ms"] for one in idle["nodes"]}, {now + 70 * MINUTE})
        sizes = [MOST]
        for at_ms in range(now + 71 * MINUTE, now + 75 * MINUTE, MINUTE):
            down = self.plan(at_ms)
            going = [one["name"] for one in down["nodes"] if one["reason"] == "NoReason"]
            self.assertEqual(len(going), down["pools"][0]["remove"])
            for name in going:
                self.provider.remove(name)
            sizes.append(len(self.provider.nodes()))
            if not sizes[-1]:
                break
        self.assertEqual(sizes, [20, 10, 0])  # ten empty nodes at a time, as max-scale-down-parallelism has it
        self.figure("nodes", "0 → " + " → ".join(map(str, sizes)))
