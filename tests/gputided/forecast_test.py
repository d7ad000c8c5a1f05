"""A forecast that knows what comes every hour: drawn on the status page, and as placeholder pods for its nodes."""
from __future__ import annotations

import json
import math
import pathlib
import re
import shutil
import time
import unittest
import urllib.parse
from typing import Any

import chromium
import harness
import manifests
from chromium import Browser
from fault_server import Connection, vector
from harness import Daemon, gputided
from run_test import FAST, WithServer

POOL = {"id": "gpunp", "max": 20, "allocatable": {"cpu": "96", "memory": "900Gi", "pods": "110", "nvidia.com/gpu": "8"},
        "labels": {"kubernetes.azure.com/agentpool": "gpunp"}}
# docs/forecast.md has this line.
EXPECTED = ('{groups: [.scalers[] | select(.forecast.need) | {name, count: ([.forecast.need - .current, 0] | max),\n'
            '  pod: {requests: {"nvidia.com/gpu": 1}}}]}')
# Reads the drawing together with its data: a slot may end in between.
DRAWN = """(() => {
    const svg = document.querySelector('path.ahead').closest('svg'), figure = svg.closest('figure');
    const ink = (look, name) => getComputedStyle(svg.querySelector(look))[name];
    return { said: last.scalers[0].forecast, text: figure.innerText, sentence: figure.nextSibling.innerText,
             lines: Object.fromEntries([...svg.children].map(one => [one.getAttribute('class'), one.getAttribute('d')])),
             inks: [ink('.ahead', 'stroke'), ink('.ask', 'stroke'), ink('.at', 'stroke'), ink('.area', 'fill')],
             wide: document.documentElement.scrollWidth };
})()"""


def answer_hourly(to: Connection, request: str, began_s: float) -> None:
    """A Prometheus with a load of 90 in the minutes 4 to 20 after began_s and after each hour before and since, else 20; with some
    noise.  It has the value of now, and those of a range."""
    def load(at_s: float) -> float:
        return (90 if 4 <= (at_s - began_s) / 60 % 60 < 20 else 20) * (1 + 0.03 * math.sin(at_s))

    asked = urllib.parse.parse_qs(request.partition("\r\n\r\n")[2] or urllib.parse.urlsplit(request.split(" ")[1]).query)
    if "query_range" not in request.split(" ")[1]:
        to.answer(vector(str(load(time.time()))))
        return
    start, end, step = (float(asked[name][0]) for name in ("start", "end", "step"))
    times = [start + i * step for i in range(int((end - start) / step) + 1)]
    to.answer(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [
        {"metric": {}, "values": [[at_s, str(load(at_s))] for at_s in times]}]}}))


def heights(path: str) -> list[float]:
    return [float(y) for y in re.findall(r"[V ]([\d.]+)", path)]


class Ahead(WithServer):
    def daemon(self) -> Daemon:
        began_s = time.time()
        self.server.faults["hourly"] = lambda to, request: answer_hourly(to, request, began_s)
        return Daemon("--dry-run", "--current", "4", "-f", manifests.saved("ahead.yaml", manifests.scaled_object(
            self.server.url("hourly"), query="sum(queue)", spec={"pollingInterval": 1, "maxReplicaCount": 60},
            annotations={**FAST, "gputide.io/forecast": "act", "gputide.io/forecast-lead": "10m", "gputide.io/forecast-history": "3d"})))

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
    def test_it_is_drawn_ahead_of_now(self) -> None:
        """Its line, its band and what it asks for, each at its height; on a phone, in the dark."""
        with self.daemon() as daemon, Browser(390, 844, dark=True) as browser:
            daemon.wait_for(lambda: len(daemon.decisions) >= 4)
            browser.open(daemon.url() + "/")
            browser.wait_until("document.querySelector('path.ahead')?.closest('svg').querySelectorAll('.ask, .value').length === 2")
            seen = browser.ask(DRAWN)
        said, lines = seen["said"], seen["lines"]
        ahead: list[dict[str, Any]] = said["ahead"]
        self.assertGreater(ahead[-1]["forecast"], 3 * ahead[0]["forecast"], "the hour's pattern is known")

        def check(path: str, values: list[float]) -> None:
            """The chart is 60 high, up to a load of 100."""
            self.assertEqual(len(heights(path)), len(values), path)
            for height, value in zip(heights(path), values):
                self.assertAlmostEqual(height, 60 - 60 * value / 100, delta=0.06)

        forecast = [slot["forecast"] for slot in ahead]
        check(lines["ahead"], forecast)
        check(lines["area"], [slot["upper"] for slot in ahead] + forecast[::-1])
        check(lines["ask"], [slot["ask"] for slot in ahead if "ask" in slot])
        self.assertIn(" ", lines["value"], "the load before now is there, too")
        self.assertRegex(lines["ahead"], r"L300.0 [\d.]+$", "to the end of the lead")
        self.assertLess(float(re.findall(r"M([\d.]+)", lines["at"])[0]), 60, "what is known of the past is a few seconds")
        self.assertIn("load of s0-prometheus ahead", seen["text"])
        self.assertIn(f"asks for {said['floor_load']:.4g}", seen["text"])
        self.assertEqual(seen["sentence"], said["text"])
        self.assertEqual(len({*seen["inks"], "none"}), 5, "each in its own color")
        self.assertEqual(seen["wide"], 390)

    @unittest.skipUnless(shutil.which("jq"), "jq is not installed")
    def test_placeholder_pods_follow_it(self) -> None:
        """From the status page's JSON to the nodes that will be needed: about 19 replicas of one GPU, of which 4 are there."""
        pools = harness.write("pools.json", json.dumps({"pools": [POOL]}))
        with self.daemon() as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 2)
            status = harness.write("status.json", daemon.get("/status.json")[2])
        expected = harness.shell(f"jq '{EXPECTED}' {status}")
        self.assertEqual(expected.status, 0, expected)
        self.assertIn(json.loads(expected.out)["groups"][0]["count"], range(13, 17), expected)
        made = gputided("nodes", "plan", "-f", pools, "-f", harness.write("expected.json", expected.out), "--placeholders")
        self.assertEqual(made.status, 0, made)
        self.assertIn("name: gputide-placeholder-gpunp\nspec:\n  replicas: 2\n", made.out)
        page = (pathlib.Path(__file__).parents[2] / "docs" / "forecast.md").read_text()
        self.assertTrue(EXPECTED in page, "the page has it as it is run here")
