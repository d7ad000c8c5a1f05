"""Tests what needs no server: the command line, manifests with an error, check, exit codes."""
from __future__ import annotations

import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest
from typing import Any

import harness
import manifests
from harness import gputided

GOOD = "http://127.0.0.1:1"
DOCS = pathlib.Path(__file__).parents[2] / "docs"


class CommandLine(unittest.TestCase):
    def refused(self, arguments: list[str], *expected: str) -> None:
        ran = gputided(*arguments)
        self.assertEqual((ran.status, ran.out), (2, ""), ran)
        for text in expected:
            self.assertIn(text, ran.err)

    def test_usage_errors_name_the_flag(self) -> None:
        so = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        self.refused([], "a command is missing", "run, eval, check, doctor, replay")
        self.refused(["frobnicate"], "no command frobnicate")
        self.refused(["doctor"], "give either --file or --kubernetes", "gputided doctor --help")
        self.refused(["eval", "-f", so], "--current is required", "gputided eval --help")
        self.refused(["eval", "--current", "1"], "--file is required")
        for wrong in ("-1", "x", "1.5", "2147483648", "99999999999999999999"):
            self.refused(["eval", "-f", so, "--current", wrong], "--current", wrong)
        self.refused(["eval", "-f", so, "--current", "1", "--frobnicate"], "--frobnicate")
        self.refused(["eval", "-f", so, "--current", "1", "--output", "xml"], "--output", "xml", "text", "json")
        self.refused(["eval", "-f", so, "--current", "1", "--timeout-ms", "0"], "--timeout-ms")
        self.refused(["check", "-f", so, "--profile", "lenient"], "--profile", "strict")
        self.refused(["run", "-f", so, "--current", "1"], "--dry-run", "--exec")
        self.refused(["run", "-f", so, "--dry-run", "--exec", "true", "--current", "1"], "either --dry-run or --exec")
        self.refused(["run", "-f", so, "--kubernetes", "--current", "1", "--dry-run"], "--kubernetes")
        self.refused(["run", "-f", so, "--dryrun"], "--dry-run", "--dryrun was not expected")
        self.refused(["check"], "--file is required")

    def test_times(self) -> None:
        so = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        for wrong in ("yesterday", "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01T00:00:00", "2026-01-01"):
            self.refused(["eval", "-f", so, "--current", "1", "--at", wrong], "--at " + wrong)
        for right, seen in (("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000Z"),
                            ("2026-11-21T11:30:00.25+01:30", "2026-11-21T10:00:00.250Z"),
                            ("1795255200000", "2026-11-21T10:00:00.000Z")):
            ran = gputided("eval", "-f", so, "--current", "1", "--at", right, "--output", "json")
            self.assertEqual(ran.json["time"], seen)

    def test_files_that_cannot_be_read(self) -> None:
        self.refused(["check", "-f", "/nowhere/so.yaml"], "/nowhere/so.yaml", "No such file")
        empty = harness.WORK / "empty-folder"
        empty.mkdir(exist_ok=True)
        self.refused(["check", "-f", str(empty)], str(empty), "no *.yaml, *.yml or *.json file")
        self.refused(["eval", "-f", "/dev/zero", "--current", "1"], "/dev/zero", "is a pipe, a socket or a device")
        so = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        self.refused(["eval", "-f", so, "--current", "1", "--state", str(empty)], str(empty), "is a folder")
        for wrong in ("nonsense", "127.0.0.1:99999", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:", "127.0.0.1:http"):
            self.refused(["run", "-f", so, "--current", "1", "--dry-run", "--listen", wrong], f"--listen {wrong}", "HOST:PORT")
        self.refused(["run", "-f", so, "--current", "1", "--dry-run", "--state", "/nowhere/gputided.state"],
                     "--state /nowhere/gputided.state", "No such file")
        self.refused(["run", "-f", so, "--current", "1", "--dry-run", "--ca-file", "/nowhere/ca.pem"], "--ca-file", "/nowhere/ca.pem")
        self.refused(["doctor", "-f", so, "--ca-file", so], "--ca-file", so, "contains no PEM certificate")

    def test_each_subcommand_has_help_with_an_example(self) -> None:
        self.assertEqual(gputided("--help").status, 0)
        for name in ("run", "eval", "check", "doctor", "token", "version"):
            ran = gputided(name, "--help")
            self.assertEqual(ran.status, 0)
            self.assertIn("Example:\n  gputided " + name, ran.out)
            self.assertEqual(ran.err, "")

    def test_a_flag_of_words_lists_them(self) -> None:
        shown = gputided("run", "--help").out
        for flag, words in (("--log", "all|changes"), ("--log-form", "compact|full"), ("--profile", "default|strict")):
            self.assertRegex(shown, rf"(?m)^ +{flag} {re.escape(words)}( |$)")
        for command in ("run", "eval", "check", "doctor", "replay", "replay compare", "replay tune", "nodes plan", "nodes explain", "rightsize", "token", "version"):
            self.assertNotRegex(gputided(*command.split(), "--help").out, "ENUM|value in")
        so = manifests.saved("so.yaml", manifests.scaled_object(GOOD))
        self.refused(["run", "-f", so, "--dry-run", "--log", "some"], "--log", "some", "all", "changes")

    def test_each_flag_of_the_help_is_documented(self) -> None:
        documented = set(re.findall(r"--[a-z][a-z-]*", "".join((DOCS / page).read_text() for page in ("gputided.md", "replay.md", "nodes.md"))))
        for command in ("run", "eval", "check", "doctor", "replay", "replay compare", "replay tune", "nodes plan", "nodes explain", "token", "version"):
            with self.subTest(command):
                flags = set(re.findall(r"^ .*?(--[a-z][a-z-]*)", gputided(*command.split(), "--help").out.partition("Options:")[2], re.M))
                self.assertGreaterEqual(len(flags), 2)
                self.assertLessEqual(flags, documented)

    def test_version(self) -> None:
        self.assertRegex(gputided("version").out, r"^gputide \d+\.\d+\.\d+ \(ABI \d+\)\ncompiler: ")
        self.assertIn("curl", gputided("version", "--json").json)
        self.assertEqual(gputided("version", "--output", "json").out, gputided("version", "--json").out)


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 10)}]\n" for old, new in zip("abcdefgh", "bcdefghi"))


