"""This machine's GPUs, through stand-ins for the drivers (tests/support/nvml_library.cpp, amd_library.cpp): eval, doctor, rightsize."""
from __future__ import annotations

import json
import os
import socket
import time
import unittest
from pathlib import Path
from typing import Any

import doctor_case
import harness
import manifests
from external_scaler_server import Answer, ExternalScaler, failing, text
from harness import Ran, gputided

BURSTS = {"uuid": "GPU-0", "period_ms": 500, "duty": 0.4, "watts": 700, "idle_watts": 70, "memory_used": 24_000_000_000}


def machine(*gpus: dict[str, Any]) -> dict[str, str]:
    script = harness.WORK / "gpus.json"
    script.write_text(json.dumps({"gpus": gpus}))
    return {"LD_LIBRARY_PATH": os.environ["NVML_LIBRARY_FOLDER"], "GPUTIDE_NVML_SCRIPT": str(script)}


def scaler(metric: str = "gpu_utilization", **more: str) -> str:
    document = manifests.scaled_object("")
    document["spec"]["triggers"] = [{"type": "nvml", "metricType": "Value", "metadata": {"metric": metric, "threshold": "30", **more}}]
    return manifests.saved("gpu.yaml", document)


def evaluated(metric: str, *gpus: dict[str, Any], **more: str) -> Ran:
    return gputided("eval", "-f", scaler(metric, **more), "--current", "2", "--output", "json", env=machine(*gpus))


class Eval(unittest.TestCase):
    def test_bursts_are_averaged_and_the_trace_says_how(self) -> None:
        ran = evaluated("gpu_utilization", BURSTS)
        self.assertEqual(ran.status, 0, ran)
        self.assertIn('"read_by":"driver_samples"', ran.out)
        self.assertRegex(ran.out, r'"interval_ms":1[0-9]{4}')

    def test_gpm_has_a_first_interval_of_its_own(self) -> None:
        ran = evaluated("sm_active", BURSTS)
        self.assertEqual(ran.status, 0, ran)
        self.assertIn('"read_by":"gpm"', ran.out)

    def test_what_is_missing_is_named(self) -> None:
        for gpu, metric, text in (({"gpm": False}, "sm_active", "it needs GPM"), ({"gpm_says": 4}, "sm_active", "NVreg_RestrictProfilingToAdminUsers=0"),
                                  ({"says": 15}, "power_watts", "drain and reboot")):
            ran = evaluated(metric, {**BURSTS, **gpu})
            self.assertIn(text, ran.out + ran.err)

    def test_a_driver_that_hangs(self) -> None:
        began = time.monotonic()
        ran = gputided("eval", "-f", scaler("power_watts"), "--current", "2", "--timeout-ms", "500", env=machine({**BURSTS, "hangs_ms": 3_000}))
        self.assertIn("hangs", ran.out + ran.err)
        self.assertLess(time.monotonic() - began, harness.PROMPT_S)


class Pods(unittest.TestCase):
    """GPUs by pods: a stand-in for the kubelet answers over a Unix socket."""

    path = harness.WORK / "kubelet.sock"

    def evaluated(self, **more: str) -> Ran:
        gpus = [{**BURSTS, "uuid": f"GPU-{i}", "memory_used": i * 10**9} for i in range(3)]
        return gputided("eval", "-f", scaler("memory_used_bytes", reduce="sum", **more), "--current", "2", "--output", "json",
                        env={**machine(*gpus), "GPUTIDE_KUBELET_SOCKET": str(self.path)})

    def test_the_gpus_of_a_pod_count(self) -> None:
        with Kubelet(self.path, {"ml/llm-a": ["GPU-1", "GPU-2"], "ml/web": ["GPU-0"]}) as kubelet:
            ran = self.evaluated(pods="ml/llm-*")
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("3000000000", ran.out)
        self.assertEqual(len(kubelet.headers), 1)

    def test_a_shared_gpu_is_named(self) -> None:
        with Kubelet(self.path, {"ml/llm-a": ["GPU-1::0"], "ml/web": ["GPU-1::1"]}):
            ran = self.evaluated(pods="llm-a")
        self.assertIn("GPU-1 is shared by the pods ml/llm-a, ml/web", ran.out + ran.err)

    def test_without_a_socket_all_else_is_read(self) -> None:
        self.path.unlink(missing_ok=True)
        ran = self.evaluated(pods="llm-a")
        self.assertRegex(ran.out + ran.err, f"cannot connect to {self.path}(: No such file or directory)?; the trigger's `pods` are read from the kubelet")
        self.assertEqual(self.evaluated().status, 0)

    def test_a_socket_of_another_is_no_kubelet(self) -> None:
        with Kubelet(self.path, {}) as kubelet:
            kubelet.answer_to = lambda headers, body: Answer(first=[(":status", "200"), ("content-type", "text/html")])  # type: ignore[method-assign]
            ran = self.evaluated(pods="llm-a")
        self.assertIn("the socket must be the kubelet's pod-resources socket", ran.out + ran.err)


