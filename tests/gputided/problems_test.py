"""The list of problems: each code has a row, an alert and a line in docs, and each that can be provoked is seen everywhere."""
from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

import harness
import manifests
from fault_server import Connection
from forecast_test import answer_hourly
from harness import Daemon, gputided
from problem_list import ROOT, ROWS, SeesProblems
from run_test import FAST, WithServer

# A host's proxy is forgotten a quarter of an hour after the last request: Traffic.AProxyIsNamedForAQuarterOfAnHour.
ENDS_LATE = {"proxy_used"}
RULES = (ROOT / "examples/kubernetes/monitoring/rules.yaml").read_text()


class Codes(unittest.TestCase):
    def test_the_source_and_the_rows_name_the_same_codes(self) -> None:
        named = re.findall(r'char \w+\[\] = "(\w+)";', (ROOT / "src/gputided/run/problems/problems.hpp").read_text())
        blocks = re.search(r"names\{(.*?)\}", (ROOT / "src/kubernetes/controller/reconciler.cpp").read_text(), re.S)
        assert blocks
        reasons = set(re.findall(r'"(\w+)"', blocks[1])) - {"none", "refused"}
        self.assertEqual(set(named) | reasons, set(ROWS))

    def test_each_row_is_whole(self) -> None:
        for code, row in ROWS.items():
            with self.subTest(code):
                self.assertEqual(list(row), ["code", "severity", "mode", "what", "end", "do"])
                self.assertIn(row["severity"], ("warning", "info"))
                self.assertIn(row["mode"], ("both", "files", "cluster"))

    def test_each_code_has_one_alert(self) -> None:
        alerts = {severity: codes.split("|") for codes, severity in
                  re.findall(r'gputide_problem\{code=~"([\w|]+)"\}.*?severity: (\w+)', RULES, re.S)}
        for severity in ("warning", "info"):
            self.assertEqual(sorted(alerts[severity]), sorted(code for code, row in ROWS.items() if row["severity"] == severity))

    def test_each_code_is_provoked_begins_and_ends(self) -> None:
        tests = "".join((ROOT / "tests/gputided" / name).read_text() for name in ("problems_test.py", "cluster/problems_test.py", "cluster/capacity_test.py"))
        for step, codes in (("is_seen", set(ROWS)), ("ends", set(ROWS) - ENDS_LATE)):
            self.assertEqual(set(re.findall(rf'self\.{step}\(daemon, "(\w+)"', tests)), codes, step)


