"""Checks each problem: in the log, /metrics, /problems.json, /status.json, and in the list that doctor prints."""
from __future__ import annotations

import json
import pathlib
import re
import unittest
from typing import Any

from harness import Daemon, gputided

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = {row["code"]: row for row in json.loads((ROOT / "src/gputided/run/problems/problems.json").read_text())}


class SeesProblems(unittest.TestCase):
    def problems(self, daemon: Daemon, code: str, page: str = "/problems.json") -> list[dict[str, Any]]:
        return [entry for entry in json.loads(daemon.get(page)[2])["problems"] if entry["code"] == code]

    def is_seen(self, daemon: Daemon, code: str, object_name: str, text: str, line: str = "") -> dict[str, Any]:
        """line: what the log says, if the library says it."""
        entry: dict[str, Any] = daemon.wait_for(lambda: self.problems(daemon, code))[0]
        self.assertEqual(entry["object"], object_name)
        self.assertIn(text, entry["text"])
        self.assertEqual(entry["severity"], ROWS[code]["severity"])
        self.assertTrue(entry["remedy"])
        self.assertRegex(entry["since"], r"^\d{4}-\d\d-\d\dT")
        self.assertEqual(self.problems(daemon, code, "/status.json")[0]["since_ms"], entry["since_ms"])
        daemon.wait_for(lambda: (line or f"[{code}]") in daemon.err)
        page = daemon.get("/metrics")[2]
        self.assertRegex(page, rf'(?m)^gputide_problem{{code="{code}",namespace="[^"]*",name="[^"]+"}} [1-9]')
        self.assertRegex(page, rf'(?m)^gputide_problems_total{{code="{code}"}} [1-9]')
        self.is_in_doctor(daemon, entry)
        return entry

    def is_in_doctor(self, daemon: Daemon, entry: dict[str, Any]) -> None:
        ran = gputided("doctor", "--running", daemon.url().removeprefix("http://"))
        self.assertEqual(ran.err, "")
        self.assertRegex(ran.out, rf"(?m)^  {entry['code']} +{re.escape(entry['object'])}, for \d+ (s|min|h): .*\n +{re.escape(entry['remedy'])}$")
        if entry["severity"] == "warning":
            self.assertEqual(ran.status, 1)

    def ends(self, daemon: Daemon, code: str, line: str = "") -> None:
        daemon.wait_for(lambda: not self.problems(daemon, code))
        daemon.wait_for(lambda: (line or f"{ROWS[code]['end']} [{code}]") in daemon.err)
        self.assertNotIn(f'gputide_problem{{code="{code}"', daemon.get("/metrics")[2])
