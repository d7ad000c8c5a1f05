"""Tests a control plane that is away, forgets or refuses, and other writers beside gputide."""
from __future__ import annotations

import base64
import json
import pathlib
import signal
import subprocess
import time

import audit
import harness
from case import ACCOUNT, APPS, CORE, HOME, KEDA, LEASE_S, RBAC, Case, Instance
from control_plane import ISSUER

AGAIN_S = 70.0  # a right that is missing is looked for each minute in the end
LEEWAY_S = 60  # for which kube-apiserver takes a token after its end (go-jose's default)


class ControlPlaneTrouble(Case):
    def setUp(self) -> None:
        super().setUp()
        self.scale("llm")

    def test_the_api_server_restarts(self) -> None:
        instance = self.start("a")
        self.wants(22, "llm", 5, instance)
        self.plane.api.stop()
        self.gauges["llm"] = 12
        time.sleep(LEASE_S)  # the lead has run out meanwhile
        self.assertFalse(instance.describe()["leases"][0]["leads"])
        self.plane.start_api()
        began = time.monotonic()
        self.reaches("llm", 3, instance)
        self.figure("size is right after the server is ready again", f"{time.monotonic() - began:.1f} s")
        self.wants(1, "llm", 1, instance)
        self.one_writer("llm")

    def test_versions_that_are_compacted_away(self) -> None:
        """Asleep while objects change, the server restarts, and etcd forgets what they were: a watch goes on from nowhere."""
        instance = self.start("a")
        self.wants(22, "llm", 5, instance)
        lists = instance.daemon.wait_for(lambda: self.lists(instance))
        instance.daemon.process.send_signal(signal.SIGSTOP)
        self.scale("new", load=12)
        self.api.patch({"spec": {"maxReplicaCount": 2}}, KEDA, "scaledobjects", self.namespace, "llm")
        self.plane.api.stop()
        self.plane.compact()
        self.plane.start_api()
        self.api.patch({"metadata": {"labels": {"moved": "on"}}}, APPS, "deployments", self.namespace, "llm")
        instance.daemon.process.send_signal(signal.SIGCONT)
        began = time.monotonic()
        self.reaches("llm", 2, instance)
        self.reaches("new", 3, instance)
        self.figure("size is right after it woke", f"{time.monotonic() - began:.1f} s")
        instance.daemon.wait_for(lambda: self.lists(instance) > lists)
        self.figure("lists before and after", f"{lists}, {self.lists(instance)}")
        self.one_writer("llm", "new")

    @staticmethod
    def lists(instance: Instance) -> int:
        return sum(int(watch["lists"]) for watch in instance.describe()["watches"])

    def test_etcd_stands_still(self) -> None:
        """The API server does not answer: outcomes are unknown until it does."""
        instance = self.start("a")
        self.wants(22, "llm", 5, instance)
        assert self.plane.etcd.process is not None
        self.plane.etcd.process.send_signal(signal.SIGSTOP)
        self.gauges["llm"] = 12
        time.sleep(LEASE_S + 2)
        self.plane.etcd.process.send_signal(signal.SIGCONT)
        began = time.monotonic()
        self.reaches("llm", 3, instance)
        self.figure("size is right after etcd went on", f"{time.monotonic() - began:.1f} s")
        self.wants(1, "llm", 1, instance)
        self.one_writer("llm")


class Rights(Case):
    def setUp(self) -> None:
        super().setUp()
        self.scale("llm")

    def without(self, binding: str) -> None:
        """Takes a ClusterRoleBinding of examples/kubernetes away until given_back()."""
        self.binding = self.api.get(RBAC, "clusterrolebindings", "", binding)
        self.api.delete(RBAC, "clusterrolebindings", "", binding)
        self.addCleanup(self.given_back)

    def given_back(self) -> None:
        if self.binding:
            kept = {key: self.binding[key] for key in ("apiVersion", "kind", "roleRef", "subjects")}
            self.api.create("clusterrolebindings", {**kept, "metadata": {"name": self.binding["metadata"]["name"]}})
        self.binding = {}

    def test_writing_is_taken_away_and_given_back(self) -> None:
        instance = self.start("a")
        self.wants(22, "llm", 5, instance)
        self.without("gputide-writing")
        time.sleep(1)  # the server's own view of it
        self.gauges["llm"] = 1
        denied = instance.daemon.wait_for(lambda: [write for write in instance.told("write") if write["result"] == "denied"])
        for words in ("deployments/scale", "apps", "get", "RBAC"):
            self.assertIn(words, denied[0]["message"])
        self.given_back()
        began = time.monotonic()
        instance.daemon.wait_for(lambda: self.replicas("llm") == 1, AGAIN_S)
        self.figure("size is right after the right is back", f"{time.monotonic() - began:.0f} s")
        self.assertLess(len([write for write in instance.told("write") if write["result"] == "denied"]), 4)

    def test_reading_is_taken_away_and_given_back(self) -> None:
        """A watch that runs goes on; a new one is refused, and what is not seen is not acted on."""
        instance = self.start("a")
        self.wants(22, "llm", 5, instance)
        self.without("gputide-reading")
        self.plane.api.stop()
        self.plane.start_api()

        def unknown() -> list[str]:
            return [watch["message"] for watch in instance.describe()["watches"]
                    if watch["resource"] == "scaledobjects" and not watch["known"]]
        message = instance.daemon.wait_for(unknown)[0]
        for words in ('resources: ["scaledobjects"]', 'apiGroups: ["keda.sh"]', "RBAC"):
            self.assertIn(words, message)
        self.assertIn('gputided_cluster_watch_known{resource="scaledobjects"', instance.daemon.get("/metrics")[2])
        self.gauges["llm"] = 1
        count = len(instance.daemon.decisions)
        instance.daemon.wait_for(lambda: len(instance.daemon.decisions) > count + 4)
        self.assertEqual(self.replicas("llm"), 5)
        self.given_back()
        began = time.monotonic()
        instance.daemon.wait_for(lambda: self.replicas("llm") == 1, AGAIN_S + 60)
        self.figure("size is right after the right is back", f"{time.monotonic() - began:.0f} s")


