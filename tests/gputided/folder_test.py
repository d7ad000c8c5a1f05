"""gputided run with a folder of manifests: files come, change, break and go while it runs; one slow target is alone with that."""
from __future__ import annotations

import json
import os
import pathlib
import signal
import time
from typing import Any

import harness
import manifests
from harness import Daemon, gputided
from run_test import FAST, WithServer


class Folder(WithServer):
    def setUp(self) -> None:
        super().setUp()
        self.folder = harness.WORK / f"{self.id()}.d"
        self.folder.mkdir()

    def put(self, name: str, *more: dict[str, Any], file: str = "", fault: str = "good", auth: str = "", **spec: Any) -> str:
        scaled_object = manifests.scaled_object(self.server.url(fault), name=name, auth=auth, annotations=FAST,
                                      spec={"pollingInterval": 1, **spec})
        return manifests.saved(f"{self.folder.name}/{file or name + '.yaml'}", scaled_object, *more)

    def daemon(self, *arguments: str) -> Daemon:
        return Daemon("-f", str(self.folder), *(arguments or ("--dry-run", "--current", "1")))

    @staticmethod
    def names(daemon: Daemon, since: int = 0) -> set[str]:
        return {decision["name"] for decision in daemon.decisions[since:]}

    def wait_for_names(self, daemon: Daemon, *names: str) -> None:
        """Tests that from now on it decides for these and no others: all are due each second."""
        def only_these() -> bool:
            since = len(daemon.decisions)
            daemon.wait_for(lambda: all([decision["name"] for decision in daemon.decisions[since:]].count(name) >= 2 for name in names))
            return self.names(daemon, since) == set(names)
        daemon.wait_for(only_these)

    @staticmethod
    def wait_for_size(daemon: Daemon, name: str, size: int) -> None:
        daemon.wait_for(lambda: any((decision["name"], decision["desired_replicas"]) == (name, size) for decision in daemon.decisions))


