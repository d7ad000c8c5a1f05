"""Tests what gputided doctor finds behind the metrics of a cluster, named by a trigger or a manifest."""
from __future__ import annotations

from typing import Any

from doctor_case import DoctorCase
from kubernetes_api import CUSTOM, Pod
from kubernetes_case import QUEUE, Cluster, ClusterWithPods, scaled_object


class OfACluster(DoctorCase, Cluster):
    def look(self, file: str, current: int = 3) -> dict[str, Any]:
        return self.diagnose(file, "--current", str(current), "--service-account-dir", self.service_account(), env=self.inside)

    def seen(self, report: dict[str, Any], trigger: int = 0) -> list[str]:
        return [step["step"] for step in report["triggers"][trigger]["steps"]]


class Triggers(OfACluster):
    def test_an_external_metric(self) -> None:
        report = self.look(scaled_object(QUEUE))
        self.step(report, "age", "warning", "days old", "The value was last renewed")  # the stand-in's stamps are of last spring
        self.step(report, "endpoint", "ok", f"https://127.0.0.1:{self.api.port}")
        self.step(report, "value", "ok", "32.5")

    def test_a_right_that_is_missing(self) -> None:
        self.api.grants.clear()
        self.fails(self.look(scaled_object(QUEUE)), "query", "kubectl create clusterrole", 'resources: ["queue"]')


class AManifestAsItIs(ClusterWithPods, OfACluster):
    def test_pods(self) -> None:
        report = self.look(self.hpa(self.pods_metric("40")))
        self.assertEqual(report["verdict"], "ok", report)
        self.assertEqual(self.seen(report), ["environment", "token", "endpoint", "query", "series", "value"])
        self.assertEqual((report["triggers"][0]["metric"], report["triggers"][0]["asks"]), ("gpu", "gpu"))
        self.step(report, "series", "ok", "3 of 3 pods have a value")
        self.step(report, "value", "ok", "80 per pod on average; target 40")
        self.assertIn("3 -> 6 replicas; the metrics ask for 6", report["outcome"][0]["seen"])

    def test_utilization(self) -> None:
        report = self.look(self.hpa(self.resource(40)))
        self.step(report, "value", "ok", "80 % of the pods' requests; target 40 %")
        self.assertIn("the metrics ask for 6", report["outcome"][0]["seen"])
        self.api.pods["ml"][1].requests = {"main": {}}
        self.fails(self.look(self.hpa(self.resource(40))), "series", "b: no request for cpu", "resources.requests.cpu")

    def test_a_cpu_trigger_of_keda(self) -> None:
        so = scaled_object({"value": "40"}, type="cpu", metricType="Utilization")
        with open(so, encoding="utf-8") as file:
            text = file.read().replace('"annotations": {}', '"annotations": {"gputide.io/metrics-from": "kubernetes"}')
        with open(so, "w", encoding="utf-8") as file:
            file.write(text)
        self.step(self.look(so), "value", "ok", "80 % of the pods' requests")
        self.api.grants.clear()
        self.fails(self.look(so), "query", "kubectl create clusterrole", 'resources: ["deployments/scale"]')

    def test_several_each_to_its_own_end(self) -> None:
        queue = {"type": "External", "external": {"metric": {"name": "queue", "selector": {"matchLabels": {"q": "a"}}},
                                                  "target": {"type": "AverageValue", "averageValue": "2"}}}
        thing = {"type": "Object", "object": {
            "metric": {"name": "rps"}, "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "llm"},
            "target": {"type": "Value", "value": "25"}}}
        report = self.look(self.hpa(self.pods_metric("80"), queue, thing))
        self.assertEqual([trigger["failed_step"] for trigger in report["triggers"]], [None, None, "query"])
        self.step(report, "activation", "ok", "20, target 2 per replica", trigger=1)
        self.step(report, "query", "failed", "rps", trigger=2)
        self.assertIn("the metrics ask for 10", report["outcome"][0]["seen"])

    def test_pods_without_a_value(self) -> None:
        self.api.pods["ml"] = [Pod("a", {"app": "llm"}), Pod("b", {"app": "llm"})]
        self.fails(self.look(self.hpa(self.pods_metric("40"))), "series", "none of the 2 pods has a value of gpu", "adapter")
        self.fails(self.look(self.hpa(self.resource(40))), "series", "none of the 2 pods has a value of cpu", "metrics-server")
        self.api.pods["ml"].clear()
        self.fails(self.look(self.hpa(self.resource(40))), "series", "selector matches no pod", "scaled to 0")

    def test_what_is_missing_is_named(self) -> None:
        for group, resource in ((CUSTOM, "pods/gpu"), ("apps", "deployments/scale"), ("", "pods")):
            with self.subTest(group):
                kept = set(self.api.grants)
                self.api.grants = {entry for entry in kept if entry[2] != group}
                self.fails(self.look(self.hpa(self.pods_metric("40"))), "query", f'resources: ["{resource}"]')
                self.api.grants = kept

    def test_without_the_annotation_the_host_brings_the_values(self) -> None:
        file = self.hpa(self.pods_metric("40"), **{"gputide.io/metrics-from": "host"})
        self.step(self.look(file), "value", "ok", "the value is part of the host's observation")
        self.assertEqual(self.api.requests, [])
