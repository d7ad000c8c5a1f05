"""gputided run against a Prometheus with a value that the test sets: decisions, pages, signals, reload, commands, state."""
from __future__ import annotations

import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest
from typing import Any

import harness
import manifests
from fault_server import FaultServer
from harness import Daemon, gputided

MEMBERS = {"time", "name", "namespace", "current_replicas", "desired_replicas", "proposed_replicas", "active", "limited_by",
           "source", "next_due_in_ms", "conditions", "trace"}
FAST = {"gputide.io/sync-period": "1s"}


class WithServer(unittest.TestCase):
    def setUp(self) -> None:
        self.server = FaultServer()
        self.addCleanup(self.server.__exit__)

    def fast(self, fault: str = "good", **spec: Any) -> str:
        """A manifest that is due every second, with secrets in its trigger."""
        return manifests.with_bearer(self.server.url(fault), file=f"{fault}.yaml", annotations=FAST,
                                     spec={"pollingInterval": 1, **spec})

    def scale_file(self, replicas: int) -> str:
        return harness.write("scale.json", json.dumps({"spec": replicas, "status": replicas, "ready": replicas}))


class Deciding(WithServer):
    def test_one_json_line_per_decision(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 2)
            for decision in daemon.decisions:
                self.assertLessEqual(MEMBERS, set(decision))
                self.assertRegex(decision["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
                self.assertEqual((decision["current_replicas"], decision["desired_replicas"]), (1, 2))
            self.assertLess(daemon.end(), harness.PROMPT_S)
            self.assertEqual(daemon.process.returncode, 0)
        self.assertEqual(daemon.out.count("\n"), len(daemon.decisions))

    def test_changes_alone_unless_all_are_wanted(self) -> None:
        self.server.value = "15"
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1", "--log", "changes") as daemon:
            daemon.wait_for(lambda: "gputided_decisions_total" in daemon.get("/metrics")[2] and self.decided(daemon) >= 4)
            self.assertEqual([line["desired_replicas"] for line in daemon.decisions], [3], "wanted at each tick, said once")
            self.server.value = "42.5"
            daemon.wait_for(lambda: len(daemon.decisions) >= 2)
            self.assertEqual(daemon.decisions[1]["desired_replicas"], 4)
            self.assertEqual({line["log"] for line in daemon.decisions}, {"changes"})
        part = harness.write("changes.log", daemon.out)
        halves = self.fast()
        so = json.loads(pathlib.Path(halves).read_text().split("---")[0])
        so["metadata"]["annotations"]["gputide.io/sync-period"] = "3s"  # KEDA's half alone is due in between, and wants nothing
        alone = manifests.saved("halves.yaml", so, *manifests.authentication("bearer", bearerToken=harness.BEARER))
        with Daemon("-f", alone, "--dry-run", "--current", "1", "--log", "changes") as daemon:
            daemon.wait_for(lambda: self.decided(daemon) >= 7)
            self.assertEqual([line["desired_replicas"] for line in daemon.decisions], [4])
        ran = harness.gputided("replay", "-f", self.fast(), "--verify", part)
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("--log all", ran.err)
        with Daemon("-f", self.fast(), "--dry-run", "--current", "9", "--log", "changes", "--log-form", "compact") as daemon:
            daemon.wait_for(lambda: self.decided(daemon) >= 4)
            self.assertEqual(len(daemon.decisions), 1, "nothing has changed since")
            line = daemon.decisions[0]
            self.assertEqual((line["log"], line["metrics"]), ("compact", [{"metric": "s0-prometheus", "value": 42.5}]))
            self.assertLess(len(daemon.out), 400)
        self.server.value = "1"

    def test_a_log_has_when_a_write_ended(self) -> None:
        self.server.value = "100"
        scale_up = {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 3}]}
        so = self.fast(advanced={"horizontalPodAutoscalerConfig": {"behavior": {"scaleUp": scale_up}}})
        with Daemon("-f", so, "--exec", "sleep 1.2", "--current", "1") as daemon:  # a write ends after the next pass is due
            daemon.wait_for(lambda: sum("write" in line for line in daemon.lines) >= 3)
            daemon.end()
        log = harness.write("writes.log", daemon.out)
        ran = harness.gputided("replay", "-f", so, "--verify", log)
        self.assertEqual(ran.status, 0, ran.out)
        without = harness.write("no-writes.log", "".join(line for line in daemon.out.splitlines(True) if '"write"' not in line))
        ran = harness.gputided("replay", "-f", so, "--verify", without)
        self.assertEqual(ran.status, 1, "these windows count from the end of a write")
        self.server.value = "1"

    @staticmethod
    def decided(daemon: Daemon) -> int:
        found = re.findall(r"^gputided_decisions_total\{.*\} (\d+)", daemon.get("/metrics")[2], re.M)
        return sum(int(entry) for entry in found)

    def test_a_size_that_nobody_tells_is_taken_as_one_and_said(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
        self.assertEqual(daemon.decisions[0]["current_replicas"], 1)
        self.assertIn("default/gpu: assumed to have 1 replica at the start; if this is wrong, give --observe CMD or --current N", daemon.err)

    def test_exec_gets_the_decision_and_its_numbers(self) -> None:
        seen = harness.WORK / "seen"
        command = (f'cat >{seen}.stdin; echo chatter; '
                   f'echo "$GPUTIDE_NAMESPACE/$GPUTIDE_NAME $GPUTIDE_CURRENT $GPUTIDE_DESIRED" >{seen}')
        with Daemon("-f", self.fast(), "--exec", command, "--current", "1") as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 2)
            self.assertEqual(seen.read_text(), "default/gpu 1 2\n")
            self.assertEqual(json.loads((harness.WORK / "seen.stdin").read_text()), daemon.decisions[0])
            self.assertEqual(daemon.decisions[1]["current_replicas"], 2, "the written count is the next tick's")
            writes = [line for line in daemon.lines if "write" in line]
            self.assertEqual([line["write"] for line in writes], [{"replicas": 2, "applied": True}])
            self.assertEqual((writes[0]["namespace"], writes[0]["name"]), ("default", "gpu"))
            self.assertGreaterEqual(writes[0]["time"], daemon.decisions[0]["time"])
        self.assertNotIn("chatter", daemon.out)

    def test_a_failing_exec_is_no_scale_event(self) -> None:
        self.server.value = "100"
        slow = {"advanced": {"horizontalPodAutoscalerConfig": {"behavior": {"scaleUp": {
            "policies": [{"type": "Pods", "value": 4, "periodSeconds": 600}]}}}}}
        tried = harness.WORK / "tried"
        command = f"echo $GPUTIDE_DESIRED >>{tried}; test $(wc -l <{tried}) -ge 3"
        with Daemon("-f", self.fast(**slow), "--exec", command, "--current", "1") as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 4)
            # Twice in vain, then with success; the four pods of ten minutes are used up by that one alone.
            self.assertEqual(tried.read_text().split(), ["5", "5", "5"])
            self.assertEqual([decision["desired_replicas"] for decision in daemon.decisions[:4]], [5, 5, 5, 5])
            self.assertIn('gputided_write_failures_total{namespace="default",name="gpu"} 2', daemon.get("/metrics")[2])
            self.assertIn('gputided_scale_up_total{namespace="default",name="gpu"} 1', daemon.get("/metrics")[2])
        self.assertIn("--exec failed for 1 -> 5: exit status 1", daemon.err)

    def test_observe(self) -> None:
        scale = self.scale_file(7)
        with Daemon("-f", self.fast(), "--observe", f"cat {scale}", "--dry-run") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.assertEqual(daemon.decisions[0]["current_replicas"], 7)
            harness.write("scale.json", "5")
            daemon.wait_for(lambda: daemon.decisions[-1]["current_replicas"] == 5)
            for broken in ("", "-1", "1.5", '{"spec": "7"}', '{"spec": -1}', '{"status": 7}', '{"spec": 7, "ready": 4294967296}', harness.SECRET_DATA):
                complaints = daemon.err.count("--observe")
                harness.write("scale.json", broken)
                daemon.wait_for(lambda: daemon.err.count("--observe") > complaints)
                decided = len(daemon.decisions)
                daemon.wait_for(lambda: len(daemon.decisions) > decided)
                self.assertIn('expected a replica count or {"spec":N,"status":N,"ready":N} on its standard output', daemon.err)
                self.assertIn(f"got {len(broken)} byte{'' if len(broken) == 1 else 's'} in another format", daemon.err)
                last = daemon.decisions[-1]
                self.assertEqual(last["desired_replicas"], last["current_replicas"], "an unknown size is not changed")
                self.assertIn("FailedGetScale", json.dumps(last["conditions"]))

    def test_children_are_bounded(self) -> None:
        with Daemon("-f", self.fast(), "--current", "1", "--exec", "sleep 60; true", "--child-timeout-ms", "300") as daemon:
            daemon.wait_for(lambda: "killed after 300 ms" in daemon.err)
            daemon.wait_for(lambda: len(daemon.decisions) >= 2)
        with Daemon("-f", self.fast(), "--exec", "true", "--observe", "yes", "--child-timeout-ms", "500") as daemon:
            daemon.wait_for(lambda: "--observe failed: killed after 500 ms" in daemon.err)

    def test_a_reader_who_does_not_read_stops_nothing(self) -> None:
        """stdout and stderr are pipes of a page each that are never read."""
        written = harness.WORK / "unread"
        ends = [os.pipe() for _ in range(2)]
        for _, end in ends:
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 4096)
        command = [harness.PROGRAM, "run", "--listen", "", "-f", self.fast(), "--current", "1", "--exec",
                   f"echo $GPUTIDE_DESIRED >>{written}; exit 1"]
        process = subprocess.Popen(command, env=harness.surroundings(), stdin=subprocess.DEVNULL, stdout=ends[0][1],
                                   stderr=ends[1][1])
        self.addCleanup(process.kill)
        deadline = time.monotonic() + harness.PATIENCE_S
        while not written.exists() or len(written.read_text().split()) < 8:
            self.assertLess(time.monotonic(), deadline, "it waits for its readers")
            time.sleep(0.1)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=harness.PATIENCE_S), 0)
        self.assertLess(time.monotonic() - started, harness.PROMPT_S)
        for pair in ends:
            for end in pair:
                os.close(end)

    def test_a_signal_of_somebody_else_changes_nothing(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            daemon.process.send_signal(signal.SIGUSR2)
            time.sleep(0.2)
            self.assertLess(daemon.end(), harness.PROMPT_S)
            self.assertEqual(daemon.process.returncode, 0)

    def test_failures_are_told_once_and_when_they_end(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            healthy, self.server.faults["good"] = self.server.faults["good"], self.server.faults["403"]
            daemon.wait_for(lambda: len(daemon.decisions) >= 4)
            daemon.wait_for(lambda: "E_FORBIDDEN" in daemon.err)
            self.assertEqual(daemon.err.count("E_FORBIDDEN"), 1, daemon.err)
            self.server.faults["good"] = healthy
            daemon.wait_for(lambda: "default/gpu: s0-prometheus: reads again" in daemon.err)


    def test_an_empty_answer_that_counts_as_zero_is_said_loudly(self) -> None:
        with Daemon("-f", self.fast("empty", minReplicaCount=0), "--dry-run", "--current", "2") as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 3)
            daemon.wait_for(lambda: "empty answer read as 0" in daemon.err)
            self.assertEqual(daemon.err.count("empty answer read as 0"), 1, daemon.err)
            self.assertIn("gputide.io/no-data: hold", daemon.err)
            self.assertIn("default/gpu: no history: the time of its last activity is unknown", daemon.err)
            scalers = json.loads(daemon.get("/status.json")[2])["scalers"][0]
            self.assertIn("empty answer read as 0", scalers["problems"][0])
            self.assertIn('\ngputided_metric_empty_as_zero{namespace="default",name="gpu",metric="s0-prometheus"} 1\n',
                          daemon.get("/metrics")[2])


class Pages(WithServer):
    def test_pages(self) -> None:
        with Daemon("-f", self.fast("silent"), "--dry-run", "--current", "1", "--timeout-ms", "3000") as daemon:
            self.assertEqual(daemon.get("/readyz")[0], 503)
            begun = daemon.get("/metrics")[2]  # before the first decision: increase() needs the 0
            for status in ("E_INVALID", "E_TIMEOUT", "E_LIMIT", "E_NO_MEMORY", "E_BUG"):
                self.assertIn(f'\ngputided_metric_errors_total{{namespace="default",name="gpu",status="{status}"}} 0\n', begun)
            for limit in ("none", "no_data", "fallback", "no_capacity"):
                of = f'{{namespace="default",name="gpu",limited_by="{limit}"}}'
                self.assertIn(f"\ngputided_decisions_limited_total{of} 0\n", begun)
                self.assertIn(f"\ngputided_limited{of} 0\n", begun)
            self.assertEqual(daemon.get("/healthz"), (200, "text/plain; charset=utf-8", "ok\n"))
            daemon.wait_for(lambda: daemon.decisions)
            daemon.wait_for(lambda: daemon.get("/readyz")[0] == 200)
            self.assertEqual(daemon.get("/nothing")[0], 404)
            self.assertEqual(daemon.get("/metrics", "POST")[0], 405)
            self.assertEqual(daemon.get("/metrics", "HEAD")[0], 200)
            self.assertEqual(daemon.get("/")[:2], (200, "text/html; charset=utf-8"))
            scalers = json.loads(daemon.get("/status.json")[2])["scalers"][0]
            self.assertEqual((scalers["name"], scalers["current"], scalers["desired"], scalers["limited_by"], scalers["metrics"][0]["error_status"]),
                             ("gpu", 1, 1, "no_data", "E_TIMEOUT"))
            status, kind, page = daemon.get("/metrics")
            self.assertEqual((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
            self.assertIn('\ngputided_metric_errors_total{namespace="default",name="gpu",status="E_TIMEOUT"} ', page)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_promtool_likes_the_metrics(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            page = daemon.wait_for(lambda: "gputided_metric_value{" in daemon.get("/metrics")[2] and daemon.get("/metrics")[2])
        verdict = subprocess.run(["promtool", "check", "metrics"], input=page, text=True, capture_output=True, check=False)
        self.assertEqual((verdict.returncode, verdict.stdout + verdict.stderr), (0, ""))
        self.assertIn('gputided_desired_replicas{namespace="default",name="gpu"} 2\n', page)
        self.assertIn('gputided_limited{namespace="default",name="gpu",limited_by="none"} 1\n', page)
        self.assertEqual(len(re.findall(r"^gputided_limited{.*} [01]$", page, re.MULTILINE)), 15)  # a state set
        self.assertRegex(page, r'gputided_poll_lag_seconds\{quantile="0.99"\} 0(\.\d+)?\n')
        self.assertRegex(page, r"gputided_poll_lag_seconds_count [1-9]")
        self.assertRegex(page, r"gputided_polls_total [1-9]")
        self.assertIn('gputided_metric_value{namespace="default",name="gpu",metric="s0-prometheus"} 10\n', page)

    def test_an_address_that_is_taken(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            ran = gputided("run", "-f", self.fast(), "--dry-run", "--current", "1", "--listen", address)
        self.assertEqual(ran.status, 2, ran)
        self.assertIn(f"--listen {address}: Address already in use", ran.err)


class Signals(WithServer):
    def test_the_end_comes_within_a_second_whatever_hangs(self) -> None:
        pid = harness.WORK / "pid"
        hang = f"echo $$ >{pid}; sleep 60 & wait"
        for what, arguments in (("a fetch", ["--dry-run", "--current", "1", "-f", self.fast("silent")]),
                                ("--exec", ["--exec", hang, "--current", "1", "-f", self.fast()]),
                                ("--observe", ["--observe", hang, "--dry-run", "-f", self.fast()])):
            took_s = []
            for by in (signal.SIGTERM, signal.SIGINT):
                with self.subTest(what, by=by):
                    pid.unlink(missing_ok=True)
                    self.server.requests.clear()
                    with Daemon("--timeout-ms", "60000", *arguments) as daemon:
                        daemon.wait_for(lambda: self.server.requests.get("silent") or (pid.exists() and pid.read_text().strip()))
                        took_s.append(daemon.end(by))
                        self.assertEqual(daemon.process.returncode, 0)
                    if pid.exists():
                        self.assertFalse(os.path.exists(f"/proc/{pid.read_text().strip()}"), "the command outlived gputided")
            self.assertLess(max(took_s), harness.PROMPT_S, what)
            self.assertLess(min(took_s), 1, what)

    def test_reload(self) -> None:
        file = self.fast()
        with Daemon("-f", file, "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.reload(daemon, "threshold: abc, that is not a manifest\n", "the previous manifests stay in use: E_INVALID: " + file)
            os.remove(file)
            self.reload(daemon, None, f"the previous manifests stay in use: {file}: cannot read")
            before = len(daemon.decisions)
            daemon.wait_for(lambda: len(daemon.decisions) > before)
            self.assertEqual(daemon.decisions[-1]["desired_replicas"], 2)
            self.fast(minReplicaCount=4)
            self.reload(daemon, None, "manifests read again, scalers: 1")
            daemon.wait_for(lambda: daemon.decisions[-1]["desired_replicas"] == 4)
            page = daemon.get("/metrics")[2]
            self.assertIn("\ngputided_reloads_total 1\n", page)
            self.assertIn("\ngputided_reload_failures_total 2\n", page)
            taken = int(re.search(r"gputided_decisions_total\{.*\} (\d+)", page)[1])
            self.assertGreaterEqual(taken, before, "the counters survive a reload")

    def reload(self, daemon: Daemon, text: str | None, expected: str) -> None:
        if text is not None:
            harness.write("good.yaml", text)
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for(lambda: expected in daemon.err)

    def test_windows_survive_a_reload(self) -> None:
        behavior = {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 5}}}
        scale = self.scale_file(2)
        file = self.fast(advanced={"horizontalPodAutoscalerConfig": behavior})
        with Daemon("-f", file, "--observe", f"cat {scale}", "--dry-run") as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.server.value = "1"
            started = time.monotonic()
            while daemon.decisions[-1]["desired_replicas"] != 1:
                self.assertLess(time.monotonic() - started, harness.PATIENCE_S, "each reload starts the window anew")
                daemon.process.send_signal(signal.SIGHUP)
                time.sleep(0.5)
            self.assertGreater(time.monotonic() - started, 2.5, "no window at all: down with the next tick")

    def test_systemd_is_told(self) -> None:
        path = str(harness.WORK / "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(path)
            notify.settimeout(harness.PATIENCE_S)
            with Daemon("-f", self.fast(), "--dry-run", "--current", "1", env={"NOTIFY_SOCKET": path}) as daemon:
                self.assertEqual(notify.recv(1000), b"READY=1")
                daemon.process.send_signal(signal.SIGHUP)
                self.assertRegex(notify.recv(1000), rb"^RELOADING=1\nMONOTONIC_USEC=\d+$")
                self.assertEqual(notify.recv(1000), b"READY=1")
                daemon.end()
                self.assertEqual(notify.recv(1000), b"STOPPING=1")