class Amd(unittest.TestCase):
    """Through a stand-in for libamd_smi.so.26 alone: no AMD GPU was asked."""

    def evaluated(self, metric: str, **env: str) -> Ran:
        document = manifests.scaled_object("")
        document["spec"]["triggers"] = [{"type": "amd", "metricType": "Value", "metadata": {"metric": metric, "threshold": "30", "reduce": "max"}}]
        return gputided("eval", "-f", manifests.saved("amd.yaml", document), "--current", "2", "--output", "json",
                        env={"LD_LIBRARY_PATH": os.environ["AMD_LIBRARY_FOLDER"], **env})

    def test_it_reads_the_library(self) -> None:
        for metric, number in (("gpu_utilization", 80), ("power_watts", 550), ("memory_used_bytes", 48_000_000_000)):
            ran = self.evaluated(metric)
            self.assertEqual(ran.status, 0, ran)
            self.assertRegex(ran.out, f'"value":{number}[,}}]')

    def test_what_is_missing_is_named(self) -> None:
        self.assertIn("(AMD SMI 10); run as a user in the groups video and render", (ran := self.evaluated("power_watts", GPUTIDE_AMD_SAYS="10")).out + ran.err)
        if not os.path.exists("/opt/rocm"):
            self.assertIn("AMD SMI is not available", (ran := self.evaluated("power_watts", LD_LIBRARY_PATH="")).out + ran.err)


class Doctor(doctor_case.DoctorCase):
    def test_it_says_how_the_number_was_read(self) -> None:
        report = self.diagnose(scaler(), env=machine(BURSTS))
        query = self.step(report, "query", "ok", "averaged over 14.2s")
        self.assertIn("driver_samples", json.dumps(query))

    def test_a_single_sample_is_a_warning(self) -> None:
        report = self.diagnose(scaler(), env=machine({**BURSTS, "gpm": False, "samples": False}))
        self.step(report, "query", "warning", "with a load in bursts it can be anything from 0 to 100")


class Rightsize(unittest.TestCase):
    def sized(self, *more: str) -> Ran:
        return gputided("rightsize", "--nvml", "--for", "3s", "--step", "1s", *more, env=machine(BURSTS))

    def test_a_load_in_bursts_is_not_idle(self) -> None:
        ran = self.sized()
        self.assertEqual(ran.status, 0, ran)
        self.assertRegex(ran.out, r"percentiles +(3[5-9]|4[0-9]) %")

    def test_bounds_of_a_short_past_are_unknown(self) -> None:
        page = harness.WORK / "short-past.html"
        ran = self.sized("--html", str(page))
        self.assertEqual(page.read_text().count('"upper_unknown":true'), 2)
        bounds = [line for line in ran.out.splitlines() if line.startswith("    final ")]
        self.assertEqual(len(bounds), 2, ran)
        for line in bounds:
            self.assertTrue(line.endswith("/ unknown"), ran)


class Kubelet(ExternalScaler):
    """The kubelet's pod-resources socket: gRPC over a Unix socket (podresources/v1, PodResourcesLister.List).  Pods by "namespace/name": the device ids of their one container."""

    def __init__(self, path: Path, pods: dict[str, list[str]]) -> None:
        self.path, self.pods = path, pods
        super().__init__()

    def listening(self) -> socket.socket:
        self.path.unlink(missing_ok=True)
        out = socket.socket(socket.AF_UNIX)
        out.bind(str(self.path))
        out.listen()
        return out

    def answer_to(self, headers: dict[str, str], body: bytes) -> Answer:
        self.headers.append(headers)
        if headers[":path"] != "/v1.PodResourcesLister/List" or body != bytes(5):
            return failing(12, "no such method")
        return Answer(b"".join(text(1, self.pod(name, devices)) for name, devices in self.pods.items()))

    @staticmethod
    def pod(name: str, devices: list[str]) -> bytes:
        held = text(1, "nvidia.com/gpu") + b"".join(text(2, device) for device in devices)
        space, pod = name.split("/")
        return text(1, pod) + text(2, space) + text(3, text(1, "server") + text(2, held))
