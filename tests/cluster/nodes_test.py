"""The AKS guide's Jobs on a real API server: 24 of them that ask for one GPU each, a pool of one-GPU nodes from 0 to its maximum of
20, and back when the Jobs are done.

`gputided nodes plan --kubernetes` reads the cluster; the plan's nodes are made and removed by the test, which is the provider, and
which ends the pods.  The Jobs' controller makes them and counts their ends, kube-scheduler binds them, kwok runs them (nodes.py), and
the API server answers the lists, as the ServiceAccount of examples/kubernetes with the rights that docs/nodes.md names.
"""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import time

import harness
from api_client import Object
from case import CORE, HOME, RBAC, ACCOUNT, Case, World
from harness import gputided
from nodes import TAINT, Nodes, labels_of

JOBS, MOST, MINUTE = 24, 20, 60_000
BATCH = "batch/v1"
PRINT_JOBS = pathlib.Path(__file__).parents[2] / "examples/nodes/jobs.py"
POOL = "gpunp"


class GuideJobs(Case):
    def setUp(self) -> None:
        super().setUp()
        self.nodes = self.enterContext(Nodes(World.plane))
        self.pool = harness.write("gpunp.json", json.dumps({"pools": [{
            "id": POOL, "sku": "Standard_NC40ads_H100_v5", "max": MOST, "labels": labels_of(POOL), "taints": [TAINT], "price_per_hour": 6.98}]}))
        name = f"planning-{self.namespace}"
        self.api.create("clusterroles", {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": name}, "rules": [
            {"apiGroups": [""], "resources": ["nodes", "pods", "persistentvolumeclaims", "persistentvolumes"], "verbs": ["list"]},
            {"apiGroups": ["apps"], "resources": ["daemonsets"], "verbs": ["list"]},
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

    def runs(self, running: int, pending: int) -> None:
        """Each pod runs that fits on a node, and the scheduler has told it of the others."""
        self.within(lambda: self.counted("Running") == running and self.unschedulable() == self.counted("Pending") == pending, 60)

    def unschedulable(self) -> int:
        return sum(any(each.get("reason") == "Unschedulable" for each in pod["status"].get("conditions", [])) for pod in self.pods())

    def end(self, most: int) -> None:
        running = [pod for pod in self.pods() if pod["status"]["phase"] == "Running"]
        for entry in running[:most]:
            self.api.patch({"status": {"phase": "Succeeded", "conditions": [{"type": "Ready", "status": "False", "reason": "PodCompleted"}]}},
                           CORE, "pods", self.namespace, entry["metadata"]["name"], "status")

    def counted(self, phase: str) -> int:
        return sum(pod["status"]["phase"] == phase for pod in self.pods())

    def completed(self) -> int:
        return sum(item.get("status", {}).get("succeeded", 0) for item in self.api.get(BATCH, "jobs", self.namespace)["items"])

    def test_from_nothing_to_the_maximum_and_back(self) -> None:
        printed = subprocess.run([sys.executable, PRINT_JOBS, str(JOBS)], capture_output=True, text=True, check=True).stdout
        self.plane.kubectl("create", "--namespace", self.namespace, "--filename", harness.write("guide-jobs.json", printed))
        self.runs(0, JOBS)
        now = int(time.time() * 1000) + MINUTE  # the youngest pod that asks for a GPU is left alone for 30 s

        up = self.plan(now)
        pool = up["pools"][0]
        self.assertEqual((pool["size"], pool["add"], pool["skipped"]), (0, MOST, "max node group size reached"))
        left = [each for each in up["groups"] if each["left"] and each["name"].startswith(f"{self.namespace}/")]  # pods of other tests may wait, too
        self.assertEqual(sum(entry["left"] for entry in left), JOBS - MOST)
        self.assertEqual(left[0]["help"], [f"gpunp: raise its maximum, which is {MOST}"])
        self.nodes.add(POOL, pool["add"])
        began = time.monotonic()
        self.runs(MOST, JOBS - MOST)
        self.figure("20 nodes to 20 pods that run", f"{time.monotonic() - began:.1f} s")

        full = self.plan(now + 7 * MINUTE)
        self.assertEqual((full["pools"][0]["size"], full["pools"][0]["add"]), (MOST, 0))
        self.assertEqual({node["reason"] for node in full["nodes"]}, {"NotUnderutilized"})
        # The first ones end, and the others take their places.
        self.end(JOBS - MOST)
        self.runs(MOST, 0)
        self.assertEqual(self.plan(now + 20 * MINUTE)["pools"][0]["add"], 0)

        self.end(MOST)
        self.within(lambda: self.completed() == JOBS, 60)
        idle = self.plan(now + 60 * MINUTE)
        self.assertEqual({node["reason"] for node in idle["nodes"]}, {"NotUnneededLongEnough"})
        self.assertEqual({node["removable_at_ms"] for node in idle["nodes"]}, {now + 70 * MINUTE})
        sizes = [MOST]
        for at_ms in range(now + 71 * MINUTE, now + 75 * MINUTE, MINUTE):
            down = self.plan(at_ms)
            going = [node["name"] for node in down["nodes"] if node["reason"] == "NoReason"]
            self.assertEqual(len(going), down["pools"][0]["remove"])
            self.nodes.remove(*going)
            sizes.append(len(self.nodes.names()))
            if not sizes[-1]:
                break
        self.assertEqual(sizes, [20, 10, 0])  # ten empty nodes at a time, as max-scale-down-parallelism has it
        self.figure("nodes", "0 → " + " → ".join(map(str, sizes)))