class FilesThatChange(Folder):
    def test_come_change_and_go(self) -> None:
        self.put("a")
        with self.daemon() as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.put("b")
            self.wait_for_names(daemon, "a", "b")
            self.put("a", minReplicaCount=7)
            self.wait_for_size(daemon, "a", 7)
            os.remove(self.folder / "b.yaml")
            self.wait_for_names(daemon, "a")
            self.assertIn("default/b: no longer scaled", daemon.err)
            self.assertNotIn('name="b"', daemon.get("/metrics")[2])
            os.remove(self.folder / "a.yaml")
            daemon.wait_for(lambda: "\ngputided_scalers 0\n" in daemon.get("/metrics")[2])
            self.put("c")
            self.wait_for_names(daemon, "c")

    def test_a_broken_file_is_told_once_and_harms_nobody(self) -> None:
        self.put("a")
        self.put("b")
        with self.daemon() as daemon:
            self.wait_for_names(daemon, "a", "b")
            broken = harness.write(f"{self.folder.name}/a.yaml", "kind: ScaledObject\n\tmetadata: {}\n")
            daemon.wait_for(lambda: f"the previous manifests stay in use: E_INVALID: {broken}:2" in daemon.err)
            self.put("b", minReplicaCount=3)
            self.wait_for_size(daemon, "b", 3)
            self.wait_for_names(daemon, "a", "b")
            self.assertEqual(daemon.err.count(broken), 1, daemon.err)
            page = daemon.get("/metrics")[2]
            self.assertIn("\ngputided_broken_manifests 1\n", page)
            status = json.loads(daemon.get("/status.json")[2])
            self.assertEqual([entry["file"] for entry in status["broken"]], [broken])
            self.assertIn("the previous manifests stay in use", json.dumps(status["scalers"][0]["problems"]))
            self.put("a", minReplicaCount=4)
            daemon.wait_for(lambda: f"{broken}: is no longer refused" in daemon.err)
            daemon.wait_for(lambda: "\ngputided_broken_manifests 0\n" in daemon.get("/metrics")[2])

    def test_a_broken_file_at_the_start_keeps_its_memory(self) -> None:
        state = harness.WORK / "folder.state"
        arguments = ("--exec", "true", "--current", "1", "--state", str(state))
        self.put("a")
        self.put("b")
        with self.daemon(*arguments) as daemon:
            daemon.wait_for(lambda: "default/a" in state.read_text() if state.exists() else False)
            self.wait_for_names(daemon, "a", "b")
            daemon.end()
        before = json.loads(state.read_text())["scalers"]["default/a"]
        self.assertEqual(before["replicas"], 2)
        good = (self.folder / "a.yaml").read_text()
        harness.write(f"{self.folder.name}/a.yaml", "a: [")
        with self.daemon(*arguments) as daemon:
            self.wait_for_names(daemon, "b")
            self.assertIn("a manifest with an error is not used: E_INVALID: ", daemon.err)
            self.assertEqual(json.loads(state.read_text())["scalers"]["default/a"], before)
            harness.write(f"{self.folder.name}/a.yaml", good)
            seen = len(daemon.decisions)
            self.wait_for_names(daemon, "a", "b")
            first = [decision for decision in daemon.decisions[seen:] if decision["name"] == "a"][0]
            self.assertEqual(first["current_replicas"], 2, "the size of the state file, not --current")

    def test_nothing_but_broken_files_is_no_start(self) -> None:
        harness.write(f"{self.folder.name}/a.yaml", "a: [")
        ran = gputided("run", "-f", str(self.folder), "--dry-run", "--listen", "")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("a.yaml:2", ran.err)

    def test_credentials_may_stand_in_a_file_of_their_own_or_beside_another_scaler(self) -> None:
        manifests.saved(f"{self.folder.name}/auth.yaml", *manifests.authentication("bearer", bearerToken=harness.BEARER))
        self.put("a", *manifests.authentication("other", bearerToken=harness.BEARER), auth="bearer")
        self.put("b", auth="other")
        with self.daemon() as daemon:
            self.wait_for_names(daemon, "a", "b")
            os.remove(self.folder / "auth.yaml")
            daemon.wait_for(lambda: 'TriggerAuthentication "bearer" is not given' in daemon.err)
            self.wait_for_names(daemon, "a", "b")

    def test_a_newcomer_takes_nothing_from_what_runs(self) -> None:
        self.put("m")
        state = harness.WORK / "newcomer.state"
        arguments = ("--exec", "true", "--current", "1", "--state", str(state))
        for newcomer in ("m", "other"):  # the same scaler again, and another one for the same workload
            with self.subTest(newcomer):
                file = f"a-{newcomer}.yaml"
                with self.daemon(*arguments) as daemon:
                    self.wait_for_names(daemon, "m")
                    stray = self.put(newcomer, file=file, maxReplicaCount=1, minReplicaCount=1, scaleTargetRef={"name": "m"})
                    daemon.wait_for(lambda: "the previous manifests stay in use: " in daemon.err)
                    complaint = next(line for line in daemon.err.splitlines() if "the previous manifests stay in use" in line)
                    self.assertIn(stray, complaint, "the newcomer is to blame")
                    self.assertIn(str(self.folder / "m.yaml"), complaint, "the other one is named too")
                    self.wait_for_names(daemon, "m")
                    self.assertEqual(daemon.decisions[-1]["desired_replicas"], 2)
                    daemon.end()
                with self.daemon(*arguments) as daemon:  # a restart: what the state knows stays
                    self.wait_for_names(daemon, "m")
                    self.assertEqual(daemon.decisions[-1]["desired_replicas"], 2)
                    self.assertIn(file, daemon.err)
                    os.remove(self.folder / file)
                    daemon.wait_for(lambda: "is gone [manifest_refused]" in daemon.err)

    def test_the_order_of_names_decides_nothing_at_a_start(self) -> None:
        """One workload, or one credential, in two files that nothing is remembered of: neither is used, and both are named."""
        self.put("bystander")
        rivals = {"workload": (self.put("a-other", scaleTargetRef={"name": "m"}), self.put("m"), self.put("z-third", scaleTargetRef={"name": "m"})),
                  "credential": tuple(manifests.saved(f"{self.folder.name}/{name}.yaml",
                                                      *manifests.authentication("shared", bearerToken=harness.BEARER))
                                      for name in ("a-auth", "b-auth"))}
        with self.daemon() as daemon:
            self.wait_for_names(daemon, "bystander")
            for files in rivals.values():
                for file in files:
                    self.assertIn(file, {entry["file"] for entry in json.loads(daemon.get("/status.json")[2])["broken"]})
            self.assertIn("neither file is used (--state FILE keeps this over restarts)", daemon.err)
            for file in (*rivals["workload"][::2], rivals["credential"][0]):
                os.remove(file)
            self.wait_for_names(daemon, "bystander", "m")

    def test_a_file_that_owns_another_scaler_takes_nothing_over_a_restart(self) -> None:
        state = harness.WORK / "owner.state"
        arguments = ("--exec", "true", "--current", "1", "--state", str(state))
        self.put("a")
        self.put("m")
        with self.daemon(*arguments) as daemon:
            self.wait_for_names(daemon, "a", "m")
            daemon.end()
        other = manifests.scaled_object(self.server.url("good"), name="other", annotations=FAST,
                                        spec={"pollingInterval": 1, "minReplicaCount": 9, "scaleTargetRef": {"name": "m"}})
        self.put("a", other)  # known to the state, and before m.yaml by name
        with self.daemon(*arguments) as daemon:
            self.wait_for_names(daemon, "m")
            self.assertIn("a.yaml", daemon.err)
            self.assertIn("is already managed by the ScaledObject", daemon.err)

    def test_a_scaler_whose_file_breaks_is_not_taken_over(self) -> None:
        self.put("m")
        with self.daemon() as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            harness.write(f"{self.folder.name}/m.yaml", "a: [")
            self.put("m", file="z.yaml", minReplicaCount=9)
            daemon.wait_for(lambda: "z.yaml: contains default/m, which is already used from" in daemon.err)
            os.remove(self.folder / "m.yaml")  # its owner gives it up
            self.wait_for_size(daemon, "m", 9)

    def test_files_that_are_no_manifests_harm_nobody(self) -> None:
        self.put("m")
        (self.folder / ".#m.yaml").symlink_to("somebody@somewhere:1")
        with self.daemon() as daemon:
            self.wait_for_names(daemon, "m")
            pathlib.Path(os.fsdecode(os.fsencode(self.folder) + b"/\xff.yaml")).write_text("a: [")
            daemon.wait_for(lambda: "/?.yaml: the name of this file is not UTF-8; rename it" in daemon.err)
            self.wait_for_names(daemon, "m")
            self.assertIn("/?.yaml", daemon.get("/status.json")[2])

    def test_a_link_that_leads_nowhere_is_named_and_its_scaler_stays(self) -> None:
        there = self.put("m")
        elsewhere = pathlib.Path(there).rename(harness.WORK / "m-elsewhere.yaml")
        pathlib.Path(there).symlink_to(elsewhere)
        with self.daemon() as daemon:
            self.wait_for_names(daemon, "m")
            elsewhere.unlink()
            daemon.wait_for(lambda: f"the previous manifests stay in use: {there}: is a symbolic link to a file that cannot be read" in daemon.err)
            self.wait_for_names(daemon, "m")
            self.put("b")
            self.wait_for_names(daemon, "b", "m")

    def test_a_file_that_is_always_being_written_keeps_no_other_out(self) -> None:
        self.put("m")
        with self.daemon() as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.put("b")
            deadline = time.monotonic() + harness.PATIENCE_S
            while "b" not in self.names(daemon):
                self.assertLess(time.monotonic(), deadline)
                self.put("m", minReplicaCount=1 + int(time.monotonic() * 1000) % 2)
                time.sleep(0.3)

    def test_two_files_for_one_workload(self) -> None:
        self.put("a")
        with self.daemon() as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.put("a", file="z.yaml", minReplicaCount=9)
            daemon.wait_for(lambda: "the ScaledObject default/a is given twice" in daemon.err)
            self.wait_for_names(daemon, "a")
            self.assertEqual(daemon.decisions[-1]["desired_replicas"], 2)


