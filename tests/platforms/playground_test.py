#!/usr/bin/env python3
"""Drives examples/playground in headless Chromium: what it shows, how fast it follows a slider, and its use without a mouse.

    PLAYGROUND=FOLDER PYTHONPATH=tests/gputided playground_test.py      FOLDER: what examples/playground/build.sh has built

Prints the time from a slider to the new figures for a week at 15 s and for a year of minutes.  PLAYGROUND_PICTURES=FOLDER keeps screenshots.
"""

from __future__ import annotations

import base64
import gzip
import os
import pathlib
import re
import unittest
from typing import Any

import chromium
from chromium import Browser

FOLDER = pathlib.Path(os.environ.get("PLAYGROUND", "")).resolve()
PICTURES = os.environ.get("PLAYGROUND_PICTURES")
MAX_UPDATE_MS = 100.0
MAX_YEAR_MS = 2_000.0
MAX_COMPRESSED_BYTES = 450_000
HPA = """apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 10
  metrics:
  - type: External
    external: {metric: {name: queue}, target: {type: AverageValue, averageValue: "10"}}
"""
SET = """(id, value) => { const input = document.getElementById(id); input.value = value;
 input.dispatchEvent(new Event(input.type === 'range' ? 'input' : 'change', {bubbles: true})); }"""


@unittest.skipUnless(chromium.PROGRAM, "no chromium")
class Playground(unittest.TestCase):
    def open(self, **options: Any) -> Browser:
        browser = self.enterContext(Browser(**options))
        browser.open(f"file://{FOLDER}/index.html")
        browser.wait_until("document.body.dataset.updateMs !== undefined")
        return browser

    def picture(self, browser: Browser, name: str) -> None:
        if PICTURES:
            browser.photograph(f"{PICTURES}/{name}.png")

    def set(self, browser: Browser, name: str, value: object) -> None:
        browser.ask(f"({SET})({name!r}, {value!r})")

    def figure(self, browser: Browser, row: int, column: int) -> float:
        cell = browser.ask(f"document.querySelectorAll('#figures tbody tr')[{row}].cells[{column}].textContent")
        return float(cell.split(" ")[0])

    def test_size(self) -> None:
        text = (FOLDER / "gputide.wasm.js").read_text(encoding="utf-8")
        program = base64.b64decode(re.search(r"'([A-Za-z0-9+/=]{100,})'", text)[1])  # type: ignore[index]
        size = len(gzip.compress(program, 9))
        print(f"\n    WebAssembly: {len(program)} bytes, {size} compressed")
        self.assertLess(size, MAX_COMPRESSED_BYTES)

    def test_slider_changes_the_figures(self) -> None:
        browser = self.open()
        before = self.figure(browser, 0, 1)
        self.assertEqual(self.figure(browser, 0, 2), before)
        times: list[float] = []
        while len(times) < 12 or (len(times) < 60 and min(times) >= MAX_UPDATE_MS):  # other programs may have the processor
            browser.ask("delete document.body.dataset.updateMs")
            self.set(browser, "threshold", 11 + len(times) % 12 / 2)
            times.append(float(browser.ask("document.body.dataset.updateMs")))
        self.picture(browser, "wide")
        self.assertLess(self.figure(browser, 0, 2), before)
        points = browser.ask("document.getElementById('described').textContent")
        self.assertTrue(points.startswith("40320 points"), points)
        times.sort()
        print(f"\n    a week at 15 s: {times[0]:.0f} ms at best, {times[len(times) // 2]:.0f} ms in the middle of {len(times)} updates")
        self.assertLess(times[0], MAX_UPDATE_MS)

    def test_a_year_of_minutes(self) -> None:
        browser = self.open()
        self.set(browser, "recording", "own")
        row = "(1764000000 + 60 * i) + ',' + (40 + 30 * Math.sin(i / 230)).toFixed(2)"
        browser.ask(f"({SET})('csv', ['time,value', ...Array.from({{length: 525600}}, (_, i) => {row})].join('\\n'))")
        self.assertTrue(browser.ask("document.getElementById('described').textContent").startswith("525600 points"))
        times: list[float] = []
        while len(times) < 3 or (len(times) < 10 and min(times) >= MAX_YEAR_MS):
            browser.ask("delete document.body.dataset.updateMs")
            self.set(browser, "max", 10 + len(times))
            times.append(float(browser.ask("document.body.dataset.updateMs")))
        print(f"\n    a year of minutes: {min(times):.0f} ms at best of {len(times)} updates")
        self.assertLess(min(times), MAX_YEAR_MS)

    def test_patch_and_link(self) -> None:
        browser = self.open()
        self.set(browser, "max", 12)
        self.set(browser, "down_window_s", 600)
        patch = browser.ask("document.getElementById('patch').textContent")
        for part in ("kubectl patch -n default scaledobject chat", "maxReplicaCount: 12", "stabilizationWindowSeconds: 600"):
            self.assertIn(part, patch)
        browser.ask("document.getElementById('share').click()")
        browser.wait_until("location.hash.length > 20")
        link = browser.ask("location.href")
        figures = browser.ask("document.getElementById('figures').textContent")
        other = self.enterContext(Browser())
        other.open(link)
        other.wait_until("document.body.dataset.updateMs !== undefined")
        self.assertEqual(other.ask("document.getElementById('figures').textContent"), figures)

    def test_own_manifest_and_recording(self) -> None:
        browser = self.open()
        self.set(browser, "recording", "own")
        lines = "".join(f"{1795132800 + 15 * i},{20 + 60 * (200 < i < 400)},5\\n" for i in range(600))
        browser.ask(f"({SET})('csv', 'time,value,replicas\\n{lines}')")
        self.set(browser, "manifest", HPA)
        self.assertEqual(browser.ask("document.getElementById('problem').textContent"), "")
        self.assertEqual(self.figure(browser, 6, 1), 8)
        self.assertEqual(browser.ask("document.getElementById('cooldown_s')"), None)
        self.set(browser, "manifest", "kind: HorizontalPodAutoscaler")
        self.assertIn("apiVersion", browser.ask("document.getElementById('problem').textContent"))

    def test_keyboard_explains(self) -> None:
        browser = self.open()
        browser.ask("document.getElementById('chart').focus()")
        for _ in range(20):
            browser.call("Input.dispatchKeyEvent", type="keyDown", key="PageDown")
        said = browser.ask("document.getElementById('moment').textContent")
        self.assertIn("Last change", said)
        self.assertIn("ready", said)

    def test_narrow_and_dark(self) -> None:
        browser = self.open(width=390, height=900, dark=True)
        self.assertLessEqual(browser.ask("document.documentElement.scrollWidth"), 390)
        self.assertEqual(browser.ask("getComputedStyle(document.body).backgroundColor"), "rgb(20, 24, 22)")
        unnamed = browser.ask("[...document.querySelectorAll('input,select,textarea')].filter((field) => !field.labels?.length"
                              " && !field.getAttribute('aria-label')).map((field) => field.id)")
        self.assertEqual(unnamed, [])
        self.picture(browser, "narrow")


if __name__ == "__main__":
    unittest.main(verbosity=2)
