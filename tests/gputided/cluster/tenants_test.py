"""Tests what a tenant may not do that may create ScaledObjects, TriggerAuthentications, Secrets and ConfigMaps in a namespace, and the flag
that gives each of it back.  src/net/auth/tenant.cpp has the table, docs/security.md shows it."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import harness
from cluster.case import OnACluster
from harness import Daemon

LOOPBACK = "127.0.0.1"


class Tenants(OnACluster):
    def reference(self, parameter: str, name: str, key: str) -> dict[str, str]:
        return {"parameter": parameter, "name": name, "key": key}

    def refused(self, daemon: Daemon) -> str:
        held = daemon.wait_for(lambda: self.told(daemon, "held"))[-1]
        self.assertEqual((held["namespace"], held["reason"]), ("ml", "refused"))
        message: str = held["message"]
        return message

    def asked_with(self, daemon: Daemon, authorization: str) -> None:
        daemon.wait_for(lambda: authorization in self.metric.authorizations)

    def program(self, prints: str) -> str:
        path = harness.write("tenants/token-program", f"#!/bin/sh\necho ran >> {harness.WORK}/tenants/ran\necho {prints}\n")
        os.chmod(path, 0o755)
        (harness.WORK / "tenants/ran").unlink(missing_ok=True)
        return path

    def folder(self, *parts: str) -> pathlib.Path:
        """A folder of secrets with DIR/gateway/token, as an operator keeps it for `bearer-file`."""
        harness.write("tenants/dir/gateway/token", harness.BEARER)
        return harness.WORK.joinpath("tenants/dir", *parts)

    def identity(self, provider: str, **parameters: str) -> None:
        self.store("configmaps", "identity", **parameters)
        self.authentication("id", podIdentity={"provider": provider},
                            configMapTargetRef=[self.reference(key, "identity", key) for key in parameters])
        self.scale_by("llm", self.trigger("id"))

    def test_secrets_dir(self) -> None:
        for block in ("secretTargetRef", "configMapTargetRef"):
            with self.subTest(block=block):
                self.authentication("a", **{block: [self.reference("bearerToken", "gateway", "token")]})
                self.scale_by("llm", self.trigger("a", "bearer"))
                daemon = self.start("a", "--secrets-dir", str(self.folder()), "--allow-token-host", LOOPBACK)
                self.assertIn("gateway", self.refused(daemon))
                daemon.end()
                # The grant is for the folder of that namespace; not for its parent nor, by a link, for another one.
                granted = self.start("b", "--secrets-dir", str(self.folder()), "--allow-tenant", "secrets_dir=ml")
                self.assertIn("gateway", self.refused(granted))
                harness.write("tenants/dir/other/gateway/token", harness.BEARER)
                for link, target in (("gateway", "../other/gateway"), ("gateway", "../gateway"), ("gateway", "/etc")):
                    (self.folder() / "ml").mkdir(exist_ok=True)
                    (self.folder("ml") / link).symlink_to(target)
                    linked = self.start("c", "--secrets-dir", str(self.folder()), "--allow-tenant", "secrets_dir=ml")
                    self.refused(linked)
                    linked.end()
                    (self.folder("ml") / link).unlink()
                self.assertEqual(self.metric.authorizations, [])
                granted.end()
        # As Kubernetes mounts a Secret: a link that stays inside.
        harness.write("tenants/dir/ml/gateway/..data/token", harness.BEARER)
        (self.folder("ml", "gateway") / "token").symlink_to("..data/token")
        daemon = self.start("d", "--secrets-dir", str(self.folder()), "--allow-tenant", "secrets_dir=ml")
        self.asked_with(daemon, f"Bearer {harness.BEARER}")

    def test_token_files(self) -> None:
        harness.write("tenants/dir/ml/file-token", harness.PASSWORD)
        flags = ("--secrets-dir", str(self.folder()), "--allow-token-host", LOOPBACK)
        self.identity("bearer-file", tokenFile="gateway/token")
        self.assertIn("--allow-tenant secrets_dir=ml", self.refused(self.start("a", *flags)))
        granted = (*flags, "--allow-tenant", "secrets_dir=ml", "--allow-tenant", "loopback_tokens=ml")
        for path in (str(self.folder("gateway", "token")), "../gateway/token"):
            self.identity("bearer-file", tokenFile=path)
            self.assertIn("outside", self.refused(self.start(f"b-{len(path)}", *granted)))
        self.assertEqual(self.metric.authorizations, [])
        self.identity("bearer-file", tokenFile="file-token")
        self.asked_with(self.start("c", *granted), f"Bearer {harness.PASSWORD}")

    def test_programs(self) -> None:
        program = self.program(harness.BEARER)
        flags = ("--allow-program", program, "--allow-token-host", LOOPBACK)
        self.identity("bearer-exec", command=program, arguments="--by-a-tenant")
        self.assertIn("--allow-tenant programs=ml", self.refused(self.start("a", *flags, "--allow-tenant", "programs=other")))
        self.identity("azure-cli", tenantId="contoso.example")
        self.assertIn("--allow-tenant programs=ml", self.refused(self.start("b", *flags, "--allow-program", "az")))
        self.assertFalse((harness.WORK / "tenants/ran").exists())
        self.identity("bearer-exec", command=program)
        self.asked_with(self.start("c", *flags, "--allow-tenant", "programs=ml"), f"Bearer {harness.BEARER}")

    def test_a_kubeconfigs_program_is_not_a_manifests(self) -> None:
        program = self.program(harness.BEARER)
        flags = ("--allow-token-host", LOOPBACK, "--allow-tenant", "programs=ml")
        self.identity("bearer-exec", command=program)
        refused = self.refused(self.start("a", *flags, "--allow-kubeconfig-program", program))
        self.assertIn("--allow-program", refused)
        self.assertFalse((harness.WORK / "tenants/ran").exists())

    def test_environment(self) -> None:
        """Tests variables of gputided itself: by TriggerAuthentication, by FromEnv, in the text."""
        flags = ("--allow-env", "HOST_TOKEN")
        env = {"HOST_TOKEN": harness.BEARER}
        self.authentication("env", env=[{"parameter": "bearerToken", "name": "HOST_TOKEN"}])
        by_text = self.trigger("none", query="avg(x{y='${HOST_TOKEN}'})")
        self.authentication("none", env=[])
        for trigger in (self.trigger("env", "bearer"), by_text):
            self.scale_by("llm", trigger)
            daemon = self.start("a", *flags, env=env)
            self.assertIn("--allow-tenant environment=ml", self.refused(daemon))
            daemon.end()
        self.assertEqual((self.metric.authorizations, self.metric.first_asked), ([], {}))
        self.scale_by("llm", self.trigger("env", "bearer"))
        self.asked_with(self.start("b", *flags, "--allow-tenant", "environment=*", env=env), f"Bearer {harness.BEARER}")

    def test_foreign_metrics(self) -> None:
        attacks: list[dict[str, Any]] = [
            {"api": "external", "metric": "revenue", "namespace": "victim"},
            {"api": "custom", "metric": "revenue", "namespace": "victim"},
            {"api": "custom", "metric": "revenue", "namespace": "victim", "object": "services/shop"},
            {"api": "custom", "metric": "load", "object": "nodes/gpu-1", "scope": "cluster"},
            {"api": "custom", "metric": "revenue", "object": "namespaces/victim"},
            {"api": "custom", "metric": "revenue", "object": "Namespaces/victim"},
            {"api": "resource", "metric": "cpu", "namespace": "victim", "selector": "app=shop"}]
        triggers = [{"type": "kubernetes", "metadata": {**attack, "threshold": "1"}} for attack in attacks]
        triggers.append({"type": "nvml", "metadata": {"metric": "process_memory_bytes", "containers": "4f2ac01d9e77", "threshold": "1"}})
        for number, trigger in enumerate(triggers):
            with self.subTest(trigger):
                self.scale_by("llm", trigger)
                daemon = self.start(f"instance-{number}")
                self.assertIn("--allow-tenant foreign_metrics=ml", self.refused(daemon))
                daemon.end()
        self.assertEqual([path for _, _, path in self.api.requests if "metrics.k8s.io" in path], [])
        self.api.metrics["/apis/external.metrics.k8s.io/v1beta1/namespaces/victim/revenue"] = "22"
        self.scale_by("llm", {"type": "kubernetes", "metadata": {**attacks[0], "threshold": "5"}})
        daemon = self.start("given", "--allow-tenant", "foreign_metrics=ml")
        daemon.wait_for(lambda: self.api.replicas("llm") == 5)
        # Its own namespace needs no flag.
        self.api.metrics["/apis/external.metrics.k8s.io/v1beta1/namespaces/ml/queue"] = "35"
        self.scale_by("llm", {"type": "kubernetes", "metadata": {"api": "external", "metric": "queue", "threshold": "5"}})
        daemon.end()
        daemon = self.start("own")
        daemon.wait_for(lambda: self.api.replicas("llm") == 7)

    def test_loopback_tokens(self) -> None:
        """Tests the host's identity: a process of a tenant may listen beside gputided, in a sidecar or at a node's port."""
        flags = ("--allow-program", self.program(harness.BEARER), "--allow-tenant", "programs=ml")
        self.identity("bearer-exec", command=str(harness.WORK / "tenants/token-program"))
        daemon = self.start("a", *flags)
        daemon.wait_for(lambda: "--allow-tenant loopback_tokens=ml" in json.dumps(daemon.lines))
        self.assertEqual(self.metric.authorizations, [])
        daemon.end()
        self.asked_with(self.start("b", *flags, "--allow-tenant", "loopback_tokens=ml"), f"Bearer {harness.BEARER}")

    def test_kubelet(self) -> None:
        """The kubelet names the pods of all namespaces that hold a GPU of the node."""
        self.scale_by("llm", {"type": "nvml", "metadata": {"metric": "gpu_utilization", "threshold": "80", "pods": "ml/llm-*"}})
        env = {"GPUTIDE_KUBELET_SOCKET": str(harness.WORK / "tenants/no-kubelet.sock")}
        daemon = self.start("a", env=env)
        self.assertIn("--allow-tenant kubelet=ml", self.refused(daemon))
        daemon.end()
        granted = self.start("b", "--allow-tenant", "kubelet=ml", env=env)
        granted.wait_for(lambda: "`pods` are read from the kubelet" in json.dumps(granted.lines))

    def test_cluster_secret_hosts(self) -> None:
        """To any host as in KEDA, or to those alone that the operator names."""
        self.store("secrets", "shared", "keda", token=harness.BEARER)
        self.authentication("wide", is_cluster_wide=True, secretTargetRef=[self.reference("bearerToken", "shared", "token")])
        self.scale_by("llm", self.trigger("wide", "bearer", "ClusterTriggerAuthentication"))
        daemon = self.start("a", "--cluster-secret-host", "prometheus.monitoring.svc")
        daemon.wait_for(lambda: f"--cluster-secret-host {LOOPBACK}" in json.dumps(daemon.lines))
        self.assertEqual(self.metric.authorizations, [])
        daemon.end()
        self.asked_with(self.start("b", "--cluster-secret-host", LOOPBACK), f"Bearer {harness.BEARER}")
        self.metric.authorizations.clear()
        self.asked_with(self.start("c"), f"Bearer {harness.BEARER}")

    def test_a_scaled_job_is_a_tenants_too(self) -> None:
        self.identity("bearer-exec", command=self.program(harness.BEARER))
        self.scale_by("llm")
        self.api.put("keda.sh/v1alpha1", "scaledjobs", {
            "metadata": {"name": "train", "namespace": "ml", "uid": "uid-of-train", "generation": 1},
            "spec": {"jobTargetRef": {"template": {"spec": {}}}, "pollingInterval": 1, "triggers": [self.trigger("id")]}})
        daemon = self.start("a", "--allow-program", str(harness.WORK / "tenants/token-program"))
        daemon.wait_for(lambda: any("--allow-tenant programs=ml" in entry["message"] and entry["name"] == "train"
                                    for entry in self.told(daemon, "held")))
        self.assertEqual(self.metric.authorizations, [])

    def test_an_unknown_capability_is_refused_at_the_start(self) -> None:
        flags, environment = self.account("a")
        for grant, wanted in (("everything=ml", "everything"), ("programs=M L", "programs"), ("programs", "NAME=NAMESPACE")):
            ran = harness.gputided("run", "--kubernetes", *flags, "--allow-tenant", grant, env=environment)
            self.assertNotEqual(ran.status, 0)
            self.assertIn(wanted, ran.err)
