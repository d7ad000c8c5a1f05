"""short, and the other examples: they run as a reader would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .support import PACKAGE, Prometheus, prometheus_trigger, scaled_object

EXAMPLES = PACKAGE / "examples"


def run(name: str, *arguments: str, timeout: float = 60) -> str:
    env = {**os.environ, "PYTHONPATH": str(PACKAGE / "src")}
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout, check=True).stdout


def code_lines(text: str) -> int:
    """Without blank lines and the text at the top."""
    body = re.sub(r'^""".*?"""', "", text, flags=re.DOTALL)
    return sum(1 for line in body.splitlines() if line.strip())


class Short(unittest.TestCase):
    def test_a_manifest_to_a_decision_takes_15_lines(self) -> None:
        text = (EXAMPLES / "first.py").read_text()
        self.assertLessEqual(code_lines(text), 15)
        with Prometheus(load=42.5) as prometheus, tempfile.TemporaryDirectory() as folder:
            manifest = Path(folder) / "so.json"
            manifest.write_text(scaled_object(triggers=[prometheus_trigger(prometheus.address)]))
            self.assertEqual(run("first.py", str(manifest), "3"), "3 -> 6 scale_up_limit\n")

    def test_the_readmes_first_program_is_that_one(self) -> None:
        body = (EXAMPLES / "first.py").read_text().split("manifest, replicas")[1].split("\n", 1)[1]
        self.assertIn(body.strip(), (PACKAGE / "README.md").read_text())


class Others(unittest.TestCase):
    def test_numbers_alone(self) -> None:
        lines = run("numbers_alone.py").splitlines()
        self.assertEqual(lines[0], "3 -> 6, proposed 9, limited by scale_up_limit")
        self.assertEqual(lines[1], "6 -> 9, proposed 9, limited by none")
        self.assertIn("Trace:", lines)

    def test_a_fleet(self) -> None:
        values = {f'queue_length{{model="{name}"}}': value for name, value in (("chat", 30), ("embed", 9), ("rerank", 2))}
        with Prometheus(**values) as prometheus:
            lines = run("fleet.py", prometheus.address, "4").splitlines()
        sizes = {"chat": 8, "embed": 3}
        for name, size in sizes.items():
            self.assertIn(f"default/{name} now has {size} replicas", lines)
        self.assertFalse([line for line in lines if "rerank" in line])
