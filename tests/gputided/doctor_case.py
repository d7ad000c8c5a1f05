"""Runs gputided doctor twice: as JSON, for the test, and as lines, which must say the same."""
from __future__ import annotations

import json
import os
import unittest
from typing import Any

import harness
from harness import Ran, gputided

ORDER = ["environment", "token_file", "authority", "token", "endpoint", "query", "series", "age", "value", "activation", "target"]
VERDICTS = {"ok": "ok", "warning": "warning", "failed": "FAILED"}


class DoctorCase(unittest.TestCase):
    def diagnose(self, file: str, *more: str, env: dict[str, str] | None = None) -> dict[str, Any]:
        """The report, after checking that exit status, order, stops and the text agree with it."""
        arguments = ["doctor", "-f", file, *more]
        ran, text = gputided(*arguments, "--output", "json", env=env), gputided(*arguments, env=env)
        if "DOCTOR_SHOW" in os.environ:
            print(f"\n--- {self.id()}\n{text.out}{text.err}")
        self.assertIn(ran.status, (0, 1), ran)
        report = ran.json
        self.assertEqual((ran.status, text.status), (int(report["verdict"] == "failed"),) * 2, ran)
        self.assertEqual((ran.err, text.err), ("", ""))
        self.check_text(report, text)
        for trigger in report["triggers"]:
            self.check_steps(trigger)
        return report

    def check_text(self, report: dict[str, Any], text: Ran) -> None:
        plain = " ".join(text.out.split())
        self.assertTrue(plain.startswith(" ".join(report["conclusion"].split()[:8])), text)
        for trigger in report["triggers"]:
            for step in trigger["steps"]:
                self.assertIn(f"{VERDICTS[step['verdict']]} {step['step'].replace('_', ' ')}", plain)
                for line in step.get("paste", "").splitlines():
                    self.assertIn(line, text.out)
        self.assertLess(max(len(line) for line in text.out.splitlines() if " " in line.strip()), 180, text.out)

    def check_steps(self, trigger: dict[str, Any]) -> None:
        names = [step["step"] for step in trigger["steps"]]
        self.assertEqual(names, [name for name in ORDER if name in names], "steps in their order, each once")
        failed = [step["step"] for step in trigger["steps"] if step["verdict"] == "failed"]
        self.assertEqual(failed, [trigger["failed_step"]] if trigger["failed_step"] else [])
        if failed:
            self.assertEqual(names[-1], failed[0], "the check stops at the first failed step")
        for step in trigger["steps"]:
            if step["verdict"] != "ok":
                self.assertTrue(step.get("cause") and step.get("fix"), step)

    def step(self, report: dict[str, Any], name: str, verdict: str, *expected: str, trigger: int = 0) -> dict[str, Any]:
        """The step of that name, with each of the texts somewhere in what it saw, its cause, fix or paste."""
        steps = report["triggers"][trigger]["steps"]
        found = [step for step in steps if step["step"] == name]
        self.assertEqual([step["verdict"] for step in found], [verdict], steps)
        whole = "\n".join(found[0].get(part, "") for part in ("seen", "cause", "fix", "paste"))
        for text in expected:
            self.assertIn(text, whole)
        return found[0]

    def fails(self, report: dict[str, Any], name: str, *expected: str, trigger: int = 0) -> dict[str, Any]:
        self.assertEqual((report["verdict"], report["triggers"][trigger]["failed_step"]), ("failed", name), report["conclusion"])
        return self.step(report, name, "failed", *expected, trigger=trigger)


def claims_token(**claims: Any) -> str:
    """A JWT of these claims, as a file of projected tokens holds one; its signature is planted."""
    return ".".join([harness.segment('{"alg":"RS256"}'), harness.segment(json.dumps(claims)), harness.ASSERTION_SIGNATURE])
