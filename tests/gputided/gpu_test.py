"""This machine's GPUs, through a stand-in for the driver (tests/support/nvml_library): eval, doctor, rightsize."""
from __future__ import annotations

import json
import os
import time
import unittest
from typing import Any

import doctor_case
import harness
import manifests
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


class Doctor(doctor_case.DoctorCase):
    def test_it_says_how_the_number_was_read(self) -> None:
        report = self.diagnose(scaler(), env=machine(BURSTS))
        query = self.step(report, "query", "ok", "averaged over 14.2s")
        self.assertIn("driver_samples", json.dumps(query))

    def test_a_single_sample_is_a_warning(self) -> None:
        report = self.diagnose(scaler(), env=machine({**BURSTS, "gpm": False, "samples": False}))
        self.step(report, "query", "warning", "a load in bursts reads as anything from 0 to 100")


class Rightsize(unittest.TestCase):
    def sized(self, **gpu: Any) -> Ran:
        return gputided("rightsize", "--nvml", "--for", "3s", "--step", "1s", env=machine({**BURSTS, **gpu}))

    def test_a_load_in_bursts_is_not_idle(self) -> None:
        ran = self.sized()
        self.assertEqual(ran.status, 0, ran)
        self.assertRegex(ran.out, r"percentiles +(3[5-9]|4[0-9]) %")

    def test_bounds_of_a_short_past_are_unknown(self) -> None:
        ran = self.sized()
        bounds = [line for line in ran.out.splitlines() if "in the end" in line]
        self.assertEqual(len(bounds), 2, ran)
        for line in bounds:
            self.assertTrue(line.endswith("/ unknown"), ran)