class Many(Folder):
    def test_a_slow_command_delays_its_own_target_alone(self) -> None:
        for number in range(6):
            self.put(f"m{number}")
        command = 'case $GPUTIDE_NAME in m0) sleep 600;; esac; echo "{\\"spec\\": 2}"'
        with self.daemon("--observe", command, "--dry-run", "--max-children", "2", "--child-timeout-ms", "600000") as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 15)
            self.assertEqual(self.names(daemon), {f"m{number}" for number in range(1, 6)})
            self.assertIn('gputided_children{state="running"} ', daemon.get("/metrics")[2])
            self.assertLess(daemon.end(signal.SIGTERM), harness.PROMPT_S)

    def test_children_are_no_more_than_said(self) -> None:
        running = harness.WORK / "running.d"
        running.mkdir()
        for number in range(9):
            self.put(f"m{number}")
        command = f'touch {running}/$$; ls {running} | wc -l >>{running}.counts; sleep 0.1; rm {running}/$$'
        with self.daemon("--exec", command, "--current", "1", "--max-children", "3") as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 18)
        counts = [int(line) for line in pathlib.Path(f"{running}.counts").read_text().split()]
        self.assertLessEqual(max(counts), 3)

    def test_fifty_are_all_decided_in_time(self) -> None:
        for number in range(50):
            self.put(f"m{number:02}")
        with self.daemon() as daemon:
            daemon.wait_for(lambda: len(self.names(daemon)) == 50)
            daemon.wait_for(lambda: daemon.get("/readyz")[0] == 200)
            status = json.loads(daemon.get("/status.json")[2])
            self.assertEqual(len(status["scalers"]), 50)
            history = json.loads(daemon.get("/history.json?scaler=default%2Fm07")[2])
            self.assertEqual(history["points"][-1][1:], [1, 2, [10]])
            self.assertEqual(daemon.get("/history.json?scaler=default%2Fnobody")[0], 404)
            self.assertEqual(daemon.get("/history.json")[0], 404)
