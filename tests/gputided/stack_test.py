"""gputided against the real thing: Prometheus behind nginx with TLS, and a token endpoint as strict as Entra's; a live run, the
decisions of which are taken again from what Prometheus recorded; a forecast that starts with the past of one."""
from __future__ import annotations

import datetime
import json
import math
import os
import time
import unittest

import harness
import manifests
from harness import Daemon, Ran, gputided
from prometheus_server import Prometheus, Samples

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


TICKS = 8
QUERY = 'avg(DCGM_FI_DEV_GPU_UTIL{deployment="my-gpu-workload"})'


def seconds(time: str) -> float:
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


class LiveAndReplayed(unittest.TestCase):
    manifest = ""
    log = ""
    decisions: list[dict] = []

    @classmethod
    def setUpClass(cls) -> None:
        so = manifests.scaled_object(STACK["PROMETHEUS_QUERY_ENDPOINT"], auth="azure", query=QUERY,
                                     annotations={"gputide.io/sync-period": "2s"}, spec={"pollingInterval": 2})
        identity = manifests.workload_identity()
        identity["spec"]["podIdentity"]["identityId"] = "${USER_ASSIGNED_CLIENT_ID}"
        cls.manifest = manifests.saved("live.yaml", so, identity)
        with Daemon("-f", cls.manifest, "--exec", "true", "--current", "1", env=STACK) as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= TICKS)
            daemon.end()
            cls.decisions = daemon.decisions
        cls.log = harness.write("live.log", daemon.out)

    def test_from_the_log_alone(self) -> None:
        ran = gputided("replay", "-f", self.manifest, "--verify", self.log, "--output", "json", env=STACK)
        found = ran.json["verification"]
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual((found["same"], found["first_difference"]), (found["decisions"], ""))
        self.assertGreaterEqual(found["decisions"], TICKS)

    def test_from_what_prometheus_recorded(self) -> None:
        first, last = (seconds(self.decisions[i]["time"]) for i in (0, -1))
        cache = harness.WORK / "live.csv"
        arguments = ("replay", "-f", self.manifest, "--from", str(int(first - 1) * 1000), "--to", str(int(last + 1) * 1000),
                     "--step", "1s", "--cache", str(cache), "--verify", self.log, "--output", "json")
        ran = gputided(*arguments, env=STACK)
        self.assertEqual(ran.status, 0, ran)
        found = ran.json["verification"]
        self.assertEqual((found["same"], found["first_difference"]), (found["decisions"], ""))
        self.assertIn("1 of 1 parts", ran.err)
        changes = [decision for decision in self.decisions if decision["desired_replicas"] != decision["current_replicas"]]
        self.assertGreaterEqual(len(changes), 3)  # 1 -> 4 -> 8 -> 10: there was something to decide
        again = gputided(*arguments, env=STACK)
        self.assertIn("continuing from there", again.err)
        self.assertEqual(again.out, ran.out)
        as_series = gputided("replay", "-f", self.manifest, "--series", str(cache), "--initial", "1", "--output", "json", env=STACK)
        self.assertEqual(as_series.status, 0, as_series)
        sizes = list(dict.fromkeys(change["desired_replicas"] for change in changes))  # a write that the end cut off comes twice
        self.assertEqual(list(dict.fromkeys(event["desired_replicas"] for event in as_series.json["events"])), sizes)

    def test_a_query_that_is_refused(self) -> None:
        broken = manifests.scaled_object(STACK["PROMETHEUS_QUERY_ENDPOINT"], auth="azure", query="avg(")
        identity = manifests.workload_identity()
        identity["spec"]["podIdentity"]["identityId"] = "${USER_ASSIGNED_CLIENT_ID}"
        ran = gputided("replay", "-f", manifests.saved("broken.yaml", broken, identity), "--from", "-1m", env=STACK)
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_REJECTED", ran.err)


DAYS = 3


def office(now_s: float) -> Samples:
    """20 at night and 100 by day, with ramps, a value a minute."""
    out: Samples = []
    for ago in range(DAYS * 86400, 0, -60):
        hour = (now_s - ago) / 3600 % 24
        up = min(max((hour - 8) / 1.5, 0), 1) - min(max((hour - 17) / 2, 0), 1)
        out.append((ago, f"{(20 + 80 * up) * (1 + 0.02 * math.sin(ago * ago)):.3f}"))
    return out


class History(unittest.TestCase):
    server: Prometheus

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Prometheus({'queue_length{model="llm"}': office(time.time())})
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def manifest(self, query: str, **annotations: str) -> str:
        so = manifests.scaled_object(self.server.url, query=query, spec={"maxReplicaCount": 60}, annotations={
            "gputide.io/forecast": "act", "gputide.io/forecast-history": f"{DAYS}d", "gputide.io/sync-period": "2s",
            **annotations})
        return manifests.saved("history.yaml", so)

    def forecast_of(self, query: str) -> dict[str, object]:
        with Daemon("-f", self.manifest(query), "--dry-run", "--current", "4") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            found = json.loads(daemon.get("/status.json")[2])["scalers"][0]["forecast"]
            self.metrics = daemon.get("/metrics")[2]
            daemon.end()
        return dict(found)

    def test_a_daemon_starts_warm(self) -> None:
        found = self.forecast_of('sum(queue_length{model="llm"})')
        history = found["history"]
        self.assertEqual(history["outcome"], "read", found)
        self.assertGreater(history["slots"], DAYS * 1440 - 15)
        self.assertEqual(history["slots"] + history["missing"], DAYS * 1440)
        self.assertNotEqual(found["state"], "warming", found)
        self.assertIn("gputided_forecast_error_last_value{", self.metrics)
        self.assertIn("; history: ", found["text"])
        self.assertGreaterEqual(len(found["ahead"]), 5, found)

    def test_a_past_that_is_refused_leaves_a_cold_start(self) -> None:
        found = self.forecast_of('sum(rate(queue_length{model="llm"}[5m])) and on() (time() > 0 < scalar(')
        self.assertEqual((found["history"]["outcome"], found["history"]["status"]), ("failed", "E_REJECTED"), found)
        self.assertEqual(found["state"], "warming")
        self.assertIn("; history: not read (E_REJECTED)", found["text"])

    def test_a_metric_without_a_past(self) -> None:
        self.assertEqual(self.forecast_of("sum(missing) or vector(7) < 0")["history"]["outcome"], "empty")

    def test_a_replay_reads_it_too(self) -> None:
        ran = gputided("replay", "-f", self.manifest('sum(queue_length{model="llm"})'), "--from", "-12h", "--step", "1m",
                       "--model", "closed", "--signal", "total", "--startup", "5m", "--output", "json")
        self.assertEqual(ran.status, 0, ran)
        self.assertAlmostEqual(ran.json["summary"]["duration_hours"], 12, delta=0.1)
        history = ran.json["forecast"]["history"]
        self.assertEqual(history["outcome"], "read", history)
        self.assertGreater(history["slots"], (DAYS - 0.5) * 1440 - 15)
        self.assertEqual(len(ran.json["compared"]), 3)
