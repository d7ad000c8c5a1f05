"""`gputided doctor --kubernetes` on a real API server, as the ServiceAccount of examples/kubernetes: what those Roles grant is all
that it asks for, and the Role that it gives for what is missing, applied as it stands, is what was missing."""
from __future__ import annotations

from typing import Any

import harness
import manifests
from case import ACCOUNT, APPS, CORE, HOME, RBAC, Case
from harness import gputided


class Doctor(Case):
    def look(self, *arguments: str) -> dict[str, dict[str, Any]]:
        """The steps by name."""
        token, _ = self.token()
        kubeconfig = self.plane.kubeconfig(f"doctor-{self.namespace}", {"tokenFile": harness.write("doctor.token", token)}, HOME)
        ran = gputided("doctor", "--kubernetes", "--kubeconfig", kubeconfig, "--lease", f"{HOME}/{self.lease}", "--output", "json",
                       *arguments)
        failed = [step for step in ran.json["steps"] if step["verdict"] == "failed"]
        self.assertEqual(ran.status, 1 if failed else 0, ran)
        return {step["step"]: step for step in ran.json["steps"]}

    def test_what_the_roles_of_the_examples_grant_is_enough(self) -> None:
        steps = self.look()
        self.assertEqual([step for step in steps.values() if step["verdict"] == "failed"], [])
        self.assertIn(f"system:serviceaccount:{HOME}:{ACCOUNT}", steps["token"]["seen"])
        self.assertIn("Kubernetes v", steps["version"]["seen"])

    def test_the_releases_of_the_cluster_are_found(self) -> None:
        """KEDA's by an operator of another namespace than the one that is watched, with no more right than the chart grants, and by
        its definitions where not even that is there."""
        found = self.plane.release.rsplit(".", 1)[0].removeprefix("v")
        self.assertIn(f"Kubernetes {self.plane.release}; the rules of Kubernetes {found} apply", self.look()["version"]["seen"])
        labels = {"app": "keda-operator", "app.kubernetes.io/name": "keda-operator"}
        container = {"name": "keda-operator", "image": "ghcr.io/kedacore/keda:2.20.1"}
        elsewhere = f"{self.namespace}-keda"
        self.api.create("namespaces", {"apiVersion": CORE, "kind": "Namespace", "metadata": {"name": elsewhere}})
        self.addCleanup(self.api.delete, CORE, "namespaces", "", elsewhere)
        self.api.create("deployments", {
            "apiVersion": APPS, "kind": "Deployment", "metadata": {"name": "keda-operator", "namespace": elsewhere, "labels": labels},
            "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {"containers": [container]}}}})
        for arguments in ((), ("--namespace", self.namespace)):
            self.assertIn("KEDA 2.20.1, from its operator's image tag; the rules of KEDA 2.20 apply",
                          self.look(*arguments)["version"]["seen"])
        reading = ("clusterroles", "", "gputide-reading")
        rules = self.api.get(RBAC, *reading)["rules"]
        self.addCleanup(self.api.patch, {"rules": rules}, RBAC, *reading)
        kept = [{**rule, "resources": [name for name in rule["resources"] if name != "deployments"]} for rule in rules]
        self.api.patch({"rules": kept}, RBAC, *reading)
        seen = self.within(lambda: self.look("--namespace", self.namespace)["version"]["seen"].partition("no permission to read")[1] and
                           self.look("--namespace", self.namespace)["version"]["seen"], 30)
        self.assertIn("from the fields of its CustomResourceDefinitions", seen)
        narrow = {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list"], "resourceNames": ["keda-operator"]}
        self.api.patch({"rules": [*kept, narrow]}, RBAC, *reading)
        self.within(lambda: "KEDA 2.20.1" in self.look("--namespace", self.namespace)["version"]["seen"], 30)

    def test_the_releases_of_the_cluster_reach_the_decisions(self) -> None:
        self.scale("llm")
        instance = self.start("a", "--keda-version", "2.20")
        self.wants(22, "llm", 5, instance)
        versions = instance.describe()["versions"]
        self.assertEqual((versions["hpa"]["from"], versions["hpa"]["found"]), ("server", self.plane.release))
        self.assertEqual((versions["keda"]["from"], versions["keda"]["rules"]), ("settings", "2.20"))
        self.assertIn("rules of KEDA 2.20", instance.daemon.get("/readyz")[2])

    def test_the_role_that_it_gives_is_the_one_that_is_missing(self) -> None:
        role = ("clusterroles", "", "gputide-writing")
        rules = self.api.get(RBAC, *role)["rules"]
        self.addCleanup(self.api.patch, {"rules": rules}, RBAC, *role)
        kept = [rule for rule in rules if not any(resource.endswith("/scale") for resource in rule["resources"])]
        self.assertLess(len(kept), len(rules))
        self.api.patch({"rules": kept}, RBAC, *role)
        # The server's authorizer takes a moment to notice.
        self.within(lambda: self.look()["scaling"]["verdict"] == "failed", 30)
        self.plane.kubectl("apply", "--filename", harness.write("missing-roles.yaml", self.look()["scaling"]["paste"]))
        for kind in ("clusterrolebindings", "clusterroles"):
            self.addCleanup(self.api.delete, RBAC, kind, "", "gputide-scaling-by-doctor")
        self.within(lambda: self.look()["scaling"]["verdict"] == "ok", 30)

    def verdicts(self, *arguments: str) -> dict[str, str]:
        return {name: step["verdict"] for name, step in self.look(*arguments).items()}

    def test_what_the_scalers_of_the_cluster_need_beyond_that(self) -> None:
        """A Secret that a TriggerAuthentication names and a custom resource that is scaled: both are missed by name, and the Roles
        that are given for them, applied as they stand, are enough."""
        here = ("--namespace", self.namespace)
        authentication, secret = manifests.authentication("prom", bearerToken=harness.BEARER)
        for plural, made in (("triggerauthentications", authentication), ("secrets", secret)):
            made["metadata"]["namespace"] = self.namespace
            self.api.create(plural, made)
        target = {"apiVersion": "serving.example.org/v1", "kind": "ModelServer", "name": "llm"}
        self.api.create("scaledobjects", self.scaled_object("llm", target=target))
        self.scale("chat", auth="prom", trigger={"authModes": "bearer"})
        steps = self.look(*here)
        self.assertEqual(steps["objects"]["verdict"], "ok", steps["objects"])
        self.assertEqual((steps["reading"]["verdict"], steps["scaling"]["verdict"]), ("warning", "warning"))
        for text in (f"get on secrets named prom-secret in namespace {self.namespace}",
                     f"list and watch on modelservers of serving.example.org in namespace {self.namespace}",
                     f"get on modelservers/scale of serving.example.org in namespace {self.namespace}"):
            self.assertIn(text, steps["reading"]["seen"])
        for text in (f"{self.namespace}/chat is not scaled", f"{self.namespace}/llm is not scaled"):
            self.assertIn(text, steps["reading"]["cause"])
        self.assertIn("update on modelservers/scale of serving.example.org", steps["scaling"]["seen"])
        for step in ("reading", "scaling"):
            self.plane.kubectl("apply", "--filename", harness.write(f"{step}-roles.yaml", steps[step]["paste"]))
        self.within(lambda: (self.verdicts(*here)["reading"], self.verdicts(*here)["scaling"]) == ("ok", "ok"), 30)

    def test_a_kind_that_the_server_does_not_have(self) -> None:
        target = {"apiVersion": "missing.example.org/v1", "kind": "Pipeline", "name": "llm"}
        self.api.create("scaledobjects", self.scaled_object("llm", target=target))
        step = self.look()["objects"]
        self.assertEqual(step["verdict"], "warning")
        self.assertIn("Pipeline of missing.example.org", step["seen"])
        target = {"apiVersion": "v1", "kind": "Service", "name": "llm"}
        self.api.create("scaledobjects", self.scaled_object("other", target=target))
        self.assertIn('no kind "Service" with a scale subresource', self.look()["objects"]["seen"])
