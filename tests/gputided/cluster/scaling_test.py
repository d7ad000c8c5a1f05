"""Tests the way from objects on a cluster to decisions, writes and events."""
from __future__ import annotations

import json
import time
import unittest
from typing import Any

import harness
import manifests
from cluster.case import APPS, KEDA, OnACluster
from cluster.objects import deployment


def utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Scaling(OnACluster):
    def test_one_to_n_and_back(self) -> None:
        for name in ("llm", "whisper", "embed"):  # more than a page
            self.scale(name)
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.wants(22, "embed", 5, daemon)
        self.wants(1, "llm", 1, daemon)
        self.wants(1, "whisper", 1, daemon)
        daemon.wait_for(lambda: len(self.told(daemon, "write")) >= 6)
        self.assertEqual({entry["result"] for entry in self.told(daemon, "write")}, {"applied"})
        self.assertEqual([(write.old, write.new) for write in self.api.writes if write.target == "ml/llm"], [(1, 5), (5, 1)])
        # A GET and a PUT each; sizes are not requested otherwise.
        scales = [path for _, _, path in self.api.requests if path.split("?")[0].endswith("/scale")]
        self.assertEqual(len(scales), 2 * len(self.api.writes))

    def test_objects_come_change_and_go(self) -> None:
        daemon = self.start("a")
        self.metric.value = 22
        self.scale("llm")
        daemon.wait_for(lambda: self.api.replicas("llm") == 5)
        changed = self.scaled_object("llm")
        changed["spec"]["maxReplicaCount"] = 3
        self.api.put(KEDA, "scaledobjects", changed)
        daemon.wait_for(lambda: self.api.replicas("llm") == 3)
        self.api.delete(KEDA, "scaledobjects", "llm")
        daemon.wait_for(lambda: self.told(daemon, "removed"))
        before = len(self.api.writes)
        self.metric.value = 1
        time.sleep(3)
        self.assertEqual(len(self.api.writes), before)

    def test_what_the_manifest_says_is_on_the_page_and_in_the_metrics(self) -> None:
        prices = {"gputide.io/gpus-per-replica": "4", "gputide.io/cost-per-gpu-hour": "3.5"}
        self.scale("llm", annotations=prices)
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)

        def scaler() -> dict[str, Any]:
            return json.loads(daemon.get("/status.json")[2])["scalers"][0]

        def gauge(name: str) -> list[str]:
            return [line.rsplit(" ", 1)[1] for line in daemon.get("/metrics")[2].splitlines() if line.startswith(f"gputided_{name}{{")]
        seen = daemon.wait_for(scaler)
        self.assertEqual([seen[member] for member in ("kind", "min", "max", "gpus_per_replica", "cost_per_gpu_hour")], ["ScaledObject", 1, 20, 4, 3.5])
        self.assertEqual([(metric["name"], metric["type"], metric["target"], metric["value"]) for metric in seen["metrics"]],
                         [("s0-prometheus", "AverageValue", 5, 22)])
        for name, value in (("min_replicas", "1"), ("max_replicas", "20"), ("gpus_per_replica", "4"), ("cost_per_gpu_hour", "3.5"), ("metric_target", "5")):
            self.assertEqual(gauge(name), [value], name)
        history = json.loads(daemon.get("/history.json?scaler=ml/llm")[2])
        self.assertEqual(history["points"][-1][3], [22])
        changed = self.scaled_object("llm", annotations=prices)
        changed["spec"]["maxReplicaCount"] = 3
        self.api.put(KEDA, "scaledobjects", changed)
        daemon.wait_for(lambda: scaler()["max"] == 3)
        self.assertEqual(gauge("max_replicas"), ["3"])

    def test_a_manifest_with_an_error_is_held_and_the_others_go_on(self) -> None:
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.put(APPS, "deployments", deployment("broken", 1))
        self.api.put(KEDA, "scaledobjects", broken)
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        held = self.told(daemon, "held")
        self.assertEqual([(entry["name"], entry["reason"]) for entry in held], [("broken", "refused")])
        self.assertIn("threshold", held[0]["message"])
        self.api.put(KEDA, "scaledobjects", self.scaled_object("broken"))
        daemon.wait_for(lambda: self.api.replicas("broken") == 5)

    def test_secrets_are_read_by_name(self) -> None:
        authentication, secret = manifests.authentication("prom", bearerToken=harness.BEARER)
        for group, plural, value in ((KEDA, "triggerauthentications", authentication), ("v1", "secrets", secret)):
            value["metadata"]["namespace"] = "ml"
            self.api.put(group, plural, value)
        self.scale("llm", auth="prom", trigger={"authModes": "bearer"})
        self.api.slow_lists["triggerauthentications"] = 1
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.assertEqual(set(self.metric.authorizations), {f"Bearer {harness.BEARER}"})
        self.assertEqual(self.told(daemon, "held"), [])  # what is not listed yet is not missing

    def test_a_secret_that_comes_late_and_is_rotated(self) -> None:
        """Late: named, and looked for again within seconds.  Rotated: asked for again as the old one is refused."""
        authentication, secret = manifests.authentication("prom", bearerToken=harness.BEARER)
        for entry in (authentication, secret):
            entry["metadata"]["namespace"] = "ml"
        self.api.put(KEDA, "triggerauthentications", authentication)
        self.scale("llm", auth="prom", trigger={"authModes": "bearer"})
        daemon = self.start("a")
        held = daemon.wait_for(lambda: self.told(daemon, "held"))[0]
        self.assertEqual(held["reason"], "refused")
        self.assertIn("Secret ml/prom-secret: ", held["message"])
        self.api.put("v1", "secrets", secret)
        self.wants(22, "llm", 5, daemon)
        self.metric.wanted = f"Bearer {harness.PASSWORD}"
        daemon.wait_for(lambda: self.metric.refused)
        self.api.put("v1", "secrets", {**secret, "data": manifests.authentication(
            "prom", bearerToken=harness.PASSWORD)[1]["data"]})
        self.wants(1, "llm", 1, daemon)

    def status(self, name: str) -> dict[str, Any]:
        out: dict[str, Any] = self.api.get(KEDA, "scaledobjects", name).get("status", {})
        return out

    def condition(self, name: str, kind: str) -> dict[str, str]:
        found = [condition for condition in self.status(name).get("conditions", []) if condition["type"] == kind]
        return found[0] if found else {"status": "", "reason": "", "message": ""}

    def test_the_status_is_told_where_keda_does_not(self) -> None:
        self.scale("llm", replicas=2)
        self.scale("kedas", finalizers=["finalizer.keda.sh"], annotations={"gputide.io/owner": "gputide"})
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.put(KEDA, "scaledobjects", broken)
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        daemon.wait_for(lambda: self.condition("llm", "Ready")["status"] == "True")
        status = self.status("llm")
        self.assertEqual({condition["type"]: condition["status"] for condition in status["conditions"]},
                         {"Ready": "True", "Active": "True", "Fallback": "Unknown", "Paused": "False", "HPAActive": "True"})
        self.assertEqual((status["scaleTargetKind"], status["scaleTargetGVKR"]["resource"], status["originalReplicaCount"],
                          status["triggersTypes"]), ("apps/v1.Deployment", "deployments", 2, "prometheus"))
        self.assertRegex(status["lastActiveTime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        daemon.wait_for(lambda: self.condition("broken", "Ready")["status"] == "False")
        self.assertEqual(self.condition("broken", "Ready")["reason"], "ScaledObjectCheckFailed")
        self.assertIn("threshold", self.condition("broken", "Ready")["message"])
        self.wants(22, "kedas", 5, daemon)  # it is scaled, and its status left alone
        self.assertEqual(self.status("kedas"), {})
        count = len(daemon.decisions)
        daemon.wait_for(lambda: len(daemon.decisions) > count + 8)
        self.assertEqual(sorted(set(self.api.statuses)), ["ml/broken", "ml/llm"])
        self.assertLessEqual(len(self.api.statuses), 3)  # what says nothing new is not written

    def with_status(self, name: str, age_s: int, spec: dict[str, Any], status: dict[str, Any]) -> None:
        """Creates a ScaledObject of that age with a status that KEDA wrote."""
        so = self.scaled_object(name, creationTimestamp=utc(time.time() - age_s))
        self.api.put(APPS, "deployments", deployment(name, 1))
        self.api.put(KEDA, "scaledobjects", {**so, "spec": {**so["spec"], **spec}, "status": status})

    def test_a_cooldown_goes_on_where_the_last_leader_left_it(self) -> None:
        """The time of being active is the status': not the start of the process, nor the object's own age."""
        self.metric.value = 0
        zero = {"minReplicaCount": 0, "cooldownPeriod": 9}
        self.with_status("over", 0, {**zero, "cooldownPeriod": 600}, {"lastActiveTime": utc(time.time() - 3600)})
        self.with_status("begun", 3600, zero, {"lastActiveTime": utc(time.time())})
        self.with_status("ahead", 3600, zero, {"lastActiveTime": utc(time.time() + 3600)})  # by another clock
        began = time.monotonic()
        daemon = self.start("a")
        daemon.wait_for(lambda: self.api.replicas("over") == 0)
        self.assertLess(time.monotonic() - began, 7)
        self.assertEqual((self.api.replicas("begun"), self.api.replicas("ahead")), (1, 1))
        daemon.wait_for(lambda: (self.api.replicas("begun"), self.api.replicas("ahead")) == (0, 0))
        self.assertGreater(time.monotonic() - began, 7)

    def test_failures_are_counted_on_where_the_last_leader_left_them(self) -> None:
        self.metric.wanted = "a missing token"
        spec = {"fallback": {"failureThreshold": 1000, "replicas": 6}, "maxReplicaCount": 9}
        self.with_status("llm", 3600, spec, {"health": {"s0-prometheus": {"numberOfFailures": 1000, "status": "Failing"}}})
        self.with_status("new", 3600, spec, {})
        daemon = self.start("a")
        daemon.wait_for(lambda: self.api.replicas("llm") == 6)
        daemon.wait_for(lambda: self.status("llm")["health"]["s0-prometheus"] == {"numberOfFailures": 1001, "status": "Failing"})
        self.assertEqual(self.condition("llm", "Fallback")["status"], "True")
        self.assertEqual(self.api.replicas("new"), 1)
        self.assertLess(daemon.wait_for(lambda: self.status("new").get("health"))["s0-prometheus"]["numberOfFailures"], 100)

    def events(self, name: str) -> list[tuple[str, str, str, int]]:
        with self.api.changed:
            return [(entry["type"], entry["reason"], entry["message"], entry["count"])
                    for entry in self.api.collections[("v1", "events")].objects.values() if entry["involvedObject"]["name"] == name]

    def test_what_happens_is_announced(self) -> None:
        self.scale("llm")
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.put(KEDA, "scaledobjects", broken)
        daemon = self.start("a")
        for _ in range(2):
            self.wants(22, "llm", 5, daemon)
            self.wants(1, "llm", 1, daemon)
        metric = "external metric s0-prometheus(scaledobject.keda.sh/name=llm)"
        daemon.wait_for(lambda: sorted(self.events("llm")) == [
            ("Normal", "SuccessfulRescale", "New size: 1; reason: All metrics below target", 2),
            ("Normal", "SuccessfulRescale", f"New size: 5; reason: {metric} above target", 2)])
        told = daemon.wait_for(lambda: self.events("broken"))
        self.assertEqual([entry[:2] for entry in told], [("Warning", "ScaledObjectCheckFailed")])
        self.assertIn("threshold", told[0][2])
        self.api.put(APPS, "deployments", deployment("broken", 1))
        self.api.put(KEDA, "scaledobjects", self.scaled_object("broken"))
        ready = ("Normal", "ScaledObjectReady", "ScaledObject is ready for scaling", 1)
        daemon.wait_for(lambda: ready in self.events("broken"))
        self.api.answer_scale = (422, "Invalid")
        self.metric.value = 22
        failed = daemon.wait_for(lambda: [event for event in self.events("llm") if event[1] == "FailedRescale"])[0]
        self.assertEqual(failed[0], "Warning")
        self.assertIn("New size: 5; reason: ", failed[2])
        self.assertIn("; error: ", failed[2])

    def test_a_status_that_may_not_be_told_keeps_nobody_from_scaling(self) -> None:
        self.api.denies_status = True
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.wants(1, "llm", 1, daemon)
        seen = daemon.wait_for(lambda: (text := json.loads(daemon.get("/cluster.json")[2])).get("status_failures") and text)
        self.assertIn('resources: ["scaledobjects/status"], verbs: ["patch"]', seen["status_message"])
        self.assertLessEqual(seen["status_failures"], 2)

    def test_namespaces_and_labels_choose(self) -> None:
        self.scale("llm", labels={"team": "a"})
        self.scale("other", labels={"team": "b"})
        daemon = self.start("a", "--namespace", "ml", "--selector", "team=a")
        self.wants(22, "llm", 5, daemon)
        time.sleep(2)
        self.assertEqual(self.api.replicas("other"), 1)
        of_the_cluster = ("/clustertriggerauthentications", "/version", "/openapi/v3/apis/keda.sh/", "=metadata.name%3Dkeda-operator")
        self.assertEqual([path for _, _, path in self.api.requests
                          if "/namespaces/ml/" not in path and not any(part in path for part in of_the_cluster)], [])

    def test_pages(self) -> None:
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        daemon.wait_for(lambda: daemon.get("/readyz")[0] == 200)
        page = daemon.wait_for(lambda: (text := daemon.get("/metrics")[2]) and 'cluster_writes_total{result="applied"} 1' in text and text)
        for line in ('gputided_cluster_leader{lease="gputide"} 1', 'gputided_cluster_writes_total{result="applied"} 1',
                     "gputided_cluster_conflicts_total 0", "gputided_cluster_held 0",
                     'gputided_cluster_status_writes_total{result="failed"} 0',
                     'gputided_cluster_event_writes_total{result="failed"} 0',
                     'gputided_desired_replicas{namespace="ml",name="llm"} 5'):
            self.assertIn(line, page)
        self.assertIn('gputided_cluster_watch_age_seconds{resource="scaledobjects"', page)
        for kind in ("status", "event"):
            daemon.wait_for(lambda: f'gputided_cluster_{kind}_writes_total{{result="applied"}} 1' in daemon.get("/metrics")[2])
        seen = json.loads(daemon.get("/cluster.json")[2])
        self.assertEqual(seen["leases"][0]["holder"], "a")


class Arguments(unittest.TestCase):
    def refusal(self, *arguments: str) -> str:
        ran = harness.gputided("run", *arguments)
        self.assertEqual(ran.status, 2, ran)
        return ran.err

    def test_what_does_not_go_together(self) -> None:
        self.assertIn("either --file or --kubernetes", self.refusal("--dry-run"))
        self.assertIn("without --exec", self.refusal("--kubernetes", "--exec", "true"))
        self.assertIn("--kubernetes", self.refusal("-f", "x.yaml", "--dry-run", "--shadow"))

    def test_no_api_server_is_named(self) -> None:
        ran = harness.gputided("run", "--kubernetes", "--listen", "")
        self.assertNotEqual(ran.status, 0)
        self.assertIn("KUBECONFIG", ran.err)
