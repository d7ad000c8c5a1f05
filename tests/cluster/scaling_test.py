"""Tests what is found, decided and written on a real API server."""
from __future__ import annotations

import collections
import json
import pathlib
import time

import harness
import manifests
from case import APPS, EXAMPLES, KEDA, Case, Instance

SERVING = "serving.example.org/v1beta1"


class Scaling(Case):
    def two_requests_a_change(self, by: Instance) -> None:
        scales = [seen for seen in self.seen() if seen.resource.endswith("/scale") and seen.by == by.credential]
        writes = [seen for seen in scales if seen.verb == "update"]
        self.assertEqual([seen.verb for seen in scales], ["get", "update"] * len(writes))
        self.assertEqual({seen.code for seen in scales}, {200})

    def test_one_to_n_and_back(self) -> None:
        self.scale("llm")
        instance = self.start("a")
        up = self.wants(22, "llm", 5, instance)
        down = self.wants(1, "llm", 1, instance)
        instance.daemon.wait_for(lambda: len(instance.told("write")) >= 2)
        self.assertEqual({write["result"] for write in instance.told("write")}, {"applied"})
        self.two_requests_a_change(instance)
        self.one_writer("llm")
        owners = [(managed_field["manager"], managed_field["fieldsV1"]) for managed_field in
                  self.api.get(APPS, "deployments", self.namespace, "llm")["metadata"]["managedFields"]
                  if managed_field.get("subresource") == "scale"]
        self.assertEqual(owners, [("gputide", {"f:spec": {"f:replicas": {}}})])
        self.figure("1 to 5 and back, from when the gauge changed", f"{up:.1f} s, {down:.1f} s")

    def test_little_is_requested_while_nothing_changes(self) -> None:
        for name in ("llm", "whisper", "embed"):
            self.scale(name)
        instance = self.start("a")
        for name in ("llm", "whisper", "embed"):
            self.wants(22, name, 5, instance)
        time.sleep(16)  # the status has told that by then
        seen, idle_s = len(self.seen()), 20
        time.sleep(idle_s)
        asked = self.seen()[seen:]
        kinds = collections.Counter(f"{each.verb} {each.resource}" for each in asked if each.by == instance.credential)
        self.assertLessEqual(set(kinds), {"update leases", "patch scaledobjects/status", "list pods"})
        self.assertLessEqual(kinds["patch scaledobjects/status"], 3)  # lastActiveTime, each 30 s
        self.assertLessEqual(kinds["list pods"], 2)  # each 15 s for all three: no kubelet makes their pods ready
        self.figure(f"requests in {idle_s} s", dict(kinds))


class Overlays(Case):
    def test_the_server_takes_them(self) -> None:
        """`act` is what every scenario runs with; here both are checked whole, admission included."""
        for overlay in ("shadow", "act"):
            told = self.plane.kubectl("apply", "--dry-run=server", "-k", str(EXAMPLES / overlay))
            self.assertIn("deployment.apps/gputide", told)
            self.assertIn("clusterrole.rbac.authorization.k8s.io/gputide-reading", told)


