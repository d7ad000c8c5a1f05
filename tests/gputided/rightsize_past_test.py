"""gputided rightsize over the past that a real Prometheus keeps, and over this machine's GPUs."""
from __future__ import annotations

import json
import os
import pathlib
import time
import unittest

import harness
import manifests
from harness import Ran, gputided
from prometheus_server import Prometheus, free_port

CATALOG = str(pathlib.Path(__file__).resolve().parents[2] / "examples/catalog/azure-gpu.yaml")
HOURS = 30  # 1,800 points at one a minute: four windows
MIB = 1 << 20
DCGM = 'gpu="0",UUID="GPU-1",Hostname="node-1",namespace="ml",pod="chat-1",container="chat"'
SCRAPED = 'gpu="{0}",Hostname="node-2",namespace="gpu-operator",pod="dcgm-1",container="exporter"{1}'
USED = ',exported_namespace="ml",exported_pod="llm-1",exported_container="llm"'
CADVISOR = 'namespace="ml",pod="web-1",container="{}"'
STACK = {name: os.environ.get(name, "") for name in (
    "AZURE_TENANT_ID", "AZURE_AUTHORITY_HOST", "AZURE_FEDERATED_TOKEN_FILE", "USER_ASSIGNED_CLIENT_ID",
    "PROMETHEUS_QUERY_ENDPOINT", "SSL_CERT_FILE")}


def hill(number: int) -> float:
    return 20 + number % 60


def minutely(value: object = None, scale: float = 1) -> list[tuple[float, str]]:
    count = HOURS * 60
    return [(60 * (count - i), str(hill(i) * scale if value is None else value)) for i in range(count + 1)]


class Past(unittest.TestCase):
    server: Prometheus

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Prometheus({
            f"DCGM_FI_DEV_GPU_UTIL{{{DCGM}}}": minutely(99), f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{DCGM}}}": minutely(scale=0.01),
            f"DCGM_FI_DEV_FB_USED{{{DCGM}}}": minutely(scale=100),
            f"DCGM_FI_DEV_GPU_UTIL{{{SCRAPED.format(0, USED)}}}": minutely(70), f"DCGM_FI_DEV_GPU_UTIL{{{SCRAPED.format(1, '')}}}": minutely(0),
            f"DCGM_FI_DEV_FB_USED{{{SCRAPED.format(0, USED)}}}": minutely(50_000),
            f"container_memory_working_set_bytes{{{CADVISOR.format('web')}}}": minutely(300 * MIB),
            f"container_memory_working_set_bytes{{{CADVISOR.format('POD')}}}": minutely(MIB),
            f"container_cpu_usage_seconds_total{{{CADVISOR.format('web')}}}": [(60 * (HOURS * 60 - i), str(i * 30)) for i in range(HOURS * 60 + 1)]})
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def reports(self, *arguments: str, settings: str = "sku: Standard_NC24ads_A100_v4\n", status: int = 0, server: str = "") -> list[dict]:
        self.ran = gputided("rightsize", "-f", harness.write("past.yaml", settings), "-f", CATALOG, "--prometheus", server or self.server.url, "--output", "json",
                            *arguments)
        self.assertEqual(self.ran.status, status, self.ran)
        return [json.loads(line) for line in self.ran.out.splitlines()]

    def test_a_days_gpus_by_container(self) -> None:
        first, second = self.reports("--from", f"-{HOURS}h")
        self.assertEqual((first["container"], second["container"]), ("ml/chat", "ml/llm"))
        # Every minute once, over the borders of the windows.
        for entry in (first, second):
            self.assertIn(entry["samples"]["busy"], (HOURS * 60, HOURS * 60 + 1), entry)
            self.assertEqual(entry["samples"]["units"], 1)
        self.assertAlmostEqual(first["busy"]["percentiles"]["target"], 75, delta=1)  # the engines, where they are measured: 20 to 79
        self.assertEqual(second["busy"]["percentiles"]["target"], 71)
        self.assertAlmostEqual(second["memory"]["percentiles"]["target"], 50_000 * MIB, delta=0.06 * 50_000 * MIB)
        self.assertRegex(self.ran.err, r"rightsize: 360\d points of 100 \* DCGM_FI_PROF_GR_ENGINE_ACTIVE\{")
        self.assertRegex(self.ran.err, r"rightsize: 360\d points of 1048576 \* DCGM_FI_DEV_FB_USED\{")

    def test_the_same_as_from_a_file(self) -> None:
        end = int(time.time()) // 60 * 60
        at = ("--at", str(end * 1000))
        window = ("--from", str((end - 3600) * 1000), "--to", str(end * 1000))
        asked = self.reports(*window, *at, "--util-query", 'max by (namespace, container) (label_replace(vector(40), "container", "x", "", ""))',
                             "--memory-query", 'label_replace(vector(1000), "container", "x", "", "")', "--memory-unit", "MiB")
        lines = {value: "\n".join(f"{end - 3600 + 60 * i},x,{value}" for i in range(61)) for value in (40, 1000 * MIB)}
        ran = gputided("rightsize", "-f", harness.write("past.yaml", "sku: Standard_NC24ads_A100_v4\n"), "-f", CATALOG, "--output", "json", *at,
                       "--util", harness.write("past-util.csv", lines[40]), "--memory", harness.write("past-memory.csv", lines[1000 * MIB]))
        self.assertEqual(asked, [ran.json])

    def test_cores_and_memory_of_the_kubelet(self) -> None:
        (entry,) = self.reports("--from", "-6h", settings="profile: vpa\n")
        self.assertEqual(entry["container"], "ml/web")  # and not the pod's sandbox
        self.assertAlmostEqual(entry["busy"]["percentiles"]["target"], 500, delta=30)
        self.assertAlmostEqual(entry["memory"]["percentiles"]["target"], 300 * MIB, delta=0.06 * 300 * MIB)

    def test_a_state_goes_on_where_it_was(self) -> None:
        now = int(time.time()) * 1000
        state = ("--state", str(harness.WORK / "past.state"), "--container", "ml/chat")
        middle = str(now - 3 * 3_600_000)
        (before,) = self.reports("--from", str(now - 6 * 3_600_000), "--to", middle, *state)
        (after,) = self.reports("--from", middle, "--to", str(now), *state)
        (whole,) = self.reports("--from", str(now - 6 * 3_600_000), "--to", str(now), "--container", "ml/chat")
        self.assertLess(before["samples"]["busy"], after["samples"]["busy"])
        self.assertEqual(after["samples"]["busy"], whole["samples"]["busy"])  # the moment that both ask for counts once
        self.assertEqual(after["memory"]["percentiles"], whole["memory"]["percentiles"])

    def test_nothing_found_names_the_query(self) -> None:
        self.reports("--from", "-1h", "--util-query", "missing", "--memory-query", "", status=2)
        self.assertIn("0 points of missing", self.ran.err)
        self.assertIn("the label container", self.ran.err)
        self.assertIn("there are no samples", self.ran.err)

    def test_what_is_refused(self) -> None:
        for arguments, status, words in (
                (("--util-query", "avg("), 3, "E_REJECTED"), (("--from", "1h"), 2, "--from"), (("--to", "-9d"), 2, "expected a time before --to"),
                (("--step", "1500ms"), 2, "whole seconds"), (("--step", "0s"), 2, "--step 0s: expected more than 0"),
                (("--util-query", "", "--memory-query", ""), 2, "both queries are empty")):
            with self.subTest(arguments):
                self.reports(*arguments, status=status)
                self.assertIn(words, self.ran.err)
        self.reports(status=3, server=f"http://127.0.0.1:{free_port()}")
        self.assertIn("E_UNAVAILABLE", self.ran.err)
        self.reports(status=2, server="@" + harness.write("no-trigger.yaml", "kind: Secret\n"))
        self.assertIn("expected an entry of a ScaledObject's triggers", self.ran.err)