class WrongManifests(unittest.TestCase):
    """Each with its file, its line, and what to do; check, eval and run agree that it is the manifest's fault."""

    def wrong(self, file: str, line: int, *expected: str) -> None:
        checked = gputided("check", "-f", file)
        self.assertEqual((checked.status, checked.err), (2, ""), checked)
        self.assertRegex(checked.out, rf"(?m)^{file}:{line}:\d+: error: ")
        for command in (["eval", "--current", "1"], ["run", "--dry-run", "--current", "1", "--listen", ""]):
            ran = gputided(*command, "-f", file)
            self.assertEqual((ran.status, ran.out), (2, ""), ran)
            for text in (f"{file}:{line}", "E_", *expected):
                self.assertIn(text, ran.err)
        for text in expected:
            self.assertIn(text, checked.out)

    def test_empty(self) -> None:
        self.wrong(harness.write("empty.yaml", ""), 1, "no document", "give a ScaledObject")

    def test_tabs(self) -> None:
        self.wrong(harness.write("tabs.yaml", "kind: ScaledObject\n\tmetadata: {}\n"), 2, "tab", "blanks")

    def test_alias_bomb(self) -> None:
        ran = gputided("check", "-f", harness.write("bomb.yaml", ALIASES))
        self.assertLess(ran.seconds, 10)  # expanded it would be a billion
        self.wrong(harness.write("bomb.yaml", ALIASES), 5, "with expanded aliases")

    def test_kind(self) -> None:
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "gpu"}}
        self.wrong(manifests.saved("deployment.yaml", deployment), 1, "Deployment", "ScaledObject", "HorizontalPodAutoscaler")

    def test_authentication_that_is_not_given(self) -> None:
        self.wrong(manifests.saved("auth.yaml", manifests.scaled_object(GOOD, auth="nowhere")), 23,
                   'TriggerAuthentication "nowhere" is not given', "spec.triggers[0].authenticationRef", "authenticationRef.name")

    def test_threshold(self) -> None:
        self.wrong(manifests.saved("threshold.yaml", manifests.scaled_object(GOOD, threshold="abc")), 20,
                   "spec.triggers[0].metadata.threshold", '"abc"', "expected a number")

    def test_everything_that_is_wrong_is_said_at_once(self) -> None:
        so = manifests.scaled_object(GOOD, threshold="abc", spec={"maxReplicaCount": "many", "cooldownPeriod": -1})
        so["spec"]["triggers"].append({"type": "prometheus", "metadata": {"serverAddress": GOOD, "threshold": "5"}})
        so["spec"]["triggers"].append({"type": "nosuch", "metadata": {}})
        ran = gputided("check", "-f", manifests.saved("many.yaml", so), "--output", "json")
        self.assertEqual(ran.status, 2, ran)
        errors = [finding for finding in ran.json["report"]["findings"] if finding["severity"] == "error"]
        places = " ".join(error["path"] for error in errors)
        for place in ("spec.maxReplicaCount", "spec.triggers[0].metadata.threshold", "spec.triggers[1]", "trigger 2"):
            self.assertIn(place, places, errors)

    def test_what_is_wrong_beside_its_metadata_hides_nothing_of_a_trigger(self) -> None:
        so = manifests.scaled_object(GOOD, query="sum(rate(x[5m])", metadata={"activationThreshold": "five"})
        for field, value, message in (("metricType", "Total", 'got "Total"'), ("authenticationRef", {"name": "nowhere"}, 'TriggerAuthentication "nowhere" is not given')):
            with self.subTest(field):
                trigger = {**so["spec"]["triggers"][0], field: value}
                found = self.findings(manifests.saved("beside.yaml", {**so, "spec": {**so["spec"], "triggers": [trigger]}}))
                words = " ".join(entry["message"] for entry in found)
                for text in (message, 'param "activationThreshold" value "five"', "the query cannot be read"):
                    self.assertIn(text, words)

    def test_each_document_of_each_file_is_read_to_its_end(self) -> None:
        first = manifests.scaled_object(GOOD, name="a", threshold="abc")
        second = manifests.scaled_object(GOOD, name="b", threshold="xyz")
        found = self.findings(manifests.saved("documents.yaml", first, second), manifests.saved("third.yaml", {**first, "metadata": {}}))
        errors = [entry["message"] for entry in found if entry["severity"] == "error"]
        for text in ('"abc"', '"xyz"', "metadata.name is required"):
            self.assertEqual(sum(text in message for message in errors), 2 if text == '"abc"' else 1, errors)

    def test_a_misspelt_key_is_named_at_its_own_line(self) -> None:
        file = harness.write("misspelt.yaml", """apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: a}
spec:
  scaleTargetRef:
    nam: a
  triggers:
  - type: prometheus
    metadata:
      serverAdress: http://127.0.0.1:9
      query: up
      threshhold: "5"
""")
        lines = gputided("check", "-f", file).out
        self.assertRegex(lines, rf'{file}:6:\d+: error: spec.scaleTargetRef.name is required .*"nam" is not a key here.*did you mean "name"')
        self.assertRegex(lines, rf'{file}:10:\d+: error: .*"serverAdress" is not a key of this trigger type, did you mean "serverAddress"')
        self.assertIn('missing required parameter "threshold" in [triggerMetadata]; "threshhold" is not a key', lines)
        self.assertRegex(lines, rf'{file}:12:\d+: warning: .*"threshhold".*did you mean "threshold"')

    def test_a_finding_has_its_own_place(self) -> None:
        text = """apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: a}
spec:
  scaleTargetRef: {name: a}
  pollingInterval: 15
  cooldownPeriod: 300
  advanced:
    scalingModifiers:
      formula: "busy + quue"
      target: "5"
  triggers:
  - type: prometheus
    name: busy
    metadata: {serverAddress: "http://127.0.0.1:1/graph", query: up, threshold: "5"}
"""
        for formula in ("busy + quue", "busy + ("):
            lines = gputided("check", harness.write("place.yaml", text.replace("busy + quue", formula))).out
            self.assertRegex(lines, r":10:\d+: error: .*\(spec.advanced.scalingModifiers.formula\)")
            self.assertRegex(lines, r":15:\d+: warning: .*serverAddress ends in /graph, .*: write the address without /graph")
        lines = gputided("check", harness.write("place.yaml", text.replace(": 15\n", ": 15s\n").replace(": 300\n", ": 5m\n"))).out
        self.assertIn('got text "15s" (spec.pollingInterval): pollingInterval is in seconds: write 15', lines)
        self.assertIn('got text "5m" (spec.cooldownPeriod): cooldownPeriod is in seconds: write 300', lines)
        wrong = manifests.scaled_object(GOOD, spec={"pollingInterval": "15s", "cooldownPeriod": "5m", "minReplicaCount": 1})
        lines = gputided("check", manifests.saved("place.yaml", wrong)).out
        self.assertIn("pollingInterval is in seconds", lines)
        self.assertNotIn("not relevant", lines, "one finding for a key")
        lines = gputided("check", harness.write("place.yaml", text.replace("serverAddress", "serverAdress").replace("spec:", "spec:\n  extra: 1"))).out
        self.assertEqual(sum("serverAdress" in line for line in lines.splitlines()), 1, "no second finding")
        warnings = [int(line.split(":")[1]) for line in lines.splitlines() if ": warning: " in line]
        self.assertEqual(warnings, sorted(warnings))

    def test_a_metric_to_forecast_that_is_none_is_named_at_its_annotation(self) -> None:
        file = manifests.saved("missing.yaml", manifests.scaled_object(GOOD, annotations={
            "gputide.io/forecast": "act", "gputide.io/forecast-metric": "missing"}))
        ran = gputided("check", "-f", file)
        self.assertEqual(ran.status, 2, ran)
        self.assertRegex(ran.out, rf'{file}:\d+:\d+: error: expected the name of a metric with a target of its own \(s0-prometheus\), '
                                  r'got "missing" \(metadata.annotations\["gputide.io/forecast-metric"\]\)')

    def test_equal_findings_are_counted(self) -> None:
        files = [manifests.saved(f"equal{i}.yaml", manifests.scaled_object(GOOD, name=f"equal{i}")) for i in range(9)]
        ran = gputided("check", *(word for file in files for word in ("-f", file)))
        self.assertEqual(len(ran.out.splitlines()), 2, ran)
        self.assertIn(f" [and 8 more: {files[1]}:", ran.out)
        self.assertIn("0 errors, 9 warnings", ran.out)

    def test_what_cannot_be_read_stops_no_other(self) -> None:
        folder = harness.WORK / "partly.d"
        folder.mkdir(exist_ok=True)
        manifests.saved("partly.d/good.yaml", manifests.scaled_object(GOOD))
        (folder / "large.yaml").write_bytes(b"#" * (80 << 20))
        self.addCleanup((folder / "large.yaml").unlink)
        for file in ("/nowhere/a.yaml", "/nowhere/b.yaml"):
            found = self.findings("/nowhere/a.yaml", str(folder), "/nowhere/b.yaml")
            self.assertIn((file, "unreadable"), [(entry["file"], entry["code"]) for entry in found])
        self.assertIn("empty-reads-as-zero", [entry["code"] for entry in found], "the good one was read")
        self.assertIn("unreadable", [entry["code"] for entry in found if entry["file"].endswith("large.yaml")])
        ran = gputided("eval", "-f", str(folder), "--current", "1", "--timeout-ms", "300")
        self.assertIn("large.yaml: is larger than", ran.err)
        self.assertNotEqual(ran.status, 2, ran)

    def test_a_link_that_leads_nowhere_is_named_but_for_a_hidden_one(self) -> None:
        folder = harness.WORK / "links.d"
        folder.mkdir()
        manifests.saved("links.d/good.yaml", manifests.scaled_object(GOOD))
        (folder / ".#good.yaml").symlink_to("somebody@somewhere:1")  # as Emacs locks what it edits
        self.assertEqual(gputided("check", "-f", str(folder)).status, 0)
        (folder / "gone.yaml").symlink_to("../nowhere.yaml")
        found = [(finding["file"], finding["code"], finding["message"]) for finding in self.findings(str(folder))]
        reason = f"{folder}/gone.yaml: is a symbolic link to a file that cannot be read: No such file or directory"
        self.assertIn((f"{folder}/gone.yaml", "unreadable", reason), found)
        self.assertFalse(any(".#" in file for file, _, _ in found), found)

    def test_a_threshold_below_zero_is_one_finding(self) -> None:
        so = manifests.scaled_object(GOOD, threshold="-1", metadata={"ignoreNullValues": "false"})
        found = self.findings(manifests.saved("below.yaml", so))
        self.assertEqual([(entry["severity"], entry["message"]) for entry in found], [("error", "threshold: expected a number above 0, got -1")])
        strict = gputided("check", "--profile", "strict", "-f", manifests.saved("below.yaml", so), "--output", "json").json["report"]
        self.assertEqual([finding["code"] for finding in strict["findings"]], ["target-not-positive"], "KEDA takes it, and the HPA does not")
        so["spec"]["triggers"][0]["metadata"]["threshold"] = "0"
        self.assertEqual([finding["code"] for finding in self.findings(manifests.saved("below.yaml", so))], ["target-not-positive"])

    def test_what_a_trigger_lacks_hides_no_warning_of_it(self) -> None:
        so = manifests.scaled_object(GOOD, query='sum(rate(x{a="("}[5m])', metadata={"unsafeSsl": "true", "ignoreNullValues": "perhaps"})
        del so["spec"]["triggers"][0]["metadata"]["threshold"]
        found = self.findings(manifests.saved("lacks.yaml", so))
        self.assertIn('missing required parameter "threshold"', found[0]["message"] + found[-1]["message"])
        codes = [entry["code"] for entry in found]
        self.assertLessEqual({"unbalanced-query", "tls-not-verified"}, set(codes))
        self.assertNotIn("empty-reads-as-zero", codes, "it is an error: true was never written")
        dcgm = {"type": "dcgm", "metadata": {"url": "http://10.0.0.1:9400", "metric": "DCGM_FI_DEV_GPU_UTIL", "unsafeSsl": "true"}}
        so["spec"]["triggers"] = [dcgm]
        self.assertIn("tls-not-verified", [finding["code"] for finding in self.findings(manifests.saved("lacks.yaml", so))])

    def test_metrics_that_nobody_feeds_are_named_one_by_one(self) -> None:
        average, utilization = {"type": "AverageValue", "averageValue": "5"}, {"type": "Utilization", "averageUtilization": 60}
        hpa: dict[str, Any] = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"}, "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "h"}, "maxReplicas": 5, "metrics": [
                {"type": "External", "external": {"metric": {"name": "queue"}, "target": average}},
                {"type": "Pods", "pods": {"metric": {"name": "requests"}, "target": average}},
                {"type": "Resource", "resource": {"name": "cpu", "target": utilization}},
                {"type": "ContainerResource", "containerResource": {"name": "memory", "container": "server", "target": utilization}}]}}

        def unfed(manifest: dict[str, Any], **annotations: str) -> list[tuple[str, str, str]]:
            manifest["metadata"]["annotations"] = {f"gputide.io/{name}": value for name, value in annotations.items()}
            return [(finding["path"], finding["message"], finding["remedy"]) for finding in self.findings(manifests.saved("unfed.yaml", manifest))
                    if finding["code"] == "missing-source"]

        found = unfed(hpa)
        self.assertEqual([path for path, _, _ in found], [f"spec.metrics[{i}]" for i in range(4)])
        for (_, message, remedy), metric in zip(found, ('External metric "queue"', 'Pods metric "requests"', 'Resource metric "cpu"',
                                                        'ContainerResource metric "memory"')):
            self.assertIn(f"the {metric} has no source", message)
            self.assertIn("without it nothing scales down", message)
            self.assertIn("gputide.io/metrics-from: kubernetes", remedy)
        self.assertIn("gputide.io/source.queue", found[0][2])
        self.assertNotIn("gputide.io/source.", found[1][2], "pods have no source of their own")
        source = json.dumps({"type": "prometheus", "metadata": {"serverAddress": GOOD, "query": "q"}})
        self.assertEqual(len(unfed(hpa, **{"source.queue": source})), 3, "a missing source of one metric does not excuse another")
        for who in ("kubernetes", "host"):
            self.assertEqual(unfed(hpa, **{"metrics-from": who}), [])

        so = manifests.scaled_object(GOOD)
        so["spec"]["triggers"] += [{"type": kind, "metricType": "Utilization", "metadata": {"value": "60"}} for kind in ("cpu", "memory")]
        self.assertEqual([path for path, _, _ in unfed(so)], ["spec.triggers[1]", "spec.triggers[2]"])
        self.assertEqual(unfed(so, **{"metrics-from": "kubernetes"}), [])

    def test_what_would_only_fail_later_is_said(self) -> None:
        so = manifests.scaled_object("http://prometheus.example:9090", auth="t", query='sum(rate(x{a="("}[5m])',
                                     metadata={"authModes": "bearer"})
        so["metadata"]["namespace"] = "My_Team"
        secret = manifests.authentication("t", bearerToken="x")
        for entry in secret:
            entry["metadata"]["namespace"] = "My_Team"
        codes = {finding["code"] for finding in self.findings(manifests.saved("later.yaml", so, *secret))}
        self.assertLessEqual({"credential-over-http", "unbalanced-query", "invalid-value"}, codes)
        so["spec"]["triggers"][0]["metadata"].update(serverAddress="http://127.0.0.1:9090", query='sum(rate(x{a="("}[5m]))')
        codes = {finding["code"] for finding in self.findings(manifests.saved("later.yaml", so, *secret))}
        self.assertFalse({"credential-over-http", "unbalanced-query"} & codes, codes)

    @staticmethod
    def findings(*files: str) -> list[dict[str, Any]]:
        ran = gputided("check", "--output", "json", *(word for file in files for word in ("-f", file)))
        return ran.json["report"]["findings"]

    def test_environment_variable_that_is_not_set(self) -> None:
        file = manifests.saved("env.yaml", manifests.scaled_object("http://${NOT_SET_HERE}"))
        self.wrong(file, 18, "NOT_SET_HERE", "--allow-env")
        ran = gputided("check", "-f", file, "--allow-env", "NOT_SET_*")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("export NOT_SET_HERE", ran.out)

    # A manifest must not carry the host's secrets away in an address, nor in a message.
    def test_environment_is_read_by_name_alone(self) -> None:
        file = manifests.saved("env.yaml", manifests.scaled_object("http://${AZURE_CLIENT_SECRET}:1"))
        secret = {"AZURE_CLIENT_SECRET": harness.SECRET_DATA}
        ran = gputided("eval", "-f", file, "--current", "1", env=secret)
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("AZURE_CLIENT_SECRET is not read", ran.err)
        wrong = manifests.saved("env.yaml", manifests.scaled_object(GOOD, threshold="x${AZURE_CLIENT_SECRET}"))
        for command in (["check", "-f", wrong], ["eval", "-f", wrong, "--current", "1"]):
            ran = gputided(*command, "--allow-env", "AZURE_CLIENT_SECRET", env=secret)
            self.assertEqual(ran.status, 2, ran)
            self.assertNotIn(harness.SECRET_DATA, ran.out + ran.err)
            self.assertIn("***", ran.out + ran.err)

    def test_the_names_of_the_guide_are_read(self) -> None:
        file = manifests.saved("env.yaml", manifests.scaled_object("${PROMETHEUS_QUERY_ENDPOINT}"))
        ran = gputided("check", "-f", file, env={"PROMETHEUS_QUERY_ENDPOINT": GOOD})
        self.assertEqual(ran.status, 0, ran)

    def test_a_pipe_keeps_nobody_waiting(self) -> None:
        folder = harness.WORK / "pipes.d"
        folder.mkdir(exist_ok=True)
        pipe = folder / "so.yaml"
        if not pipe.exists():
            os.mkfifo(pipe)
        for given in (pipe, folder):
            ran = gputided("check", "-f", str(given), timeout=10)
            self.assertEqual(ran.status, 2, ran)
        self.assertIn("is a pipe", gputided("check", "-f", str(pipe), timeout=10).err)
        shell = subprocess.run(["bash", "-c", f"{harness.PROGRAM} check -f <(cat {manifests.saved('piped.yaml', manifests.scaled_object(GOOD))})"],
                               capture_output=True, text=True, timeout=10)
        self.assertEqual(shell.returncode, 0, shell)

    def test_a_file_that_waits_keeps_nobody_waiting(self) -> None:
        """Files of a regular type with a reader that waits for another program: one under a lease, and the kernel's log."""
        folder = harness.WORK / "waiting.d"
        held = manifests.saved("waiting.d/so.yaml", manifests.scaled_object(GOOD))
        signal.signal(signal.SIGIO, signal.SIG_IGN)  # what the kernel tells the lease's holder by
        self.addCleanup(signal.signal, signal.SIGIO, signal.SIG_DFL)
        for given in (held, str(folder)):
            with open(held, "r+b") as holder:
                fcntl.fcntl(holder, fcntl.F_SETLEASE, fcntl.F_WRLCK)
                ran = gputided("check", "-f", given)
                fcntl.fcntl(holder, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            self.assertEqual(ran.status, 2, ran)
            self.assertIn(f"{held}: cannot be read without waiting for another program; name a plain file", ran.err)
            self.assertEqual(gputided("check", "-f", given).status, 0)
        for given in ("/proc/kmsg", str(harness.WORK / "kmsg.yaml")):
            if given.endswith(".yaml"):
                os.symlink("/proc/kmsg", given)
            ran = gputided("check", "-f", given)
            self.assertEqual(ran.status, 2, ran)
            self.assertIn(given, ran.err)

    def test_what_servers_and_manifests_write_steers_no_terminal(self) -> None:
        so = manifests.scaled_object(GOOD, threshold="\x1b[2J\u009b2J\u202e5")
        so["spec"]["triggers"][0]["name"] = "a\u202eb\nFAILED\x1b]0;x\x07"
        file = manifests.saved("escapes.yaml", so)
        for command in (["check"], ["eval", "--current", "1"], ["doctor", "--current", "1"]):
            ran = gputided(*command[:1], "-f", file, *command[1:])
            for mark in ("\x1b", "\u009b", "\u202e", "\nFAILED"):
                self.assertNotIn(mark, ran.out + ran.err, command)

    def test_what_is_not_text(self) -> None:
        self.wrong(harness.write("binary.yaml", b"kind: \xff\xfe\x00"), 1, "UTF-8")
        ran = gputided("check", "-f", harness.write("large.yaml", "#" * (2 << 20)))
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("at most 1048576", ran.out)

    def test_several_scalers(self) -> None:
        both = manifests.saved("both.yaml", manifests.scaled_object(GOOD, name="a"), manifests.scaled_object(GOOD, name="b"))
        ran = gputided("eval", "-f", both, "--current", "1", "--scaler", "c")
        self.assertEqual((ran.status, ran.out), (2, ""))
        self.assertIn("--scaler c", ran.err)
        self.assertIn("default/a, default/b", ran.err)
        chosen = gputided("eval", "-f", both, "--current", "1", "--scaler", "default/b", "--output", "json")
        self.assertEqual(chosen.json["name"], "b")
        all_of_them = gputided("eval", "-f", both, "--current", "1", "--output", "json").out.splitlines()
        self.assertEqual([json.loads(line)["name"] for line in all_of_them], ["a", "b"])

    def test_a_file_with_no_scaler(self) -> None:
        ran = gputided("eval", "-f", manifests.saved("only.yaml", *manifests.authentication("a", x="y")), "--current", "1")
        self.assertEqual((ran.status, ran.out), (2, ""), ran)
        self.assertIn("ScaledObject", ran.err)


class Check(unittest.TestCase):
    def test_exit_codes(self) -> None:
        clean = manifests.saved("clean.yaml", manifests.scaled_object(GOOD, metadata={"ignoreNullValues": "false"}))
        warns = manifests.saved("warns.yaml", manifests.scaled_object(GOOD, metadata={"treshold": "5"}))
        wrong = manifests.saved("wrong.yaml", manifests.scaled_object(GOOD, threshold="abc"))
        self.assertEqual([gputided("check", "-f", file).status for file in (clean, warns, wrong)], [0, 0, 2])
        self.assertEqual([gputided("check", "-f", file, "--fail-on-warning").status for file in (clean, warns, wrong)], [0, 1, 2])
        said = gputided("check", "-f", warns).out
        self.assertRegex(said, rf'(?m)^{warns}:\d+:\d+: warning: .*"treshold" is not a key .*did you mean "threshold"\?')
        self.assertTrue(gputided("check", "-f", clean).out.endswith("0 errors, 0 warnings\n"))

    def test_json(self) -> None:
        wrong = manifests.saved("wrong.yaml", manifests.scaled_object(GOOD, threshold="abc"))
        report = gputided("check", "-f", wrong, "--output", "json").json
        self.assertEqual(report["scalers"][0]["name"], "gpu")
        found = report["report"]["findings"][0]
        self.assertEqual((found["severity"], found["file"], found["line"], found["path"]),
                         ("error", wrong, 20, "spec.triggers[0].metadata.threshold"))

    def test_standard_input_folders_and_several_files(self) -> None:
        scaled_object = manifests.scaled_object(GOOD, auth="azure", name="folded")
        ran = gputided("check", "-f", "-", stdin=json.dumps(manifests.scaled_object(GOOD)))
        self.assertEqual(ran.status, 0, ran)
        folder = harness.WORK / "folder"
        for name, document in (("a.yaml", scaled_object), ("b.json", manifests.workload_identity())):
            manifests.saved(f"folder/{name}", document)
        harness.write("folder/notes.txt", "not a manifest")
        azure = {"AZURE_TENANT_ID": "00000000-0000-0000-0000-00000000000a", "AZURE_FEDERATED_TOKEN_FILE": "/nowhere"}
        for given in (["-f", str(folder)], ["-f", str(folder / "a.yaml"), "-f", str(folder / "b.json")]):
            ran = gputided("check", *given, "--output", "json", env=azure)
            self.assertEqual([scaler["name"] for scaler in ran.json["scalers"]], ["folded"], ran)

    def test_secrets_folder(self) -> None:
        so = manifests.scaled_object(GOOD, auth="bearer", metadata={"authModes": "bearer"})
        reference = manifests.authentication("bearer", bearerToken="x")[0]
        file = manifests.saved("dir.yaml", so, reference)
        self.assertEqual(gputided("check", "-f", file).status, 2)
        harness.write("secrets/bearer-secret/bearerToken", harness.BEARER)
        self.assertEqual(gputided("check", "-f", file, "--secrets-dir", str(harness.WORK / "secrets")).status, 0)
        os.remove(harness.WORK / "secrets/bearer-secret/bearerToken")
        ran = gputided("check", "-f", file, "--secrets-dir", str(harness.WORK / "secrets"))
        self.assertEqual(ran.status, 2)
        self.assertIn("bearerToken", ran.out)
