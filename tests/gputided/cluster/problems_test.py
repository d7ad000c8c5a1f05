"""The list of problems on a cluster: blocks and failed writes begin and end in the log, /metrics and /problems.json."""
from __future__ import annotations

import json

import harness
from cluster.case import APPS, HPA, KEDA, OnACluster
from cluster.objects import deployment
from harness import Daemon
from problem_list import SeesProblems


class Problems(OnACluster, SeesProblems):
    def codes(self, daemon: Daemon) -> dict[str, str]:
        return {entry["object"]: entry["code"] for entry in json.loads(daemon.get("/problems.json")[2])["problems"]}

    def test_what_is_not_scaled_is_a_problem(self) -> None:
        self.api.put(KEDA, "scaledobjects", self.scaled_object("gone"))
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.put(KEDA, "scaledobjects", broken)
        self.api.put(APPS, "deployments", deployment("broken", 1))
        self.scale("foreign", annotations={"gputide.io/owner": "another"})
        audit = harness.WORK / "cluster.audit"
        daemon = self.start("a", "--audit-log", str(audit))
        expected = {"ml/gone": "no_target", "ml/broken": "manifest_refused", "ml/foreign": "not_owner"}
        daemon.wait_for(lambda: expected.items() <= self.codes(daemon).items())
        for name, code in expected.items():
            daemon.wait_for(lambda code=code: f"[{code}]" in daemon.err)
            space, _, alone = name.partition("/")
            self.assertIn(f'\ngputide_problem{{code="{code}",namespace="{space}",name="{alone}"}} 1\n', daemon.get("/metrics")[2])
        self.api.put(APPS, "deployments", deployment("gone", 1))
        daemon.wait_for(lambda: "ml/gone" not in self.codes(daemon))
        daemon.wait_for(lambda: "ml/gone: is no longer blocked [no_target]" in daemon.err)
        self.wants(22, "gone", 5, daemon)
        daemon.wait_for(lambda: '"event":"write"' in audit.read_text())
        kinds = {json.loads(line)["kind"] for line in audit.read_text().splitlines()}
        self.assertLessEqual({"start", "added", "held", "resumed", "write"}, kinds)

    def test_each_block_begins_and_ends(self) -> None:
        self.scale("contested")
        self.api.put(HPA, "horizontalpodautoscalers", {"metadata": {"name": "rival", "namespace": "ml"}, "spec": {
            "scaleTargetRef": {"apiVersion": APPS, "kind": "Deployment", "name": "contested"}, "maxReplicas": 9}})
        self.api.put(KEDA, "scaledobjects", self.scaled_object("gone"))
        odd = self.scaled_object("odd")
        odd["spec"]["scaleTargetRef"] = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "odd"}
        self.api.put(KEDA, "scaledobjects", odd)
        self.scale("foreign", annotations={"gputide.io/owner": "another"})
        self.metric.value = 22  # a write is wanted
        daemon = self.start("a")
        self.is_seen(daemon, "contested", "ml/contested", "another controller scales it")
        self.is_seen(daemon, "no_target", "ml/gone", "gone is not there")
        self.is_seen(daemon, "unknown_kind", "ml/odd", 'the server has no kind "DaemonSet" with a scale subresource')
        self.is_seen(daemon, "not_owner", "ml/foreign", "another")
        self.api.delete(HPA, "horizontalpodautoscalers", "rival")
        self.api.put(APPS, "deployments", deployment("gone", 1))
        self.scale("odd")
        self.scale("foreign")
        self.ends(daemon, "contested")
        self.ends(daemon, "no_target")
        self.ends(daemon, "unknown_kind")
        self.ends(daemon, "not_owner")

    def test_a_kind_that_may_not_be_listed(self) -> None:
        self.api.forbidden.add("horizontalpodautoscalers")
        self.scale("llm")
        self.metric.value = 22  # a write is wanted
        daemon = self.start("a")
        self.is_seen(daemon, "watch_failed", "/horizontalpodautoscalers", "is forbidden")
        self.is_seen(daemon, "unseen", "ml/llm", "it is unknown whether an HPA scales it")
        self.api.forbidden.clear()
        self.ends(daemon, "watch_failed")
        self.ends(daemon, "unseen")

    def test_an_object_that_cannot_be_read(self) -> None:
        self.scale("llm")
        broken = deployment("broken", 1)
        broken["spec"]["number"] = float("nan")
        self.api.put(APPS, "deployments", broken)
        daemon = self.start("a")
        self.is_seen(daemon, "object_unreadable", "ml/broken", "it is not valid JSON", "deployments ml/broken is left out: it is not valid JSON")
        self.api.put(APPS, "deployments", deployment("broken", 1))
        self.ends(daemon, "object_unreadable", "deployments ml/broken is no longer left out")

    def test_statuses_that_cannot_be_written(self) -> None:
        self.api.denies_status = True
        self.scale("llm")
        daemon = self.start("a")
        self.is_seen(daemon, "status_not_written", "statuses of ScaledObjects", "scaledobjects/status")
        self.api.denies_status = False
        self.ends(daemon, "status_not_written")

    def test_a_lease_that_cannot_be_had(self) -> None:
        self.api.fail_leases = True
        self.scale("llm")
        daemon = self.start("a")
        self.is_seen(daemon, "lease_failed", "ml/gputide", "etcdserver: request timed out")
        self.api.fail_leases = False
        self.wants(22, "llm", 5, daemon)
        self.ends(daemon, "lease_failed")
