"""gputided against the real thing: Prometheus behind nginx with TLS, and a token endpoint as strict as Entra's."""
from __future__ import annotations

import os
import unittest

import harness
import manifests
from harness import Daemon, Ran, gputided

STACK = {name: os.environ.get(name, "") for name in (
    "AZURE_TENANT_ID", "AZURE_AUTHORITY_HOST", "AZURE_FEDERATED_TOKEN_FILE", "USER_ASSIGNED_CLIENT_ID",
    "PROMETHEUS_QUERY_ENDPOINT", "SSL_CERT_FILE")}
KEYS = os.path.join(os.environ.get("STACK_DIR", ""), "keys")
MANIFEST = os.path.join(os.path.dirname(__file__), "../../examples/manifests/aks-gpu.yaml")


class RealServers(unittest.TestCase):
    def query(self, promql: str, *more: str, metadata: dict[str, str] | None = None, **environment: str) -> Ran:
        so = manifests.scaled_object(STACK["PROMETHEUS_QUERY_ENDPOINT"], auth="azure", query=promql, metadata=metadata)
        identity = manifests.workload_identity()
        identity["spec"]["podIdentity"]["identityId"] = "${USER_ASSIGNED_CLIENT_ID}"
        file = manifests.saved("real.yaml", so, identity)
        return gputided("eval", "-f", file, "--current", "2", *more, env={**STACK, **environment})

    def failed(self, ran: Ran, *expected: str) -> None:
        self.assertEqual(ran.status, 3, ran)
        for text in ("default/gpu: s0-prometheus: ", "trigger 0 (prometheus)", *expected):
            self.assertIn(text, ran.err)

    def test_the_manifest_of_the_guide(self) -> None:
        ran = gputided("eval", "-f", MANIFEST, "--current", "1", env=STACK)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        for text in ("default/my-gpu-workload at ", ": 1 -> ", "AbleToScale", "ScalingActive", "ValidMetricFound", "Trace:"):
            self.assertIn(text, ran.out)
        decision = gputided("eval", "-f", MANIFEST, "--current", "1", "--output", "json", env=STACK).json
        self.assertEqual((decision["proposed_replicas"], decision["desired_replicas"], decision["limited_by"]),
                         (10, 4, "scale_up_limit"))

    def test_several_series(self) -> None:
        self.failed(self.query("DCGM_FI_DEV_GPU_UTIL"), "E_AMBIGUOUS", "24 series")

    def test_nan_and_empty(self) -> None:
        strict = {"ignoreNullValues": "false"}
        self.failed(self.query("vector(0) / vector(0)", metadata=strict), "E_NO_DATA", "NaN")
        self.failed(self.query("no_such_metric", metadata=strict), "E_NO_DATA", "empty")

    def test_a_query_that_prometheus_does_not_understand(self) -> None:
        self.failed(self.query("avg("), "E_REJECTED", "HTTP 400", "bad_data", "parse error: unclosed left parenthesis")

    def test_answers_of_every_type(self) -> None:
        for promql, value in (("vector(15)", 15), ("scalar(vector(15))", 15), ("15", 15)):
            with self.subTest(promql):
                self.assertEqual(self.query(promql, "--output", "json").json["proposed_replicas"], value / 5)

    def test_assertions_that_entra_refuses(self) -> None:
        for file, number, status in (("expired-token", 700024, "E_AUTH"), ("foreign-token", 700213, "E_UNAVAILABLE")):
            with self.subTest(file):
                self.failed(self.query("vector(1)", AZURE_FEDERATED_TOKEN_FILE=f"{KEYS}/{file}"), status, f"AADSTS{number}")
        self.failed(self.query("vector(1)", AZURE_TENANT_ID="00000000-0000-0000-0000-0000000000ff"), "AADSTS90002")
        self.failed(self.query("vector(1)", USER_ASSIGNED_CLIENT_ID="00000000-0000-0000-0000-0000000000ff"), "AADSTS700016")

    def test_an_unknown_ca(self) -> None:
        self.failed(self.query("vector(1)", SSL_CERT_FILE="/etc/ssl/certs/ca-certificates.crt"), "E_SECURITY", "certificate")

    def test_a_request_without_a_token(self) -> None:
        so = manifests.scaled_object(STACK["PROMETHEUS_QUERY_ENDPOINT"])
        ran = gputided("eval", "-f", manifests.saved("bare.yaml", so), "--current", "2", env=STACK)
        self.failed(ran, "E_AUTH", "HTTP 401", "Authorization Header")

    def test_token(self) -> None:
        ran = gputided("token", "--output", "json", env={**STACK, "AZURE_CLIENT_ID": STACK["USER_ASSIGNED_CLIENT_ID"]})
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(ran.json["claims"]["aud"], "https://prometheus.monitor.azure.com")

    def test_the_daemon_keeps_its_token(self) -> None:
        with open(STACK["AZURE_FEDERATED_TOKEN_FILE"], encoding="ascii") as file:
            harness.PLANTED.append(file.read().strip().rsplit(".", 1)[1])  # this one must not be seen either
        with Daemon("-f", os.path.join(os.path.dirname(MANIFEST), "aks-gpu-demo.yaml"), "--dry-run", "--current", "1",
                    "--state", str(harness.WORK / "stack.state"), env=STACK) as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 2)
            daemon.get("/metrics")
            self.assertLess(daemon.end(), harness.PROMPT_S)
        self.assertNotIn("E_", daemon.err)
        harness.keep("state file", (harness.WORK / "stack.state").read_text())
