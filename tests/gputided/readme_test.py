"""README's lines for gputided run, as they stand there, with a kubectl that knows no other calls than these and keeps the size."""
from __future__ import annotations

import os
import pathlib
import re
import unittest

import harness
import manifests
from run_test import FAST, WithServer

README = pathlib.Path(__file__).parents[2] / "README.md"
# Refuses whatever Kubernetes' own kubectl would read otherwise than the README means it.
KUBECTL = """#!/bin/sh
case "$1 $2" in "-n team-a") shift 2 ;; *) echo "namespace: $*" >>{folder}/refused; exit 1 ;; esac
case "$*" in
"get Deployment/llama -o jsonpath={{.spec.replicas}}") printf %s "$(cat {folder}/size)" ;;
"scale Deployment/llama --replicas="[0-9]) echo "${{3#--replicas=}}" >{folder}/size ;;
*) echo "$*" >>{folder}/refused; exit 1 ;;
esac
"""


class Readme(WithServer):
    def test_the_kubectl_lines_read_and_write_the_target(self) -> None:
        folder = harness.WORK / "readme.d"
        folder.mkdir()
        for name, text in (("kubectl", KUBECTL.format(folder=folder)), ("gputided", f'#!/bin/sh\nexec {harness.PROGRAM} "$@"\n')):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        (folder / "size").write_text("1\n")
        # The scaler is called otherwise than what it scales.
        scaler = manifests.scaled_object(self.server.url("good"), name="scaler", annotations=FAST,
                                         spec={"pollingInterval": 1, "scaleTargetRef": {"name": "llama"}})
        scaler["metadata"]["namespace"] = "team-a"
        manifests.saved("readme.d/so.yaml", scaler)
        found = re.search(r"^gputided run +-f so\.yaml .*?[^\\]$", README.read_text(), re.M | re.S)
        assert found is not None
        self.assertIn("kubectl", found[0])
        with harness.Background(["sh", "-c", f"exec {found[0]} --listen 127.0.0.1:0"], cwd=str(folder),
                                env={"PATH": f"{folder}:{os.environ['PATH']}"}) as run:
            run.wait_for(lambda: (folder / "size").read_text().strip() == "2" or (folder / "refused").exists())
            # The command of --exec ends after it has written; a stop before that would end it.
            run.wait_for(lambda: '"applied":true' in run.out or (folder / "refused").exists())
            run.end()
        self.assertFalse((folder / "refused").exists(), (folder / "refused").read_text() if (folder / "refused").exists() else "")
        self.assertNotIn("failed", run.err)


