"""--state: what a daemon remembers over a clean end, over kill -9 at any moment (GPUTIDE_KILLS times), and what it refuses to
read."""
from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import signal
import time
from typing import Any

import harness
import manifests
from harness import Daemon, gputided
from run_test import FAST, WithServer

KILLS = int(os.environ.get("GPUTIDE_KILLS", "14"))


class State(WithServer):
    def paced(self, window_s: int) -> str:
        """Up by 2 pods in 4 s at most; down not before the window is over, and then at once."""
        return self.fast(advanced={"horizontalPodAutoscalerConfig": {"behavior": {
            "scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 4}]},
            "scaleDown": {"stabilizationWindowSeconds": window_s}}}})

    def test_killed_at_any_moment_it_neither_forgets_nor_flaps(self) -> None:
        written, state = harness.WORK / "written", harness.WORK / "killed.state"
        # Slow enough that some kills fall between the write and the news of it.
        command = f'echo "$(date +%s.%N) $GPUTIDE_DESIRED" >>{written}; sleep 0.2'
        arguments = ["-f", self.paced(600), "--exec", command, "--current", "1", "--state", str(state)]
        chance = random.Random(20261121)
        self.server.value = "30"  # asks for 6
        for number in range(KILLS):
            if number == KILLS // 2:
                self.server.value = "29"
            with Daemon(*arguments) as daemon:
                time.sleep(chance.uniform(0.02, 1.6))
                daemon.end(signal.SIGKILL)
            if state.exists():
                file = json.loads(state.read_text())
                harness.keep("state file", state.read_text())
                self.assertEqual((file["gputided"], list(file["scalers"])), (1, ["default/gpu"]))
        with Daemon(*arguments) as daemon:
            daemon.wait_for(lambda: daemon.decisions and daemon.decisions[-1]["current_replicas"] == 6)
        self.check_pace([line.split() for line in written.read_text().splitlines()])

    def check_pace(self, lines: list[list[str]]) -> None:
        sizes = [int(size) for _, size in lines]
        self.assertEqual(sizes, sorted(sizes), "a restart made it smaller")
        reached: dict[int, float] = {}
        for at, size in lines:  # a write that was cut off is done again: the first one counts
            reached.setdefault(int(size), float(at))
        self.assertEqual(list(reached), [3, 5, 6], "two pods at a time, from the size that was written last")
        self.assertGreater(reached[5] - reached[3], 2.5, "the pace of scaling up was forgotten")  # 4 s, less what `date` waited

    def test_a_window_goes_on_over_a_restart(self) -> None:
        state = harness.WORK / "window.state"
        arguments = ["-f", self.paced(4), "--exec", "true", "--current", "3", "--state", str(state)]
        self.server.value = "15"
        started = time.monotonic()
        with Daemon(*arguments) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.server.value = "5"
            daemon.end()
        sizes: list[int] = []
        while 1 not in sizes:  # each run is shorter than the window
            self.assertLess(time.monotonic() - started, harness.PATIENCE_S, "each restart starts the window anew")
            with Daemon(*arguments) as daemon:
                daemon.wait_for(lambda: daemon.decisions)
                time.sleep(1.2)
                daemon.end()
            sizes += [decision["desired_replicas"] for decision in daemon.decisions]
        self.assertGreater(time.monotonic() - started, 3)
        self.assertEqual(set(sizes), {3, 1})

    def cut_off(self, name: str, current: int, desired: int) -> str:
        """A state file as a daemon leaves it that is killed while --exec runs."""
        path = harness.WORK / f"{name}.state"
        with Daemon("-f", self.fast(), "--exec", "sleep 60", "--current", str(current), "--state", str(path)) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            daemon.wait_for(lambda: path.exists() and "under_way" in path.read_text())
            daemon.end(signal.SIGKILL)
        saved: dict[str, Any] = json.loads(path.read_text())["scalers"]["default/gpu"]
        self.assertEqual((saved["replicas"], saved["under_way"]["desired_replicas"]), (current, desired))
        return str(path)

    def test_a_write_that_was_cut_off_is_done_again(self) -> None:
        written = harness.WORK / "again"
        with Daemon("-f", self.fast(), "--exec", f"echo $GPUTIDE_CURRENT $GPUTIDE_DESIRED >>{written}", "--current", "1",
                    "--state", self.cut_off("again", 1, 2)) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
        self.assertEqual(written.read_text(), "1 2\n")
        self.assertIn("the last run ended while it wrote 1 -> 2; writing it again", daemon.err)
        self.assertEqual(daemon.decisions[0]["current_replicas"], 2)

    def test_with_observe_the_size_tells_whether_it_happened(self) -> None:
        for size, expected in ((2, "it was written"), (1, "it was not")):
            scale = self.scale_file(size)
            with Daemon("-f", self.fast(), "--exec", "true", "--observe", f"cat {scale}",
                        "--state", self.cut_off(f"observed{size}", 1, 2)) as daemon:
                daemon.wait_for(lambda: daemon.decisions)
            self.assertIn(f"wrote 1 -> 2; {expected}", daemon.err)
            self.assertEqual(daemon.decisions[0]["current_replicas"], size)

    def test_a_damaged_file_is_refused_and_kept(self) -> None:
        good = json.loads(open(self.cut_off("good", 1, 2)).read())
        library_state = good["scalers"]["default/gpu"]["state"]
        half = {**good, "scalers": {"default/gpu": {"state": library_state[:-20], "replicas": 1}}}
        nothing = {**good, "scalers": {"default/gpu": {"state": library_state}}}
        negative = {**good, "scalers": {"default/gpu": {"state": library_state, "replicas": -1}}}
        no_decision = {**good, "scalers": {"default/gpu": {"state": library_state, "replicas": 1, "under_way": {}}}}
        number = {**good["scalers"]["default/gpu"]["under_way"], "event": 1}
        event = {**good, "scalers": {"default/gpu": {"state": library_state, "replicas": 1, "under_way": number}}}
        for name, text in (("empty", ""), ("cut", json.dumps(good)[:-30]), ("newer", json.dumps({**good, "gputided": 2})),
                           ("half", json.dumps(half)), ("nothing", json.dumps(nothing)), ("other", "[1, 2]"),
                           ("negative", json.dumps(negative)), ("under", json.dumps(no_decision)),
                           ("event", json.dumps(event))):
            with self.subTest(name):
                path = harness.write(f"{name}.state", text)
                for command in (["run", "--dry-run", "--listen", ""], ["eval"]):
                    ran = gputided(*command, "-f", self.fast(), "--current", "1", "--state", path)
                    self.assertEqual((ran.status, ran.out), (2, ""), ran)
                    self.assertRegex(ran.err, rf"{path}|E_STATE")
                self.assertEqual(open(path).read(), text)

    def test_two_daemons_do_not_share_a_file(self) -> None:
        arguments = ["-f", self.fast(), "--dry-run", "--current", "1", "--state", str(harness.WORK / "shared.state")]
        with Daemon(*arguments) as first:
            first.wait_for(lambda: first.decisions)
            second = gputided("run", *arguments, "--listen", "127.0.0.1:0")
            self.assertEqual(second.status, 2, second)
            self.assertIn("another gputided uses this state file; give each instance its own --state file", second.err)
        with Daemon(*arguments) as third:
            third.wait_for(lambda: third.decisions)

    def test_a_state_that_cannot_be_written_is_told_and_decisions_go_on(self) -> None:
        folder = harness.WORK / "going"
        folder.mkdir()
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1", "--state", str(folder / "state")) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            shutil.rmtree(folder)
            decided = len(daemon.decisions)
            daemon.wait_for(lambda: len(daemon.decisions) >= decided + 2)
            self.assertRegex(daemon.get("/metrics")[2], r"\ngputided_state_save_failures_total [1-9]")
        self.assertIn(f"--state is not saved: {folder}/state.new: cannot write: No such file", daemon.err)

    def test_what_others_remember_stays_in_the_file(self) -> None:
        path = harness.WORK / "of-many.state"
        arguments = ["--dry-run", "--current", "1", "--state", str(path)]
        mine = manifests.saved("mine.yaml", manifests.scaled_object(self.server.url("good"), name="mine", annotations=FAST,
                                                                    spec={"pollingInterval": 1}))
        with Daemon("-f", mine, *arguments) as daemon:
            daemon.wait_for(lambda: path.exists() and "default/mine" in path.read_text())
            daemon.end()
        before = json.loads(path.read_text())["scalers"]["default/mine"]
        with Daemon("-f", self.fast(), *arguments) as daemon:
            daemon.wait_for(lambda: "default/gpu" in path.read_text())
            self.assertIn(f"{path}: contains the state of 1 scaler without a manifest, such as default/mine", daemon.err)
            daemon.end()
        after = json.loads(path.read_text())["scalers"]
        self.assertEqual(set(after), {"default/gpu", "default/mine"})
        self.assertEqual(after["default/mine"], before)

    def test_a_manifest_with_one_trigger_more_starts_with_a_fresh_state(self) -> None:
        path = harness.WORK / "grown.state"
        arguments = ["--dry-run", "--current", "1", "--state", str(path)]
        manifest = manifests.scaled_object(self.server.url("good"), annotations=FAST, spec={"pollingInterval": 1})
        with Daemon("-f", manifests.saved("grown.yaml", manifest), *arguments) as daemon:
            daemon.wait_for(lambda: path.exists() and "default/gpu" in path.read_text())
            daemon.end()
        manifest["spec"]["triggers"] *= 2
        with Daemon("-f", manifests.saved("grown.yaml", manifest), *arguments) as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 1)
            self.assertIn("the saved state of default/gpu has 1 metrics, the policy has 2", daemon.err)
            self.assertIn("it starts with a new state", daemon.err)
            daemon.end()

    def test_the_file_beside_is_never_somebody_elses(self) -> None:
        path, other = harness.WORK / "beside.state", harness.WORK / "precious"
        other.write_text("keep me")
        other.chmod(0o666)
        pathlib.Path(f"{path}.new").symlink_to(other)
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1", "--state", str(path)) as daemon:
            daemon.wait_for(lambda: path.exists() and "default/gpu" in path.read_text())
            daemon.end()
        self.assertEqual(other.read_text(), "keep me")
        self.assertEqual((path.is_symlink(), path.stat().st_mode & 0o777), (False, 0o600))
