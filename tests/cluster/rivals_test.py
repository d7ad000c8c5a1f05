"""Beside the real HPA controller: left alone where it scales, compared with in shadow."""
from __future__ import annotations

import time

from case import APPS, HPA, RBAC, Case, Instance, World
from external_metrics import ExternalMetrics

MANAGER = "horizontal-pod-autoscaler"  # kube-controller-manager's account for it


class BesideAnHpa(Case):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(ExternalMetrics(self.plane, World.gauges))
        role = f"external-metrics-{self.namespace}"  # as KEDA's chart grants it
        self.api.create("clusterroles", {
            "apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": role},
            "rules": [{"apiGroups": ["external.metrics.k8s.io"], "resources": ["*"], "verbs": ["*"]}]})
        self.api.create("clusterrolebindings", {
            "apiVersion": RBAC, "kind": "ClusterRoleBinding", "metadata": {"name": role},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": MANAGER, "namespace": "kube-system"}]})

    def hpa(self, name: str, target: str, most: int = 20) -> None:
        """Returns what KEDA would make of the ScaledObject of that name."""
        rate = {"type": "Pods", "value": 100, "periodSeconds": 1}
        metric = {"metric": {"name": "load", "selector": {"matchLabels": {"app": self.gauges.label(target)}}},
                  "target": {"type": "AverageValue", "averageValue": "5"}}
        self.api.create("horizontalpodautoscalers", {
            "apiVersion": HPA, "kind": "HorizontalPodAutoscaler", "metadata": {"name": name, "namespace": self.namespace},
            "spec": {"scaleTargetRef": {"apiVersion": APPS, "kind": "Deployment", "name": target}, "minReplicas": 1,
                     "maxReplicas": most, "metrics": [{"type": "External", "external": metric}],
                     "behavior": {"scaleDown": {"stabilizationWindowSeconds": 0, "policies": [rate]},
                                  "scaleUp": {"stabilizationWindowSeconds": 0, "policies": [rate]}}}})

    def test_one_on_the_same_target_is_left_alone(self) -> None:
        self.scale("llm")
        self.hpa("somebodys", "llm", most=3)
        instance = self.start("a")
        self.wants(47, "llm", 3, instance)
        held = instance.daemon.wait_for(lambda: instance.held("llm"))
        self.assertEqual(held["reason"], "contested")
        self.assertEqual([seen.verb for seen in self.seen()
                          if seen.resource == "deployments/scale" and seen.by == instance.credential], [])
        self.api.delete(HPA, "horizontalpodautoscalers", self.namespace, "somebodys")
        began = time.monotonic()
        self.reaches("llm", 10, instance)
        self.figure("it takes over after the HPA was deleted", f"{time.monotonic() - began:.1f} s")

    def test_shadow_agrees_with_it_and_says_where_not(self) -> None:
        """The same metric, the same target: the HPA scales, gputide compares."""
        self.scale("llm")
        self.hpa("keda-hpa-llm", "llm")
        instance = self.start("a", "--shadow")
        instance.daemon.wait_for(lambda: instance.daemon.decisions)
        took = [self.wants(load, "llm", size, instance) for load, size in ((22, 5), (47, 10), (12, 3), (1, 1), (33, 7))]
        self.settle(instance)
        self.assertEqual(instance.told("difference"), [])
        self.api.patch({"spec": {"maxReplicas": 4}}, HPA, "horizontalpodautoscalers", self.namespace, "keda-hpa-llm")
        self.reaches("llm", 4, instance)
        difference = instance.daemon.wait_for(lambda: instance.told("difference"))[0]
        self.assertEqual((difference["ours"], difference["theirs"]), (7, 4))
        self.assertIn("TooManyReplicas", difference["their_reason"])
        self.assertEqual({seen.verb for seen in self.seen() if seen.by == instance.credential}, {"list", "watch"})
        self.figure("changes of the HPA's followed without a difference", f"5, each {min(took):.0f} to {max(took):.0f} s")

    def settle(self, instance: Instance) -> None:
        """Longer than a difference may last without being one."""
        time.sleep(20)
        self.assertTrue(instance.daemon.decisions)