class Provoked(WithServer, SeesProblems):
    """Tests that each begins, is in the log, in /metrics and in /problems.json, and ends."""

    def test_a_read_that_fails(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            healthy, self.server.faults["good"] = self.server.faults["good"], self.server.faults["403"]
            self.is_seen(daemon, "metric_failed", "default/gpu", "E_FORBIDDEN", "default/gpu: s0-prometheus: E_FORBIDDEN")
            self.server.faults["good"] = healthy
            self.ends(daemon, "metric_failed", "default/gpu: s0-prometheus: reads again")

    def test_a_trigger_with_a_name(self) -> None:
        """Its name stands for the metric in the log, in each list of problems and on the page."""
        so = manifests.scaled_object(self.server.url("403"), annotations=FAST, spec={"pollingInterval": 1})
        so["spec"]["triggers"][0]["name"] = "busy"
        with Daemon("-f", manifests.saved("named.yaml", so), "--dry-run", "--current", "1") as daemon:
            entry = self.is_seen(daemon, "metric_failed", "default/gpu", "E_FORBIDDEN", "default/gpu: busy: E_FORBIDDEN")
            self.assertEqual(entry["subject"], "busy")
            self.assertNotIn("s0-prometheus", daemon.err + daemon.get("/problems.json")[2])
            self.assertEqual(json.loads(daemon.get("/status.json")[2])["scalers"][0]["metrics"][0]["name"], "busy")

    def test_a_metric_that_nothing_reads(self) -> None:
        """Reads one metric of an HPA and not the other: nothing scales down, so it must not be silent."""
        metrics = [{"type": "External", "external": {"metric": {"name": "q"}, "target": {"type": "AverageValue", "averageValue": "5"}}},
                   {"type": "Pods", "pods": {"metric": {"name": "DCGM_FI_DEV_GPU_UTIL"}, "target": {"type": "AverageValue", "averageValue": "70"}}}]
        trigger = {"type": "prometheus", "metadata": {"serverAddress": self.server.url("good"), "query": "x"}}
        hpa = manifests.saved("unread.yaml", {
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "embedder", "namespace": "ml", "annotations": {"gputide.io/source.q": json.dumps(trigger), **FAST}},
            "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "embedder"}, "maxReplicas": 6, "metrics": metrics}})
        with Daemon("-f", hpa, "--dry-run", "--current", "2") as daemon:
            entry = self.is_seen(daemon, "metric_failed", "ml/embedder", "the Pods metric \"DCGM_FI_DEV_GPU_UTIL\" has no source",
                                 "ml/embedder: DCGM_FI_DEV_GPU_UTIL: E_NO_DATA: the Pods metric")
            self.assertEqual(entry["subject"], "DCGM_FI_DEV_GPU_UTIL")
            status = json.loads(daemon.get("/status.json")[2])
            self.assertIn("DCGM_FI_DEV_GPU_UTIL: E_NO_DATA: ", status["scalers"][0]["problems"][0])
            page = daemon.get("/metrics")[2]
            self.assertIn('\ngputided_metric_failed{namespace="ml",name="embedder",metric="DCGM_FI_DEV_GPU_UTIL"} 1\n', page)
            self.assertIn('\ngputided_metric_failed{namespace="ml",name="embedder",metric="q"} 0\n', page)
            self.assertIn('\ngputided_metric_errors_total{namespace="ml",name="embedder",status="E_NO_DATA"} ', page)
            text = next(step["text"] for step in daemon.decisions[0]["trace"] if step.get("metric") == "DCGM_FI_DEV_GPU_UTIL")
            self.assertTrue(text.startswith("DCGM_FI_DEV_GPU_UTIL: no value; no proposal: "), text)

    def test_an_empty_result_and_no_history(self) -> None:
        with Daemon("-f", self.fast("empty", minReplicaCount=0), "--dry-run", "--current", "2") as daemon:
            self.is_seen(daemon, "empty_as_zero", "default/gpu", "empty answer read as 0")
            self.is_seen(daemon, "no_history", "default/gpu", "no history")
            self.server.faults["empty"] = self.server.faults["good"]
            self.ends(daemon, "empty_as_zero")
            self.ends(daemon, "no_history")

    def test_a_fallback(self) -> None:
        file = self.fast("503", fallback={"failureThreshold": 1, "replicas": 3})
        with Daemon("-f", file, "--dry-run", "--current", "1") as daemon:
            self.is_seen(daemon, "fallback", "default/gpu", "the fallback decides")
            self.assertIn('\ngputided_fallback_active{namespace="default",name="gpu"} 1\n', daemon.get("/metrics")[2])
            self.server.faults["503"] = self.server.faults["good"]
            self.ends(daemon, "fallback")

    def test_a_write_that_fails(self) -> None:
        allowed = harness.WORK / "allowed"
        with Daemon("-f", self.fast(), "--exec", f"test -e {allowed}", "--current", "1") as daemon:
            self.is_seen(daemon, "write_failed", "default/gpu", "--exec failed for 1 -> 2: exit status 1")
            allowed.touch()
            self.ends(daemon, "write_failed")

    def test_a_size_that_is_unknown(self) -> None:
        allowed = harness.WORK / "size"
        with Daemon("-f", self.fast(), "--dry-run", "--observe", f"cat {allowed}") as daemon:
            self.is_seen(daemon, "size_unknown", "default/gpu", "--observe failed: exit status 1")
            allowed.write_text("2")
            self.ends(daemon, "size_unknown")

    def test_objects_and_files_that_are_not_used(self) -> None:
        folder = harness.WORK / "mixed.d"
        shutil.rmtree(folder, ignore_errors=True)
        server = self.server.url("good")
        manifests.saved("mixed.d/llama.yaml", manifests.scaled_object(server, name="llama", annotations=FAST))
        manifests.saved("mixed.d/batch.yaml", {
            "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledJob", "metadata": {"name": "batch", "namespace": "ml"},
            "spec": {"jobTargetRef": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "w", "image": "x"}]}}},
                     "triggers": [{"type": "prometheus", "metadata": {"serverAddress": server, "query": "x", "threshold": "1"}}]}})
        with Daemon("-f", str(folder), "--dry-run", "--current", "1") as daemon:
            self.is_seen(daemon, "not_handled", "ml/batch", "ScaledJob ml/batch cannot be run")
            broken = harness.write("mixed.d/odd.yaml", "a: [")
            self.is_seen(daemon, "manifest_refused", broken, "the previous manifests stay in use: E_INVALID")
            manifests.saved("mixed.d/odd.yaml", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "odd"}})
            self.ends(daemon, "manifest_refused")
            harness.write("mixed.d/odd.yaml", "a: [")
            daemon.wait_for(lambda: self.problems(daemon, "manifest_refused"))
            os.remove(broken)
            self.ends(daemon, "manifest_refused", f"{broken}: is gone [manifest_refused]")
            os.remove(folder / "batch.yaml")
            self.ends(daemon, "not_handled")
        ran = gputided("check", "-f", manifests.saved("job.yaml", {
            "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledJob", "metadata": {"name": "batch", "namespace": "ml"},
            "spec": {"jobTargetRef": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "w", "image": "x"}]}}},
                     "triggers": [{"type": "cron", "metadata": {"timezone": "Etc/UTC", "start": "0 6 * * *", "end": "0 20 * * *", "desiredReplicas": "1"}}]}}))
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("note: ScaledJob ml/batch creates Jobs", ran.out)
        for command in (("eval", "--current", "1"), ("doctor",)):
            ran = gputided(*command, "-f", str(harness.WORK / "job.yaml"))
            self.assertIn("ScaledJob ml/batch cannot be run or examined with -f; use gputided run --kubernetes for ScaledJobs", ran.err)

    def test_files_that_cannot_be_written(self) -> None:
        folder = harness.WORK / "kept.d"
        folder.mkdir()
        state, audit = folder / "state", folder / "audit"
        with Daemon("-f", self.fast(), "--exec", "true", "--current", "1", "--state", str(state), "--audit-log", str(audit)) as daemon:
            daemon.wait_for(lambda: audit.exists() and '"kind":"write"' in audit.read_text() and state.exists())
            lines = [json.loads(line) for line in audit.read_text().splitlines()]
            self.assertEqual(lines[0]["kind"], "start")
            write = next(line for line in lines if line["kind"] == "write")
            self.assertEqual((write["namespace"], write["name"], write["from"], write["to"], write["written"], write["failure"]),
                             ("default", "gpu", 1, 2, True, ""))
            self.assertIn("1 → 2", write["why"])
            folder.rename(harness.WORK / "kept.away")  # at once, whatever is being written
            self.server.value = "42"
            self.is_seen(daemon, "state_not_saved", "--state", "--state is not saved")
            self.is_seen(daemon, "audit_not_written", "--audit-log", "--audit-log: lines were lost")
            folder.mkdir()
            self.ends(daemon, "state_not_saved")
            self.server.value = "60"
            self.ends(daemon, "audit_not_written")

    def test_the_audit_log_is_rotated(self) -> None:
        audit = harness.WORK / "rotated"
        audit.write_text("x" * (1 << 20) + "\n")
        with Daemon("-f", self.fast(), "--exec", "true", "--current", "1", "--audit-log", str(audit), "--audit-log-mib", "1") as daemon:
            daemon.wait_for(lambda: (harness.WORK / "rotated.1").exists())
            daemon.wait_for(lambda: audit.exists() and '"kind":"start"' in audit.read_text())

    def test_a_torn_line_of_the_audit_log_stays_alone(self) -> None:
        audit = harness.WORK / "torn"
        audit.write_text('{"torn')
        with Daemon("-f", self.fast(), "--exec", "true", "--current", "1", "--audit-log", str(audit)) as daemon:
            daemon.wait_for(lambda: '"kind":"start"' in audit.read_text())
        lines = audit.read_text().splitlines()
        self.assertEqual(lines[0], '{"torn')
        self.assertEqual(json.loads(lines[1])["kind"], "start")

    def test_a_forecast_without_its_past(self) -> None:
        annotations = {**FAST, "gputide.io/forecast": "observe", "gputide.io/forecast-history": "1d"}
        trigger = {"type": "metrics-api", "metadata": {"url": self.server.url("number"), "valueLocation": "value", "targetValue": "5"}}
        self.server.faults["number"] = lambda to, request: to.answer('{"value": 7}')
        so = manifests.scaled_object(self.server.url(), annotations=annotations, spec={"pollingInterval": 1})
        so["spec"]["triggers"] = [trigger]
        with Daemon("-f", manifests.saved("past.yaml", so), "--dry-run", "--current", "1") as daemon:
            self.is_seen(daemon, "no_past", "default/gpu", "its past is unknown", "forecast-history: not read")
            self.server.faults["past"] = lambda to, request: answer_hourly(to, request, time.time())
            so["spec"]["triggers"] = manifests.scaled_object(self.server.url("past"), query="sum(queue)")["spec"]["triggers"]
            manifests.saved("past.yaml", so)
            daemon.process.send_signal(signal.SIGHUP)
            self.ends(daemon, "no_past", "forecast-history: ")

    def test_a_proxy(self) -> None:
        self.server.faults["http:"] = self.server.faults["good"]  # a request through a proxy begins "GET http://host/..."
        file = manifests.saved("proxy.yaml", manifests.scaled_object("http://prom.corp.example:9090", annotations=FAST, spec={"pollingInterval": 1}))
        with Daemon("-f", file, "--dry-run", "--current", "1", env={"http_proxy": f"http://127.0.0.1:{self.server.port}"}) as daemon:
            self.is_seen(daemon, "proxy_used", "http://prom.corp.example:9090", "is reached through the proxy")

    def test_a_write_that_cannot_be_recorded(self) -> None:
        """A crash cut a write off, and the manifest has another number of metrics since then: the new state knows no such write."""
        state, answers = harness.WORK / "unrecorded.state", threading.Event()
        with Daemon("-f", self.fast(), "--exec", "sleep 60", "--current", "1", "--state", str(state)) as daemon:
            daemon.wait_for(lambda: state.exists() and "under_way" in state.read_text())
            daemon.end(signal.SIGKILL)
        good = self.server.faults["good"]

        def late(to: Connection, request: str) -> None:
            answers.wait(harness.PATIENCE_S)
            good(to, request)
        self.server.faults["good"] = late
        so = manifests.scaled_object(self.server.url("good"), annotations=FAST, spec={"pollingInterval": 1})
        so["spec"]["triggers"] *= 2
        file = manifests.saved("unrecorded.yaml", so)
        with Daemon("-f", file, "--exec", "true", "--state", str(state), "--timeout-ms", "60000") as daemon:
            self.is_seen(daemon, "no_decision", "default/gpu", "E_STATE: no event of this scaler requests this write")
            answers.set()
            self.ends(daemon, "no_decision")

    def test_doctor_names_the_codes_of_what_it_finds(self) -> None:
        for fault, code in (("403", "metric_failed"), ("empty", "empty_as_zero")):
            file = self.fast(fault)
            ran = gputided("doctor", "-f", file, "--current", "1")
            self.assertIn(f"\ngputided run lists these problems: {code} (s0-prometheus)\n", ran.out)
            found = gputided("doctor", "-f", file, "--current", "1", "--output", "json").json["problems"]
            self.assertEqual([(entry["code"], entry["object"], entry["subject"]) for entry in found], [(code, "default/gpu", "s0-prometheus")])
        self.assertNotIn("problems", gputided("doctor", "-f", self.fast(), "--current", "1").out)

    def test_a_peer_that_trickles_does_not_hold_doctor(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as peer:
            def trickle() -> None:
                with contextlib.suppress(OSError), peer.accept()[0] as connection:
                    while True:
                        connection.sendall(b"x")
                        time.sleep(0.1)
            threading.Thread(target=trickle, daemon=True).start()
            began_s = time.monotonic()
            ran = gputided("doctor", "--running", f"127.0.0.1:{peer.getsockname()[1]}", "--timeout-ms", "700")
            self.assertLess(time.monotonic() - began_s, 10)
            self.assertEqual(ran.status, 3, ran)
            self.assertIn("no response: Connection timed out", ran.err)

    def test_doctor_of_a_gputided_that_is_not_there_or_wants_a_token(self) -> None:
        ran = gputided("doctor", "--running", "127.0.0.1:1", "--output", "json")
        self.assertEqual((ran.status, ran.json["error"]["code"]), (3, "no_answer"))
        self.assertIn("--running 127.0.0.1:1: no response: Connection refused", ran.err)
        ran = gputided("doctor", "--running", "9105")
        self.assertEqual(ran.status, 2)
        self.assertIn("--running 9105: expected HOST:PORT", ran.err)
        token, page = harness.write("page.token", harness.BEARER + "\n"), harness.WORK / "page.sock"
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1", "--listen", f"unix:{page}", "--listen-token-file", token) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            place = daemon.url().removeprefix("http://")
            self.assertIn("response 401: a token is needed", gputided("doctor", "--running", place).err)
            for arguments in (("--running", place, "--listen-token-file", token), ("--running", f"unix:{page}")):
                ran = gputided("doctor", *arguments)
                self.assertEqual((ran.status, ran.out, ran.err), (0, "no problem\n", ""))


class Lines(WithServer):
    def test_a_changed_file_is_told_as_what_changed(self) -> None:
        folder = harness.WORK / "told.d"
        shutil.rmtree(folder, ignore_errors=True)
        audit = harness.WORK / "told.audit"

        def put(maximum: int, query: str) -> str:
            so = manifests.scaled_object(self.server.url("good"), name="llama", query=query, annotations=FAST, spec={"maxReplicaCount": maximum})
            return manifests.saved("told.d/llama.yaml", so)
        file = put(8, "sum(x)")
        with Daemon("-f", str(folder), "--dry-run", "--current", "1", "--audit-log", str(audit)) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            put(5, "sum(y)")
            line = f"{file}: default/llama maxReplicaCount 8 → 5, triggers[0].metadata.query has changed"
            daemon.wait_for(lambda: f"gputided: {line}\n" in daemon.err)
            self.assertIn(line, [json.loads(entry).get("change") for entry in audit.read_text().splitlines()])
            daemon.end()
            self.assertIn("gputided: stopped by a signal\n", daemon.err)

    def test_a_failure_that_a_changed_manifest_ends_has_an_end_in_the_log(self) -> None:
        folder = harness.WORK / "mended.d"
        shutil.rmtree(folder, ignore_errors=True)

        def put(fault: str) -> None:
            manifests.saved("mended.d/llama.yaml", manifests.scaled_object(self.server.url(fault), name="llama", annotations=FAST))
        put("403")
        with Daemon("-f", str(folder), "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: "default/llama: s0-prometheus: E_FORBIDDEN" in daemon.err)
            put("good")
            daemon.wait_for(lambda: "default/llama: s0-prometheus: reads again" in daemon.err)
            self.assertEqual(daemon.err.count("s0-prometheus: E_FORBIDDEN"), 1, "begins once")

    def test_each_level_has_the_lines_of_the_level_above(self) -> None:
        file, lines = self.fast("403"), {}
        for level in ("error", "warning", "info", "debug"):
            with Daemon("-f", file, "--dry-run", "--current", "1", "--log-level", level) as daemon:
                daemon.wait_for(lambda: len(daemon.decisions) >= 2)
                daemon.end()
                lines[level] = {re.sub(r"\d+", "#", line) for line in daemon.err.splitlines()}
                for line in daemon.err.splitlines():
                    self.assertRegex(line, r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ (error|warning|info|debug) gputided: ")
        self.assertEqual(lines["error"], set())
        self.assertEqual([line for line in lines["warning"] if "E_FORBIDDEN" not in line], [])
        for fewer, more in (("warning", "info"), ("info", "debug")):
            self.assertLess(lines[fewer], lines[more])
        self.assertIn("#-#-#T#:#:#.#Z info gputided: stopped by a signal", lines["info"])

    def test_the_journal_gets_the_level_as_its_priority(self) -> None:
        path = harness.WORK / "journal.err"
        with path.open("w") as err:
            stream = os.fstat(err.fileno())
            env = harness.surroundings({"JOURNAL_STREAM": f"{stream.st_dev}:{stream.st_ino}"})
            command = [harness.PROGRAM, "run", "-f", self.fast("403"), "--dry-run", "--current", "1", "--listen", "127.0.0.1:0"]
            with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err) as daemon:
                deadline = time.monotonic() + harness.PATIENCE_S
                while "E_FORBIDDEN" not in path.read_text() and time.monotonic() < deadline:
                    time.sleep(0.05)
                daemon.terminate()
        lines = path.read_text()
        self.assertRegex(lines, r"(?m)^<4>gputided: default/\w+: s0-prometheus: E_FORBIDDEN")
        self.assertIn("<6>gputided: stopped by a signal\n", lines)

    def test_equal_lines_at_the_start_are_one(self) -> None:
        for i in range(30):
            so = manifests.scaled_object(self.server.url("good"), name=f"m{i:02}", annotations=FAST, spec={"minReplicaCount": 0})
            manifests.saved(f"equal.d/m{i:02}.yaml", so)
        with Daemon("-f", str(harness.WORK / "equal.d"), "--dry-run", "--state", str(harness.WORK / "equal.state")) as daemon:
            daemon.wait_for(lambda: "no history" in daemon.err)
            lines = [line for line in daemon.err.splitlines() if "no history" in line]
            self.assertEqual(len(lines), 1, daemon.err)
            self.assertRegex(lines[0], r"^\S+Z info gputided: 30 times: default/m00, default/m01, default/m02 and 27 more: no history: .* stores its history from now on \[no_history\]$")
            self.assertEqual(len([line for line in daemon.err.splitlines() if "assumed to have 1 replica" in line]), 1, daemon.err)


class Lateness(WithServer):
    def test_how_late(self) -> None:
        """The load rises, the size follows through --exec, and the load is below its target again."""
        scale = harness.write("late.json", json.dumps({"spec": 1, "status": 1, "ready": 1}))
        write = f'printf \'{{"spec":%s,"status":%s,"ready":%s}}\' $GPUTIDE_DESIRED $GPUTIDE_DESIRED $GPUTIDE_DESIRED >{scale}'
        self.server.value = "5"
        with Daemon("-f", self.fast(), "--exec", write, "--observe", f"cat {scale}") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.assertIn("\ngputided_rises_total 0\n", daemon.get("/metrics")[2])
            self.server.value = "15"
            daemon.wait_for(lambda: "\ngputided_rises_total 1\n" in daemon.get("/metrics")[2])
            page = daemon.wait_for(lambda: 'gputided_last_rise_seconds{namespace="default",name="gpu",stage="below"}' in daemon.get("/metrics")[2]
                                   and daemon.get("/metrics")[2])
        took = {stage: float(seconds) for stage, seconds in
                re.findall(r'gputided_last_rise_seconds\{namespace="default",name="gpu",stage="(\w+)"\} (\S+)', page)}
        self.assertLess(took["decision"], 30)
        self.assertLessEqual(took["decision"], took["write"])
        self.assertLessEqual(took["write"], took["below"])
        self.assertIn('\ngputided_above_target_seconds{namespace="default",name="gpu"} 0\n', page)
        self.assertIn('\ngputided_ready_replicas{namespace="default",name="gpu"} 3\n', page)
        for stage in ("decision", "write", "ready", "below"):  # a rise counts after two minutes below the target
            self.assertIn(f'\ngputided_lateness_seconds_count{{stage="{stage}"}} 0\n', page)
            self.assertIn(f'\ngputided_lateness_seconds{{stage="{stage}",quantile="0.95"}} 0\n', page)
        self.assertIn("\n# TYPE gputided_late_seconds_total counter\n", page)