class Objects(Case):
    def test_they_come_change_and_go(self) -> None:
        instance = self.start("a")
        self.leads(instance)
        self.scale("llm", load=22)
        self.reaches("llm", 5, instance)
        self.patch("llm", {"spec": {"maxReplicaCount": 3}})
        self.reaches("llm", 3, instance)
        self.patch("llm", {"metadata": {"annotations": {"autoscaling.keda.sh/paused": "true"}}})
        self.gauges["llm"] = 1
        instance.daemon.wait_for(lambda: len(instance.daemon.decisions) > 3)
        count = len(instance.daemon.decisions)
        instance.daemon.wait_for(lambda: self.replicas("llm") != 3 or len(instance.daemon.decisions) > count + 3)
        self.assertEqual(self.replicas("llm"), 3)
        self.patch("llm", {"metadata": {"annotations": {"autoscaling.keda.sh/paused": None}}})
        self.reaches("llm", 1, instance)
        self.api.delete(KEDA, "scaledobjects", self.namespace, "llm")
        instance.daemon.wait_for(lambda: instance.told("removed", "llm"))
        self.one_writer("llm")

    def test_kubectl_shows_their_status_and_events(self) -> None:
        """Tests a cluster without KEDA: by its own columns."""
        self.scale("llm", load=22)
        self.scale("broken", trigger={"threshold": "many"})
        instance = self.start("a")
        self.reaches("llm", 5, instance)

        def row(name: str) -> str:
            rows = self.plane.kubectl("get", "so", "--namespace", self.namespace, "--no-headers").splitlines()
            return " ".join(next(row for row in rows if row.startswith(name + " ")).split())
        instance.daemon.wait_for(lambda: " True True Unknown False prometheus " in row("llm"))
        instance.daemon.wait_for(lambda: " False Unknown Unknown Unknown prometheus " in row("broken"))
        self.assertIn("llm apps/v1.Deployment llm 1 20 True True", row("llm"))
        self.figure("kubectl get so", row("llm"))
        writes = [seen for seen in self.seen() if seen.resource == "scaledobjects/status"]
        self.assertEqual({(seen.verb, seen.code) for seen in writes}, {("patch", 200)})
        self.assertLessEqual(len(writes), 4)
        columns = "custom-columns=TYPE:.type,REASON:.reason,NAME:.involvedObject.name,COUNT:.count,MESSAGE:.message"
        told = instance.daemon.wait_for(lambda: (text := self.plane.kubectl(
            "get", "events", "--namespace", self.namespace, "--no-headers", "-o", columns,
            "--field-selector", "involvedObject.kind=ScaledObject")).count("\n") == 2 and text)
        rows = sorted(" ".join(line.split()) for line in told.splitlines())
        self.assertRegex(rows[0], "^Normal SuccessfulRescale llm 1 New size: 5; reason: external metric .* above target$")
        self.assertRegex(rows[1], "^Warning ScaledObjectCheckFailed broken 1 .*threshold")
        self.figure("kubectl get events", rows[0])

    def patch(self, name: str, change: dict[str, object]) -> None:
        self.api.patch(change, KEDA, "scaledobjects", self.namespace, name)

    def test_an_error_holds_one_and_not_the_others(self) -> None:
        self.scale("broken", trigger={"threshold": "many"})
        self.scale("llm", load=22)
        instance = self.start("a")
        self.reaches("llm", 5, instance)
        held = instance.daemon.wait_for(lambda: instance.held("broken"))
        self.assertEqual(held["reason"], "refused")
        self.assertIn("threshold", held["message"])
        mended = self.scaled_object("broken")["spec"]
        self.gauges["broken"] = 12
        self.patch("broken", {"spec": mended})
        self.reaches("broken", 3, instance)

    def test_a_target_that_goes_and_comes(self) -> None:
        self.scale("llm", load=22)
        instance = self.start("a")
        self.reaches("llm", 5, instance)
        self.api.delete(APPS, "deployments", self.namespace, "llm")
        held = instance.daemon.wait_for(lambda: instance.held("llm"))
        self.assertEqual(held["reason"], "no_target")
        self.within(lambda: self.api.find(APPS, "deployments", self.namespace, "llm") is None, 30)
        self.deployment("llm")
        self.reaches("llm", 5, instance)

    def test_a_kind_that_is_not_there_yet_with_a_size_of_its_own(self) -> None:
        self.plane.kubectl("delete", "--ignore-not-found", "crd", "modelservers.serving.example.org")
        definition = str(pathlib.Path(__file__).parent / "resources/model_servers.yaml")
        self.addCleanup(self.plane.kubectl, "apply", "-f", definition)
        target = {"apiVersion": "serving.example.org/v1", "kind": "ModelServer", "name": "llm"}  # its version is not looked at
        self.gauges["llm"] = 22
        self.api.create("scaledobjects", self.scaled_object("llm", target=target))
        instance = self.start("a")
        held = instance.daemon.wait_for(lambda: instance.held("llm"))
        self.assertEqual(held["reason"], "unknown_kind")
        self.assertIn('"ModelServer"', held["message"])
        self.plane.kubectl("apply", "-f", definition)
        self.plane.kubectl("wait", "--for=condition=Established", "crd/modelservers.serving.example.org", "--timeout=60s")
        self.allow("models", ["get", "list", "watch"], "serving.example.org", ["modelservers"])
        self.allow("model-sizes", ["get", "update"], "serving.example.org", ["modelservers/scale"])
        self.api.create("modelservers", {"apiVersion": SERVING, "kind": "ModelServer",
                                         "metadata": {"name": "llm", "namespace": self.namespace}, "spec": {"workers": 1}})

        def workers() -> int:
            return int(self.api.get(SERVING, "modelservers", self.namespace, "llm")["spec"]["workers"])
        instance.daemon.wait_for(lambda: workers() == 5, 130)
        self.gauges["llm"] = 1
        instance.daemon.wait_for(lambda: workers() == 1)
        self.one_writer("llm")

    def test_secrets_are_read_by_name(self) -> None:
        authentication, secret = manifests.authentication("prom", bearerToken=harness.BEARER)
        for plural, made in (("triggerauthentications", authentication), ("secrets", secret)):
            made["metadata"]["namespace"] = self.namespace
            self.api.create(plural, made)
        self.scale("llm", load=22, auth="prom", trigger={"authModes": "bearer"})
        instance = self.start("a")
        held = instance.daemon.wait_for(lambda: instance.held("llm"))  # no right to it yet
        self.assertIn("prom-secret", held["message"])
        self.allow("secret", ["get"], "", ["secrets"], names=["prom-secret"])
        self.patch("llm", {"metadata": {"labels": {"seen": "again"}}})
        self.reaches("llm", 5, instance)
