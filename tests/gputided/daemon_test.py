"""examples/daemon: the thin host in C, against a server with a value that the test sets, with a kubectl that checks its arguments."""
from __future__ import annotations

import json
import os
import signal

import harness
import manifests
from harness import Background
from run_test import FAST, WithServer

KUBECTL = """#!/bin/sh
case "$*" in
"-n default get deploy gpu -o jsonpath={{.spec.replicas}}") cat {folder}/size ;;
"-n default scale deploy gpu --replicas="[0-9]) echo "${{6#--replicas=}}" >{folder}/size ;;
*) echo "$*" >>{folder}/refused; exit 1 ;;
esac
"""
OBSERVE = "kubectl -n default get deploy gpu -o jsonpath={.spec.replicas}"
WRITE = 'kubectl -n default scale deploy gpu --replicas="$GPUTIDE_DESIRED"'


class ThinDaemon(WithServer):
    def setUp(self) -> None:
        super().setUp()
        self.folder = harness.WORK / f"{self.id()}.d"
        self.folder.mkdir()
        kubectl = self.folder / "kubectl"
        kubectl.write_text(KUBECTL.format(folder=self.folder))
        kubectl.chmod(0o755)
        self.set_size("1")

    def set_size(self, text: str) -> None:
        (self.folder / "size").write_text(text + "\n")

    @property
    def size(self) -> str:
        return (self.folder / "size").read_text().strip()

    def daemon(self, *arguments: str, **commands: str) -> Background:
        return Background([os.environ["GPUTIDE_DAEMON"], "-o", commands.get("observe", OBSERVE), "-x",
                           commands.get("write", WRITE), *arguments], env={"PATH": f"{self.folder}:{os.environ['PATH']}"})

    def test_it_scales_and_ends_when_told(self) -> None:
        with self.daemon(self.fast()) as daemon:
            daemon.wait_for(lambda: self.size == "2")
            self.server.value = "20"
            daemon.wait_for(lambda: self.size == "4")
            self.assertLess(daemon.end(signal.SIGTERM), harness.PROMPT_S)
            self.assertEqual(daemon.process.returncode, 0)
        self.assertIn("1 -> 2, limited by none\n", daemon.out)
        self.assertFalse((self.folder / "refused").exists())
        self.assertEqual(daemon.err, "")

    def test_it_remembers_over_a_restart(self) -> None:
        slow = {"advanced": {"horizontalPodAutoscalerConfig": {"behavior": {"scaleUp": {
            "policies": [{"type": "Pods", "value": 1, "periodSeconds": 600}]}}}}}
        self.server.value = "50"
        manifest = self.fast(**slow)
        state = self.folder / "gpu.state"
        for _ in range(2):  # without its memory the second run would add a pod too
            with self.daemon("-s", str(state), manifest) as daemon:
                daemon.wait_for(lambda: "-> 2, limited by scale_up_limit" in daemon.out)
                daemon.wait_for(state.exists)
                daemon.end()
            harness.keep("state file", state.read_text())
        self.assertEqual(self.size, "2")
        state.write_text(json.dumps({"not": "a state"}))
        with self.daemon("-s", str(state), manifest) as daemon:
            self.assertEqual(daemon.process.wait(timeout=harness.PATIENCE_S), 2)
        self.assertIn("E_STATE", daemon.err)

    def test_commands_that_fail_change_nothing(self) -> None:
        with self.daemon(self.fast(), observe="echo nothing") as daemon:
            daemon.wait_for(lambda: "daemon: the size cannot be read" in daemon.err)
            daemon.end()
        with self.daemon(self.fast(), write="exit 3") as daemon:
            daemon.wait_for(lambda: daemon.err.count("daemon: the size was not written") >= 2)
            daemon.end(signal.SIGINT)
            self.assertEqual(daemon.process.returncode, 0)
        self.assertEqual(self.size, "1")

    def test_what_is_wrong_at_the_start_is_told(self) -> None:
        for arguments, expected in (([], "usage: "), (["/nowhere.yaml"], "/nowhere.yaml: cannot be read"),
                                    ([harness.write("wrong.yaml", "kind: ScaledObject\n")], "E_INVALID: ")):
            with self.daemon(*arguments) as daemon:
                self.assertEqual(daemon.process.wait(timeout=harness.PATIENCE_S), 2)
            self.assertIn(expected, daemon.err)