class SignedIn(unittest.TestCase):
    def asked(self, **environment: str) -> Ran:
        trigger = {"type": "prometheus", "metadata": {"serverAddress": STACK["PROMETHEUS_QUERY_ENDPOINT"]}, "authenticationRef": {"name": "azure"}}
        identity = manifests.workload_identity()
        identity["spec"]["podIdentity"]["identityId"] = "${USER_ASSIGNED_CLIENT_ID}"
        by = manifests.saved("past-trigger.yaml", trigger, identity)
        return gputided("rightsize", "--prometheus", f"@{by}", "--from", "-1m", "--step", "1s", "--util-query",
                        'avg by (container) (label_replace(DCGM_FI_DEV_GPU_UTIL, "container", "all", "", ""))', "--memory-query", "", "--output", "json",
                        env={**STACK, **environment})

    def test_a_trigger_with_workload_identity(self) -> None:
        ran = self.asked()
        self.assertEqual(ran.status, 0, ran)
        self.assertGreaterEqual(ran.json["samples"]["busy"], 1)

    def test_a_token_that_has_expired(self) -> None:
        ran = self.asked(AZURE_FEDERATED_TOKEN_FILE=os.path.join(os.environ.get("STACK_DIR", ""), "keys", "expired-token"))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("AADSTS700024", ran.err)


class OwnGpus(unittest.TestCase):
    def test_a_machine_without_a_driver(self) -> None:
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("this machine has an NVIDIA driver")
        ran = gputided("rightsize", "--nvml", "--for", "1s", "--step", "1s")
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_UNSUPPORTED", ran.err)
        self.assertIn("libnvidia-ml.so.1", ran.err)
