"""gputided nodes plan|explain --kubernetes: nodes, pods and budgets from an API server, instead of what kubectl printed."""
from __future__ import annotations

import json
from typing import Any

import harness
from harness import Ran, gputided
from kubernetes_case import USER, Cluster

AGENT_POOL = {"kubernetes.azure.com/agentpool": "gpunp"}
TAINTS = [{"key": "sku", "value": "gpu", "effect": "NoSchedule"}]
POOL = {"id": "gpunp", "sku": "Standard_NC40ads_H100_v5", "max": 20, "labels": AGENT_POOL, "taints": TAINTS}
START = "2026-11-22T10:00:00Z"


def node(number: int) -> dict[str, Any]:
    amounts = {"cpu": "40", "memory": "320Gi", "pods": "110", "nvidia.com/gpu": "1"}
    return {"metadata": {"name": f"gpunp-{number:03}", "labels": AGENT_POOL, "creationTimestamp": START}, "spec": {"taints": TAINTS},
            "status": {"allocatable": amounts, "capacity": amounts, "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(number: int, phase: str = "Pending", on: str = "", resource: str = "nvidia.com/gpu", **labels: str) -> dict[str, Any]:
    status: dict[str, Any] = {"phase": phase}
    if phase == "Pending":
        status["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "7", "controller": True}
    container = {"name": "main", "resources": {"limits": {resource: "1"}, "requests": {resource: "1"}}}
    return {"metadata": {"name": f"train-{number}", "namespace": "ml", "labels": labels, "ownerReferences": [owner], "creationTimestamp": START},
            "spec": {"containers": [container], "tolerations": [{"key": "sku", "operator": "Exists"}], **({"nodeName": on} if on else {})},
            "status": status}


class NodesOfACluster(Cluster):
    def setUp(self) -> None:
        super().setUp()
        self.api.allow(USER, "list", "policy", "*")
        self.api.page_size = 2  # of nodes and pods in each answer
        self.pools = harness.write("cluster-pools.json", json.dumps({"pools": [{**POOL, "size": 3}]}))

    def planned(self, *arguments: str, command: str = "plan") -> Ran:
        return gputided("nodes", command, "-f", self.pools, "--kubernetes", "--service-account-dir", self.service_account(),
                        "--output", "json", *arguments, env=self.inside)

    def test_pods_that_wait_become_nodes(self) -> None:
        self.api.lists["nodes"] = [node(i) for i in range(3)]
        self.api.lists["pods"] = [pod(0, "Running", "gpunp-000"), pod(1, "Succeeded", "gpunp-001"), *(pod(i) for i in range(2, 9))]
        ran = self.planned()
        self.assertEqual(ran.status, 0, ran)
        pools = ran.json["pools"]
        self.assertEqual([(pool["id"], pool["size"], pool["add"]) for pool in pools], [("gpunp", 3, 5)])  # two find a free node
        self.assertEqual(sum(group["on_existing"] for group in ran.json["groups"]), 2)
        self.assertEqual(ran.json["findings"]["errors"], 0, ran)
        asked = [path for user, path in self.api.requests if "/nodes" in path]
        self.assertEqual(asked, ["/api/v1/nodes?limit=250", "/api/v1/nodes?limit=250&continue=2"])

    def test_budgets_hold_nodes(self) -> None:
        self.api.lists["nodes"] = [node(0), node(1)]
        self.api.lists["pods"] = [pod(0, "Running", "gpunp-000", "cpu", app="train"), pod(1, "Running", "gpunp-001")]
        self.api.lists["poddisruptionbudgets"] = [{
            "metadata": {"name": "all", "namespace": "ml"}, "spec": {"selector": {"matchLabels": {"app": "train"}}},
            "status": {"disruptionsAllowed": 0}}]

        def removal(*arguments: str) -> str:
            self.ran = self.planned("--at", "2026-11-22T12:00:00Z", *arguments, command="explain")
            self.assertEqual(self.ran.status, 0, self.ran)
            return str(self.ran.json["nodes"][0]["removal"])
        self.assertEqual(removal(), "BlockedByPod:NotEnoughPdb")
        self.assertEqual(self.ran.json["findings"]["errors"], 0, self.ran)
        self.api.grants.discard((USER, "list", "policy", "*"))
        self.assertEqual(removal(), "Removable")
        self.assertIn("planned without PodDisruptionBudgets", self.ran.err)
        self.assertIn('resources: ["poddisruptionbudgets"], verbs: ["list"]', self.ran.err)

    def test_devices_are_read_where_the_cluster_has_them(self) -> None:
        self.api.lists["nodes"] = [node(0)]
        self.api.lists["nodes"][0]["status"]["allocatable"] = {"cpu": "40", "memory": "320Gi", "pods": "110"}
        claiming = pod(1, resource="cpu")
        claiming["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]
        self.api.lists["pods"] = [claiming]
        self.pools = harness.write("dra-pools.json", json.dumps({"pools": [{"id": "gpunp", "size": 1, "max": 1}]}))
        ran = self.planned()
        self.assertEqual((ran.status, ran.json["groups"][0]["held"]), (1, "unmodeled"), ran)
        self.api.allow(USER, "list", "resource.k8s.io", "*")
        self.api.lists["resourceslices"] = [{"metadata": {"name": "s"}, "spec": {
            "driver": "gpu.nvidia.com", "nodeName": "gpunp-000", "devices": [{"name": "gpu-0"}],
            "pool": {"name": "gpunp-000", "generation": 1, "resourceSliceCount": 1}}}]
        self.api.lists["deviceclasses"] = [{"metadata": {"name": "gpu"}, "spec": {"selectors": [
            {"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}]}}]
        self.api.lists["resourceclaims"] = []
        self.api.lists["resourceclaimtemplates"] = [{"metadata": {"name": "one-gpu", "namespace": "ml"}, "spec": {"spec": {"devices": {
            "requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}}}]
        ran = self.planned()
        self.assertEqual((ran.status, ran.json["groups"][0]["on_existing"]), (0, 1), ran)
        self.api.grants.discard((USER, "list", "resource.k8s.io", "*"))
        ran = self.planned()
        self.assertEqual(ran.status, 1, ran)
        self.assertIn("the plan ignores DRA devices that it cannot read", ran.err)

    def test_devices_of_an_older_server_are_read(self) -> None:
        self.api.allow(USER, "list", "resource.k8s.io", "*")
        self.api.list_versions = {"resource.k8s.io": "v1beta2"}
        self.api.lists["nodes"] = [node(0)]
        self.api.lists["nodes"][0]["status"]["allocatable"] = {"cpu": "40", "memory": "320Gi", "pods": "110"}
        self.api.lists["resourceslices"] = [{"metadata": {"name": "s"}, "spec": {
            "driver": "gpu.nvidia.com", "nodeName": "gpunp-000", "devices": [{"name": "gpu-0"}],
            "pool": {"name": "gpunp-000", "generation": 1, "resourceSliceCount": 1}}}]
        self.api.lists["deviceclasses"] = [{"metadata": {"name": "gpu"}, "spec": {"selectors": [
            {"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}], "extendedResourceName": "nvidia.com/gpu"}}]
        self.api.lists["resourceclaims"] = self.api.lists["resourceclaimtemplates"] = []
        self.api.lists["pods"] = [pod(1)]
        ran = self.planned()
        self.assertEqual((ran.status, ran.json["groups"][0]["on_existing"]), (0, 1), ran)
        asked = [path.split("?")[0] for _, path in self.api.requests if "resourceslices" in path]
        self.assertEqual(asked, ["/apis/resource.k8s.io/v1/resourceslices", "/apis/resource.k8s.io/v1beta2/resourceslices"])

    def test_gangs_are_read_where_the_cluster_has_them(self) -> None:
        self.api.lists["leaderworkersets.leaderworkerset.x-k8s.io"] = [{
            "apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": {"name": "llm", "namespace": "ml"},
            "spec": {"replicas": 1, "leaderWorkerTemplate": {"size": 4, "workerTemplate": {"spec": pod(0)["spec"]}}}}]
        ran = self.planned()
        self.assertIn("gangs are planned without kinds that this account may not list: /apis/leaderworkerset.x-k8s.io/v1/leaderworkersets", ran.err)
        self.assertEqual(ran.json["groups"], [])
        self.api.allow(USER, "list", "leaderworkerset.x-k8s.io", "*")
        ran = self.planned()
        self.assertEqual([(each["name"], each["pods"], each["gang"]) for each in ran.json["groups"]],
                         [("ml/llm-0-workers", 4, "LeaderWorkerSet ml/llm-0")], ran)
        self.assertEqual(ran.json["pools"][0]["add"], 4)
        self.assertNotIn("gangs are planned without", ran.err)

    def schedule(self) -> None:
        """As a scheduler and kubelets do: a pod a node, as one GPU allows, until no node is free."""
        taken = {entry["spec"]["nodeName"] for entry in self.api.lists["pods"] if entry["status"]["phase"] == "Running"}
        free = [entry["metadata"]["name"] for entry in self.api.lists["nodes"] if entry["metadata"]["name"] not in taken]
        for entry in self.api.lists["pods"]:
            if free and "nodeName" not in entry["spec"]:
                entry["spec"]["nodeName"] = free.pop()
                entry["status"] = {"phase": "Running"}

    def end(self, most: int) -> None:
        running = [entry for entry in self.api.lists["pods"] if entry["status"]["phase"] == "Running"]
        for entry in running[:most]:
            entry["status"] = {"phase": "Succeeded"}

    def test_the_guides_jobs_from_nothing_to_the_maximum_and_back(self) -> None:
        """24 pods that ask for a GPU each, and nodes as the plans say, made and removed as their provider would."""
        begin, minute, most, jobs = 1_795_345_200_000, 60_000, 20, 24
        self.pools = harness.write("guide-pools.json", json.dumps({"pools": [POOL]}))
        self.api.page_size = 7
        self.api.lists["pods"] = [pod(i) for i in range(jobs)]

        def plan(at_minute: int) -> Any:
            ran = self.planned("--at", str(begin + at_minute * minute), "--state", str(harness.WORK / "guide.state"))
            self.assertIn(ran.status, (0, 1), ran)
            self.assertEqual(ran.json["findings"]["errors"], 0, ran)
            return ran.json
        up = plan(0)
        self.assertEqual((up["pools"][0]["add"], up["pools"][0]["skipped"]), (most, "max node group size reached"))
        self.assertEqual([group["help"] for group in up["groups"] if group["left"]], [[f"gpunp: raise its maximum, which is {most}"]])
        self.api.lists["nodes"] = [node(i) for i in range(up["pools"][0]["add"])]
        self.schedule()
        full = plan(7)
        self.assertEqual((full["pools"][0]["add"], {entry["reason"] for entry in full["nodes"]}), (0, {"NotUnderutilized"}))
        self.end(jobs - most)  # the others take their places
        self.schedule()
        self.assertEqual(sum(entry["status"]["phase"] == "Running" for entry in self.api.lists["pods"]), most)
        self.end(most)
        idle = plan(60)
        self.assertEqual({entry["reason"] for entry in idle["nodes"]}, {"NotUnneededLongEnough"})
        self.assertEqual({entry["removable_at_ms"] for entry in idle["nodes"]}, {begin + 70 * minute})
        sizes = []
        for at_minute in (71, 72, 73):
            going = {entry["name"] for entry in plan(at_minute)["nodes"] if entry["reason"] == "NoReason"}
            self.api.lists["nodes"] = [entry for entry in self.api.lists["nodes"] if entry["metadata"]["name"] not in going]
            sizes.append(len(self.api.lists["nodes"]))
        self.assertEqual(sizes, [10, 0, 0])  # ten empty nodes at a time, as max-scale-down-parallelism has it

    def test_a_page_that_has_expired_is_read_with_the_whole_list(self) -> None:
        self.api.lists["nodes"] = [node(i) for i in range(5)]
        self.api.expired_tokens, self.api.page_size = 1, 4
        ran = self.planned()
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(len(ran.json["nodes"]), 5)  # none twice
        asked = [path for user, path in self.api.requests if "/nodes" in path]
        self.assertEqual(asked[:3], ["/api/v1/nodes?limit=250", "/api/v1/nodes?limit=250&continue=4", "/api/v1/nodes"])

    def test_a_pod_that_does_not_fit_into_an_answer_is_named(self) -> None:
        self.api.page_size = 500
        self.api.lists["nodes"] = [node(i) for i in range(3)]
        pods = [pod(0, "Running", "gpunp-000"), *(pod(i) for i in range(1, 5))]
        pods[1]["spec"]["text"] = "x" * 17_000_000
        self.api.lists["pods"] = pods
        ran = self.planned()
        self.assertEqual([(pool["id"], pool["add"]) for pool in ran.json["pools"]], [("gpunp", 1)])  # for three others, and two are free
        self.assertEqual(ran.json["findings"]["errors"], 1, ran)
        self.assertIn('"train-1" is not in the plan: it does not fit into an answer of the API server', json.dumps(ran.json).replace('\\"', '"'))

    def test_who_may_not_is_told_the_rule(self) -> None:
        self.api.grants.discard((USER, "list", "", "*"))
        ran = self.planned()
        self.assertEqual(ran.status, 3, ran)
        for words in ("E_FORBIDDEN", "/api/v1/nodes", '{apiGroups: [""], resources: ["nodes"], verbs: ["list"]}'):
            self.assertIn(words, ran.err)

    def test_no_cluster_and_no_file(self) -> None:
        ran = gputided("nodes", "plan", "--kubernetes")
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_UNSUPPORTED", ran.err)
        ran = gputided("nodes", "plan")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("give --file, --kubernetes, or both", ran.err)