class Tokens(Case):
    def setUp(self) -> None:
        super().setUp()
        self.scale("llm")

    def signed(self, lives_s: int) -> str:
        """As the server itself issues them, but for less than its ten minutes.  It takes one for a minute after its end, and
        remembers for 10 s what it thought of one."""
        account = self.api.get(CORE, "serviceaccounts", HOME, ACCOUNT)
        now = int(time.time())
        claims = {"aud": [ISSUER], "iss": ISSUER, "exp": now + lives_s, "iat": now - 600, "nbf": now - 600,
                  "jti": f"short-{now}", "sub": f"system:serviceaccount:{HOME}:{ACCOUNT}",
                  "kubernetes.io": {"namespace": HOME,
                                    "serviceaccount": {"name": ACCOUNT, "uid": account["metadata"]["uid"]}}}

        def part(what: bytes) -> str:
            return base64.urlsafe_b64encode(what).decode().rstrip("=")
        body = ".".join(part(json.dumps(entry).encode()) for entry in ({"alg": "RS256"}, claims))
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.plane.account_key], input=body.encode(),
                                   check=True, stdout=subprocess.PIPE).stdout
        return f"{body}.{part(signature)}"

    def test_a_token_expires_and_another_one_comes(self) -> None:
        instance = self.start("a", token=self.signed(10 - LEEWAY_S))
        self.wants(22, "llm", 5, instance)
        lease = instance.daemon.wait_for(lambda: next((lease for lease in instance.describe()["leases"] if lease["message"]), None), 40)
        self.assertIn("401", lease["message"])
        self.gauges["llm"] = 1
        time.sleep(LEASE_S)
        self.assertEqual(self.replicas("llm"), 5)
        token, _ = self.token()
        began = time.monotonic()
        pathlib.Path(harness.WORK / f"{self.namespace}-a.token").write_text(token)
        self.reaches("llm", 1, instance)
        self.figure("size is right after the file has a new token", f"{time.monotonic() - began:.1f} s")

    def test_a_token_is_rotated_in_time(self) -> None:
        """As the kubelet does it: another one lies in the file before the old one ends, and nothing is refused."""
        instance = self.start("a", token=self.signed(90 - LEEWAY_S))
        self.wants(22, "llm", 5, instance)
        token, _ = self.token()
        pathlib.Path(harness.WORK / f"{self.namespace}-a.token").write_text(token)
        instance.daemon.wait_for(lambda: any(seen.by != instance.credential for seen in self.seen() if seen.resource == "leases"
                                        and seen.by.startswith("JTI=")), 75)
        self.wants(1, "llm", 1, instance)
        self.assertEqual([seen.code for seen in self.seen() if seen.code == 401], [])


class ForeignHand(Case):
    def test_once_is_put_right_and_twice_is_left_alone(self) -> None:
        self.scale("llm", load=22)
        instance = self.start("a")
        self.reaches("llm", 5, instance)
        self.set_replicas("llm", 9)
        self.reaches("llm", 5, instance)
        self.set_replicas("llm", 8)
        held = instance.daemon.wait_for(lambda: instance.held("llm"))
        self.assertEqual(held["reason"], "contested")
        count = len(instance.daemon.decisions)
        instance.daemon.wait_for(lambda: len(instance.daemon.decisions) > count + 3)
        self.assertEqual(self.replicas("llm"), 8)

    def test_a_rollout_is_no_foreign_hand(self) -> None:
        """It moves the version of the Deployment all the time, and with it that of the scale: 409s."""
        self.scale("llm")
        instance = self.start("a")
        self.leads(instance)
        for turn, (load, size) in enumerate([(22, 5), (1, 1)] * 3):
            self.gauges["llm"] = load
            deadline = time.monotonic() + harness.PATIENCE_S
            touched = 0
            while self.replicas("llm") != size and time.monotonic() < deadline:
                touched += 1
                self.api.patch({"metadata": {"annotations": {"touched": f"{turn}-{touched}"}}},
                               APPS, "deployments", self.namespace, "llm")
                time.sleep(0.01)
            self.assertEqual(self.replicas("llm"), size)
        self.assertIsNone(instance.held("llm"))
        # Three in a row are given up until the next decision.
        self.assertLessEqual({write["result"] for write in instance.told("write")}, {"applied", "conflict"})
        conflicts = [seen for seen in self.seen() if seen.resource == "deployments/scale" and seen.code == 409]
        self.figure("409s on the way of six changes", len(conflicts))
        self.assertEqual(len(audit.size_writes(self.seen())), 6)
