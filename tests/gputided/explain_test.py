"""The pages of check's findings, and check as SARIF for a code host."""
from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import unittest
from typing import Any

import harness
import manifests
from harness import gputided

ROOT = pathlib.Path(__file__).parents[2]
PAGES = json.loads((ROOT / "src/gputided/check/findings.json").read_text())
SCRIPT = ROOT / "examples" / "check" / "check_manifests.sh"
AVERAGE = "avg(vllm:num_requests_waiting)"


class Explain(unittest.TestCase):
    def test_every_code_has_its_page(self) -> None:
        listed = gputided("check", "--explain")
        self.assertEqual((listed.status, listed.err), (0, ""), listed)
        self.assertEqual([line.split(" ")[0] for line in listed.out.splitlines()], [page["code"] for page in PAGES])
        page = gputided("check", "--explain", "average-divided")
        plain = " ".join(page.out.split())
        for text in ("average-divided (warning):", "What happens AverageValue divides", "What to do Write metricType: Value",
                     "https://github.com/EclipseFdn/open-vsx.org/issues/10892"):
            self.assertIn(text, plain)

    def test_pages_as_json(self) -> None:
        rows = gputided("check", "--explain", "--output", "json").json
        self.assertEqual([row["code"] for row in rows], [page["code"] for page in PAGES])
        row, = gputided("check", "--explain", "both-days", "--output", "json").json
        self.assertEqual(row["sources"], ["kedacore/keda#4591"])

    def test_an_unknown_code(self) -> None:
        for more in ([], ["--output", "json"]):
            ran = gputided("check", "--explain", "average-multiplied", *more)
            self.assertEqual((ran.status, ran.out[:9]), (2, '{"error":' if more else ""), ran)
            self.assertIn("unknown finding average-multiplied; gputided check --explain lists all codes", ran.err)


# Members that the schema of SARIF 2.1.0 requires of the written objects (sarif-schema-2.1.0.json, "required"), and of what type.
REQUIRED = {
    "": {"version": str, "runs": list},
    "runs": {"tool": dict},
    "runs.tool": {"driver": dict},
    "runs.tool.driver": {"name": str},
    "runs.tool.driver.rules": {"id": str},
    "runs.tool.driver.rules.shortDescription": {"text": str},
    "runs.tool.driver.rules.fullDescription": {"text": str},
    "runs.tool.driver.rules.help": {"text": str},
    "runs.results": {"message": dict},
    "runs.results.message": {"text": str},
}


class Sarif(unittest.TestCase):
    def check_required(self, value: Any, path: str = "") -> None:
        if isinstance(value, list):
            for item in value:
                self.check_required(item, path)
        elif isinstance(value, dict):
            for member, kind in REQUIRED.get(path, {}).items():
                self.assertIsInstance(value.get(member), kind, (path, member))
            for member, inner in value.items():
                self.check_required(inner, f"{path}.{member}".lstrip("."))

    def sarif(self, *files: str) -> dict[str, Any]:
        ran = gputided("check", *[word for file in files for word in ("-f", file)], "--output", "sarif")
        report = ran.json
        self.assertEqual(report["version"], "2.1.0")
        self.check_required(report)
        run, = report["runs"]
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(len({rule["id"] for rule in rules}), len(rules))
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertIn(result["level"], ("error", "warning", "note"))
            place = result["locations"][0]["physicalLocation"]
            self.assertRegex(place["artifactLocation"]["uri"], r"^[\w.~/%-]+$")
            self.assertGreater(place.get("region", {"startLine": 1})["startLine"], 0)
        return run

    def test_findings_are_results(self) -> None:
        so = manifests.saved("sarif so.yaml", manifests.scaled_object("http://prometheus:9090", query=AVERAGE))
        run = self.sarif(so)
        as_json = gputided("check", "-f", so, "--output", "json").json["report"]["findings"]
        self.assertEqual([(result["ruleId"], result["level"]) for result in run["results"]],
                         [(found["code"], found["severity"]) for found in as_json])
        result = next(result for result in run["results"] if result["ruleId"] == "average-divided")
        found = next(found for found in as_json if found["code"] == "average-divided")
        place = result["locations"][0]["physicalLocation"]
        self.assertTrue(place["artifactLocation"]["uri"].endswith("sarif%20so.yaml"), place)
        self.assertEqual((place["region"]["startLine"], place["region"]["startColumn"]), (found["line"], found["column"]))
        self.assertIn(found["remedy"], result["message"]["text"])
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        self.assertIn("metricType: Value", rule["help"]["text"])

    def test_nothing_found_and_nothing_read(self) -> None:
        so = manifests.saved("quiet.yaml", manifests.scaled_object("http://prometheus:9090", query="sum(x)",
                                                                   metadata={"ignoreNullValues": "false"}))
        self.assertEqual(self.sarif(so)["results"], [])
        unreadable, = [result for result in self.sarif(so, "/nowhere/so.yaml")["results"] if result["ruleId"] == "unreadable"]
        self.assertNotIn("region", unreadable["locations"][0]["physicalLocation"])


class Script(unittest.TestCase):
    def run_script(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(SCRIPT), *words], env={**os.environ, "GPUTIDED": str(harness.PROGRAM)}, capture_output=True,
                              text=True, timeout=60, check=False)

    def test_it_picks_the_files_of_scalers(self) -> None:
        so = manifests.saved("picked.yaml", manifests.scaled_object("http://prometheus:9090", query=AVERAGE))
        other = harness.WORK / "deployment.yaml"
        other.write_text("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n")
        ran = self.run_script("--fail-on-warning", "--", str(other), so)
        self.assertEqual(ran.returncode, 1, ran)
        self.assertIn("already an average", ran.stdout)
        self.assertNotIn("deployment.yaml", ran.stdout)
        self.assertEqual(self.run_script(so).returncode, 0)
        quiet = self.run_script("--fail-on-warning", "--", str(other))
        self.assertEqual((quiet.returncode, quiet.stdout), (0, ""), quiet)
        report = json.loads(self.run_script("--output", "sarif", "--", so, str(other)).stdout)
        self.assertEqual(report["version"], "2.1.0")

    def test_the_hook_names_the_script(self) -> None:
        hook = (SCRIPT.parent / "pre-commit-hooks.yaml").read_text()
        entry = re.search(r"^  entry: (\S+)", hook, re.M)
        assert entry is not None
        self.assertTrue(os.access(ROOT / entry[1], os.X_OK))
        self.assertIn("check_manifests.sh", (SCRIPT.parent / "action.yml").read_text())
