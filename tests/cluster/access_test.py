"""Tests which cluster is asked and with which identity, before a real API server: a kubeconfig with an exec plugin as user, as AKS' have kubelogin;
metrics out of the cluster that is scaled."""
from __future__ import annotations

import datetime
import json
import pathlib

import harness
from case import ACCOUNT, HOME, LEASE_S, RBAC, Case, Instance, World
from external_metrics import ExternalMetrics
from harness import Daemon, gputided

LIVES_S = 12  # as the plugin tells it; the API server gives tokens of ten minutes at least

SCRIPT = """#!/bin/sh
echo "$1 $STAGE $KUBERNETES_EXEC_INFO" >> {folder}/runs
test -e {folder}/broken && echo "AADSTS700016: the application is unknown" >&2 && exit 1
cat {folder}/credential.json
"""


class ExecPlugin(Case):
    def setUp(self) -> None:
        super().setUp()
        self.folder = harness.WORK / f"{self.namespace}-plugin"
        self.folder.mkdir()
        self.program = self.folder / "sign-on"
        self.program.write_text(SCRIPT.format(folder=self.folder))
        self.program.chmod(0o755)
        self.kubeconfig = self.plane.kubeconfig(f"{self.namespace}-exec", {"exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "IfAvailable", "command": str(self.program),
            "args": ["get-token"], "env": [{"name": "STAGE", "value": "prod"}], "provideClusterInfo": True}}, HOME)

    def give(self, lives_s: int | None) -> str:
        """Sets what the plugin prints from now on: a new token of gputide's account; its number."""
        token, number = self.token()
        status = {"token": token}
        if lives_s is not None:
            end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=lives_s)
            status["expirationTimestamp"] = end.strftime("%Y-%m-%dT%H:%M:%SZ")
        fresh = self.folder / "fresh.json"
        fresh.write_text(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}))
        fresh.rename(self.folder / "credential.json")
        return number

    def runs(self) -> list[str]:
        file = pathlib.Path(self.folder / "runs")
        return file.read_text().splitlines() if file.exists() else []

    def start_plugin(self) -> Instance:
        daemon = self.enterContext(Daemon(
            "--kubernetes", "--kubeconfig", self.kubeconfig, "--allow-kubeconfig-program", str(self.program), "--identity", "a",
            "--namespace", self.namespace, "--lease", f"{HOME}/{self.lease}", "--lease-s", str(LEASE_S)))
        return Instance("a", daemon, "")

    def test_one_run_for_all_requests(self) -> None:
        number = self.give(None)
        for name in ("llm", "chat", "embed"):
            self.scale(name)
        plugin = self.start_plugin()
        self.wants(22, "llm", 5, plugin)
        self.wants(1, "llm", 1, plugin)
        self.one_writer("llm")
        self.assertEqual({seen.by for seen in self.seen() if seen.resource == "deployments/scale"}, {number})
        self.assertEqual(len(self.runs()), 1)
        argument, stage, info = self.runs()[0].split(" ", 2)
        self.assertEqual((argument, stage), ("get-token", "prod"))
        self.assertEqual(json.loads(info)["spec"]["cluster"]["server"], self.plane.server)

    def test_it_is_run_again_before_the_end(self) -> None:
        first = self.give(LIVES_S)
        self.scale("llm")
        plugin = self.start_plugin()
        self.leads(plugin)
        second = self.give(None)
        plugin.daemon.wait_for(lambda: second in {seen.by for seen in self.seen() if seen.resource == "leases"}, LIVES_S * 2)
        self.wants(22, "llm", 5, plugin)
        self.assertEqual({seen.by for seen in self.seen() if seen.resource == "leases" and seen.verb == "update"
                          and seen.by.startswith("JTI=")}, {first, second})
        self.assertEqual([seen.code for seen in self.seen() if seen.code == 401], [])
        self.assertEqual(len(self.runs()), 2)

    def test_a_plugin_that_fails_is_no_storm_and_is_not_the_end(self) -> None:
        self.give(None)
        (self.folder / "broken").write_text("")
        self.scale("llm", load=22)
        plugin = self.start_plugin()
        lease = plugin.daemon.wait_for(lambda: next((lease for lease in plugin.describe().get("leases", []) if lease["message"]), None))
        self.assertIn("AADSTS700016", lease["message"])
        (self.folder / "broken").unlink()
        self.reaches("llm", 5, plugin)
        self.assertLess(len(self.runs()), 8)

    def test_it_is_not_run_unless_it_is_named(self) -> None:
        ran = gputided("run", "--kubernetes", "--kubeconfig", self.kubeconfig, "--listen", "127.0.0.1:0")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn(f'"{self.program}" is not run', ran.err)
        self.assertIn("--allow-kubeconfig-program", ran.err)
        self.assertEqual(self.runs(), [])

    def test_the_doctor_signs_on_with_it(self) -> None:
        self.give(None)
        ran = gputided("doctor", "--kubernetes", "--kubeconfig", self.kubeconfig, "--allow-kubeconfig-program", str(self.program),
                       "--lease", f"{HOME}/{self.lease}", "--output", "json")
        self.assertEqual(ran.status, 0, ran)
        self.assertNotIn(json.loads((self.folder / "credential.json").read_text())["status"]["token"], ran.out + ran.err)


class MetricsOfTheCluster(Case):
    def test_a_trigger_asks_the_cluster_that_is_scaled(self) -> None:
        """By the kubeconfig of the runtime: this process is not a pod, and nothing else names a cluster."""
        self.enterContext(ExternalMetrics(self.plane, World.gauges))
        role = f"external-reader-{self.namespace}"
        self.api.create("clusterroles", {
            "apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": role},
            "rules": [{"apiGroups": ["external.metrics.k8s.io"], "resources": ["load"], "verbs": ["list"]}]})
        self.addCleanup(self.api.delete, RBAC, "clusterroles", "", role)
        self.api.create("clusterrolebindings", {
            "apiVersion": RBAC, "kind": "ClusterRoleBinding", "metadata": {"name": role},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": HOME}]})
        self.addCleanup(self.api.delete, RBAC, "clusterrolebindings", "", role)
        self.gauges["llm"] = 1
        self.deployment("llm")
        scaler = self.scaled_object("llm")
        scaler["spec"]["triggers"] = [{"type": "kubernetes", "metadata": {
            "api": "external", "metric": "load", "selector": f"app={self.gauges.label('llm')}", "threshold": "5"}}]
        self.api.create("scaledobjects", scaler)
        instance = self.start("a")
        self.wants(22, "llm", 5, instance)
        self.wants(1, "llm", 1, instance)
